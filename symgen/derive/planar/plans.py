"""How a planar group runs as a platform on three legs: which link is the platform, which pairs are a leg's.

Source: docs/closed-forms.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.derive.planar.legs import GROUND
from symgen.derive.planar.pairs import Links, Pair

_ORDER = ("rr", "pr", "rp", "pp")


@dataclass(frozen=True)
class LegPlan:
    """Where a leg runs: bases of links, or GROUND, and its two free pairs."""

    start: str
    link: str
    end: str
    outer: Pair
    inner: Pair

    @property
    def kind(self) -> str:
        """Types of its pairs."""
        return f"{self.outer.type}{self.inner.type}".lower()


@dataclass(frozen=True)
class PlatformPlan:
    """A group with a platform on three legs; `start` is GROUND, or the first platform of class IV."""

    start: str
    platform: str
    legs: tuple[LegPlan, ...]

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of the legs, in the order of the kernels."""
        return tuple(leg.kind for leg in self.legs)

    @property
    def kernel(self) -> str | None:
        """Module whose kernel solves it; None if the group is singular."""
        return kernel_of(self.kinds)


def kernel_of(kinds: Sequence[str]) -> str | None:
    """Return the module whose kernel solves a platform on such legs; None if it is singular."""
    if kinds.count("pp") > 1:
        return None
    if "pp" not in kinds:
        return f"triad_{'_'.join(kinds)}"
    return {2: "dyad_rrr", 1: "dyad_rrp", 0: "dyad_prp"}[kinds.count("rr")]


def platform_of(links: Links) -> PlatformPlan | None:
    """Read a group as a platform on three legs, of class III or IV; None if it is neither."""
    unknown = links.unknown
    around = {base: links.around(base) for base in unknown}
    if len(unknown) != 4 or len(links.free) != 6:
        return None
    big = [base for base in unknown if len(around[base]) == 3]
    if len(big) == 1:
        return _class_three(links, big[0], around)
    return _class_four(links, big, around) if len(big) == 2 else None


def _beyond(links: Links, pair: Pair, base: str) -> str:
    """Return the link beyond a pair: its base, or GROUND."""
    body = pair.second if links.base(pair.first) == base else pair.first
    return GROUND if links.is_known(body) else links.base(body)


def _class_three(links: Links, platform: str, around: dict[str, tuple[Pair, ...]]) -> PlatformPlan | None:
    legs = []
    for inner in around[platform]:
        link = _beyond(links, inner, platform)
        rest = [pair for pair in around.get(link, ()) if pair is not inner]
        if len(rest) != 1 or _beyond(links, rest[0], link) != GROUND:
            return None
        legs.append(LegPlan(GROUND, link, platform, rest[0], inner))
    return PlatformPlan(GROUND, platform, _sorted(legs))


def _class_four(links: Links, big: Sequence[str], around: dict[str, tuple[Pair, ...]]) -> PlatformPlan | None:
    one, two = big
    outer = {base: [pair for pair in around[base] if _beyond(links, pair, base) == GROUND] for base in big}
    if any(len(pairs) != 1 for pairs in outer.values()):
        return None
    legs = [LegPlan(one, GROUND, two, outer[one][0], outer[two][0])]
    for pair in around[one]:
        if pair in outer[one]:
            continue
        link = _beyond(links, pair, one)
        rest = [other for other in around[link] if other is not pair]
        if link == two or len(rest) != 1 or _beyond(links, rest[0], link) != two:
            return None
        legs.append(LegPlan(one, link, two, pair, rest[0]))
    return PlatformPlan(one, two, _sorted(legs))


def _sorted(legs: Sequence[LegPlan]) -> tuple[LegPlan, ...]:
    return tuple(sorted(legs, key=lambda leg: _ORDER.index(leg.kind)))
