"""Simulation by the Riccati form of the transfer matrices: articulated inertias along the tree, loops as columns."""
