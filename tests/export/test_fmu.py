"""FMUs: what their description says is so, what they give is what `symgen.solve` gives, and what fails says why."""

from __future__ import annotations

import json
import math
import re
import xml.etree.ElementTree as ET
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle.compilers import C_ONLY, WARNINGS, need, run
from oracle.fmus import DISCARD, ERROR, OK, WARNING, Fmu

import symgen
from symgen.cli.export_code import archive
from symgen.cli.main import main
from symgen.export.backend import Asked, Product, as_bytes, backends
from symgen.export.fmu.platform import place_of
from symgen.export.fmu.units import exponents
from symgen.export.mechanism import MechanismRequest, mechanism_subject
from symgen.export.solved_type import TypeRequest, type_subject

EXAMPLES = Path(__file__).parents[2] / "examples"
LEG = str(EXAMPLES / "jansen_leg" / "mechanism.toml")
#: The rocker is too short for a full turn of the crank: folds at either end.
TREE: dict[str, Any] = {
    "schema": "symgen/mechanism/1",
    "name": "swing",
    "space": "planar",
    "bodies": {"crank": {}, "coupler": {}, "rocker": {"points": {"P": [0.8, 0.5]}}},
    "joints": {
        "A": {"type": "R", "bodies": ["ground", "crank"], "at": [0, 0], "driven": 1},
        "B": {"type": "R", "bodies": ["crank", "coupler"], "at": [0.3, 0.3]},
        "C": {"type": "R", "bodies": ["coupler", "rocker"], "at": [0.7, 0.5]},
        "D": {"type": "R", "bodies": ["ground", "rocker"], "at": [0.6, 0]},
    },
    "drives": {"A": "0.2*sin(3*t)"},
    "ranges": {"A.angle": [-3.0, 3.0], "A.angle.rate": [-20, 20]},
}

pytestmark = pytest.mark.extension


@cache
def _mechanism(name: str) -> symgen.Mechanism:
    return symgen.Mechanism.from_dict(TREE) if name == "swing" else symgen.load(EXAMPLES / name / "mechanism.toml")


def _product(name: str, fmi: str, **asked: Any) -> Product:
    request = MechanismRequest(precision="double", tangent=True, command="export X --for fmu", **asked)
    subject = mechanism_subject(_mechanism(name), symgen.library(), request)
    return backends()["fmu"].files(subject, Asked("export X --for fmu", {"fmi": fmi}))


def _written(product: Product, folder: Path) -> Path:
    for name, text in product.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(as_bytes(text))
    return folder


@pytest.fixture(scope="module", params=[pytest.param("2", marks=pytest.mark.slow), "3"])
def swing(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The swing as an FMU of either version."""
    return _written(_product("swing", request.param, prefix="swing"), tmp_path_factory.mktemp("swing"))


def _attributes(folder: Path) -> dict[str, dict[str, str]]:
    """Return name -> attributes of all variables, those of FMI 2.0 with what stands below them."""
    root = ET.parse(folder / "modelDescription.xml").getroot()  # noqa: S314 - our own
    return {
        v.attrib["name"]: v.attrib | {key: value for below in v for key, value in below.attrib.items()}
        for v in root.find("ModelVariables")  # type: ignore[union-attr]
    }


def test_the_description_tells_units_ranges_starts_and_what_depends_on_what(swing: Path) -> None:
    root = ET.parse(swing / "modelDescription.xml").getroot()  # noqa: S314 - our own
    two = root.attrib["fmiVersion"] == "2.0"
    assert re.fullmatch(r"[0-9a-f-]{36}", root.attrib["guid" if two else "instantiationToken"])
    found = _attributes(swing)
    angle = found["A.angle"]
    assert (angle["causality"], angle["unit"]) == ("input", "rad")
    assert [float(angle[key]) for key in ("min", "max", "start")] == [-3.0, 3.0, 0.0]
    assert float(found["A.angle.rate"]["start"]) == pytest.approx(0.6)  # of the law at the begin
    assert "min" not in found["A.angle.acc"]
    # a result that is an input is not there twice
    assert sorted(found) == sorted(set(found))
    assert (found["rocker.P.ay"]["unit"], found["rocker.P.ay"]["initial"]) == ("m/s^2", "calculated")
    units = {unit.attrib["name"]: unit[0].attrib for unit in root.find("UnitDefinitions")}  # type: ignore[union-attr]
    assert units["rad/s^2"] == {"rad": "1", "s": "-2"}
    assert units["m"] == {"m": "1"}
    names = {v.get("valueReference", ""): name for name, v in found.items()}
    if two:
        names = {str(k): name for k, name in enumerate(found, start=1)}
    structure = root.find("ModelStructure")
    assert structure is not None
    key = "index" if two else "valueReference"
    outputs = list(structure.find("Outputs") or ()) if two else structure.findall("Output")
    depends = {names[o.attrib[key]]: [names[d] for d in o.attrib["dependencies"].split()] for o in outputs}
    assert depends["rocker.P.x"] == ["A.angle"]
    assert depends["rocker.P.vx"] == ["A.angle", "A.angle.rate"]
    assert depends["rocker.P.ax"] == ["A.angle", "A.angle.rate", "A.angle.acc"]
    assert set(depends) == {name for name, v in found.items() if v["causality"] == "output"}
    exchange = root.find("ModelExchange")
    assert exchange is not None
    assert exchange.attrib["providesDirectionalDerivative" + ("" if two else "s")] == "true"


def _laws(name: str, times: np.ndarray) -> dict[str, np.ndarray]:
    """Return the inputs over time, by name."""
    return {
        f"{joint}.{freedom}{end}": np.asarray(values) * np.ones(len(times))
        for (joint, freedom), law in _mechanism(name).drives.items()
        for end, values in zip(("", ".rate", ".acc"), law.evaluate(times), strict=True)
    }


def _differ(name: str, found: float, wanted: float) -> float:
    difference = found - wanted
    if name.endswith(("angle", "angle1", "angle2", "phi", "yaw", "pitch", "roll")):
        difference = math.remainder(difference, math.tau)  # angles may differ by full turns
    if re.search(r"\.q[0-3]$", name):
        difference = min(abs(difference), abs(found + wanted))  # a quaternion and its negative turn alike
    return abs(difference)


def _check_motion(folder: Path, name: str, until: float, bound: float = 1e-12, *, laws: bool = False) -> None:
    """Run both kinds over time beside `symgen.solve`: by inputs a co-simulation is one step late."""
    times = np.linspace(0.0, until, 21)
    wanted = symgen.solve(_mechanism(name), times).table()
    given = _laws(name, times)
    exchange, slave = Fmu(folder, "ME"), Fmu(folder, "CS")
    first = {} if laws else {key.replace(".", "__"): float(values[0]) for key, values in given.items()}
    exchange.start(**first)
    slave.start(**first)
    late = 0 if laws else 1
    worst = 0.0
    sizes = {key: max(1.0, float(np.max(np.abs(wanted[key])))) for key in exchange.outputs}
    for row, time in enumerate(times):
        exchange.to(float(time))
        if not laws:
            assert exchange.set(exchange.inputs, [float(given[key][row]) for key in exchange.inputs]) == OK
        found = [(exchange.get(exchange.outputs), row)]
        exchange.accept()
        if row:
            length = float(times[row] - times[row - 1])
            before = [float(given[key][row - 1]) for key in slave.inputs]
            assert laws or slave.set(slave.inputs, before) == OK
            assert slave.step(float(times[row - 1]), length) == OK
            found.append((slave.get(slave.outputs), row - late))
        for (status, values), at in found:
            assert status == OK
            for key, value in zip(exchange.outputs, values, strict=True):
                worst = max(worst, _differ(key, value, float(wanted[key][at])) / sizes[key])
    assert worst <= bound, worst
    assert exchange.messages == slave.messages == []
    exchange.close()
    slave.close()


def test_results_are_those_of_solve(swing: Path) -> None:
    _check_motion(swing, "swing", 1.0)


#: What is run as either version; the others, which take long to compile, as one.
EITHER: list[tuple[str, dict[str, Any]]] = [
    ("jansen_leg", {"results": ["foot.toe", "joints"]}),
    ("jansen_leg", {"branch": "follow", "drives": "laws"}),
    ("double_coupler", {"iterative": 10}),
]
ONE: list[tuple[str, dict[str, Any]]] = [
    ("jansen_leg", {"drives": "laws"}),
    ("jansen_leg", {"branch": "follow"}),
    ("spatial_four_bar", {}),
    ("stewart_inverse", {}),
    ("quick_return", {"math": "libm"}),
    ("rotor", {"drives": "laws"}),
    ("rotor_original", {"results": ["bodies"]}),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "asked", "fmi"), [(*each, fmi) for each in EITHER for fmi in "23"] + [(*each, "3") for each in ONE]
)
def test_results_of_the_examples_are_those_of_solve(name: str, asked: dict[str, Any], fmi: str, tmp_path: Path) -> None:
    product = _product(name, fmi, **asked)
    followed = asked.get("branch") == "follow" or name in ("double_coupler", "rotor_original")
    assert followed == any("derivatives are not provided" in note for note in product.notes)
    # where positions are iterated or searched, two ways to them agree to fewer digits
    bound = 1e-12 if name != "rotor_original" else 1e-10
    _check_motion(_written(product, tmp_path), name, 0.2, bound, laws="drives" in asked)


def test_directional_derivatives_are_those_of_the_results(swing: Path) -> None:
    """Central differences of the results themselves, extrapolated (L. F. Richardson 1911): some 10 digits."""
    fmu = Fmu(swing, "ME")
    fmu.start()
    rng = np.random.default_rng(5)
    for _ in range(3):
        at, along = rng.uniform(-0.3, 0.3, 3), rng.uniform(-1.0, 1.0, 3)

        def values(h: float, at: Any = at, along: Any = along) -> Any:
            assert fmu.set(fmu.inputs, list(at + h * along)) == OK
            status, found = fmu.get(fmu.outputs)
            assert status == OK
            return np.array(found)

        def slope(h: float, values: Any = values) -> Any:
            return (values(h) - values(-h)) / (2 * h)

        expected = (4 * slope(5e-4) - slope(1e-3)) / 3
        values(0.0)
        status, found = fmu.derive(fmu.outputs, fmu.inputs, list(along))
        assert status == OK
        assert np.max(np.abs(found - expected) / np.maximum(1.0, np.abs(expected))) < 1e-8
        # a direction is a sum of directions
        parts = [fmu.derive(fmu.outputs, [name], [x])[1] for name, x in zip(fmu.inputs, along, strict=True)]
        assert np.allclose(np.sum(parts, axis=0), found, rtol=1e-12, atol=1e-12)
    assert fmu.derive(["A.angle"], fmu.inputs, [1.0, 0.0, 0.0])[0] == ERROR
    assert fmu.derive(fmu.outputs, ["rocker.P.x"], [1.0])[0] == ERROR
    fmu.close()


@pytest.mark.slow
def test_by_laws_the_derivative_of_a_position_in_time_is_its_rate(tmp_path: Path) -> None:
    fmu = Fmu(_written(_product("swing", "3", drives="laws", results=["rocker.P"]), tmp_path), "ME")
    assert fmu.inputs == []
    fmu.start()
    for time in (0.1, 0.7, 0.4):
        fmu.to(time)
        status, rates = fmu.get([f"rocker.P.{kind}{axis}" for kind in ("v", "a") for axis in "xy"])
        assert status == OK
        status, found = fmu.derive([f"rocker.P.{kind}{axis}" for kind in ("", "v") for axis in "xy"], ["time"], [1.0])
        assert status == OK
        assert found == pytest.approx(rates, rel=1e-12, abs=1e-13)
    fmu.close()


@pytest.mark.parametrize("kind", ["ME", "CS"])
def test_what_cannot_be_reached_is_discarded_with_a_word_and_goes_on_afterwards(swing: Path, kind: str) -> None:
    fmu = Fmu(swing, kind)
    fmu.start()

    def ask(angle: float, rate: float = 0.0) -> tuple[int, list[float]]:
        assert fmu.set(["A.angle", "A.angle.rate"], [angle, rate]) == OK
        if kind == "CS":
            status = fmu.step(0.0, 0.1)
            assert status == fmu.get(["rocker.P.x"])[0]
        return fmu.get(["rocker.P.x"])

    status, good = ask(0.1)
    assert status == OK
    for wrong, word in (
        ((2.9,), "NO_ASSEMBLY"),
        ((3.5,), "BAD_INPUT"),
        ((math.nan,), "A.angle is not a finite number"),
        ((0.1, -21.0), "A.angle.rate is -21, allowed are -20 to 20"),
        ((0.1, math.inf), "BAD_INPUT"),
    ):
        status, values = ask(*wrong)
        assert status == DISCARD
        assert math.isnan(values[0])  # nothing was written
        assert len(fmu.messages) == 1
        assert fmu.messages[0].startswith("logStatusDiscard: ")
        assert word in fmu.messages.pop()
        assert ask(0.1) == (OK, good)
    if kind == "ME":
        assert fmu.set(["A.angle"], [2.9]) == OK
        assert fmu.derive(["rocker.P.x"], ["A.angle"], [1.0])[0] == DISCARD
    fmu.close()


def test_a_copy_of_the_state_leads_back_through_bytes_too(swing: Path) -> None:
    fmu = Fmu(swing, "CS")
    fmu.start()
    assert fmu.set(["A.angle"], [0.2]) == OK
    assert fmu.step(0.0, 0.1) == OK
    before, state = fmu.get(fmu.outputs), fmu.copy()
    assert fmu.set(["A.angle"], [-0.2]) == OK
    assert fmu.step(0.1, 0.1) == OK
    after = fmu.get(fmu.outputs)
    state = fmu.through_bytes(state)
    assert fmu.back(state) == OK
    assert fmu.get(fmu.outputs) == before != after
    fmu.free_copy(state)
    fmu.close()
    assert fmu.held == 0


def test_instances_know_nothing_of_each_other_and_a_reset_begins_anew(swing: Path) -> None:
    one, other = Fmu(swing, "ME"), Fmu(swing, "ME")
    one.start(A__angle=0.1)
    other.start(A__angle=-0.1)
    first = one.get(one.outputs), other.get(other.outputs)
    assert first[0] != first[1]
    assert one.get(one.outputs) == first[0]
    assert one.call("Reset") == OK
    one.start()
    one.set(["A.angle"], [-0.1])
    assert one.get(["rocker.P.x"]) == other.get(["rocker.P.x"])
    one.close()
    other.close()


def test_what_is_not_there_or_out_of_turn_is_an_error_with_a_word(swing: Path) -> None:
    assert Fmu(swing, "ME", "another-token").c is None
    fmu = Fmu(swing, "CS")
    assert fmu.call("ExitInitializationMode") == ERROR
    assert "ExitInitializationMode must not be called" in fmu.messages.pop()
    fmu.start()
    fmu.references |= {"none": 4711}
    assert fmu.get(["none"])[0] == ERROR
    assert "4711" in fmu.messages.pop()
    assert fmu.set(["rocker.P.x"], [0.0]) == ERROR
    assert "is not an input" in fmu.messages.pop()
    if fmu.two:
        assert fmu.call("CancelStep") == ERROR
    else:
        assert fmu.call("EnterConfigurationMode") == ERROR
    assert fmu.messages
    fmu.close()


@pytest.mark.slow
def test_in_the_event_mode_of_a_co_simulation_nothing_is_late(tmp_path: Path) -> None:
    fmu = Fmu(_written(_product("swing", "3", results=["rocker.P"]), tmp_path), "CS", events=True)
    fmu.start()
    assert fmu.set(["A.angle"], [0.2]) == OK
    now = fmu.get(fmu.outputs)
    assert fmu.call("EnterStepMode") == OK
    assert fmu.step(0.0, 0.1) == OK
    assert fmu.get(fmu.outputs) == now
    fmu.close()


@pytest.mark.slow
@pytest.mark.parametrize("fmi", ["2", "3"])
def test_sources_compile_without_a_word_and_have_the_functions_of_the_standard(fmi: str, tmp_path: Path) -> None:
    folder = _written(_product("swing", fmi, prefix="swing"), tmp_path)
    sources = sorted((folder / "sources").glob("*.c"))
    for compiler in ("gcc", "clang"):
        run(need(compiler), *WARNINGS, *C_ONLY, "-std=c99", "-fsyntax-only", *sources)
    run(need("gcc"), *WARNINGS, "-x", "c++", "-std=c++11", "-fsyntax-only", *sources)
    (library,) = (folder / "binaries").rglob("swing.*")
    lines = run(need("nm"), "-D", "--defined-only", library).splitlines()
    found = {line.split()[-1] for line in lines}
    assert all(name.startswith(f"fmi{fmi}") for name in found)
    assert len(found) == {"2": 44, "3": 75}[fmi]
    fmpy = pytest.importorskip("fmpy", reason="FMPy is not installed: pip install 'symgen[fmi]'")
    headers = Path(fmpy.__file__).parent / "c-code"
    told = (headers / f"fmi{fmi}Functions.h").read_text()
    assert found == set(re.findall(rf"#define (fmi{fmi}\w+)\s+fmi{fmi}FullName", told))
    # each is of the type that the standard's own header gives it
    calls = "\n".join(f"    seen = seen && {name} != 0;" for name in sorted(found))
    (tmp_path / "all.c").write_text(f'#include "fmi{fmi}Functions.h"\nint main(void)\n{{\n    int seen = 1;\n{calls}\n'
                                    "    return !seen;\n}\n")  # fmt: skip
    run("gcc", "-std=c99", "-O1", "-flto", "-Wlto-type-mismatch", "-Werror", f"-I{headers}", tmp_path / "all.c",
        *sources, "-o", tmp_path / "all", "-lm")  # fmt: skip
    run(tmp_path / "all")


@pytest.mark.slow
def test_the_same_request_gives_the_same_bytes_and_another_one_another_token(tmp_path: Path) -> None:
    one, two = (_product("swing", "3", results=["rocker.P"]) for _ in range(2))
    assert archive(one.files) == archive(two.files)
    other = _product("swing", "3", results=["rocker"])
    assert other.manifest["token"] != one.manifest["token"]


@pytest.mark.slow
def test_start_values_that_cannot_be_solved_are_noted() -> None:
    tree = dict(TREE, drives={"A": "2.9 + t"})
    request = MechanismRequest(precision="double", results=["rocker.P"])
    subject = mechanism_subject(symgen.Mechanism.from_dict(tree), symgen.library(), request)
    for fmi in ("2", "3"):
        product = backends()["fmu"].files(subject, Asked("export X", {"fmi": fmi}))
        assert any("cannot be solved at the start values" in note for note in product.notes)


@pytest.mark.slow
def test_an_input_begins_within_its_range() -> None:
    subject = mechanism_subject(
        _mechanism("swing"),
        symgen.library(),
        MechanismRequest(precision="double", results=["rocker.P"], ranges={"A.angle": (0.05, 1.0)}),
    )
    product = backends()["fmu"].files(subject, Asked("export X", {"fmi": "3"}))
    assert any("A.angle would begin at 0, out of its range: it begins at 0.05" in note for note in product.notes)
    assert 'start="0.05"' in str(product.files["modelDescription.xml"])
    assert not any("cannot be solved" in note for note in product.notes)


def test_without_a_compiler_there_are_sources_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    product = _product("swing", "3", results=["rocker.P"])
    assert not [name for name in product.files if name.startswith("binaries")]
    assert "sources/buildDescription.xml" in product.files
    (reason,) = product.not_run
    assert "no-such-compiler" in reason


@pytest.mark.parametrize(
    ("machine", "fmi", "folder"),
    [
        ("x86_64-linux-gnu", "2", "binaries/linux64/m.so"),
        ("x86_64-linux-gnu", "3", "binaries/x86_64-linux/m.so"),
        ("aarch64-linux-gnu", "2", None),
        ("aarch64-linux-gnu", "3", "binaries/aarch64-linux/m.so"),
        ("arm64-apple-darwin23", "3", "binaries/aarch64-darwin/m.dylib"),
        ("x86_64-w64-mingw32", "2", "binaries/win64/m.dll"),
        ("riscv64-unknown-elf", "3", None),
    ],
)
def test_each_machine_has_its_folder(machine: str, fmi: str, folder: str | None) -> None:
    assert place_of(machine, fmi, "m") == folder


@pytest.mark.parametrize(
    ("unit", "powers"),
    [
        ("rad/s^2", {"s": -2, "rad": 1}),
        ("1", {}),
        ("N*m", {"kg": 1, "m": 2, "s": -2}),
        ("furlong", None),
        ("m, 1", None),
    ],
)
def test_units_are_powers_of_base_units(unit: str, powers: dict[str, int] | None) -> None:
    assert exponents(unit) == powers


@pytest.mark.slow
def test_a_solved_type_begins_where_it_closes(tmp_path: Path) -> None:
    entry = symgen.library().catalogue.matching("R.R.R 2D")[0]
    subject = type_subject(entry, TypeRequest(precision="double", tangent=True, prefix="P"))
    folder = _written(backends()["fmu"].files(subject, Asked("export X", {"fmi": "3"})), tmp_path)
    fmu = Fmu(folder, "ME")
    fmu.start()
    status, found = fmu.get(fmu.outputs)
    assert status == OK
    assert np.all(np.isfinite(found))
    assert fmu.derive(fmu.outputs, fmu.inputs[:1], [1.0])[0] == OK
    assert _attributes(folder)[fmu.inputs[0]]["unit"] == "m"
    fmu.close()


def _main(arguments: list[str]) -> int:
    try:
        return main(["export", *arguments, "--for", "fmu"])
    except SystemExit as stop:
        return int(stop.code or 0)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([LEG, "--out", "leg.zip"], "must end in .fmu"),
        ([LEG], "give --out FILE.fmu or --out DIR"),
        ([LEG, "--out", "no/such/leg.fmu"], "there is no folder"),
        ([LEG, "--fmi", "4", "--out", "leg.fmu"], "'4' is not one of '2', '3'"),
        (
            [LEG, "--precision", "float", "--out", "leg.fmu"],
            "--precision belongs to --for embedded, shared and cpp, not to --for fmu",
        ),
        ([LEG, "--packaging", "cmake", "--out", "leg.fmu"], "--packaging belongs to --for embedded, not to --for fmu"),
        ([LEG, "--no-targets", "--out", "leg.fmu"], "--targets belongs to --for embedded"),
        ([LEG, "--branch", "input", "--out", "leg.fmu"], "an FMU has its branches compiled in"),
        ([LEG, "--results", "axle.angle", "--out", "leg.fmu"], "all of them are inputs"),
        ([LEG, "--results", "foot.to", "--out", "leg.fmu"], "foot.toe"),
        ([LEG, "--prefix", "fmi2", "--out", "leg.fmu"], "take another"),
        (["R.S.S 5D", "--out", "leg.fmu"], "5D"),
    ],
)
def test_what_is_not_allowed_is_refused(
    arguments: list[str], said: str, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert _main(arguments) == 2
    assert said in " ".join(capsys.readouterr().err.split())
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_file_or_a_folder_is_replaced_only_if_symgen_exported_it(tmp_path: Path, capsys: Any) -> None:
    out, folder = tmp_path / "leg.fmu", tmp_path / "leg"
    asked = [LEG, "--results", "foot.toe"]
    for place in (out, folder):
        assert _main([*asked, "--out", str(place)]) == 0
    with zipfile.ZipFile(out) as packed:
        assert {e.filename for e in packed.infolist()} == {
            p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()
        }
        assert {e.date_time for e in packed.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        tree = json.loads(packed.read("extra/symgen/manifest.json"))
    assert (tree["schema"], tree["fmi"]) == ("symgen/export/1", "3.0")
    before = out.read_bytes()
    assert _main([*asked, "--out", str(out)]) == 0
    assert out.read_bytes() == before
    out.write_bytes(b"mine")
    assert _main([*asked, "--out", str(out)]) == 2
    assert "did not export this file" in capsys.readouterr().err
    assert out.read_bytes() == b"mine"
    (folder / "mine.txt").write_text("mine")
    assert _main([*asked, "--out", str(folder)]) == 2
    assert "mine.txt" in capsys.readouterr().err
    (folder / "mine.txt").unlink()
    (folder / "modelDescription.xml").write_text("edited")
    assert _main([*asked, "--out", str(folder)]) == 2
    assert "has been edited" in capsys.readouterr().err
    assert _main([*asked, "--out", str(folder), "--force"]) == 0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_fmpy_finds_no_fault_and_simulates_the_same(swing: Path, tmp_path: Path) -> None:
    fmpy = pytest.importorskip("fmpy", reason="FMPy is not installed: pip install 'symgen[fmi]'")
    from fmpy.validation import validate_fmu

    files = {p.relative_to(swing).as_posix(): p.read_bytes() for p in swing.rglob("*") if p.is_file()}
    packed = tmp_path / "swing.fmu"
    packed.write_bytes(archive(files))
    assert validate_fmu(str(packed)) == []
    times = np.linspace(0.0, 1.0, 21)
    given = _laws("swing", times)
    signals = np.array(
        list(zip(times, *given.values(), strict=True)), dtype=[("time", float), *((name, float) for name in given)]
    )
    wanted = symgen.solve(_mechanism("swing"), times).table()
    outputs = ["rocker.P.x", "rocker.P.vy", "rocker.P.ax"]
    for kind, late in (("ModelExchange", 0), ("CoSimulation", 1)):
        found = fmpy.simulate_fmu(
            str(packed), fmi_type=kind, stop_time=1.0, output_interval=0.05, step_size=0.05, solver="Euler",
            input=signals, output=outputs,
        )  # fmt: skip
        assert len(found) == 21
        for name in outputs:
            expected = wanted[name][: 21 - late]
            assert np.max(np.abs(found[name][late:] - expected)) <= 1e-12 * max(1.0, np.max(np.abs(expected)))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_libcosim_steps_it_too(tmp_path: Path) -> None:
    pytest.importorskip("libcosimpy", reason="libcosimpy is not installed: pip install 'symgen[fmi]'")
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimManipulator import CosimManipulator
    from libcosimpy.CosimObserver import CosimObserver
    from libcosimpy.CosimSlave import CosimLocalSlave

    product = _product("swing", "2", results=["rocker.P"])
    packed = tmp_path / "swing.fmu"
    packed.write_bytes(archive(product.files))
    execution = CosimExecution.from_step_size(50_000_000)
    slave = execution.add_local_slave(CosimLocalSlave(fmu_path=str(packed), instance_name="swing"))
    hand, eye = CosimManipulator.create_override(), CosimObserver.create_last_value()
    execution.add_manipulator(hand)
    execution.add_observer(eye)
    times = 0.05 * np.arange(10)
    given, wanted = _laws("swing", times), symgen.solve(_mechanism("swing"), times).table()
    references = product.manifest["variables"]
    names = [name for name in references if name.startswith("rocker.P")]
    for row in range(10):
        hand.slave_real_values(slave, [references[n] for n in given], [float(values[row]) for values in given.values()])
        assert execution.step()
        found = eye.last_real_values(slave, [references[name] for name in names])
        assert found == pytest.approx([wanted[name][row] for name in names], rel=1e-12, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("fmi", ["2", "3"])
def test_a_followed_motion_forgets_what_a_solver_only_tried(fmi: str, tmp_path: Path) -> None:
    folder = _written(_product("jansen_leg", fmi, branch="follow", results=["foot.toe"], prefix="leg"), tmp_path)
    given = _laws("jansen_leg", 0.002 * np.arange(30))
    straight, straying = Fmu(folder, "ME"), Fmu(folder, "ME")
    for fmu in (straight, straying):
        fmu.start()
    for row in range(1, 30):
        for fmu in (straight, straying):
            if fmu is straying:
                fmu.to(0.002 * row + 0.05)  # a trial, too far
                fmu.set(fmu.inputs, [1.0, 5.0, 0.0])
                fmu.get(fmu.outputs)
            fmu.to(0.002 * row)
            fmu.set(fmu.inputs, [float(given[name][row]) for name in fmu.inputs])
        found = [fmu.get(fmu.outputs) for fmu in (straight, straying)]
        assert found[0][0] in (OK, WARNING)
        assert found[0] == found[1]
        straight.accept()
        straying.accept()
    for fmu in (straight, straying):
        fmu.close()
