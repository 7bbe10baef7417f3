"""Integration schemes: central differences (DIMCD), and the variational form composed to order 2, 4 or 6.

A symmetric composition takes a step in stages of the fractions below, some of them backwards; its error is of higher
order because those of the stages cancel.

Source: M. Suzuki 1990 (order 4, five stages); W. Kahan, R.-C. Li 1997, s9odr6a (order 6, nine stages).
"""

from __future__ import annotations

from dataclasses import dataclass

from symgen.errors import InputError
from symgen.model.mechanism import Mechanism
from symgen.model.parts import JointForce, Spring

_SUZUKI = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))
_KAHAN_LI = (
    0.39216144400731413928, 0.33259913678935943860, -0.70624617255763935981, 0.08221359629355080023,
)  # fmt: skip
COMPOSITIONS: dict[int, tuple[float, ...]] = {
    2: (1.0,),
    4: (_SUZUKI, _SUZUKI, 1.0 - 4.0 * _SUZUKI, _SUZUKI, _SUZUKI),
    6: (*_KAHAN_LI, 1.0 - 2.0 * sum(_KAHAN_LI), *reversed(_KAHAN_LI)),
}
METHODS = ("dimcd", "variational", "group", "riccati", "transfer")


@dataclass(frozen=True)
class Scheme:
    """How a mechanism is integrated; `fractions` are None for central differences."""

    method: str
    order: int
    fractions: tuple[float, ...] | None

    @property
    def stages(self) -> int:
        """Discrete steps that one step takes."""
        return 1 if self.fractions is None else len(self.fractions)


def choose_scheme(mechanism: Mechanism, method: str, order: int | None) -> Scheme:
    """Return the scheme of a method and order.

    Raises
    ------
    InputError
        No such method or order, or forces that depend on velocities with the variational method.
    """
    if method not in METHODS:
        raise InputError(f"method {method!r}: use one of {', '.join(METHODS)}")
    if method == "dimcd":
        if order not in (None, 2):
            raise InputError(f"order {order}: dimcd is of order 2; for 4 or 6 use method variational")
        return Scheme(method, 2, None)
    order = 2 if order is None else order
    if order not in COMPOSITIONS:
        raise InputError(f"order {order}: the variational method has orders {', '.join(map(str, COMPOSITIONS))}")
    damped = _damped(mechanism)
    if damped is not None:
        raise InputError(
            f"forces.{damped} has damping, but the variational method takes only forces that depend on positions and "
            "time; use method dimcd"
        )
    return Scheme(method, order, COMPOSITIONS[order])


def possible_schemes(mechanism: Mechanism, method: str | None, order: int | None) -> list[Scheme]:
    """Return the schemes to choose from: those of the given method and order, that the forces allow.

    Raises
    ------
    InputError
        As `choose_scheme`, if what is given leaves none.
    """
    if method is not None and order is not None:
        return [choose_scheme(mechanism, method, order)]
    pairs = [("dimcd", 2), *(("variational", k) for k in COMPOSITIONS)]
    wanted = [(name, k) for name, k in pairs if method in (None, name) and order in (None, k)]
    if not wanted or all(name == "variational" for name, _ in wanted):
        choose_scheme(mechanism, "variational" if wanted else method or "variational", order)  # says what is wrong
    damped = _damped(mechanism) is not None
    return [choose_scheme(mechanism, name, k) for name, k in wanted if name == "dimcd" or not damped]


def _damped(mechanism: Mechanism) -> str | None:
    """Return the first force that depends on velocities."""
    return next((f.id for f in mechanism.forces if isinstance(f, (Spring, JointForce)) and f.damping), None)
