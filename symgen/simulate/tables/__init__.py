"""A mechanism as the engines take it: bodies along a spanning tree, rows of joints, forces, laws, as tables."""
