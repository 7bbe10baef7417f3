"""Planar structural groups of any arrangement, re-rooted on a few kernels: drives, pins in slots, platforms."""
