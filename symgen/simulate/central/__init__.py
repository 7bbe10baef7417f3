"""Central differences and their variational form: unknowns are poses or the coordinates of a tree (DIMCD)."""
