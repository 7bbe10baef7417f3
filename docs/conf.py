"""Settings of the documentation site: `make docs` builds it; contributing.md says how to add a page."""

from __future__ import annotations

import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_REPOSITORY = _HERE.parent
sys.path[:0] = [str(_HERE / "_ext"), str(_REPOSITORY)]

import symgen  # noqa: E402

project = "symgen"
author = "the authors of symgen"
project_copyright = "the authors of symgen, MIT licence"
release = version = symgen.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "contents",
    "outside_pages",
    "verbs",
    "python_face",
    "mathematics",
    "formulas",
    "gallery",
]
root_doc = "index"
exclude_patterns = ["_ext"]
nitpicky = True
# Types of other projects, names of the typed text of a signature, and classes of symgen that no user makes or is given.
nitpick_ignore_regex = [
    ("py:(class|obj|data)", r"(?!symgen\.).*"),
    ("py:class", r"symgen\.library\.(adapt|backends|catalogue|fit|group_joints|manifest|prepared)\..*"),
    ("py:class", r"symgen\.(model\.pairs|topology\.graph|solve\.continuation)\..*"),
    ("py:class", r"symgen\.(topology\.structure\.Describer|solve\.newton\.NewtonPlan|solve\.newton\.NewtonStart)"),
    ("py:class", r"symgen\.reactions\.assembly_method\..*"),
]
suppress_warnings = ["config.cache"]

# Pages are plain Markdown; what only the site shows is in a fenced block with a name in braces.
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_block"]

smartquotes = False
highlight_language = "none"

# Docstrings: names in single backquotes are code.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
napoleon_google_docstring = False
napoleon_use_rtype = False
add_module_names = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
maximum_signature_line_length = 88

# Nothing is fetched from another place: fonts, scripts and mathematics are files of the site.
html_theme = "furo"
html_title = f"symgen {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "katex"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
pygments_style = "friendly"
pygments_dark_style = "monokai"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5cad", "color-brand-content": "#0b5cad"},
    "dark_css_variables": {"color-brand-primary": "#7db8f0", "color-brand-content": "#7db8f0"},
}
