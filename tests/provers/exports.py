"""The exports that analysers look at: of each kind of code that an export can hold, one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import symgen
from symgen.export.embedded.bundle import bundle
from symgen.export.embedded.dynamics import Method, dynamics_tree
from symgen.export.mechanism import MechanismRequest, mechanism_subject
from symgen.export.solved_type import TypeRequest, type_subject
from symgen.export.subject import Subject
from symgen.printers.c99 import Precision

EXAMPLES = Path(__file__).parents[2] / "examples"


def _type(signature: str, precision: Precision) -> Callable[[], Subject]:
    request = TypeRequest(prefix="tested", precision=precision, branch="input")
    return lambda: type_subject(symgen.library().catalogue.matching(signature)[0], request)


def _of(example: str, request: MechanismRequest) -> Callable[[], Subject]:
    return lambda: mechanism_subject(symgen.load(EXAMPLES / example / "mechanism.toml"), symgen.library(), request)


EXPORTS: dict[str, Callable[[], Subject]] = {
    "group": _type("R.R.R 2D", "float"),
    "loop": _type("R.S.S 3D", "double"),
    "triad": _type("<-|R|R|R; 1-2R 1-3R 1-4R> 2D", "float"),
    "leg": _of("jansen_leg", MechanismRequest(prefix="tested", results=["foot.toe"])),
    "followed leg": _of("jansen_leg", MechanismRequest(prefix="tested", results=["foot.toe"], branch="follow")),
    "followed by law": _of(
        "isosceles_slider_crank",
        MechanismRequest(prefix="tested", precision="double", drives="laws", branch="follow", period=0.005),
    ),
}


def write_exports(folder: Path) -> list[Path]:
    """Write the exports, each in a folder of its own."""
    return [
        _write(folder / name.replace(" ", "_"), bundle(subject(), (), "export X", targets=False))
        for name, subject in EXPORTS.items()
    ]


def write_dynamics(folder: Path) -> list[Path]:
    """Write exports of dynamics, each in a folder of its own."""
    mechanism = symgen.load(EXAMPLES / "dynamics" / "spinning_top" / "mechanism.toml")
    methods: tuple[Method, ...] = ("dimcd", "riccati")
    return [
        _write(folder / method, dynamics_tree(mechanism, "tested", method, (), "export X", targets=False))
        for method in methods
    ]


def _write(place: Path, files: Mapping[str, str]) -> Path:
    for file, text in files.items():
        path = place / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return place
