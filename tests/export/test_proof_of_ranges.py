"""The driver of Frama-C's EVA in an export: what it says, that it is C, and what EVA finds with it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from oracle.compilers import C_ONLY, WARNINGS, need

import symgen
from symgen.cli.main import main
from symgen.export.embedded.bundle import bundle, told_of
from symgen.export.embedded.provers import DRIVER, MATH, PROVER, ProverReport, driver_files, prove
from symgen.export.mechanism import MechanismRequest, mechanism_subject
from symgen.export.solved_type import TypeRequest, type_subject
from symgen.export.subject import Subject
from symgen.library.catalogue import Entry

REPOSITORY = Path(__file__).parents[2]
LEG = REPOSITORY / "examples" / "jansen_leg" / "mechanism.toml"
LEG_RANGES = {"axle.angle": (-700.0, 700.0), "axle.angle.rate": (-20.0, 20.0), "axle.angle.acc": (-100.0, 100.0)}
#: What stands for Frama-C's header, so that a compiler can read the driver.
BUILTIN = """
double Frama_C_double_interval(double least, double most);
float Frama_C_float_interval(float least, float most);
int Frama_C_interval(int least, int most);
"""
#: Where each input of a type lies, by its unit; of links see `LINKS`.
BY_UNIT = {"m": 10.0, "rad": 100.0, "1": 1.0, "m/s": 10.0, "rad/s": 100.0, "m/s^2": 100.0, "rad/s^2": 1000.0}
LINKS = {f"{frame}[0]": (0.2, 1.0) for frame in ("f_j2_b1", "f_j2_b2")} | {
    f"{frame}[0]": (-0.1, 0.1) for frame in ("f_j1_b1", "f_j3_b2")
}


def leg(ranges: dict[str, tuple[float, float]] | None = LEG_RANGES, **asked: Any) -> Subject:
    request = MechanismRequest(results=["foot.toe"], prefix="leg", ranges=ranges, **asked)
    return mechanism_subject(symgen.load(LEG), symgen.library(), request)


def of_type(signature: str, given: dict[str, tuple[float, float]], **asked: Any) -> Subject:
    entry: Entry = symgen.library().catalogue.matching(signature)[0]
    inputs = type_subject(entry, TypeRequest(**asked)).inputs
    # a port of places and angles, or of their rates, has both units, the angular ones behind
    ranges = {each.name: (-BY_UNIT[unit_of(each)], BY_UNIT[unit_of(each)]) for each in inputs} | given
    return type_subject(entry, TypeRequest(ranges=ranges, **asked))


def unit_of(value: Any) -> str:
    words = [word.strip() for word in value.unit.split(",")]
    turns = len(words) > 1 and int(value.name.rpartition("[")[2].rstrip("]")) > 2
    return (words[1] if turns else words[0]) or "1"


# -- what is written ------------------------------------------------------------------------------------------------


@pytest.mark.extension
def test_the_driver_gives_each_input_its_range(tmp_path: Path) -> None:
    need("gcc")
    subject = leg(precision="double")
    files = bundle(subject, (), "export X", targets=False)
    assert "inputs[LEG_IN_AXLE_ANGLE] = Frama_C_double_interval(-700.0, 700.0); /* axle.angle [rad] */" in files[DRIVER]
    assert files == bundle(leg(precision="double"), (), "export X", targets=False)
    manifest = json.loads(files["manifest.json"])
    assert manifest["proofs"] == {}
    assert {DRIVER, MATH} <= set(manifest["files"])
    assert f'test/eva_math.h" {DRIVER} src/*.c' in files["README.md"]
    for name, text in {**files, "stub/__fc_builtin.h": BUILTIN}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    flags = ["-std=c99", *WARNINGS, *C_ONLY, "-Iinclude", "-Isrc", "-isystem", "stub", "-c", "-o", "driver.o"]
    subprocess.run(["gcc", *flags, "-include", MATH, DRIVER], cwd=tmp_path, check=True)


@pytest.mark.slow
@pytest.mark.extension
def test_there_is_no_driver_without_bounds() -> None:
    assert driver_files(leg(ranges=None), "export X") == {}
    some = dict(list(LEG_RANGES.items())[:2])
    assert driver_files(leg(ranges=some), "export X") == {}
    assert driver_files(leg(ranges=LEG_RANGES, branch="follow"), "export X") == {}
    assert set(driver_files(leg(ranges=LEG_RANGES, math="libm"), "export X")) == {DRIVER}


def test_a_proof_without_bounds_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "leg"
    asked = [str(LEG), "--for", "embedded", "--out", str(out), "--no-targets", "--prove"]
    assert exported(asked) == 2
    said = capsys.readouterr().err
    assert "--prove: no range for axle.angle, axle.angle.rate, axle.angle.acc; give the range of each input" in said
    assert exported([*asked, "--dynamics"]) == 2
    assert "--prove checks a step within the ranges of its inputs" in capsys.readouterr().err
    assert not out.exists()


def exported(arguments: list[str]) -> int:
    try:
        return main(["export", *arguments])
    except SystemExit as stop:
        return int(stop.code or 0)


@pytest.mark.extension
def test_without_the_prover_the_export_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symgen.export.embedded.provers.PROVER", "no-prover")
    files = bundle(leg(), (), "export X", targets=False, prove=True)
    manifest = json.loads(files["manifest.json"])
    assert manifest["proofs"] == {}
    assert "Frama-C: there is no no-prover here" in manifest["not_run"]
    assert "Not run here: Frama-C: there is no no-prover here" in files["README.md"]


@pytest.mark.extension
def test_what_stands_for_our_functions_is_told_in_the_readme() -> None:
    readme = bundle(leg(), (), "export X", targets=False)["README.md"]
    assert "EVA does not examine symgen's sine, cosine and atan2: contracts\n(`test/eva_math.h`) replace them" in readme
    assert "contracts" not in bundle(leg(math="libm"), (), "export X", targets=False)["README.md"]


def test_a_prover_that_cannot_be_run_is_told_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "no-prover"
    tool.write_text("no program\n")
    tool.chmod(0o755)  # no machine can run what stands in it
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("symgen.export.embedded.provers.PROVER", "no-prover")
    assert prove({DRIVER: ""}) == "Frama-C: no-prover cannot be run here: exec format error"


@pytest.mark.parametrize(("count", "said"), [(0, "0 alarms"), (1, "1 alarm ("), (2, "2 alarms (")])
def test_alarms_are_counted_in_good_english(count: int, said: str) -> None:
    proof = ProverReport("25.0", {"is_nan_or_infinite": count} if count else {})
    assert said in told_of(proof.as_json())


# -- what EVA finds -------------------------------------------------------------------------------------------------

KERNEL = """
#include "{header}"
#include "__fc_builtin.h"
/*@ assigns \\nothing; */
void Frama_C_show_each_solved({real} result);
static {real} within({real} most) {{ return Frama_C_{real}_interval(-most, most); }}
int main(void)
{{
    const {real} a[2] = {{within({place}), within({place})}}, b[2] = {{within({place}), within({place})}};
    const {real} v_a[2] = {{within({speed}), within({speed})}}, v_b[2] = {{within({speed}), within({speed})}};
    const {real} a_a[2] = {{within({rise}), within({rise})}}, a_b[2] = {{within({rise}), within({rise})}};
    const {real} at[2] = {{within({place}), within({place})}};
    const {real} l_a = Frama_C_{real}_interval({least}, {most}), l_b = Frama_C_{real}_interval({least}, {most});
    const int branch = Frama_C_interval(0, 1);
    {real} p[2], v_p[2], omega_1, omega_2, a_p[2], alpha_1, alpha_2;
    int solved = 1;
    solved &= {f}_all(a, b, l_a, l_b, v_a, v_b, a_a, a_b, branch, p, v_p, &omega_1, &omega_2, a_p, &alpha_1,
        &alpha_2) == SYMGEN_OK;
    solved &= {f}_position(a, b, l_a, l_b, branch, p) == SYMGEN_OK;
    solved &= {f}_velocity(a, b, l_a, l_b, v_a, v_b, at, v_p, &omega_1, &omega_2) == SYMGEN_OK;
    solved &= {f}_acceleration(a, b, l_a, l_b, a_a, a_b, at, within({speed}), within({speed}), a_p, &alpha_1,
        &alpha_2) == SYMGEN_OK;
    if (solved) {{
        Frama_C_show_each_solved(p[0]);
    }}
    return 0;
}}
"""
DOUBLE = {
    "real": "double", "header": "dyad_rrr.h", "f": "symgen_dyad_rrr_kernel", "place": "1e3", "speed": "1e4",
    "rise": "1e6", "least": "1e-3", "most": "1e3",
}  # fmt: skip
#: In float a tenth of the digits of the exponent is there: a mechanism that stands on a desk.
FLOAT = {
    "real": "float", "header": "dyad_rrr_f32.h", "f": "symgenf_dyad_rrr_kernel", "place": "0.5F", "speed": "1.0F",
    "rise": "1.0F", "least": "0.2F", "most": "0.5F",
}  # fmt: skip


def kernel_files(words: dict[str, str]) -> dict[str, str]:
    folder = REPOSITORY / "generated" / "dyad_rrr"
    files = {f"include/{path.name}": path.read_text(encoding="utf-8") for path in folder.glob("*.h")}
    source = words["header"].replace(".h", ".c")
    files[f"src/{source}"] = (folder / source).read_text(encoding="utf-8")
    files["include/dyad_rrr.c"] = (folder / "dyad_rrr.c").read_text(encoding="utf-8")  # the file for float includes it
    return {**files, DRIVER: KERNEL.format(**words)}


@pytest.mark.provers
@pytest.mark.extension
@pytest.mark.parametrize("words", [DOUBLE, FLOAT], ids=["double", "float"])
def test_nothing_can_go_wrong_in_the_kernel_of_two_links(words: dict[str, str]) -> None:
    need(PROVER)
    proof = prove(kernel_files(words), own_math=False)
    assert isinstance(proof, ProverReport), proof
    assert proof.alarms == {}


@pytest.mark.provers
@pytest.mark.extension
def test_a_divisor_that_is_not_checked_is_found() -> None:
    need(PROVER)
    files = kernel_files(DOUBLE)
    guard = "if (!(d2 > SYMGEN_FOLD_TOLERANCE*size)) {"
    source = files["src/dyad_rrr.c"]
    assert source.count(guard) == 1
    proof = prove({**files, "src/dyad_rrr.c": source.replace(guard, "if (!(size > 0)) {")}, own_math=False)
    assert isinstance(proof, ProverReport), proof
    assert proof.alarms["is_nan_or_infinite"] >= 1


#: Export -> the most alarms that it may have (docs/export-embedded.md): it may only fall.
MOST = {"leg": 0, "leg in float": 21, "group": 0, "group in float": 27, "loop": 121, "R.U.S": 61, "P.U.S": 37}


@pytest.mark.provers
@pytest.mark.extension
@pytest.mark.parametrize("name", MOST)
def test_the_alarms_of_exports_do_not_rise(name: str) -> None:
    need(PROVER)
    subject = {
        "leg": lambda: leg(precision="double"),
        "leg in float": leg,
        "group": lambda: of_type("R.R.R 2D", LINKS, precision="double"),
        "group in float": lambda: of_type("R.R.R 2D", LINKS),
        "loop": lambda: of_type("R.S.S 3D", {}, precision="double"),
        "R.U.S": lambda: of_type("R.U.S 3D", {}, precision="double"),
        "P.U.S": lambda: of_type("P.U.S 3D", {}, precision="double"),
    }[name]()
    manifest = json.loads(bundle(subject, (), "export X", targets=False, prove=True)["manifest.json"])
    proof = manifest["proofs"]["eva"]
    assert proof["alarms"] == sum(proof["kinds"].values())
    assert proof["alarms"] <= MOST[name], proof["kinds"]
