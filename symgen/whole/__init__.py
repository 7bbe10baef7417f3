"""One routine for a whole mechanism: those of its structural groups in solving order, written into each other."""
