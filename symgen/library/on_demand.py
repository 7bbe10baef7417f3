"""Closed forms that are derived when a group asks for them, and kept in the user's cache beside compiled modules.

The generator runs in a process of its own, as the C compiler does: nothing here imports it, and SymPy is never loaded
into a program that only solves. An entry of the cache holds the modules of one group, and `answer.json`, which says
which they are or that there are none; it appears by one rename (`symgen.build.cache`). Its key is the digest of the
generator, so that another symgen, template or SymPy derives anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from symgen.build.cache import Cache, is_unwritable, private_cache
from symgen.build.entries import cache_place
from symgen.build.generator import generator_digest
from symgen.build.notices import say_once
from symgen.errors import BuildError, InputError
from symgen.library.catalogue import Catalogue, modules_in
from symgen.third_party import digest as offered_digest

VARIABLE = "SYMGEN_DERIVE"
ANSWER = "answer.json"
_FORMAT = "symgen/derived/1"
#: The longest derivations take about 20 s on an idle machine; this only ends one that hangs [s].
_TIME_LIMIT = 540.0

#: Told what is going on, in one line.
Say = Callable[[str], None]


class NotDerivedError(BuildError):
    """The generator could not be run, or failed."""


def is_wanted() -> bool:
    """Tell whether ``$SYMGEN_DERIVE`` lets closed forms be derived: yes unless it is 0.

    Raises
    ------
    InputError
        It is neither 0 nor 1.
    """
    found = os.environ.get(VARIABLE, "")
    if found not in ("", "0", "1"):
        raise InputError(f"{VARIABLE}={found!r}: allowed are 0 (derive nothing) and 1")
    return found != "0"


def derived(text: str, say: Say | None = None) -> Catalogue:
    """Return the solved types that are derived for a signature or key; an empty catalogue if there is no closed form.

    Parameters
    ----------
    text : as of `symgen.library.group_key.on_demand_name`.
    say : told before a derivation and after it; by default it is written to standard error.

    Raises
    ------
    NotDerivedError
        The generator failed.
    symgen.errors.BuildError
        Another process has been deriving it for too long, or the cache is not the user's own.
    """
    facts = (_FORMAT, generator_digest(), *filter(None, [offered_digest()]), text)
    key = hashlib.sha256("\0".join(facts).encode()).hexdigest()
    tell = say or _say
    try:
        answer = Cache(cache_place()).obtain(key, lambda folder: _make(text, folder, tell), {"type": text}).library
    except OSError as error:
        if not is_unwritable(error):
            raise
        answer = private_cache(error).obtain(key, lambda folder: _make(text, folder, tell), {"type": text}).library
    for warning in _warnings(answer):
        say_once(warning, f"warning: {warning}")
    return _catalogue(answer.parent)


def derived_or_none(text: str) -> Catalogue | None:
    """Return what `derived` does, or None if nothing came of it: why is said once, and other methods go on."""
    if text in _failed:
        return None
    try:
        found = derived(text)
    except BuildError as error:
        _failed.add(text)
        say_once(f"derive {text}", f"{error}\nsymgen: continuing without the closed form of {text}")
        return None
    return found if found.modules else None


_failed: set[str] = set()


@lru_cache(maxsize=64)
def _warnings(answer: Path) -> tuple[str, ...]:
    """Return what was wrong with the derivations that packages offer, each time: they are kept with the answer."""
    return tuple(json.loads(answer.read_text(encoding="utf-8")).get("warnings", ()))


@lru_cache(maxsize=64)
def _catalogue(folder: Path) -> Catalogue:
    return Catalogue(modules_in(folder))


def _make(text: str, folder: Path, say: Say) -> Path:
    """Run the generator; write the modules and the answer into `folder`."""
    started = time.perf_counter()
    answer = _run_generator(text, folder, say)
    modules = answer["modules"]
    if modules:
        say(f"{text}: derived in {time.perf_counter() - started:.0f} s ({', '.join(modules)})")
    path = folder / ANSWER
    path.write_text(json.dumps({"schema": _FORMAT, "type": text, **answer}, indent=1) + "\n", encoding="utf-8")
    return path


def _run_generator(text: str, folder: Path, say: Say) -> dict[str, Any]:
    """Return what the generator says it makes, when it is made; `say` is told before."""
    command = [sys.executable, "-P", "-m", "symgen.demand", text, str(folder)]
    with tempfile.TemporaryFile() as errors:
        try:
            generator = subprocess.Popen(  # noqa: S603
                command,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                encoding="utf-8",
            )
        except OSError as error:
            raise NotDerivedError(f"{text}: it could not be derived: {error}") from error
        status, line = _listen(generator, text, say)
        if status == 0 and line:
            answer: dict[str, Any] = json.loads(line)
            return answer
        errors.seek(0)
        words = errors.read().decode("utf-8", "replace").strip().splitlines() or [f"exit status {status}"]
    raise NotDerivedError(f"{text}: it could not be derived: {words[-1]}")


def _environment() -> dict[str, str]:
    """Return the environment in which the generator is this very symgen, also where that is no installed one."""
    import symgen

    home = Path(symgen.__file__).resolve().parent.parent
    if {"site-packages", "dist-packages"} & set(home.parts):
        return dict(os.environ)  # the interpreter finds it; in PYTHONPATH its neighbours would come before Python's own
    paths = [str(home), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def _listen(generator: subprocess.Popen[str], text: str, say: Say) -> tuple[int, str]:
    """Say what the generator begins with, wait for its end; return its exit status and its line."""
    watchdog = threading.Timer(_TIME_LIMIT, generator.kill)
    watchdog.start()
    try:
        line = generator.stdout.readline() if generator.stdout is not None else ""
        announced = json.loads(line) if line else {}
        if announced.get("modules"):
            about = f"about {announced['seconds']} s"
            say(f"deriving the closed form of {text}: once, {about}; the result is kept in the cache")
        return generator.wait(), line
    finally:
        watchdog.cancel()
        if generator.poll() is None:
            generator.kill()
        generator.communicate()


def _say(line: str) -> None:
    print(f"symgen: {line}", file=sys.stderr, flush=True)
