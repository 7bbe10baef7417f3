"""Options and arguments that several verbs have, and what they mean."""
