"""Templates place finished text: they loop, test presence, include; nothing is computed, compared or put together."""

from __future__ import annotations

import re
from dataclasses import dataclass

import jinja2
import pytest
from jinja2 import nodes

from symgen.errors import RenderError
from symgen.render.environment import render
from symgen.resources import templates_folder

TEMPLATES = {
    path.relative_to(templates_folder()).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(templates_folder().rglob("*.j2"))
}


def _is_field(node: nodes.Node) -> bool:
    """A name or a field of one: `title`, `f.body`."""
    return isinstance(node, nodes.Name) or (isinstance(node, nodes.Getattr) and _is_field(node.node))


def _is_binding(node: nodes.Node) -> bool:
    """What `with` may give a new name: a field, or a list of fields."""
    return _is_field(node) or (isinstance(node, nodes.List) and all(_is_field(item) for item in node.items))


def _faults(node: nodes.Node) -> list[str]:
    """Return what a template does besides placing text."""
    where = f"line {node.lineno}: {type(node).__name__}"
    if isinstance(node, nodes.Output):
        parts = [part for part in node.nodes if not isinstance(part, nodes.TemplateData)]
        return [f"line {part.lineno}: {type(part).__name__} is printed" for part in parts if not _is_field(part)]
    allowed = {
        nodes.Template: lambda n: True,
        nodes.For: lambda n: _is_field(n.iter) and not (n.else_ or n.test or n.recursive),
        nodes.If: lambda n: _is_field(n.test) and not n.elif_,
        nodes.With: lambda n: all(_is_binding(value) for value in n.values),
        nodes.Include: lambda n: isinstance(n.template, nodes.Const) and n.with_context and not n.ignore_missing,
    }
    rule = allowed.get(type(node))
    if rule is None or not rule(node):
        return [where]
    inner = [*getattr(node, "body", ()), *(getattr(node, "else_", None) or ())]
    return [fault for child in inner for fault in _faults(child)]


def test_templates_loop_and_test_presence_and_nothing_else() -> None:
    jinja = jinja2.Environment(autoescape=False)  # noqa: S701
    wrong = [f"{name}: {fault}" for name, text in TEMPLATES.items() for fault in _faults(jinja.parse(text))]
    assert not wrong, "\n".join(wrong)


def test_templates_put_no_names_together() -> None:
    joined = re.compile(r".*\w\{\{.*|.*\}\}\w.*|.*\}\}\{\{\s*\w+\.name.*")
    wrong = [f"{name}: {line}" for name, text in TEMPLATES.items() for line in joined.findall(text)]
    assert not wrong, "\n".join(wrong)


def test_templates_are_short() -> None:
    # one function of C and its comment; the longest has a branch for each kind of force. A file without a tag is C.
    lines = {name: len(text.splitlines()) for name, text in TEMPLATES.items() if "{{" in text or "{%" in text}
    wrong = [f"{name}: {count} lines" for name, count in lines.items() if count > 90]
    assert not wrong, "is a decision hiding in Jinja?\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    "text",
    [
        "{{ a + b }}",
        "{{ a|upper }}",
        "{{ a() }}",
        "{{ a[0] }}",
        "{{ 'x' if a else 'y' }}",
        "{{ 'x' }}",
        "{% if a == 1 %}x{% endif %}",
        "{% if not a %}x{% endif %}",
        "{% if a is string %}x{% endif %}",
        "{% for x in a if x %}x{% endfor %}",
        "{% for x in a|sort %}x{% endfor %}",
        "{% set a = 1 %}",
        "{% macro m(a) %}x{% endmacro %}",
        "{% include name %}",
        "{% with a = b + c %}x{% endwith %}",
        "{% for x in a %}{% if x > 1 %}x{% endif %}{% endfor %}",
    ],
)
def test_the_rule_finds_logic(text: str) -> None:
    assert _faults(jinja2.Environment(autoescape=False).parse(text)) != []  # noqa: S701


def test_declarations_have_one_source() -> None:
    header = (templates_folder() / "c99" / "module.h.j2").read_text(encoding="utf-8")
    assert '{% include "c99/_declarations.h.j2" %}' in header
    assert "symgen_status {{" not in header


@dataclass(frozen=True)
class _Callable:
    preamble: object
    statuses: tuple[str, ...] = ()


@dataclass
class _Thawed:
    preamble: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()


@pytest.mark.parametrize("view", [_Callable(len), _Callable(["list"]), _Callable(1.5), _Callable(None), _Thawed()])
def test_a_view_of_anything_but_text_and_numbers_is_refused(view: object) -> None:
    with pytest.raises(RenderError, match="a view holds text"):
        render("c99/symgen_status.h.j2", view)


def test_a_name_the_view_does_not_have_is_refused() -> None:
    @dataclass(frozen=True)
    class Empty:
        pass

    with pytest.raises(RenderError, match="undefined"):
        render("c99/symgen_status.h.j2", Empty())
