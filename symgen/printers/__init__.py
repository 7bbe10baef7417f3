"""Expressions to text, one file a language."""
