"""Results for people: one file a verb, on what all of them share, a table and numbers with their nouns."""
