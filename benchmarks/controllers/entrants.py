"""The C of each competitor: sources, and a function ``bench_step`` that takes inputs and gives results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import casadi

from benchmarks.controllers.problems import Problem
from symgen.export.code import code_files
from symgen.export.subject import Subject

KERNELS = Path(__file__).resolve().parents[1] / "kernels"
#: A careful user's switch to the float functions of <math.h>: CasADi calls those of double in either type.
_FLOAT = "\n".join(f"#define {name} {name}f" for name in ("sqrt", "sin", "cos", "atan2", "fabs"))


@dataclass(frozen=True)
class Entrant:
    """One competitor: its files, and what stands before a program to give it ``bench_init`` and ``bench_step``."""

    tool: str
    files: Mapping[str, str]
    units: tuple[str, ...]
    call: str
    extra: tuple[str, ...] = ()


def ours(subject: Subject) -> Entrant:
    """Return the export, as its users compile it."""
    files = code_files(subject, "export")
    call = (
        '#include "ours.h"\nstatic ours_state state;\n'
        "static void bench_init(void) { (void)ours_init(&state); }\n"
        f"static int bench_step(const {subject.real} *inputs, {subject.real} *results)"
        " { return (int)ours_step(&state, inputs, results); }\n"
    )
    return Entrant("symgen", files, tuple(name for name in files if name.endswith(".c")), call)


def peer_function(problem: Problem) -> casadi.Function:
    """Return the function of all inputs that CasADi has for a problem."""
    inputs, results = problem.peer()
    told = casadi.cse(casadi.densify(casadi.vertcat(*results)))
    return casadi.Function("peer", [casadi.vertcat(*inputs)], [told])


def peer(problem: Problem, real: str, extra: tuple[str, ...] = ()) -> Entrant:
    """Return the C that CasADi generates, in a type."""
    function = peer_function(problem)
    generator = casadi.CodeGenerator("peer.c", {"casadi_real": real, "casadi_int": "int"})
    generator.add(function)
    names = _FLOAT if real == "float" else ""
    text = f"#include <math.h>\n{names}\n{generator.dump()}"
    call = (
        f"int peer(const {real} **arg, {real} **res, int *iw, {real} *w, int mem);\n"
        "static void bench_init(void) {}\n"
        f"static int bench_step(const {real} *inputs, {real} *results)\n{{\n"
        f"    const {real} *arg[{function.sz_arg()}] = {{ inputs }};\n"
        f"    {real} *res[{function.sz_res()}] = {{ results }};\n"
        f"    {real} work[{max(1, function.sz_w())}];\n"
        "    return peer(arg, res, 0, work, 0);\n}\n"
    )
    title = f"CasADi {casadi.__version__}"
    return Entrant(f"{title}, {extra[0]}" if extra else title, {"peer.c": text}, ("peer.c",), call, extra)


def hand(problem: Problem, real: str) -> Entrant | None:
    """Return the C written by hand, if somebody wrote it."""
    if not problem.hand:
        return None
    names = "\n".join(f"#define {name} {name}f" for name in ("sqrt", "sin", "cos")) if real == "float" else ""
    text = f"#include <math.h>\n{names}\ntypedef {real} real;\n{(KERNELS / problem.hand).read_text(encoding='utf-8')}"
    call = (
        f"int hand_step(const {real} *inputs, {real} *results);\n"
        "static void bench_init(void) {}\n"
        f"static int bench_step(const {real} *inputs, {real} *results) {{ return hand_step(inputs, results); }}\n"
    )
    return Entrant("by hand", {"hand.c": text}, ("hand.c",), call)


def entrants(problem: Problem, subject: Subject) -> list[Entrant]:
    """Return all competitors, symgen first."""
    unfused = peer(problem, subject.real, ("-ffp-contract=off",))
    found: list[Any] = [ours(subject), peer(problem, subject.real), unfused, hand(problem, subject.real)]
    return [each for each in found if each is not None]
