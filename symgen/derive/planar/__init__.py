"""Planar structural groups of any arrangement: driven freedoms, pins in slots, platforms, re-rooted on a few kernels."""
