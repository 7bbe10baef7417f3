"""Which other tools are here, for the pages' heads."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version


def other_tools(packages: Mapping[str, str]) -> str:
    """Return a sentence on the tools (title -> package) that are installed, with their versions."""
    found = []
    for title, package in packages.items():
        try:
            found.append(f"{title} {version(package)}")
        except PackageNotFoundError:
            continue
    return f"Other tools: {', '.join(found)}." if found else "No other tool is installed."
