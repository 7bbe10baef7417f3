"""Where a certificate lies: beside the sources of its module."""

from __future__ import annotations


def certificate_name(module_id: str) -> str:
    """Return the name of a module's certificate."""
    return f"{module_id}.certificate.json"
