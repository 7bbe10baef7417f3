"""One file a tool; each gives the entrants it has for a problem."""
