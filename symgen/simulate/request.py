"""What is asked of a simulation, checked once and then handed through."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from symgen.errors import InputError
from symgen.model.mechanism import Mechanism
from symgen.simulate.start.magnitudes import check_magnitudes
from symgen.simulate.stretches import check_times
from symgen.simulate.tables.mechanism_tables import Structure

Progress: TypeAlias = Callable[[float], None]
#: Newton's corrections below this end a step [sizes of the mechanism, or rad].
NEWTON = 1e-10
BACKENDS = ("auto", "c", "numpy")
#: Methods by the coordinates of a tree and transfer matrices; the others are central differences and "group".
BY_TRANSFER = ("riccati", "transfer")
#: Rows of a result whose integrator chooses its steps, if no sample time is given.
ROWS = 1000
#: The part of the whole time in which little happens: so far a velocity is followed to tell singular from regular.
_LITTLE = 1e-3


@dataclass(frozen=True)
class Request:
    """A simulation as it was asked for; what each field means says `symgen.simulate.simulation.simulate`.

    Raises
    ------
    MechanismError
        Numbers of the mechanism are too large.
    InputError
        A field has no such value, or does not go with the others.
    """

    mechanism: Mechanism
    until: float
    step: float | None = None
    tolerance: float | None = None
    method: str | None = None
    order: int | None = None
    sample: float | None = None
    structure: Structure = "tree"
    strict: bool = False
    reactions: bool = False
    newton: float = NEWTON
    backend: str = "auto"
    coordinates: Sequence[str] | None = None
    loops: str | None = None

    def __post_init__(self) -> None:
        if (self.step is None) == (self.tolerance is None):
            raise InputError("give either a step or a tolerance")
        choices = (("structure", self.structure, ("tree", "dense")), ("backend", self.backend, BACKENDS))
        for name, choice, allowed in choices:
            if choice not in allowed:
                raise InputError(f"{name} {choice!r}: use one of {', '.join(allowed)}")
        check_times(step=self.step, tolerance=self.tolerance, until=self.until, sample=self.sample)
        check_magnitudes(self.mechanism)
        self._check_options_of_methods()

    def _check_options_of_methods(self) -> None:
        if self.loops is not None and self.method not in BY_TRANSFER:
            raise InputError("loops is an option of methods riccati and transfer; other methods keep every loop closed")
        if self.method in BY_TRANSFER and self.structure == "dense":
            raise InputError(
                f"structure dense: method {self.method} always uses the coordinates of a tree; leave structure out"
            )
        if self.coordinates is not None and self.method in BY_TRANSFER:
            raise InputError(
                f"coordinates can be chosen for method group only; method {self.method} uses those of a tree"
            )
        if self.coordinates is not None and self.method != "group":
            raise InputError("coordinates can be chosen for method group only; use method group, or leave them out")

    @property
    def spacing(self) -> float | None:
        """Time between rows [s] of methods whose integrator may choose its steps; None for every step."""
        return self.sample if self.sample is not None or self.step is not None else self.until / ROWS

    @property
    def longest(self) -> float:
        """The longest step [s] of those methods."""
        return self.step or self.spacing or self.until

    @property
    def trial(self) -> float:
        """The step [s] that an integrator which chooses its steps tries first."""
        return self.until / ROWS

    @property
    def guess(self) -> float:
        """A time in which little happens [s]."""
        return self.until * _LITTLE
