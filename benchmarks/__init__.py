"""Measures generated code against other tools: ``make bench`` writes docs/benchmarks.md."""
