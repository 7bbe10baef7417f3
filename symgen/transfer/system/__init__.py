"""A mechanism as a transfer system: which joint is the output of each body, from the tips to the roots."""
