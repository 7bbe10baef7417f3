"""The derivations of the example are right: C and NumPy against 50 digits of another road to the same numbers.

The Cardan joint is found as the angle at which its two pins are square, the trocar as the turn at which the pin has no
distance from the slot while everything moves, the liquid line as the exponential of its field. Rates are derivatives of
these with respect to time, by differences with 50 digits.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

from symgen.cli.main import main
from symgen.derive import catalogue as derivations
from symgen.library.catalogue import Catalogue, modules_in
from symgen.library.open import Library
from symgen.library.solved_type import BackendName
from symgen.status import Status

BACKENDS = ("numpy", pytest.param("c", marks=pytest.mark.compiler))


@pytest.fixture(scope="module")
def folder(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("own")
    package = repository / "examples" / "own_derivation" / "symgen_instruments"
    before = dict(derivations._OWN)
    assert main(["generate", *(str(package / f"{name}.py") for name in ("cardan", "trocar", "pipe")),
                 "--out", str(found)]) == 0  # fmt: skip
    derivations._OWN.clear()
    derivations._OWN.update(before)
    return found


def library(folder: Path, backend: BackendName) -> Library:
    return Library(Catalogue(modules_in(folder)), backend=backend)


def rates(value: Callable[[Any], Any]) -> list[float]:
    """Return a function of time at 0 with two derivatives."""
    with mpmath.workdps(50):
        return [float(value(mpmath.mpf(0))), float(mpmath.diff(value, 0)), float(mpmath.diff(value, 0, 2))]


def pins(turn: Any, bend: Any, near: Any) -> Any:
    """Return the turn of the second shaft at which the pins of both forks are square to each other."""

    def product(out: Any) -> Any:
        pin = (mpmath.cos(turn), mpmath.sin(turn), 0)
        e2 = (mpmath.cos(bend), 0, -mpmath.sin(bend))  # with y a frame of the plane normal to the second shaft
        other = (-mpmath.sin(out) * e2[0], mpmath.cos(out), -mpmath.sin(out) * e2[2])
        return mpmath.fsum(a * b for a, b in zip(pin, other, strict=True))

    return mpmath.findroot(product, near, tol=1e-60)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_cardan_joint_turns_as_its_pins_say(backend: BackendName, folder: Path) -> None:
    kernel = library(folder, backend)["cardan_joint"].kernel
    for turn, bend, rate, growth in ((0.4, 0.7, 3.0, -2.0), (-1.2, 1.1, -5.0, 4.0), (0.0, 0.3, 1.0, 1.0)):
        found = kernel.all(turn, bend, rate, growth)
        with mpmath.workdps(50):
            whole = rates(lambda t, a=turn, b=bend, r=rate, g=growth: pins(a + r * t + g * t * t / 2, b, a))
        assert [found.out, found.out_rate, found.out_growth] == pytest.approx(whole, rel=1e-13, abs=1e-13)
    assert kernel.position(0.1, 1.55, check=False).status is Status.BAD_INPUT


def slot(phi: Any, led: Any, pin: Any, at: Any, of: Any, angle: Any) -> tuple[Any, Any]:
    """Return the pin's place along and beside the slot of a body at a turn, led at a point of it."""
    turn = mpmath.expj(phi)
    origin = led - turn * of
    seen = (pin - origin - turn * at) / (turn * mpmath.expj(angle))
    return seen.real, seen.imag


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("ahead", [True, False])
def test_the_trocar_moves_as_its_pin_says(ahead: bool, backend: BackendName, folder: Path) -> None:
    """Planes are complex numbers here; both known bodies move and turn."""
    at, angle, of, lead = mpmath.mpc("0.02", "0.03"), mpmath.mpf("0.4"), mpmath.mpc("-0.05", "0.01"), mpmath.mpf("-0.3")
    on_1, on_2 = mpmath.mpc("0.1", "-0.04"), mpmath.mpc("-0.02", "0.05")
    one, two = (("0.5", "0.1", "0.2"), ("-0.3", "0.4", "0.6")), (("-0.1", "0.3", "-0.2"), ("0.2", "-0.5", "0.7"))
    turns = (("0.3", "-0.8", "0.5"), ("-0.2", "0.6", "0.9"))
    drive = (("0.07", "0.2", "-0.3"), ("-0.06", "0.4", "0.5"))

    def law(row: tuple[str, str, str], t: Any) -> Any:
        a, b, c = map(mpmath.mpf, row)
        return a + b * t + c * t * t / 2

    def body(place: tuple[Any, Any], turn: Any, t: Any) -> tuple[Any, Any]:
        return mpmath.mpc(law(place[0], t), law(place[1], t)), law(turn, t)

    def points(t: Any) -> tuple[Any, Any]:
        (r1, p1), (r2, p2) = body(one, turns[0], t), body(two, turns[1], t)
        driven = mpmath.mpc(law(drive[0], t), law(drive[1], t)) * mpmath.expj(mpmath.mpf("0.25"))
        return r2 + mpmath.expj(p2) * (on_2 + driven), r1 + mpmath.expj(p1) * on_1

    def turn_of(t: Any) -> Any:
        led, pin = points(t)
        start = mpmath.arg(pin - led) - angle + (0 if ahead else mpmath.pi)
        return mpmath.findroot(lambda phi: slot(phi, led, pin, at, of, angle)[1], start, tol=1e-60)

    def slide_of(t: Any) -> Any:
        return slot(turn_of(t), *points(t), at, of, angle)[0]

    def pose(place: tuple[Any, Any], turn: Any, order: int) -> list[float]:
        return [float(row[order]) for row in (*place, turn)]

    given = {
        **{f"{name}{body_}": pose(place, turn, order)
           for body_, place, turn in (("k1", one, turns[0]), ("k2", two, turns[1]))
           for order, name in enumerate(("", "v_", "a_"))},
        "f_j1_b1": [float(at.real), float(at.imag), float(angle)], "f_j1_k1": [0.1, -0.04, 0.7],
        "f_j2_k2": [-0.02, 0.05, 0.25], "f_j2_b1": [float(of.real), float(of.imag), float(lead)],
        **{f"{name}_j2": [float(row[order]) for row in drive] for order, name in enumerate(("u", "ud", "udd"))},
        "branch": 0 if ahead else 1,
    }  # fmt: skip
    solved = library(folder, backend)["L.FP** 2D"].all(**given)
    with mpmath.workdps(50):
        turn, slide = rates(turn_of), rates(slide_of)
    for order, prefix in enumerate(("", "v_", "a_")):
        # the same in all stages: divisions by a slide of 0.6 m, sums of order one
        assert math.remainder(float(getattr(solved, f"{prefix}b1")[2]) - turn[order], 2 * math.pi) == pytest.approx(
            0, abs=1e-12
        )
        assert float(getattr(solved, ("q", "qd", "qdd")[order] + "_j1")[0]) == pytest.approx(slide[order], abs=1e-12)


def test_the_trocar_says_what_it_cannot(folder: Path) -> None:
    kernel = library(folder, "numpy")["L.FP** 2D"].kernel
    at = {"a": [0, 0], "p": [3, 4], "branch": 0}
    assert kernel.position(**at, e=5.5, check=False).status is Status.NO_ASSEMBLY
    assert kernel.position(**at, e=5.0, check=False).status is Status.SINGULAR
    assert kernel.position(a=[1, 2], p=[1, 2], branch=0, e=0, check=False).status is Status.DEGENERATE
    assert kernel.position(**at, e=3.0).t == pytest.approx(4)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_liquid_line_is_the_exponential_of_its_field(backend: BackendName, folder: Path) -> None:
    from symgen.transfer.own_elements import boundary, through, transfer_matrix

    line = library(folder, backend)["liquid_line"]
    length, area, density, speed = 2.5, 3e-4, 870.0, 1300.0
    for frequency in (50.0, 700.0, 2400.0):
        found = transfer_matrix(line, length=length, area=area, density=density, speed=speed, frequency=frequency)
        with mpmath.workdps(50):
            inertance, capacitance = mpmath.mpf(density) / area, mpmath.mpf(area) / (mpmath.mpf(density) * speed**2)
            field = mpmath.matrix([[0, -frequency * inertance], [frequency * capacitance, 0]])
            exact = mpmath.expm(field * length)
        scale = np.array([[1, density * speed / area], [area / density / speed, 1]])
        assert np.array(exact.tolist(), dtype=float) / scale == pytest.approx(found / scale, abs=1e-13)
    quarter = math.pi * speed / (2 * length)  # closed at one end, open at the other: a quarter of a wave
    parts = [
        transfer_matrix(line, length=part, area=area, density=density, speed=speed, frequency=quarter)
        for part in (1.0, 1.5)
    ]
    assert boundary(through(*parts), free=[0], zero=[0])[0, 0] == pytest.approx(0, abs=1e-14)


@pytest.mark.slow
@pytest.mark.compiler
def test_the_mechanism_moves_as_certified_newton_says(
    folder: Path, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import symgen

    times = np.linspace(0, 6, 61)
    mechanism = symgen.load(str(repository / "examples" / "own_derivation" / "trocar.toml"))
    iterated = symgen.solve(mechanism, times)
    monkeypatch.setenv("SYMGEN_LIBRARY", str(folder))
    closed = symgen.solve(mechanism, times)
    assert [each.module for each in closed.groups] == ["driven_p_2d", "trocar"]
    assert [each.module for each in iterated.groups] == ["driven_p_2d", "newton_planar"]
    for body, motion in closed.bodies.items():
        for name in ("r", "v", "omega", "a", "alpha"):
            assert getattr(motion, name) == pytest.approx(getattr(iterated.bodies[body], name), abs=1e-10)


FALLING = """
schema = "symgen/mechanism/1"
name = "instrument that falls through a trocar"
space = "planar"
ground = "frame"
gravity = [0.0, -9.81]
[bodies.patient]
mass = 2.0
com = [0.0, 0.0]
inertia = [0.01, 0.01, 0.01, 0.0, 0.0, 0.0]
[bodies.instrument]
mass = 0.5
com = [0.1, 0.0]
inertia = [0.01, 0.01, 0.01, 0.0, 0.0, 0.0]
[joints.breath]
type = "P"
bodies = ["frame", "patient"]
driven = 1
at = [0.0, 0.0]
axis = [0.0, 1.0, 0.0]
[joints.stage]
type = "FP"
bodies = ["frame", "instrument"]
[joints.port]
type = "L"
bodies = ["instrument", "patient"]
frames.instrument = { at = [0.0, 0.01], q = [1.0, 0.0, 0.0, 0.0] }
frames.patient = { at = [0.2, 0.0], q = [1.0, 0.0, 0.0, 0.0] }
[drives]
breath = "0.005*sin(4*t)"
"""


@pytest.mark.slow
@pytest.mark.compiler
def test_minimal_coordinates_go_through_a_group_of_ones_own(
    folder: Path, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The oracle knows no groups: central differences of the bodies' equations, whose error is of order two."""
    import symgen

    monkeypatch.setattr(derivations, "_OWN", {})
    monkeypatch.setenv("SYMGEN_LIBRARY", str(folder))
    file, rows = tmp_path / "falling.toml", tmp_path / "rows.csv"
    file.write_text(FALLING, encoding="utf-8")
    how = ["simulate", str(file), "--coordinates", "stage.x,stage.y", "--step", "0.002", "--until", "0.3"]
    how += ["--output", str(rows)]
    assert main([*how, "--method", "group"]) == 2
    assert "derives it again: give --own FILE.py:NAME" in " ".join(capsys.readouterr().err.split())
    own = str(repository / "examples" / "own_derivation" / "symgen_instruments" / "trocar.py")
    assert main([*how, "--method", "dimcd", "--own", own]) == 2
    assert "--own belongs to --method group" in capsys.readouterr().err
    assert main([*how, "--method", "group", "--own", own]) == 0
    with rows.open(encoding="utf-8", newline="") as lines:
        last = list(csv.DictReader(lines))[-1]
    far = [
        symgen.simulate(symgen.load(str(file)), method="dimcd", step=step, until=0.3).bodies["instrument"].r[-1]
        for step in (5e-4, 2.5e-4)
    ]
    exact = (4 * far[1] - far[0]) / 3
    assert [float(last["instrument.x"]), float(last["instrument.y"])] == pytest.approx(exact[:2], abs=1e-9)


@pytest.mark.slow
@pytest.mark.compiler
def test_a_module_of_ones_own_is_certified_and_verified(
    folder: Path, repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(derivations, "_OWN", {})
    monkeypatch.setenv("SYMGEN_LIBRARY", str(folder))
    own = str(repository / "examples" / "own_derivation" / "symgen_instruments" / "trocar.py")
    assert main(["check", "--library", "--certify", "--own", own]) == 0
    capsys.readouterr()
    assert main(["check", "--library", "--module", "trocar", "--json"]) == 0
    (module,) = json.loads(capsys.readouterr().out)["modules"]
    assert (module["module"], module["functions"], module["faults"]) == ("trocar", 8, [])
    code = folder / "trocar" / "trocar.c"
    text = code.read_text(encoding="utf-8")
    code.write_text(text.replace("sigma", "sigmas", 1), encoding="utf-8")
    assert main(["check", "--library", "--module", "trocar"]) == 1
    code.write_text(text, encoding="utf-8")
