"""Lines of C that statements are made of: blocks, arrays, comments."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from symgen.emit.folding import INDENT, broken, folded
from symgen.naming import free_text

#: Columns that a line of a function's body may take.
WIDTH = 110


@dataclass(frozen=True)
class WayOut:
    """How a solver leaves where a check does not hold: the type of its outcome, and what stands around that."""

    outcome: str
    before: str
    after: str

    def leave(self, outcome: str) -> str:
        """Return the statement that leaves with an outcome."""
        return f"{self.before}{outcome}{self.after};"


#: By itself.
RETURNS = WayOut("symgen_status", "return ", "")
#: Compiled for rows side by side, too, where it goes on.
IN_LANES = WayOut("symgen_outcome", "LEAVE(", ")")
#: One of several parts side by side: it always goes on.
BESIDE = WayOut("symgen_side", "NOTE(", ")")


def leave_with(
    outcome: str,
    *,
    keep_singular: bool,
    keep_ambiguous: bool = False,
    is_first: bool = False,
    way: WayOut = RETURNS,
) -> list[str]:
    """Leave with the status of a call; SINGULAR may go on and become the status at the end, AMBIGUOUS too.

    Before the first one that may go on, the status is OK.
    """
    leave = way.leave(outcome)
    if keep_ambiguous:
        singular = f"{outcome} == SYMGEN_SINGULAR"
        singular = singular if is_first else f"({singular} && status == SYMGEN_OK)"
        return [
            f"if ({outcome} == SYMGEN_AMBIGUOUS || {singular}) {{",
            f"{INDENT}status = {outcome};",
            f"}} else if ({outcome} != SYMGEN_OK && {outcome} != SYMGEN_SINGULAR) {{",
            f"{INDENT}{leave}",
            "}",
        ]
    if not keep_singular:
        return [f"if ({outcome} != SYMGEN_OK) {{", f"{INDENT}{leave}", "}"]
    return [
        f"if ({outcome} != SYMGEN_OK && {outcome} != SYMGEN_SINGULAR) {{",
        f"{INDENT}{leave}",
        "}",
        f"if ({outcome} != SYMGEN_OK) {{",
        f"{INDENT}status = {outcome};",
        "}",
    ]


def array_lines(head: str, texts: list[str]) -> list[str]:
    """Write an array with its values, over as many lines as they need."""
    line = f"{head}[{len(texts)}] = {{{', '.join(texts)}}};"
    if len(line) <= WIDTH:
        return [line]
    inner = [INDENT + part for text in folded(texts, WIDTH - len(INDENT)) for part in broken(text, WIDTH)]
    return [f"{head}[{len(texts)}] = {{", *inner, "};"]


def open_if(condition: str, comment: str) -> list[str]:
    """Open a block; a long condition stands in further than what the block holds."""
    lines = broken(f"if ({condition}) {{", WIDTH, 2 * INDENT)
    return [*lines[:-1], f"{lines[-1]} /* {free_text(comment)} */"]


def comment_lines(text: str) -> list[str]:
    """Return a comment over as many lines as it needs."""
    first, *others = textwrap.wrap(free_text(text), WIDTH - 6) or [""]
    if not others:
        return [f"/* {first} */"]
    return [f"/* {first}", *(f" * {line}" for line in others[:-1]), f" * {others[-1]} */"]
