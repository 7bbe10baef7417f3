"""Dynamics: a mechanism moves under its forces."""
