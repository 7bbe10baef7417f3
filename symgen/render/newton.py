"""The view of the certified Newton solver in C: kinds of elements, numbers, names of functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from symgen.ir.nodes import Routine
from symgen.printers.c99 import REAL_WORDS, Written, serves_both
from symgen.printers.newton import CLOSE, HALVINGS, LOOSE, MEETING, RATED, REDUNDANT, ROUNDS, SMALL, WORST
from symgen.render.views import CModuleView, either_includes


@dataclass(frozen=True)
class KindView:
    """One kind of element: a pair or a driven freedom; the last four say which second derivatives it has."""

    code: int
    name: str
    rows: int
    constraint: str
    constraint_arguments: str
    bias: str
    bias_arguments: str
    points: int
    slides: int
    turns: int
    helix: str

    @property
    def bends(self) -> str:
        """The sum of the squares of its second derivatives."""
        turning = {0: [], 1: ["turn*turn"]}.get(self.turns, [f"{self.turns}*turn*turn"])
        return " + ".join(["point*point", "place*place", *turning, *([self.helix] if self.helix != "0" else [])])


@dataclass(frozen=True)
class EngineView:
    """Sizes, literals and functions of the solver in one precision."""

    header: str
    includes: tuple[str, ...]
    include_guard: str
    planar: bool
    helical: bool
    freedoms: int
    places: int
    dimensions: int
    most_rows: int
    report_size: int
    track: str
    search: str
    rounds: int
    halvings: int
    close: str
    loose: str
    meeting: str
    worst: str
    rated: str
    redundant: str
    small: str
    far: str
    tiny: str
    half: str
    nearly_half: str
    root_2: str
    epsilon: str
    sqrt: str
    sin: str
    cos: str
    kinds: tuple[KindView, ...]


@dataclass(frozen=True)
class EngineModuleView(CModuleView):
    """The C files of a solver: the routines of all pairs, and what is around them."""

    engine: EngineView


def engine_module_view(view: CModuleView, engine: EngineView) -> EngineModuleView:
    """Return a module's view with the solver added."""
    return EngineModuleView(**{field.name: getattr(view, field.name) for field in fields(view)}, engine=engine)


def engine_view(module: str, space: str, kinds: Sequence[KindView], precision: Written) -> EngineView:
    """Return the view of the solver.

    Parameters
    ----------
    module : its id; function names and the header's come from it.
    """
    words = REAL_WORDS[precision]
    stem = f"{module}_f32" if words.precision == "float" else module
    symbol = f"symgen{'f' if words.precision == 'float' else ''}_{module}"
    return EngineView(
        header=f"{stem}_engine.h",
        includes=(
            either_includes(f"{stem}_engine.h", f"{stem}_f32_engine.h")
            if serves_both(precision)
            else (f'#include "{stem}_engine.h"',)
        ),
        include_guard=f"SYMGEN_{stem.upper()}_ENGINE_H",
        planar=space == "planar",
        helical=any(kind.helix != "0" for kind in kinds),
        freedoms=3 if space == "planar" else 6,
        places=3 if space == "planar" else 7,
        dimensions=2 if space == "planar" else 3,
        most_rows=max(kind.rows for kind in kinds),
        report_size=8,
        track=f"{symbol}_track",
        search=f"{symbol}_search",
        rounds=ROUNDS,
        halvings=HALVINGS,
        close=words.choice(CLOSE),
        loose=words.choice(LOOSE),
        meeting=words.choice(MEETING),
        worst=words.choice(WORST),
        rated=words.choice(RATED),
        redundant=words.choice(REDUNDANT),
        small=words.choice(SMALL),
        far=words.literal("1e+6"),
        tiny=words.limit("MIN"),
        half=words.literal("0.5"),
        nearly_half=words.literal("0.499"),
        root_2=words.literal("1.4142136"),
        epsilon=words.limit("EPSILON"),
        sqrt=words.function("sqrt"),
        sin=words.function("sin"),
        cos=words.function("cos"),
        kinds=tuple(kinds),
    )


def arguments_of(routine: Routine) -> str:
    """Return the arguments of a call in the order of the ports; the solver's variables have the ports' names."""
    return ", ".join(port.name for port in routine.ports)
