"""What the templates of an export see."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NamesView:
    """The names of an export: of functions and types as the prefix is written, of macros in upper case."""

    state: str
    init: str
    step: str
    selftest: str
    vector: str
    vectors: str
    inputs: str
    results: str
    abi: str
    count: str
    untouched: str
    in_flash: str
    main: str
    main_as_written: str
    tests: str
    option: str


def names_of(prefix: str) -> NamesView:
    """Return the names of an export."""
    upper = prefix.upper()
    return NamesView(
        state=f"{prefix}_state",
        init=f"{prefix}_init",
        step=f"{prefix}_step",
        selftest=f"{prefix}_selftest",
        vector=f"{prefix}_vector",
        vectors=f"{prefix}_vectors",
        inputs=f"{upper}_INPUTS",
        results=f"{upper}_RESULTS",
        abi=f"{upper}_ABI",
        count=f"{upper}_VECTORS",
        untouched=f"{upper}_UNTOUCHED",
        in_flash=f"{upper}_IN_FLASH",
        main=f"{upper}_SELFTEST_MAIN",
        main_as_written=f"{prefix}_SELFTEST_MAIN",
        tests=f"{upper}_TESTS",
        option=f"CONFIG_{upper}",
    )


@dataclass(frozen=True)
class NumberView:
    """An input or a result: its enumerator with what stands behind it, and what it is, in words."""

    c_name: str
    ending: str
    comment: str


@dataclass(frozen=True)
class MemberView:
    """A member of the state with its comment."""

    declaration: str
    comment: str


@dataclass(frozen=True)
class StepView:
    """The public header and the functions behind it.

    Parameters
    ----------
    aliases : macros by the prefix as it is written, and what they mean.
    refused : a condition for each input with a range: it holds if the input lies out of it.
    begin : lines of the function that sets the state up, the last of which returns.
    given : declarations of what a step hands on.
    call : the arguments of the solver, folded.
    written : the statuses for which results are written.
    marks : whether the solver tells the group that could not be solved.
    taken : lines that go on from what was followed; `missed` what is remembered of a step that was not solved,
        `refusing` of one that the solver refused.
    """

    preamble: tuple[str, ...]
    title: str
    about: tuple[str, ...]
    source: str
    prefix: str
    names: NamesView
    guard: str
    real: str
    abi: str
    aliases: tuple[tuple[str, str], ...]
    inputs: tuple[NumberView, ...]
    results: tuple[NumberView, ...]
    input_count: int
    result_count: int
    statuses: tuple[str, ...]
    state: tuple[MemberView, ...]
    usage: tuple[str, ...]
    solver_header: str
    refused: tuple[str, ...]
    begin: tuple[str, ...]
    given: tuple[str, ...]
    symbol: str
    call: str
    marks: bool
    follows: bool
    taken: tuple[str, ...]
    refusing: tuple[str, ...]
    missed: tuple[str, ...]


@dataclass(frozen=True)
class VectorView:
    """One row of the self-test, as C."""

    head: str
    inputs: str
    results: str
    what: str


@dataclass(frozen=True)
class SelfTestView:
    """The rows of the self-test and the programs that take them.

    `given` are lines about branches that the caller chooses: a member of a row, or its way into the state; `set` are
    those of the program that measures.
    """

    preamble: tuple[str, ...]
    title: str
    prefix: str
    names: NamesView
    guard: str
    real: str
    untouched: str
    given: tuple[str, ...]
    set: tuple[str, ...]
    vectors: tuple[VectorView, ...]
    count: int


@dataclass(frozen=True)
class ExampleView:
    """A program that steps at a fixed rate: what the drives do, which result it prints, and when results are good."""

    preamble: tuple[str, ...]
    title: str
    prefix: str
    names: NamesView
    real: str
    period: str
    ticks: int
    result: str
    good: str
    drives: tuple[str, ...]


@dataclass(frozen=True)
class EvaView:
    """The driver of Frama-C's EVA, with lines that say where inputs and branches lie."""

    preamble: tuple[str, ...]
    title: str
    prefix: str
    names: NamesView
    real: str
    given: tuple[str, ...]


@dataclass(frozen=True)
class EvaMathView:
    """What our sine, cosine and atan2 give at most, for EVA, and the largest angle that they take.

    `interval` is the function that gives any number between two.
    """

    preamble: tuple[str, ...]
    real: str
    interval: str
    largest: str
    unit: str
    half_turn: str


@dataclass(frozen=True)
class PackageView:
    """What build systems and readers are told of any export.

    Parameters
    ----------
    purpose : what it is for, in a sentence; `paragraph` in some more.
    figures, targets : rows of tables; `linked` is what code is linked for, `counted` whose instructions they are.
    vectors : how many rows the self-test has.
    """

    preamble: tuple[str, ...]
    title: str
    about: tuple[str, ...]
    prefix: str
    upper: str
    names: NamesView
    real: str
    version: str
    sources: tuple[str, ...]
    purpose: str
    paragraph: str
    figures: tuple[str, ...]
    targets: tuple[str, ...]
    linked: str
    counted: str
    notes: tuple[str, ...]
    not_run: tuple[str, ...]
    vectors: int
    request: str


@dataclass(frozen=True)
class StepPackageView(PackageView):
    """What is told of a step from inputs to results, which are rows of tables; `eva` is the command of its proof.

    `following` are paragraphs on a branch that is followed, `ports` say what names with an index mean.
    """

    inputs: tuple[str, ...]
    results: tuple[str, ...]
    ports: tuple[str, ...]
    statuses: tuple[str, ...]
    following: tuple[str, ...]
    own_math: bool
    eva: tuple[str, ...]


@dataclass(frozen=True)
class RunPackageView(PackageView):
    """What is told of a dynamics: how to call it, and rows of tables about its bodies, state and samples."""

    calls: str
    unit: str
    usage: tuple[str, ...]
    bodies: tuple[str, ...]
    held: tuple[str, ...]
    samples: tuple[str, ...]


@dataclass(frozen=True)
class RunRowView:
    """A run of the self-test, as C."""

    text: str
    what: str


@dataclass(frozen=True)
class SizeView:
    """A macro that says how long an array is."""

    name: str
    size: str
    what: str


@dataclass(frozen=True)
class SizesView:
    """How long the arrays are that a caller of dynamics hands over."""

    sizes: tuple[SizeView, ...]


@dataclass(frozen=True)
class RunView:
    """Runs of a dynamics in C: what they work in, what they are asked for, and what they give.

    Parameters
    ----------
    headers : to include.
    rows : of samples, as C.
    workspace : its declaration.
    held, samples : declarations of the arrays of the state, and of samples.
    copied : lines that set the state's arrays up.
    state, settings, samples_type : types.
    begun, given : initialisers of the state and of the samples.
    warned : arguments of `printf` about forces that begin or end within the example's second.
    call : what runs it with `settings`, a pointer.
    size : the function that returns the size of a workspace.
    first : an array of the state that is never empty.
    members : of the settings of the example, a line each.
    spans : what is compared, one initialiser each; `compared` says it in words; `most` is how many numbers of an
        array that are, 0: all of them.
    wiped : lines that fill row `k` of the samples with what no run leaves there.
    numbers, numbers_of : the macro that counts what is compared, and the table of it.
    wanted : lines of that table, which has `runs` rows of `number_count`.
    steps : of a run; `step` is the length of one, s.
    measured : settings of `measured_count` runs that go on from each other, each of which solves `solved` steps.
    """

    preamble: tuple[str, ...]
    title: str
    prefix: str
    names: NamesView
    guard: str
    headers: tuple[str, ...]
    rows: str
    workspace: str
    held: tuple[str, ...]
    samples: tuple[str, ...]
    copied: tuple[str, ...]
    state: str
    settings: str
    samples_type: str
    begun: str
    given: str
    active: str
    warned: tuple[str, ...]
    call: str
    size: str
    first: str
    members: tuple[str, ...]
    spans: tuple[str, ...]
    compared: str
    most: int
    wiped: tuple[str, ...]
    untouched: str
    numbers: str
    numbers_of: str
    number_count: int
    vectors: tuple[RunRowView, ...]
    count: int
    wanted: tuple[str, ...]
    runs: int
    steps: int
    step: str
    measured: tuple[str, ...]
    measured_count: int
    solved: int


@dataclass(frozen=True)
class FmuView:
    """The mechanism of an FMU, as its C needs it.

    Parameters
    ----------
    token : by which the simulator and the code know that they belong together.
    start, least, most : of the inputs, folded.
    meanings : a line of C for each status.
    group : the line that returns the group that could not be solved.
    passing : lines that say how much time has passed.
    given, call : what stands before the call of the exact derivatives, and its arguments; `tangent_symbol` is empty if
        there are none.
    """

    preamble: tuple[str, ...]
    title: str
    prefix: str
    names: NamesView
    solver_header: str
    token: str
    first_result: int
    start_time: str
    by_law: int
    follows: int
    derives: int
    writes_singular: int
    start: str
    least: str
    most: str
    input_names: tuple[str, ...]
    meanings: tuple[str, ...]
    group: str
    passing: tuple[str, ...]
    tangent_symbol: str
    given: tuple[str, ...]
    call: str


@dataclass(frozen=True)
class LibraryView:
    """A library, as linkers and C++ are told of it; `good` is when results are written, `exported` what it shows."""

    preamble: tuple[str, ...]
    title: str
    prefix: str
    names: NamesView
    guard: str
    real: str
    version: str
    exported: tuple[str, ...]
    inputs: tuple[NumberView, ...]
    results: tuple[NumberView, ...]
    good: str
    branches: int
    linked: str


@dataclass(frozen=True)
class CasadiView:
    """An external function of CasADi; lists are texts of numbers, `calls` how many calls find the Jacobian."""

    preamble: tuple[str, ...]
    title: str
    prefix: str
    names: NamesView
    jacobian: str
    functions: tuple[str, ...]
    jacobian_functions: tuple[str, ...]
    solver_header: str
    good: str
    starts: str
    pattern: str
    row_of: str
    column_of: str
    call_of: str
    entries: int
    calls: int
    tangent_symbol: str
    refused: tuple[str, ...]
    given: tuple[str, ...]
    call: str
    library: str


@dataclass(frozen=True)
class MatlabView:
    """A function of MATLAB, and the program that compares it with steps of the C."""

    preamble: tuple[str, ...]
    title: str
    prefix: str
    upper: str
    test: str
    test_upper: str
    about: tuple[str, ...]
    inputs: tuple[str, ...]
    results: tuple[str, ...]
    statuses: tuple[str, ...]
    columns: int
    wanted: str
    rows: int
    largest: str
    bad_input: int
    ranges: tuple[str, ...]
    body: tuple[str, ...]
    values: tuple[str, ...]
    vectors: tuple[str, ...]
