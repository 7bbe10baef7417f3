"""The contents of the site, read from the tables of index.md: each heading there is a part, each first cell a page.

So index.md stays a page of plain tables, and is the only place that lists the pages.
"""

from __future__ import annotations

import re
from typing import Any

from outside_pages import README, site_page
from sphinx.application import Sphinx

_HEADING = re.compile(r"^## (.+)$", re.M)
_LINK = re.compile(r"\]\(([^)#\s]+\.md)\)")


def parts(index: str) -> list[tuple[str, list[str]]]:
    """Return heading and pages (without their ``.md``), as index.md has them."""
    found = []
    pieces = _HEADING.split(index)
    for heading, text in zip(pieces[1::2], pieces[2::2], strict=True):
        rows = [line for line in text.splitlines() if line.startswith("| [")]
        links = [link for row in rows for link in _LINK.findall(row.split(" | ")[0])]
        pages = [site_page(f"docs/{link}") or link for link in links]
        found.append((heading.strip(), [page.removesuffix(".md").removeprefix("/") for page in pages]))
    return found


def _entry(page: str) -> str:
    return f"Five minutes </{page}>" if f"/{page}.md" == README else f"/{page}"


def _add_contents(app: Sphinx, docname: str, content: list[str]) -> None:
    if docname != "index":
        return
    blocks = [
        "\n".join(["```{toctree}", ":hidden:", f":caption: {heading}", "", *map(_entry, pages), "```", ""])
        for heading, pages in parts(content[0])
        if pages
    ]
    content[0] += "\n\n" + "\n".join(blocks)


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the contents to index.md when it is read."""
    app.connect("source-read", _add_contents)
    return {"parallel_read_safe": True}
