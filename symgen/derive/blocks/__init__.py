"""Elimination steps that several groups share."""
