"""Pages that are kept outside docs/: README.md and those of the examples. They are copied to docs/made/, untracked.

Links between pages stay as a code host wants them; here they are led to where the pages are in the site. A folder leads
to its README, a mechanism file to its page in the gallery, any other file is one to download. A link that shows the
name of its Markdown file shows the title of the page.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"
MADE = DOCS / "made"
README = "/made/readme.md"
_LINK = re.compile(r"(!?\[)([^\]]*)(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")


def mechanism_files() -> list[Path]:
    """Return the mechanism files of examples/, in order."""
    found = (REPOSITORY / "examples").glob("**/*.toml")
    return sorted(file for file in found if "symgen/mechanism/" in file.read_text(encoding="utf-8"))


def example_page(file: Path) -> str:
    """Return where the site has a mechanism file: its folder's page if it has the folder for itself."""
    folder = file.parent.relative_to(REPOSITORY).as_posix()
    return f"/made/{folder}.md" if file.stem == "mechanism" else f"/made/{folder}/{file.stem}.md"


def site_page(path: str) -> str | None:
    """Return the page of the site that shows a path of the repository; None if no page does."""
    place = PurePosixPath(os.path.normpath(path))
    file = REPOSITORY / place
    if place.parts[:1] == ("docs",) and file.suffix == ".md":
        return f"/{place.relative_to('docs')}"
    if str(place) == "README.md":
        return README
    if str(place) == "examples":
        return "/gallery.md"
    if place.parts[:1] == ("examples",):
        if file.is_dir() and (file / "README.md").is_file():
            return f"/made/{place}.md"
        if file.name == "README.md":
            return f"/made/{place.parent}.md"
        if file in mechanism_files():
            return example_page(file)
    return None


def led(text: str, folder: str, depth: int) -> str:
    """Return the text of a page with its links led to pages of the site.

    Parameters
    ----------
    folder : of the page in the repository, from which its links count.
    depth : folders between docs/ and the place of the page in the site.
    """

    def there(match: re.Match[str]) -> str:
        before, text, middle, target, rest = match.groups()
        if "://" in target or target.startswith(("/", "mailto:")):
            return match[0]
        path = os.path.normpath(f"{folder}/{target}")
        page = site_page(path)
        if page is None:
            page = "../" * (depth + 1) + path
        elif target.endswith(".md") and text.rpartition("/")[2] == target.rpartition("/")[2]:
            text = ""
        return f"{before}{text}{middle}{page}{rest}"

    return _LINK.sub(there, text)


def write_page(page: str, text: str) -> Path:
    """Write a page of the site below docs/made/, if it is not what is there: an unchanged one is not read again."""
    path = DOCS / page.removeprefix("/")
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
    return path


def _pages() -> Iterator[tuple[str, Path]]:
    yield README, REPOSITORY / "README.md"
    for file in sorted((REPOSITORY / "examples").glob("**/README.md")):
        if not (file.parent / "mechanism.toml").is_file():  # the gallery writes those
            yield f"/made/{file.parent.relative_to(REPOSITORY).as_posix()}.md", file


def _write_pages(app: Sphinx) -> None:
    for page, file in _pages():
        text = file.read_text(encoding="utf-8")
        folder = file.parent.relative_to(REPOSITORY).as_posix()
        orphan = "" if page == README else "---\norphan: true\n---\n"
        write_page(page, orphan + led(text, folder, page.count("/") - 1))


def _lead_links(app: Sphinx, docname: str, content: list[str]) -> None:
    if not docname.startswith("made/"):
        content[0] = led(content[0], "docs", docname.count("/"))


def setup(app: Sphinx) -> dict[str, Any]:
    """Copy the pages before the sources are looked for; lead the links of the others when they are read."""
    app.connect("builder-inited", _write_pages)
    app.connect("source-read", _lead_links)
    return {"parallel_read_safe": True}
