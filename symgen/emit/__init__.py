"""Statements to lines, one file a language."""
