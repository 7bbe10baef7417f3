"""The files of modules and engines, written below a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from symgen.pipeline.engines import generate_engine_texts, known_engines
from symgen.pipeline.modules import generate_texts
from symgen.printers.c99 import Precision


def generate(
    modules: Sequence[str],
    out: Path,
    *,
    precisions: Sequence[Precision] = ("double", "float"),
    backends: Sequence[str] = ("c", "numpy"),
) -> list[Path]:
    """Write the files of modules below `out`, one folder a module.

    Parameters
    ----------
    modules : ids, see `known_modules` and `known_engines`.
    out : existing folder; the caller makes the result appear at once (see `symgen.cli.publishing`).

    Returns
    -------
    list of Path
        The files written, in order.
    """
    written: list[Path] = []
    for module_id in modules:
        texts_of = generate_engine_texts if module_id in known_engines() else generate_texts
        folder = out / module_id
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts_of(module_id, precisions=precisions, backends=backends).items():
            path = folder / name
            path.write_text(text, encoding="utf-8", newline="\n")
            written.append(path)
    return written
