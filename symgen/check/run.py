"""Many claims: in processes of their own, side by side, each within its time and its memory."""

from __future__ import annotations

import contextlib
import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import TimeoutError as OutOfTime
from dataclasses import dataclass, replace
from typing import Any

from pebble import ProcessExpired, ProcessFuture, ProcessPool

from symgen.check.claims import Claim
from symgen.check.verdict import Finding
from symgen.errors import SymgenError

#: Seconds for a verdict, and as many again to look for what was meant.
TIME_LIMIT = 60.0
#: How the evidence begins where symgen itself went wrong.
FAULT = "internal fault"
_MEMORY = 4 * 2**30  # bytes of address space a process


@dataclass(frozen=True)
class Result:
    """The verdict on one claim; `suggestion` is what was likely meant, "" if nothing near is right."""

    claim: Claim
    finding: Finding
    suggestion: str
    seconds: float

    @property
    def is_expected(self) -> bool:
        """Whether the claim fails if an erratum is known of it, and holds if none is."""
        return self.finding.verdict == ("fails" if self.claim.erratum else "holds")


def check(
    claims: Sequence[Claim],
    *,
    limit: float = TIME_LIMIT,
    jobs: int = 2,
    suggestions: bool = True,
    progress: Callable[[Result], None] | None = None,
) -> list[Result]:
    """Decide claims.

    Parameters
    ----------
    limit : seconds for a claim; what is not decided by then is undecided.
    jobs : processes.
    suggestions : look for what was meant by formulas that fail.
    progress : told of every result as it comes.

    Raises
    ------
    MechanismError
        Something in a claim means nothing: names file, claim and field.
    """
    with _pool(min(jobs, len(claims))) as pool:
        waiting = [(claim, pool.schedule(_examined, args=[claim], timeout=limit)) for claim in claims]
        found, hoped = [], []
        for claim, future in waiting:
            result = _result(claim, future, limit)
            is_open = suggestions and result.finding.verdict == "fails"
            hoped.append(pool.schedule(_suggested, args=[claim], timeout=limit) if is_open else None)
            found.append(result)
            if progress is not None:
                progress(result)
        return [
            result if future is None else replace(result, suggestion=_suggestion(future))
            for result, future in zip(found, hoped, strict=True)
        ]


@contextlib.contextmanager
def _pool(jobs: int) -> Iterator[ProcessPool]:
    # Threads and forked processes do not go together: "spawn".
    context = multiprocessing.get_context("spawn")
    with ProcessPool(max_workers=jobs, initializer=_bounded, context=context) as pool:
        try:
            yield pool
        except BaseException:
            pool.stop()  # type: ignore[no-untyped-call]
            raise


def _bounded() -> None:
    """Bound the memory of a process, where the system can; leave Ctrl-C to the one that waits."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def _examined(claim: Claim) -> tuple[Finding, float]:
    from symgen.check.examine import examine

    started = time.perf_counter()
    try:
        finding = examine(claim)
    except (SymgenError, MemoryError):
        raise
    except Exception as error:  # one claim must not take the verdicts of all others with it
        finding = Finding("undecided", f"{FAULT}: {type(error).__name__}: {error}")
    return finding, time.perf_counter() - started


def _suggested(claim: Claim) -> str:
    from symgen.check.examine import suggest

    try:
        return suggest(claim)
    except Exception:  # there is a verdict; what was meant is not known
        return ""


def _result(claim: Claim, future: ProcessFuture[Any], limit: float) -> Result:
    try:
        finding, seconds = future.result()
    except OutOfTime:
        return Result(claim, Finding("undecided", f"not decided within {limit:g} s"), "", limit)
    except MemoryError:
        return Result(claim, Finding("undecided", f"it takes more than {_MEMORY >> 30} GB of memory"), "", 0.0)
    except ProcessExpired:
        why = f"its process ended: more than {_MEMORY >> 30} GB of memory, or a crash"
        return Result(claim, Finding("undecided", why), "", 0.0)
    return Result(claim, finding, "", seconds)


def _suggestion(future: ProcessFuture[Any]) -> str:
    try:
        found: str = future.result()
    except (OutOfTime, ProcessExpired, MemoryError):
        return ""
    return found
