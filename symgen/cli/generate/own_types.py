"""``symgen generate FILE.py:NAME``: a derivation that is not symgen's is proved and written as one of its own types."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from symgen.cli.terminal.publishing import tell_module
from symgen.derivations.writing import own_texts

if TYPE_CHECKING:
    from symgen.cli.generate.destination import Destination
    from symgen.derivations.sources import Own
    from symgen.printers.c99 import Math


def generate_own(every: Sequence[Own], destination: Destination, math: Math) -> list[Path]:
    """Prove all derivations, then write their modules; return the files.

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
        made[name] = own_texts(own, **destination.forms, math=math)
        seconds[name] = time.perf_counter() - started
    files = destination.write(made.items())
    for name, each in seconds.items():
        tell_module(name, destination.out, each)
    return files
