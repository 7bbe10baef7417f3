"""Divide and conquer: bodies are joined two by two to assemblies, these again, up to the whole."""
