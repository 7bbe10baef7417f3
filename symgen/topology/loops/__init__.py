"""Topological graph, spanning tree and fundamental loops, with the motions of joints in numbers."""
