"""Mathematics of the site: set by the KaTeX of symgen's reports, MathML where no script runs; nothing is fetched."""

from __future__ import annotations

import shutil
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from outside_pages import REPOSITORY
from sphinx.application import Sphinx

_KATEX = REPOSITORY / "symgen" / "report" / "vendor" / "katex"
_FILES = ("katex/katex.min.js", "katex.js"), ("katex/katex.min.css",)


def _of_text(self: Any, node: nodes.Element) -> None:
    """Write mathematics that a page gives as LaTeX."""
    tag = "div" if isinstance(node, nodes.math_block) else "span"
    text = escape(node.astext(), quote=True)
    self.body.append(f'<{tag} class="m" data-tex="{text}">{escape(node.astext())}</{tag}>')
    raise nodes.SkipNode


def _add_files(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    if doctree is None or 'class="m"' not in context.get("body", ""):
        return
    for name in _FILES[0]:
        app.add_js_file(name, loading_method="defer")
    for name in _FILES[1]:
        app.add_css_file(name)


def _copy_katex(app: Sphinx, exception: Exception | None) -> None:
    if exception is None and app.builder.format == "html":
        target = Path(app.outdir) / "_static" / "katex"
        shutil.copytree(_KATEX, target, dirs_exist_ok=True)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer; its files go to the pages that need them."""
    app.add_html_math_renderer("katex", (_of_text, None), (_of_text, None))
    app.connect("html-page-context", _add_files)
    app.connect("build-finished", _copy_katex)
    return {"parallel_read_safe": True}
