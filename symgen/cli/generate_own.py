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
    made: dict[str, dict[str, str]] = {}
    seconds: dict[str, float] = {}
    for own in every:
        started = time.perf_counter()
        name = own.module.id
        made[name] = own_texts(own, precisions=choice.precisions, backends=choice.backends, math=choice.math)
        seconds[name] = time.perf_counter() - started
    with staging(target) as folder:
        for name, texts in made.items():
            (folder / name).mkdir()
            for file, text in texts.items():
                (folder / name / file).write_text(text, encoding="utf-8", newline="\n")
        files = publish(folder, target, replacement)
    for name, each in seconds.items():
        tell_module(name, target, each)
    return files
