"""Verdicts as a page of Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from symgen.check.run import Result

_WIDTH = 300


def page(results: Sequence[tuple[str, Sequence[Result]]], command: str) -> str:
    """Return a page on the claims of several sources.

    Parameters
    ----------
    results : source, and the results of its claims.
    command : what makes the page again.
    """
    lines = [
        "# Printed formulas, checked",
        "",
        f"Made by `{command}`. [checking.md](checking.md) tells what verdicts mean and how to check your own formulas.",
    ]
    for source, found in results:
        counts = Counter(result.finding.verdict for result in found)
        lines += ["", f"## {source}", "", ", ".join(f"{n} {word}" for word, n in sorted(counts.items())) + ".", ""]
        lines += ["| where | compared with | verdict |", "|---|---|---|"]
        lines += [f"| {_cell(_where(r))} | {_compared(r)} | {r.finding.verdict} |" for r in found]
        for result in found:
            if result.finding.verdict != "holds":
                lines += ["", *_told(result)]
    return "\n".join(lines) + "\n"


def _where(result: Result) -> str:
    return result.claim.where or result.claim.id


def _compared(result: Result) -> str:
    return f"`{result.claim.object}`" if result.claim.object else "a formula"


def _told(result: Result) -> Iterator[str]:
    finding = result.finding
    yield f"### {_where(result)}: {finding.verdict}"
    yield ""
    yield f"- printed: `{_short(result.claim.text)}`"
    if finding.verdict == "undecided":
        yield f"- because: {finding.evidence}"
    if finding.difference:
        yield f"- printed less derived: `{_short(finding.difference)}`"
    if finding.counterexample is not None:
        yield f"- such as: {finding.counterexample.text}"
    if result.suggestion:
        formula, _, change = result.suggestion.rpartition(" (")
        yield f"- proved with {change.rstrip(')')}: `{formula}`"
    if result.claim.erratum:
        yield f"- {result.claim.erratum}"


def _short(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]} ..."


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
