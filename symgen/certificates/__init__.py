"""Certificates of generated modules: written by deriving them again, verified on any installation."""
