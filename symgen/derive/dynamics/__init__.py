"""The dynamics as derivations: kernels for the engines, and the objects of the linearised Newton-Euler equations."""
