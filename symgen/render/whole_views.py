"""What the templates of a whole mechanism's module see: as other modules, with a branch for each structural group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from symgen.emit.c99_signature import solver_name as c_solver
from symgen.emit.folding import INDENT, folded
from symgen.emit.names import inner_routines
from symgen.emit.numpy import solver_name as numpy_solver
from symgen.ir.nodes import Kernel, LoopAssemblies, PairRows, Port, Routine
from symgen.printers.c99 import REAL_WORDS, Math, Precision, RealWords, Written, written_with
from symgen.printers.newton import (
    CLEAR,
    DISPLACED,
    FOLLOWED,
    LEAST,
    NEAR,
    RANKED,
    ROUGH,
    ROUNDED,
    ROUNDING,
    ROUNDS,
    SHORT,
    SLIGHT,
    TOLD,
    TRIES,
)
from symgen.render.documentation import convention_lines
from symgen.render.newton import EngineView, KindView, arguments_of, engine_view
from symgen.render.views import (
    CFunctionView,
    CModuleView,
    NumPyFunctionView,
    NumPyModuleView,
    c_module_view,
    numpy_module_view,
)

About = tuple[str, str, tuple[str, ...], str, tuple[str, ...]]


@dataclass(frozen=True)
class WholeNumbers:
    """What the views need to know of a mechanism.

    Parameters
    ----------
    branches : of each group.
    offsets : where the motions of followed bodies lie in the state, whose size is `state`.
    marks : where numbers of branches lie in it, each with its group.
    size : length of the mechanism [m].
    rounds : how many steps of Newton's method there are at most.
    """

    branches: tuple[int, ...]
    planar: bool
    by_law: bool
    state: int
    offsets: tuple[int, ...]
    marks: tuple[tuple[int, int], ...]
    size: float
    rounds: int = ROUNDS


@dataclass(frozen=True)
class WalkView:
    """How `follow` goes over a step in parts: sizes of the state, arguments of its parts, numbers.

    `bodies` and `offsets` say where the motions of bodies lie in the state, `mark_places` where the numbers of the
    branches of `mark_groups` do; `scratch` are declarations, `taken` lines that write what a
    part found as results.
    """

    by_law: bool
    planar: bool
    state: int
    bodies: int
    offsets: str
    marks: int
    mark_places: str
    mark_groups: str
    mark_pairs: str
    size: str
    width: int
    dimensions: int
    places: int
    freedoms: int
    scratch: tuple[str, ...]
    taken: tuple[str, ...]
    try_arguments: str
    last_arguments: str
    landing_arguments: str
    across_arguments: str
    names: str
    vectors: str
    tries: int
    least: str
    short: str
    sqrt: str
    absolute: str
    literal_0: str
    literal_1: str
    literal_2: str
    literal_4: str


@dataclass(frozen=True)
class WholeCFunctionView(CFunctionView):
    """One function in C: what makes its branches wrong, how many groups there are and how many branches each has."""

    branch_refusal: str
    groups: int
    branch_counts: str
    has_inputs: bool
    walks: tuple[WalkView, ...]


@dataclass(frozen=True)
class WholeNumPyFunctionView(NumPyFunctionView):
    """One function in NumPy; bounds of branches that are not read are as large as can be."""

    branch_counts: str
    branch_bounds: str
    walks: tuple[WalkView, ...]


@dataclass(frozen=True)
class FollowerView:
    """Numbers and functions for following branches.

    Numbers of the points of a body, axes, numbers of its motion, of its pose and of its twist. `judged`: which
    roundings of accelerations are compared with `rough`, see `symgen.printers.newton.ROUGH`.
    """

    planar: bool
    numbers: int
    dimensions: int
    width: int
    places: int
    freedoms: int
    meeting: str
    rounding: str
    near: str
    clear: str
    rough: str
    told: str
    judged: str
    slight: str
    displaced: str
    rounded: str
    ranked: str
    short: str
    sqrt: str
    cos: str
    sin: str
    literal_0: str
    literal_1: str
    literal_2: str
    literal_4: str
    literal_8: str
    literal_16: str
    literal_1000: str
    literal_dimensions: str

    @property
    def share(self) -> str:
        """By which part of the displacement a known body is displaced in C: another one where branches are ranked."""
        one = self.literal_1
        return one if self.ranked == one else f"sizes[3] > 0 ? {self.ranked} : {one}"


@dataclass(frozen=True)
class NumPyKindView:
    """One kind of pair in NumPy: tuples of argument names as text, whether it has a rate, and what faces."""

    name: str
    rows: int
    constraint: str
    constraint_arguments: str
    bias: str
    bias_arguments: str
    driven: int
    faces: int
    points: int
    slides: int
    turns: int
    helix: int


@dataclass(frozen=True)
class NumPyEngineView:
    """Certified Newton in NumPy."""

    planar: bool
    freedoms: int
    places: int
    dimensions: int
    singles: int
    rounds: int
    halvings: int
    close: str
    loose: str
    meeting: str
    worst: str
    rated: str
    redundant: str
    far: str
    kinds: tuple[NumPyKindView, ...]


@dataclass(frozen=True)
class WholeCModuleView(CModuleView):
    """The C files of a mechanism: with certified Newton, and with branches that are followed, where they are needed.

    `searching_functions` are inner functions that search assemblies: they stand behind the searches. Certified Newton
    `places` bodies, or `moves` them.
    """

    searching_functions: tuple[CFunctionView, ...]
    engines: tuple[EngineView, ...]
    places: bool
    moves: bool
    followers: tuple[FollowerView, ...]
    walkers: tuple[FollowerView, ...]


@dataclass(frozen=True)
class WholeNumPyModuleView(NumPyModuleView):
    """The NumPy file of a mechanism."""

    calls_kernels: bool
    engines: tuple[NumPyEngineView, ...]
    followers: tuple[FollowerView, ...]
    walkers: tuple[FollowerView, ...]


def _kernels(routines: Sequence[Routine]) -> list[Kernel]:
    return [s for routine in routines for s in routine.body if isinstance(s, Kernel)]


def _calls(routines: Sequence[Routine], kernel: str) -> bool:
    return any(each.kernel == kernel for each in _kernels(routines))


def _pairs(routines: Sequence[Routine]) -> tuple[PairRows, ...]:
    """Return the kinds of pairs of certified Newton, none if nothing is iterated."""
    return next((kernel.pairs for kernel in _kernels(routines) if kernel.pairs), ())


def _followers(routines: Sequence[Routine], planar: bool, written: Written) -> tuple[FollowerView, ...]:
    """Return what follows branches, nothing if all groups are iterated."""
    if not any(kernel.function is not None for kernel in _kernels(routines)):
        return ()
    return _walkers(routines, planar, written)


def _walkers(routines: Sequence[Routine], planar: bool, written: Written) -> tuple[FollowerView, ...]:
    """Return the numbers of all that is followed."""
    if not any(routine.stage == "follow" for routine in routines):
        return ()
    words = REAL_WORDS[written]
    precision, suffix = words.precision, words.literal("")
    shape = (6, 2, 9, 3, 3) if planar else (12, 3, 19, 7, 6)
    judged = "felt" if precision == "double" else "others.acceleration"
    return (
        FollowerView(
            planar, *shape, FOLLOWED[precision], ROUNDING[precision], f"{NEAR!r}{suffix}", f"{CLEAR!r}{suffix}",
            ROUGH[precision], TOLD[precision], judged, SLIGHT[precision], DISPLACED[precision], ROUNDED[precision],
            RANKED[precision], SHORT[precision], words.function("sqrt"), words.function("cos"), words.function("sin"),
            *_literals(words, 0, 1, 2, 4, 8, 16, 1000, shape[1]),
        ),
    )  # fmt: skip


def _literals(words: RealWords, *numbers: int) -> tuple[str, ...]:
    """Return whole numbers as literals of the type."""
    return tuple(words.literal(repr(float(number))) for number in numbers)


def _quoted(ports: Sequence[Port]) -> str:
    """Return the names of ports as a tuple."""
    return "(" + "".join(f'"{port.name}", ' for port in ports).rstrip() + ")"


def _walks(routine: Routine, whole: WholeNumbers, precision: Precision) -> tuple[WalkView, ...]:
    """Return how `follow` goes over a step; nothing for the other functions."""
    if routine.stage != "follow":
        return ()
    real = REAL_WORDS[precision].real
    places, freedoms = (3, 3) if whole.planar else (7, 6)
    kept = ("state", "group")
    scratch = tuple(
        f"{real} other_{o.port.name}[{len(o.port.elements)}];" for o in routine.outputs if o.port.name not in kept
    )

    taken = tuple(
        line
        for name, source, size in (
            *(
                (o.port.name, f"other_{o.port.name}", len(o.port.elements))
                for o in routine.outputs
                if o.port.name not in kept
            ),
            ("state", "there", whole.state),
        )
        for line in (f"for (int k = 0; k < {size}; ++k) {{", f"{INDENT}{name}[k] = {source}[k];", "}")
    )

    def arguments(inputs: dict[str, str], state: str, depth: int, prefix: str = "") -> str:
        texts = [inputs.get(port.name, port.name) for port in routine.inputs]
        texts += [f"{prefix}{o.port.name}" for o in routine.outputs if o.port.name not in kept]
        return f"\n{depth * INDENT}".join(folded([*texts, state, "group_out"], 110 - depth * len(INDENT)))

    if whole.by_law:
        part = {"t": "t - (dt - goal)", "dt": "goal - gone", "before": "here"}
        landing = {"t": "t - (dt - landed)", "dt": "landed - left", "before": "side"}
        tried, last = arguments(part, "there", 3, "other_"), arguments(part, "state", 5)
    else:
        landing = {}
        tried, last = arguments({}, "there", 2, "other_"), arguments({}, "state", 3)
    return (
        WalkView(
            whole.by_law, whole.planar, whole.state, len(whole.offsets), ", ".join(map(str, whole.offsets)),
            len(whole.marks), ", ".join(str(place) for place, _ in whole.marks),
            ", ".join(str(group) for _, group in whole.marks), repr(whole.marks),
            f"{whole.size!r}{'F' if precision == 'float' else ''}", places + 2 * freedoms, 2 if whole.planar else 3,
            places, freedoms, scratch, taken, tried, last, arguments(landing, "there", 3, "other_"),
            arguments(landing, "state", 4), _quoted(routine.inputs),
            _quoted([port for port in routine.inputs if port.shape]), TRIES,
            LEAST[precision], SHORT[precision], *(("sqrtf", "fabsf") if precision == "float" else ("sqrt", "fabs")),
            *_literals(REAL_WORDS[precision], 0, 1, 2, 4),
        ),
    )  # fmt: skip


def _engines(module: str, pairs: Sequence[PairRows], planar: bool, precision: Written) -> tuple[EngineView, ...]:
    if not pairs:
        return ()
    kinds = [
        KindView(
            code, pair.name, pair.rows, c_solver(pair.constraint), arguments_of(pair.constraint), c_solver(pair.bias),
            arguments_of(pair.bias), pair.points, pair.slides, pair.turns,
            "bend_of_helix(pitch, slope, place)" if pair.helices else "0",
        )
        for code, pair in enumerate(pairs)
    ]  # fmt: skip
    return (engine_view(module, "planar" if planar else "spatial", kinds, precision),)


def _numpy_engines(module: str, pairs: Sequence[PairRows], planar: bool) -> tuple[NumPyEngineView, ...]:
    return tuple(
        NumPyEngineView(
            engine.planar, engine.freedoms, engine.places, engine.dimensions, 3, engine.rounds, engine.halvings,
            engine.close, engine.loose, engine.meeting, engine.worst, engine.rated, engine.redundant, engine.far,
            tuple(_numpy_kind(pair) for pair in pairs),
        )
        for engine in _engines(module, pairs, planar, "double")
    )  # fmt: skip


def _numpy_kind(pair: PairRows) -> NumPyKindView:
    outputs = [[output.port.name for output in routine.outputs] for routine in (pair.constraint, pair.bias)]
    names = [_quoted(routine.inputs) for routine in (pair.constraint, pair.bias)]
    return NumPyKindView(
        pair.name, pair.rows, numpy_solver(pair.constraint), names[0], numpy_solver(pair.bias), names[1],
        int("rate" in outputs[1]), int("facing" in outputs[0]), pair.points, pair.slides, pair.turns, pair.helices,
    )  # fmt: skip


def _fields(view: CModuleView | NumPyModuleView, routines: Sequence[Routine], planar: bool) -> dict[str, Any]:
    """Return the fields of a view, with the conventions of the space: seven coordinates of joints are no pose."""
    own = {f.name: getattr(view, f.name) for f in fields(view)}
    return {**own, "conventions": convention_lines(routines, planar=planar)}


def whole_c_view(
    about: About,
    routines: Sequence[Routine],
    precision: Precision,
    whole: WholeNumbers,
    math: Math = "own",
    *,
    with_batches: bool = True,
) -> WholeCModuleView:
    """Return the view of the C files of a mechanism; where sine and atan2 are ours, batches can run in lanes."""
    branches, planar, written = whole.branches, whole.planar, written_with(precision, math)
    view = c_module_view(
        *about, (), routines, written, with_batches=with_batches, with_lanes=with_batches and math == "own"
    )
    fits = "\n        && ".join(
        f"chosen[{k}] >= 0 && chosen[{k}] < {count}" for k, count in enumerate(branches) if count > 1
    )
    refusal = f"\n{2 * INDENT}|| ".join(
        f"branch[{k}] < 0 || branch[{k}] >= {count}" for k, count in enumerate(branches) if count > 1
    )
    functions = tuple(
        WholeCFunctionView(
            **{f.name: getattr(function, f.name) for f in fields(function) if f.name != "lanes"},
            lanes=replace(function.lanes, fits=fits if fits and function.has_branch else "true"),
            branch_refusal=refusal,
            groups=len(branches),
            branch_counts=", ".join(map(str, branches)),
            has_inputs=bool(function.finite_inputs),
            walks=_walks(routine, whole, precision),
        )
        for function, routine in zip(view.functions, routines, strict=True)
    )
    # an inner routine that searches all assemblies of a loop stands behind what searches
    late = {c_solver(r) for r in inner_routines(routines) if any(isinstance(s, LoopAssemblies) for s in r.body)}
    inner = tuple(function for function in view.inner_functions if function.solver not in late)
    own = _fields(view, routines, planar) | {"functions": functions, "inner_functions": inner}
    return WholeCModuleView(
        **own,
        searching_functions=tuple(function for function in view.inner_functions if function.solver in late),
        engines=tuple(
            replace(each, rounds=whole.rounds) for each in _engines(view.module, _pairs(routines), planar, written)
        ),
        places=_calls(routines, "newton_place"),
        moves=_calls(routines, "newton_move"),
        followers=_followers(routines, planar, written),
        walkers=_walkers(routines, planar, written),
    )


def whole_numpy_view(about: About, routines: Sequence[Routine], whole: WholeNumbers) -> WholeNumPyModuleView:
    """Return the view of the NumPy file."""
    branches, planar = whole.branches, whole.planar
    view = numpy_module_view(*about, (), routines)
    functions = tuple(
        WholeNumPyFunctionView(
            **{f.name: getattr(function, f.name) for f in fields(function)},
            branch_counts=", ".join(map(str, branches)),
            branch_bounds=", ".join(str(count) if count > 1 else "np.inf" for count in branches),
            walks=_walks(routine, whole, "double"),
        )
        for function, routine in zip(view.functions, routines, strict=True)
    )
    own = _fields(view, routines, planar) | {"functions": functions}
    return WholeNumPyModuleView(
        **own,
        calls_kernels=bool(_kernels(routines)),
        engines=_numpy_engines(view.module, _pairs(routines), planar),
        followers=_followers(routines, planar, "double"),
        walkers=_walkers(routines, planar, "double"),
    )


def chain_c_view(about: About, routines: Sequence[Routine], precision: Written, *, planar: bool) -> WholeCModuleView:
    """Return the view of the C files of a chain that certified Newton solves."""
    view = c_module_view(*about, (), routines, precision)
    own = _fields(view, routines, planar)
    engines = _engines(view.module, _pairs(routines), planar, precision)
    return WholeCModuleView(
        **own,
        searching_functions=(),
        engines=engines,
        places=_calls(routines, "newton_place"),
        moves=_calls(routines, "newton_move"),
        followers=(),
        walkers=(),
    )


def chain_numpy_view(about: About, routines: Sequence[Routine], *, planar: bool) -> WholeNumPyModuleView:
    """Return the view of its NumPy file."""
    view = numpy_module_view(*about, (), routines)
    own = _fields(view, routines, planar)
    engines = _numpy_engines(view.module, _pairs(routines), planar)
    return WholeNumPyModuleView(**own, calls_kernels=True, engines=engines, followers=(), walkers=())
