"""Verdicts as a page of Markdown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, repeat

from symgen.check.run import ClaimResult

_WIDTH = 300
#: What begins a tag, an entity, code, struck text, a link, an escape, or emphasis before a word.
_MARKS = re.compile(r"<|&(?=#?\w+;)|`|~|\](?=[(\[:])|\\(?=[!-/:-@\[-`{-~])|(?<![^\W_])_")
_STARS = re.compile(r"\*+")
_AT_THE_START = re.compile(r"[#>\[]|[-+](\s|$|-)")
_PLURALS = {"holds": "hold", "fails": "fail", "undecided": "undecided"}
_ENTITIES = {"<": "&lt;", "&": "&amp;"}


def page(results: Sequence[tuple[str, Sequence[ClaimResult]]], command: str, notes: Sequence[str] = ()) -> str:
    """Return a page on the claims of several sources.

    Parameters
    ----------
    results : source, and the results of its claims.
    command : what makes the page again.
    notes : of the sources, in the same order; "" where there is nothing to say.
    """
    lines = [
        "# Printed formulas, checked",
        "",
        f"Made by {_code(command)}. [checking.md](checking.md) explains the verdicts and how to check your own "
        "formulas.",
    ]
    for (source, found), note in zip(results, chain(notes, repeat("")), strict=False):
        counts = Counter(result.finding.verdict for result in found)
        lines += ["", f"## {_prose(source)}", "", counted({w: counts[w] for w in sorted(counts)}) + ".", ""]
        lines += [_prose(note), ""] if note else []
        lines += ["| where | compared with | verdict |", "|---|---|---|"]
        lines += [f"| {_cell(_where(r))} | {_compared(r)} | {r.finding.verdict} |" for r in found]
        for result in found:
            if result.finding.verdict != "holds":
                lines += ["", *_details(result)]
    return "\n".join(lines) + "\n"


def counted(counts: Mapping[str, int]) -> str:
    """Return how many claims have which verdict: "1 fails, 8 hold"."""
    return ", ".join(f"{count} {word if count == 1 else _PLURALS[word]}" for word, count in counts.items() if count)


def _where(result: ClaimResult) -> str:
    return _prose(result.claim.where or result.claim.id)


def _compared(result: ClaimResult) -> str:
    return _code(result.claim.object) if result.claim.object else "a formula"


def _prose(text: str) -> str:
    """Return a stranger's text for a page: nothing in it is HTML or Markdown."""
    text = " ".join(text.split())
    found = _MARKS.sub(lambda mark: _ENTITIES.get(mark[0], f"\\{mark[0]}"), text)
    if len(_STARS.findall(found)) > 1:  # a single row of them is no emphasis
        found = found.replace("*", "\\*")
    return f"\\{found}" if _AT_THE_START.match(found) else found


def _code(text: str) -> str:
    """Return a text as code of a page, on one line; its fence is longer than any row of backticks in it."""
    text = " ".join(text.split())
    longest = max((len(row) for row in re.findall("`+", text)), default=0)
    fence, edge = "`" * (longest + 1), " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{fence}{edge}{text}{edge}{fence}"


def _details(result: ClaimResult) -> Iterator[str]:
    finding = result.finding
    yield f"### {_where(result)}: {finding.verdict}"
    yield ""
    yield f"- printed: {_code(_short(result.claim.text))}"
    if finding.verdict == "undecided":
        yield f"- because: {_prose(finding.evidence)}"
    if finding.difference:
        yield f"- printed less derived: {_code(_short(finding.difference))}"
    if finding.counterexample is not None:
        yield f"- such as: {_prose(finding.counterexample.text)}"
    if result.suggestion:
        formula, _, change = result.suggestion.rpartition(" (")
        yield f"- proved with {change.rstrip(')')}: {_code(formula)}"
    if result.claim.erratum:
        yield f"- {_prose(result.claim.erratum)}"


def _short(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]} ..."


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
