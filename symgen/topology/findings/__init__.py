"""What is wrong with a mechanism that is not determined, and what would help."""
