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

Written by `make bench-transfer`; do not edit. The systems are rods of 0.5 m and 1 kg on ball joints, as a chain and
as a binary tree, in the same random attitude and motion for all tools. One call computes all accelerations from
positions and velocities, including kinematics, and reuses nothing from the previous call. All tools are called from
Python with arrays they hold (the call itself costs each less than a microsecond or two), in one thread. They
alternate within each of {rounds} rounds of some 4 ms per tool. The fastest rounds are compared, in processor time.
MuJoCo runs without contacts and constraints. Every tool's angular accelerations are compared with symgen's, which a
dense solve confirms in the tests. The deviation, relative to the largest acceleration, is that of the less accurate
of the two.

{versions}"""
_DRIFT = """### Why deviations grow

Deviations grow along a chain for two reasons. Joint coordinates are differences of motions of bodies, and the mass
matrix of a long chain is ill conditioned: MuJoCo, which factorises it, loses some digits. Pinocchio's recursion loses
more. Like symgen's, it uses Featherstone's articulated inertias, whose matrices are symmetric in exact arithmetic. If
rounding does not preserve this symmetry, the skew part grows exponentially from link to link. In Pinocchio's
`data.Yaba` of these chains it is 4e-16 of the inertia at 10 bodies, 2e-13 at 20, 1e-10 at 30, 1e-7 at 40 and 2e-4 at
50, and the accelerations follow. The model is the same: with `crba` and a dense solve Pinocchio gives symgen's
accelerations of the chain of 50 to 2e-9. symgen stores one triangle of each matrix, so it has no skew part."""


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
            each = 1e9 * line.seconds / given.bodies
            rows.append(f"| symgen | {_time(line.seconds)}, {each:.0f} ns per body | 1 | |")
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
        f"The general engine (6 x 6, any hinge) runs on a chain of such rods with {', '.join(KINDS[:-1])} and "
        f"{KINDS[-1]} hinges in turn, with axes in any direction. symgen's engine integrates whole intervals of time "
        "in one call, so an evaluation is a quarter of a Runge-Kutta step of order 4, including the arithmetic of "
        "the step itself. The other tools are called once per evaluation. Divide and conquer is the method `dca` of "
        "`symgen accelerations`, in NumPy: it makes all joins of a level at once, about log2 n levels. Absolute "
        f"angular accelerations are compared. Drake has no cylindrical joint. The target for symgen is {BAR} ns per "
        "body.",
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
        "Nanoseconds per body for one evaluation:",
        "\n".join(rows),
        "![Time of an evaluation against the number of bodies](images/transfer_growth.svg)",
        "Factor by which the time grows for eight times as many bodies (8 is linear; data that do not fit into the "
        "caches cost a little more):",
        "\n".join(eight),
    ]


def large_part(repetitions: int) -> list[str]:
    """Return the section on the system of 250 bodies with a loop."""
    import symgen

    mechanism = symgen.load(LARGE)
    parts = [
        "## 250 bodies with a loop",
        "[examples/transfer/large250](../examples/transfer/large250/README.md) is simulated for 1 s with steps of 1 "
        "ms, Runge-Kutta of order 4. Times are processor time, without compiling. The loop is closed again after "
        "every step (*closed*), or stabilised through its accelerations (*stabilised*).",
        "| engine | time | per evaluation and body | energy drift | largest gap |\n|---|---|---|---|---|",
    ]
    for title, loops in (("balls only, closed", "projection"), ("general, stabilised", "stabilised")):
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
