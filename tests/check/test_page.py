"""A page of verdicts: a stranger's words are words on it, not HTML and not Markdown."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from symgen.check.claims import Claim, claims_of
from symgen.check.page import counted, page
from symgen.check.run import ClaimResult
from symgen.check.verdict import FormulaFinding

HOSTILE = [
    "<img src=x onerror=alert(1)>", "[a](javascript:alert(1))", "**bold** and *emphasis*", "`code` ` more", "a | b",
    "_word_ and x_1", "&lt;b&gt;", r"\<b>", "# heading", "- item", "> quoted", "[x]: http://a", "~~struck~~", "![p](q)",
    "</code><script>", r"a\`b`", "__init__",
]  # fmt: skip


def _claim(**fields: Any) -> Claim:
    tree = {"id": "one", "equals": "x", "printed": "x", "letters": {"x": []}, **fields}
    return claims_of({"schema": "symgen/claims/1", "claim": [tree]}, "a.toml").claims[0]


@pytest.mark.parametrize("text", HOSTILE)
def test_words_of_a_file_are_no_markup(text: str) -> None:
    """The oracle is another program that reads Markdown: it must find the words and nothing else."""
    markdown = pytest.importorskip("markdown_it")
    claim = dataclasses.replace(_claim(where=text, erratum=text), text=text)
    result = ClaimResult(claim, FormulaFinding("fails", "sizes", text), f"{text} (a sign changed)", 0.0)
    undecided = ClaimResult(claim, FormulaFinding("undecided", text), "", 0.0)
    made = page([(text, [result, undecided])], f"symgen check --page {text}")
    reader = markdown.MarkdownIt("commonmark").enable(["table", "strikethrough"])
    tokens = reader.parse(made)
    kinds = {child.type for token in tokens for child in token.children or []} | {token.type for token in tokens}
    assert not kinds & {"html_inline", "html_block", "image", "em_open", "strong_open", "s_open", "blockquote_open"}
    links = [child.attrs for token in tokens for child in token.children or [] if child.type == "link_open"]
    assert links == [{"href": "checking.md"}]
    code = [child.content for token in tokens for child in token.children or [] if child.type == "code_inline"]
    assert code.count(text) == 4  # printed twice, the difference, what was meant
    rendered = "".join(c.content for t in tokens if t.type == "inline" for c in t.children or [])
    assert rendered.count(text) == 13  # and the source, two cells, two headings, two remarks, the evidence, the command
    assert sum(token.type == "tr_open" for token in tokens) == 3


def test_words_without_markup_keep_their_bytes() -> None:
    one_star = _claim(erratum="(x - x0)**2 of x_{-1}, h > 0 & R^T [0]")
    made = page([("a source", [ClaimResult(one_star, FormulaFinding("fails", "sizes"), "", 0.0)])], "symgen check")
    assert "- (x - x0)**2 of x_{-1}, h > 0 & R^T [0]\n" in made


def test_counts_are_plain_english() -> None:
    assert counted({"holds": 8, "fails": 22, "undecided": 0}) == "8 hold, 22 fail"
    assert counted({"holds": 1, "fails": 1, "undecided": 2}) == "1 holds, 1 fails, 2 undecided"
