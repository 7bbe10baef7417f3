"""Structural groups, one file a family."""
