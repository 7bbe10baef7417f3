"""``symgen generate FILE.py:NAME``: a derivation that is not symgen's is proved and written as one of its own types."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from symgen.cli.publishing import Replacement, publish, staging, tell_module
from symgen.derivations.writing import own_texts

if TYPE_CHECKING:
    from symgen.cli.generation import Choice
    from symgen.derivations.sources import Own


def generate_own(every: Sequence[Own], target: Path, choice: Choice, replacement: Replacement) -> list[Path]:
    """Prove all derivations, then write their modules below `target`; return the files.

    Raises
    ------
    InputError
        One of them is not proved: then none is written.
    """
    files: list[Path] = []
    with staging(target) as folder:
        seconds = {}
        for own in every:
            started = time.perf_counter()
            texts = own_texts(own, precisions=choice.precisions, backends=choice.backends, math=choice.math)
            inside = folder / own.module.id
            inside.mkdir()
            for name, text in texts.items():
                (inside / name).write_text(text, encoding="utf-8", newline="\n")
            seconds[own.module.id] = time.perf_counter() - started
        files += publish(folder, target, replacement)
        for name, each in seconds.items():
            tell_module(name, target, each)
    return files
