"""Derivations and results as documents: Markdown, which reads as plain text too, and HTML."""
