"""The only import of jinja2: templates of the package, strict names, frozen views in, text out."""

from __future__ import annotations

import dataclasses
from typing import Any

import jinja2

from symgen.errors import RenderError
from symgen.resources import templates_folder


def render(template: str, view: Any) -> str:
    """Return the text of a template filled with a view.

    Raises
    ------
    RenderError
        If the template asks for a name that the view does not have, or the view holds what a template must not see.
    """
    _check_plain(view, type(view).__name__)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates_folder()),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - the output is C and Python, not HTML
    )
    fields = {f.name: getattr(view, f.name) for f in dataclasses.fields(view)}
    try:
        return environment.get_template(template).render(fields)
    except jinja2.TemplateError as error:
        raise RenderError(f"{template}: {error}") from error


def _check_plain(value: Any, where: str) -> None:
    """Refuse everything but frozen dataclasses of text, numbers and tuples: nothing a template could call or change."""
    if isinstance(value, tuple):
        for each in value:
            _check_plain(each, where)
    elif dataclasses.is_dataclass(value) and type(value).__dataclass_params__.frozen:  # type: ignore[union-attr]
        for field in dataclasses.fields(value):
            _check_plain(getattr(value, field.name), f"{where}.{field.name}")
    elif type(value) not in (str, int, bool):
        raise RenderError(f"{where}: a view holds text, numbers, truth values and tuples, not {type(value).__name__}")
