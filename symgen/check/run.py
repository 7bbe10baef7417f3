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
from symgen.check.verdict import FormulaFinding
from symgen.errors import MechanismError, SymgenError

#: Seconds for a verdict, and as many again to look for what was meant.
TIME_LIMIT = 60.0
#: Seconds to derive the objects that a claim names: a name is unknown or not, whatever the limit of a claim.
LOADING = 900.0
#: How the evidence begins where symgen itself went wrong.
FAULT = "internal fault"
#: How often progress is told for a claim: its names are known, it is read, it is decided.
STEPS = 3
_LEAST = 1.0  # seconds that are left to decide, however long the reading took
_MEMORY = 4 * 2**30  # bytes of address space a process


@dataclass(frozen=True)
class ClaimResult:
    """The verdict on one claim; `suggestion` is what was likely meant, "" if nothing near is right."""

    claim: Claim
    finding: FormulaFinding
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
    own: Sequence[str] = (),
    progress: Callable[[], None] | None = None,
) -> list[ClaimResult]:
    """Decide claims.

    Parameters
    ----------
    limit : seconds for a claim; what is not decided by then is undecided. To derive the objects that it names it has
        `LOADING` seconds besides.
    jobs : processes.
    suggestions : look for what was meant by formulas that fail.
    own : derivations of somebody's own whose steps claims may name, as of `symgen.derivations.sources.load`; they are
        run in each process. Nothing in a claim leads to one.
    progress : called `STEPS` times for every claim.

    Raises
    ------
    MechanismError
        Something in claims means nothing: names file, claim and field, of all such claims.
    """
    tell = progress if progress is not None else _silent
    with _pool(min(jobs, len(claims)), tuple(own)) as pool:
        waiting = [
            (claim, pool.schedule(_examined, args=[claim], timeout=max(_LEAST, limit - taken)))
            if isinstance(taken, float)
            else (claim, future)  # a claim whose letters have no values in time gets no second time
            for claim, taken, future in _read(pool, claims, limit, tell)
        ]
        found, hoped, faults = [], [], list[_Fault]()
        for claim, future in waiting:
            result = _result(claim, future, limit)
            tell()
            if isinstance(result, _Fault):
                faults.append(result)
                continue
            is_open = suggestions and result.finding.verdict == "fails"
            hoped.append(pool.schedule(_suggested, args=[claim], timeout=limit) if is_open else None)
            found.append(result)
        _refuse_faults(faults)
        return [
            result if future is None else replace(result, suggestion=_suggestion(future))
            for result, future in zip(found, hoped, strict=True)
        ]


@contextlib.contextmanager
def _pool(jobs: int, own: tuple[str, ...]) -> Iterator[ProcessPool]:
    # Threads and forked processes do not go together: "spawn".
    context = multiprocessing.get_context("spawn")
    with ProcessPool(max_workers=jobs, initializer=_bounded, initargs=[own], context=context) as pool:
        try:
            yield pool
        except BaseException:
            pool.stop()  # type: ignore[no-untyped-call]
            raise


def _bounded(own: tuple[str, ...]) -> None:
    """Bound the memory of a process, where the system can; leave Ctrl-C to the one that waits; load `own`."""
    import signal

    for text in own:
        from symgen.derivations.sources import load

        load(text)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


@dataclass(frozen=True)
class _Fault:
    """Something in a claim that means nothing; errors of several files do not come through a pipe with their fields."""

    file: str
    field: str
    reason: str


def _fault_of(error: MechanismError) -> _Fault:
    return _Fault(error.file or "", error.field or "", error.reason)


def _read(
    pool: ProcessPool, claims: Sequence[Claim], limit: float, tell: Callable[[], None]
) -> list[tuple[Claim, float | None, ProcessFuture[Any]]]:
    """Return for each claim the seconds that reading it took, None if they or the memory did not suffice.

    Raises
    ------
    MechanismError
        Something in claims means nothing; of all claims together, be it a name or what letters stand for.
    """
    named = [pool.schedule(_named, args=[claim], timeout=LOADING) for claim in claims]
    known = [_known(future, tell) for future in named]
    futures = [
        future if isinstance(names, _Fault) else pool.schedule(_asked, args=[claim], timeout=limit)
        for claim, names, future in zip(claims, known, named, strict=True)
    ]
    asked = [_known(future, tell) for future in futures]
    _refuse_faults([fault for fault in asked if isinstance(fault, _Fault)])
    read = zip(claims, asked, futures, strict=True)
    return [(claim, seconds, future) for claim, seconds, future in read if not isinstance(seconds, _Fault)]


def _silent() -> None:
    """Tell nobody."""


def _named(claim: Claim) -> _Fault | float:
    """Look up the names of a claim, and derive what they name."""
    from symgen.check.names import check_names

    return _looked_at(check_names, claim)


def _asked(claim: Claim) -> _Fault | float:
    """Put values to all letters of a claim, before anything is decided."""
    from symgen.check.examine import ask

    return _looked_at(ask, claim)


def _looked_at(look: Callable[[Claim], None], claim: Claim) -> _Fault | float:
    """Return the fault that a look at a claim finds, or how many seconds it took."""
    started = time.perf_counter()
    try:
        look(claim)
    except MechanismError as error:
        return _fault_of(error)
    except Exception:  # said when it is examined
        return time.perf_counter() - started
    return time.perf_counter() - started


def _known(future: ProcessFuture[Any], tell: Callable[[], None]) -> _Fault | float | None:
    """Return a fault, or seconds; None if there was not enough time or memory."""
    try:
        found: _Fault | float = future.result()
    except (OutOfTime, ProcessExpired, MemoryError):
        return None
    finally:
        tell()
    return found


def _refuse_faults(faults: Sequence[_Fault]) -> None:
    if len(faults) == 1:
        raise MechanismError(faults[0].reason, file=faults[0].file, field=faults[0].field)
    if faults:
        files = {fault.file for fault in faults}
        shared = files.pop() if len(files) == 1 else ""
        lines = [": ".join(part for part in (f.file if not shared else "", f.field, f.reason) if part) for f in faults]
        raise MechanismError("\n  ".join([f"{len(faults)} faults", *lines]), file=shared or None)


def _examined(claim: Claim) -> tuple[FormulaFinding, float] | _Fault:
    from symgen.check.examine import examine

    started = time.perf_counter()
    try:
        finding = examine(claim)
    except MechanismError as error:
        return _fault_of(error)
    except (SymgenError, MemoryError):
        raise
    except Exception as error:  # one claim must not take the verdicts of all others with it
        finding = FormulaFinding("undecided", f"{FAULT}: {type(error).__name__}: {error}")
    return finding, time.perf_counter() - started


def _suggested(claim: Claim) -> str:
    from symgen.check.examine import suggest

    try:
        return suggest(claim)
    except Exception:  # there is a verdict; what was meant is not known
        return ""


def _result(claim: Claim, future: ProcessFuture[Any], limit: float) -> ClaimResult | _Fault:
    try:
        outcome = future.result()
    except OutOfTime:
        return ClaimResult(claim, FormulaFinding("undecided", f"not decided within {limit:g} s"), "", limit)
    except MemoryError:
        return ClaimResult(
            claim, FormulaFinding("undecided", f"it takes more than {_MEMORY >> 30} GB of memory"), "", 0.0
        )
    except ProcessExpired:
        why = f"its process ended: more than {_MEMORY >> 30} GB of memory, or a crash"
        return ClaimResult(claim, FormulaFinding("undecided", why), "", 0.0)
    if isinstance(outcome, _Fault):
        return outcome
    finding, seconds = outcome
    return ClaimResult(claim, finding, "", seconds)


def _suggestion(future: ProcessFuture[Any]) -> str:
    try:
        found: str = future.result()
    except (OutOfTime, ProcessExpired, MemoryError):
        return ""
    return found
