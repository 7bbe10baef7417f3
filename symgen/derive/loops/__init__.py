"""Loop constraints of a mechanism from its topological graph, by products of exponentials."""
