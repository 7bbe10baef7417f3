"""Flexible beams in numbers: what a simulation and an element of a transfer system both need of them."""
