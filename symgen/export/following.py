"""How long a step may be where a branch is followed between drives that are known at the steps only."""

from __future__ import annotations

import math
from collections.abc import Mapping

from symgen.build.errors import NoCompilerError
from symgen.errors import InputError
from symgen.export.host import Host
from symgen.export.subject import Following, Subject
from symgen.status import Status

#: So much of the motion of the file is looked at [s], in this number of steps at least and at most; shorter steps are
#: this part of the period at least.
_WATCHED, _FEWEST, _MOST, _SHORTEST = 1.0, 24, 1000, 2.0**-6
#: Steps so much longer have to hold, too: those of the motion need not meet the place where it is worst.
_MARGIN = 1.25
#: How often the longest period that holds is halved in.
_HALVINGS = 4
_GOES_ON = (Status.OK, Status.SINGULAR)


def period_notes(subject: Subject, files: Mapping[str, str]) -> tuple[str, ...]:
    """Return what is to be known of the time between two steps; nothing where it does not matter.

    Parameters
    ----------
    files : of the export, by path: its C is run here along the motion of the file.

    Raises
    ------
    InputError
        Steps of this length lose the motion of the file, shorter ones do not.
    """
    following = subject.following
    if following is None or subject.by_law or subject.motion is None:
        return ()
    try:
        host = Host(subject, files)
    except NoCompilerError as error:
        return (
            f"symgen could not check whether the motion can be followed in steps of {following.period:g} s: {error}",
        )
    asked = _lost(subject, following, host, 1.0)
    if math.isinf(asked):
        return ()
    end = _lost(subject, following, host, _SHORTEST)
    wanted = _steps(following) if math.isinf(end) else 0.5 * end  # beside a change point long steps are lost earlier
    when = f"t = {following.time + asked * following.period:g} s"
    if asked >= wanted:
        return (
            f"the motion of the file is lost at {when}, in shorter steps too: it meets another branch there, or ends. "
            "With --drives laws a step also examines the times between",
        )
    longest = _longest(subject, following, host, wanted) * following.period
    raise InputError(
        f"--period {following.period:g}: too long to follow the motion of the file, which is lost at {when}: within a "
        f"step nothing may move so far that it could be taken for another branch; give at most {longest:.2g}"
    )


def _longest(subject: Subject, following: Following, host: Host, wanted: float) -> float:
    """Return a part of the period that keeps the motion so long, two digits of it, such that longer ones do not."""
    kept = 0.5
    while kept > _SHORTEST and _lost(subject, following, host, kept) < wanted:
        kept *= 0.5
    lost = 2.0 * kept
    for _ in range(_HALVINGS):
        middle = 0.5 * (kept + lost)
        kept, lost = (kept, middle) if _lost(subject, following, host, middle) < wanted else (middle, lost)
    rounded = _two_digits_below(kept * following.period) / following.period
    return rounded if _lost(subject, following, host, rounded) >= wanted else kept


def _steps(following: Following) -> float:
    return min(max(_WATCHED / following.period, _FEWEST), _MOST)


def _two_digits_below(number: float) -> float:
    """Return the largest number with two digits that is not above a positive one."""
    place = 10.0 ** (math.floor(math.log10(number)) - 1)
    return math.floor(number / place + 1e-9) * place


def _lost(subject: Subject, following: Following, host: Host, part: float) -> float:
    """Return the first step along the motion that is not solved, in periods; infinity if all are.

    Parameters
    ----------
    part : of the period, that a step takes; steps that are longer by the margin are tried, too.
    """
    return min(_first_lost(subject, following, host, part * longer) for longer in (1.0, _MARGIN))


def _first_lost(subject: Subject, following: Following, host: Host, part: float) -> float:
    assert subject.motion is not None  # noqa: S101 - narrows for mypy
    host.begin()
    host.set_period(part * following.period)
    for number in range(math.floor(_steps(following) / part) + 1):
        status, _ = host.step(subject.motion(number * part))
        if status not in _GOES_ON:
            return number * part
    return math.inf
