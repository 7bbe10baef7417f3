"""The files of modules and engines, written below a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from symgen.pipeline.engines import generate_engine_texts, known_engines
from symgen.pipeline.modules import generate_texts
from symgen.printers.c99 import Math, Precision


def generate(
    modules: Sequence[str],
    out: Path,
    *,
    precisions: Sequence[Precision] = ("double", "float"),
    backends: Sequence[str] = ("c", "numpy"),
    math: Math = "own",
) -> list[Path]:
    """Write the files of modules below `out`, one folder a module.

    Parameters
    ----------
    modules : ids, see `known_modules` and `known_engines`.
    math : whose sine, cosine and atan2 the C of modules calls; engines have theirs (docs/generated-code.md).
    out : existing folder; the caller makes the result appear at once (see `symgen.cli.terminal.publishing`).

    Returns
    -------
    list of Path
        The files written, in order.
    """
    written: list[Path] = []
    for module_id in modules:
        folder = out / module_id
        folder.mkdir(parents=True, exist_ok=True)
        if module_id in known_engines():
            texts = generate_engine_texts(module_id, precisions=precisions, backends=backends)
        else:
            texts = generate_texts(module_id, precisions=precisions, backends=backends, math=math)
        for name, text in texts.items():
            path = folder / name
            path.write_text(text, encoding="utf-8", newline="\n")
            written.append(path)
    return written
