"""``python -m benchmarks transfer``: measure everybody, write docs/benchmarks-transfer.md and its picture."""

from __future__ import annotations

import importlib
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.dynamics.picture import Curve, log_log
from benchmarks.peer_versions import other_tools
from benchmarks.transfer.contestant import LeftOutError
from benchmarks.transfer.growth import EIGHTFOLD, NUMBERS, grow
from benchmarks.transfer.mixed import KINDS, MixedChain, mixed_chain
from benchmarks.transfer.rounds import measure
from benchmarks.transfer.systems import SHAPES, System, system

TOOLS = ("symgen", "pinocchio", "mujoco", "drake")
SIZES = (10, 50, 250, 1000)
LARGE = Path(__file__).resolve().parents[2] / "examples" / "transfer" / "large250" / "mechanism.toml"
MIXED_SIZES = (50, 250)
MIXED_TOOLS = {
    "symgen": "mixed_symgen",
    "symgen, divide and conquer": "mixed_divided",
    "pinocchio": "mixed_pinocchio",
    "mujoco": "mixed_mujoco",
}
#: What an evaluation of the general engine may take a body [ns].
BAR = 2000
_PACKAGES = {"Pinocchio": "pin", "MuJoCo": "mujoco", "Drake": "drake"}
_TITLES = {"pinocchio": "Pinocchio", "mujoco": "MuJoCo", "drake": "Drake"}

_HEAD = """# Accelerations of trees: symgen beside other tools

Written by `make bench-transfer`. Rods of 0.5 m and 1 kg on ball joints, a chain and a binary tree, in one random
attitude and motion for everybody; one call finds all accelerations from positions and velocities, kinematics included,
and keeps nothing of the call before. All tools are called from Python with arrays they hold (a call costs each less
than a microsecond or two), one thread. They alternate inside each of {rounds} rounds of some 4 ms a tool; the quickest
rounds are compared, in seconds of the processor. MuJoCo runs without contacts and constraints. Every tool's angular
accelerations are compared with symgen's, which a dense solve confirms in the tests; the deviation, relative to the
largest acceleration, is that of the less accurate of both.

{versions}"""
_DRIFT = """### Why deviations grow

Deviations that grow along a chain have two reasons. Joint coordinates are differences of motions of bodies,
and the mass matrix of a long chain is ill conditioned: MuJoCo, which factorises it, loses some digits. Pinocchio's
recursion loses more. It is that of Featherstone's articulated inertias, as symgen's, and their matrices are symmetric
in exact numbers; where rounding is not kept symmetric, its skew part grows exponentially from link to link. In
Pinocchio's `data.Yaba` of these chains it is 4e-16 of the inertia at 10 bodies, 2e-13 at 20, 1e-10 at 30, 1e-7 at 40
and 2e-4 at 50, and the accelerations follow. It is no other model: with `crba` and a dense solve Pinocchio finds
symgen's accelerations of the chain of 50 to 2e-9. symgen stores one triangle of each matrix: it has no skew part."""


@dataclass(frozen=True)
class Line:
    """One tool on one system; `left_out` is why there are no figures."""

    tool: str
    seconds: float = 0.0
    ratio: float = 0.0
    error: float = 0.0
    left_out: str = ""


def lines_of(given: System | MixedChain, rounds: int, tools: Mapping[str, str] | None = None) -> list[Line]:
    """Measure every tool (name -> module) on a system, symgen first."""
    found, left_out = [], []
    modules = tools or {tool: f"{tool}_tool" for tool in TOOLS}
    for tool, module in modules.items():
        try:
            found.append(importlib.import_module(f"benchmarks.transfer.{module}").contestant(given))
        except ImportError as error:
            left_out.append(Line(_TITLES.get(tool, tool), left_out=f"not installed: {error.name}"))
        except LeftOutError as error:
            left_out.append(Line(_TITLES.get(tool, tool), left_out=str(error)))
        except Exception as error:  # a tool that breaks must not stop the others
            reason = str(error).strip().splitlines()
            left_out.append(Line(_TITLES.get(tool, tool), left_out=(reason or [type(error).__name__])[0][:120]))
    times = measure([each.call for each in found], rounds)
    alpha = importlib.import_module(f"benchmarks.transfer.{modules['symgen']}").angular_accelerations(given)
    seconds = [time.least / each.evaluations for each, time in zip(found, times, strict=True)]
    lines = [
        Line(each.tool, span, span / seconds[0], each.error(alpha)) for each, span in zip(found, seconds, strict=True)
    ]
    return lines + left_out


def table(given: System | MixedChain, lines: Sequence[Line]) -> str:
    """Return the table of one system."""
    rows = [
        f"### {given.name[0].upper()}{given.name[1:]}",
        "",
        "| tool | time | over symgen | deviation |",
        "|---|---|---|---|",
    ]
    for line in lines:
        if line.left_out:
            rows.append(f"| {line.tool} | – | – | {line.left_out} |")
        elif line.tool == "symgen":
            rows.append(f"| symgen | {_time(line.seconds)}, {1e9 * line.seconds / given.bodies:.0f} ns a body | 1 | |")
        else:
            rows.append(f"| {line.tool} | {_time(line.seconds)} | {line.ratio:.1f} | {line.error:.0e} |")
    return "\n".join(rows)


def _time(seconds: float) -> str:
    return f"{1e6 * seconds:.3g} µs" if seconds < 1e-3 else f"{1e3 * seconds:.3g} ms"


def _versions() -> str:
    return f"{other_tools(_PACKAGES)} Python {platform.python_version()}, {platform.machine()}."


def mixed_part(rounds: int, sizes: Sequence[int] = MIXED_SIZES) -> list[str]:
    """Return the section on chains of hinges of many kinds."""
    parts = [
        "## Hinges of many kinds",
        f"The general engine (6 x 6, any hinge) on a chain of such rods with {', '.join(KINDS[:-1])} and {KINDS[-1]} "
        "hinges in turn, axes in any direction. symgen's engine integrates whole stretches of time in one call: an "
        "evaluation is a quarter of a step of Runge and Kutta's method of order 4, the step's own arithmetic included; "
        "the others are called once an evaluation. Divide and conquer is the method `dca` of "
        "`symgen accelerations`, in NumPy: the joins of a level at once, about log2 n levels. Absolute angular "
        "accelerations are compared. Drake has no "
        f"cylindrical joint. The bar set for symgen is {BAR} ns a body.",
    ]
    for bodies in sizes:
        given = mixed_chain(bodies)
        print(given.name, file=sys.stderr, flush=True)
        parts.append(table(given, lines_of(given, rounds, MIXED_TOOLS)))
    return parts


def growth_part(images: Path, rounds: int) -> list[str]:
    """Return the section on growth, and write its picture."""
    found = list(grow(rounds))
    curves = [Curve(name, [(float(n), value) for n, value in seconds.items()]) for name, seconds, _ in found]
    picture = log_log("one evaluation of the accelerations", "bodies", "time [s]", curves)
    (images / "transfer_growth.svg").write_text(picture, encoding="utf-8")
    head = f"| engine | {' | '.join(f'n = {n}' for n in NUMBERS)} |"
    rows = [head, f"|---|{'---|' * len(NUMBERS)}"]
    rows += [f"| {name} | {' | '.join(f'{1e9 * seconds[n] / n:.0f}' for n in NUMBERS)} |" for name, seconds, _ in found]
    eight = [
        f"| engine | {' | '.join(f'{few} to {many}' for few, many in EIGHTFOLD)} |",
        f"|---|{'---|' * len(EIGHTFOLD)}",
    ]
    eight += [f"| {name} | {' | '.join(f'{ratios[pair]:.2f}' for pair in EIGHTFOLD)} |" for name, _, ratios in found]
    return [
        "## Growth",
        "Nanoseconds a body of one evaluation:",
        "\n".join(rows),
        "![Time of an evaluation against the number of bodies](images/transfer_growth.svg)",
        "How many times longer eight times as many bodies take (8 is linear; what does not fit into the caches costs a "
        "little more):",
        "\n".join(eight),
    ]


def large_part(repetitions: int) -> list[str]:
    """Return the section on the system of 250 bodies with a loop."""
    import symgen

    mechanism = symgen.load(LARGE)
    parts = [
        "## 250 bodies with a loop",
        "[examples/transfer/large250](../examples/transfer/large250/README.md), 1 s with steps of 1 ms, Runge-Kutta of "
        "order 4; seconds of the processor, without compiling. The loop is closed again after every step, or called "
        "back by its accelerations.",
        "| engine | time | an evaluation, a body | energy drift | largest gap |\n|---|---|---|---|---|",
    ]
    for title, loops in (("balls only, closed", "projection"), ("general, called back", "stabilised")):
        runs = [
            symgen.simulate(mechanism, method="riccati", step=1e-3, until=1.0, sample=0.1, loops=loops)
            for _ in range(repetitions)
        ]
        last, seconds = runs[-1], min(motion.run.processor for motion in runs)
        each = 1e9 * seconds / (4 * last.run.steps * len(mechanism.bodies))
        parts[-1] += (
            f"\n| {title} | {seconds:.2g} s | {each:.0f} ns | {last.drift:.0e} of the largest kinetic energy | "
            f"{last.largest_violation:.0e} m |"
        )
    return parts


def write(place: Path, rounds: int) -> str:
    """Measure everything, write the page and its picture, and return the page."""
    images = place.parent / "images"
    images.mkdir(parents=True, exist_ok=True)
    parts = [_HEAD.format(rounds=rounds, versions=_versions()), "## One evaluation"]
    for shape in SHAPES:
        for bodies in SIZES:
            given = system(shape, bodies)
            print(given.name, file=sys.stderr, flush=True)
            parts.append(table(given, lines_of(given, rounds)))
    parts.append(_DRIFT)
    parts += mixed_part(rounds)
    print("growth", file=sys.stderr, flush=True)
    parts += growth_part(images, rounds)
    print("250 bodies with a loop", file=sys.stderr, flush=True)
    parts += large_part(3)
    page = "\n\n".join(parts) + "\n"
    place.write_text(page, encoding="utf-8")
    return page
