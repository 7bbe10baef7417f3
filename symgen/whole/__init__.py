"""One routine for a whole mechanism: the routines of its structural groups in solving order, written into each other."""
