"""Any text as LaTeX that a plain pdflatex sets: nothing in it can become a command."""

from __future__ import annotations

import unicodedata

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "'": "'", "`": r"\textasciigrave{}", "-": "-",
    "\u2013": "--", "\u2014": "---", "\u2019": "'", "\u2026": r"\dots{}", "\u00df": r"\ss{}", "\u00e6": r"\ae{}",
    "\u00c6": r"\AE{}", "\u00f8": r"\o{}", "\u00d8": r"\O{}",
    "\u0131": r"\i{}", "\u00a0": "~",
}  # fmt: skip
_MARKS = {
    "\u0300": r"\`", "\u0301": r"\'", "\u0302": r"\^", "\u0303": r"\~", "\u0308": r'\"', "\u030a": r"\r",
    "\u030c": r"\v", "\u0327": r"\c", "\u0304": r"\=", "\u0306": r"\u", "\u0307": r"\.", "\u030b": r"\H",
}  # fmt: skip
#: What the fonts of a plain LaTeX draw only in another encoding, or not at all in KaTeX, by means that all have.
_BY_OTHER_MEANS = {r"\textquotedbl{}": "''", r"\textasciigrave{}": "`"}


def latex_text(text: str) -> str:
    """Return a text as LaTeX in ASCII; a character that no plain LaTeX knows stands as its number, ``[U+4E2D]``."""
    return "".join(map(_character, text))


def _character(char: str) -> str:
    if char in _SPECIAL:
        return _BY_OTHER_MEANS.get(_SPECIAL[char], _SPECIAL[char])
    if " " <= char <= "~":
        return char
    if unicodedata.category(char)[0] == "C":
        return ""
    base, *marks = list(unicodedata.normalize("NFD", char))
    if len(marks) == 1 and marks[0] in _MARKS and base.isascii() and base.isalpha():
        return f"{_MARKS[marks[0]]}{{{base}}}"
    return f"[U+{ord(char):04X}]"
