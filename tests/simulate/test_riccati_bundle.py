"""The C of method riccati to take away: clean with few unknowns, and it refuses what is no problem."""

from __future__ import annotations

import math
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from oracle.compilers import C_ONLY, WARNINGS, need

from symgen.cli.main import main
from symgen.status import Status

_BODY = """[bodies.{name}]
pose = {{ r = [{at}, 0.0] }}
mass = 2.0
com = [0.5, 0.1]
inertia = [0.15, 0.15, 0.3, 0.0, 0.0, 0.0]
[joints.{joint}]
type = "R"
bodies = ["{carrier}", "{name}"]
at = [{at}, 0.0]
"""
_HEAD = 'schema = "symgen/mechanism/1"\nname = "swing"\nspace = "planar"\ngravity = [0.0, -9.81]\n'
_BODIES = (
    _BODY.format(name="a", joint="A", carrier="ground", at="0.0"),
    _BODY.format(name="b", joint="B", carrier="a", at="1.0"),
)


def write_bundle(folder: Path, count: int = 2) -> Path:
    """Write the C of a pendulum of some bodies."""
    file = folder / "swing.toml"
    file.write_text(_HEAD + "".join(_BODIES[:count]), encoding="utf-8")
    words = ["generate", "--mechanism", str(file), "--dynamics", "--method", "riccati", "--name", "taken"]
    assert main([*words, "--out", str(folder)]) == 0
    return folder / "taken"


@pytest.mark.sampled(1)
@pytest.mark.compiler
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_few_unknowns_compile_cleanly_by_the_headers_own_command(compiler: str, count: int, tmp_path: Path) -> None:
    # kernels of three unknowns would be seen to reach beyond a workspace of one or two
    folder = write_bundle(tmp_path, count)
    command = re.search(r"\* +cc (.*) && (\S+)$", (folder / "example.c").read_text(encoding="utf-8"), re.MULTILINE)
    assert command is not None
    words = [need(compiler), *WARNINGS, *C_ONLY, *shlex.split(command[1])]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    assert "energy" in subprocess.run([folder / command[2]], capture_output=True, text=True, check=True).stdout


def test_states_that_hold_rates_too_say_so(tmp_path: Path, repository: Path) -> None:
    folder = write_bundle(tmp_path)
    state = re.search(
        r"typedef struct \{([^}]*)\} symgen_taken_state;", (folder / "taken_declarations.h").read_text(encoding="utf-8")
    )
    assert state is not None
    assert "double *coordinates_and_rates;" in state[1]
    assert "double coordinates_and_rates[4] = {" in (folder / "example.c").read_text(encoding="utf-8")
    minimal = (repository / "generated/dynamics/dynamics_minimal_declarations.h").read_text(encoding="utf-8")
    members = re.findall(r"double \*(coordinates\w*);", minimal)
    assert members == ["coordinates_and_rates", "coordinates"]  # of the state, of samples


#: Settings of a run of the engine: start, end, tolerance, length, recall, project, samples, every, most.
_GOOD = "0, 1, 0, 1, 0, 1, 10, 100, 1000"
_NAN, _FAR = "(0.0/nothing)", "1e300"
_REFUSED = {
    "a zero-initialised struct": {"settings": "0"},
    "no samples": {"settings": "0, 1, 0, 1, 0, 1, 0, 100, 1000"},
    "fewer than no samples": {"settings": "0, 1, 0, 1, 0, 1, -3, 100, 1000"},
    "no steps to a sample": {"settings": "0, 1, 0, 1, 0, 1, 10, 0, 1000"},
    "more equal steps than the most": {"settings": "0, 1, 0, 1, 0, 1, 10, 100, 999"},
    "more equal steps than fit a number": {"settings": "0, 1, 0, 1, 0, 1, 10, 1152921504606846976, 10"},
    "an end before the start": {"settings": "0, -1, 0, 1, 0, 1, 10, 100, 1000"},
    "an end that is no number": {"settings": f"0, {_NAN}, 0, 1, 0, 1, 10, 100, 1000"},
    "a tolerance that is no number": {"settings": f"0, 1, {_NAN}, 1, 0, 1, 10, 100, 1000"},
    "a tolerance below zero": {"settings": "0, 1, -1, 1, 0, 1, 10, 100, 1000"},
    "no unit of length": {"settings": "0, 1, 0, 0, 0, 1, 10, 100, 1000"},
    "a unit of length that is no number": {"settings": f"0, 1, 0, {_NAN}, 0, 1, 10, 100, 1000"},
    "a recall below zero": {"settings": "0, 1, 0, 1, -1, 1, 10, 100, 1000"},
    "a first step of zero where steps are chosen": {"settings": "0, 1, 1e-6, 1, 0, 1, 10, 1, 1000", "step": "0"},
    "steps chosen by a scheme without error weights": {"settings": "0, 1, 1e-6, 1, 0, 1, 10, 1, 1000"},
    "a scheme without stages": {"stages": "0"},
    "a scheme of more stages than slopes": {"stages": "7"},
    "a scheme whose weights are not those of a step": {"stages": "2"},
    "an angle beyond all turns": {"coordinates": _FAR},
    "an angle that is no number": {"coordinates": _NAN},
}  # fmt: skip


_PROGRAM = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "taken.h"
int main(void)
{
    volatile double nothing = 0;
    static const double nodes[] = {0, 0.5, 0.5, 1, 1}, no[20] = {0};
    static const double slopes[] = {0, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0, 1, 0, 0,
        1.0/6, 1.0/3, 1.0/3, 1.0/6, 0};
    static double big[6][1000];
    void *w = malloc((size_t)symgen_taken_workspace_size());
    int64_t progress[2] = {0, 0};
    int32_t active[1] = {1}, rank[1] = {-1};
    symgen_taken_samples out = {big[0], big[1], big[2], big[3], big[4], big[5]};
    symgen_status status;
    (void)nothing;
%s
    free(w);
    return 0;
}
"""
_CASE = """    {
        double coordinates_and_rates[4] = {%(coordinates)s, 0.7, 1.2, -0.4}, angle[1] = {0}, watched[2] = {0, 0};
        const symgen_taken_scheme scheme = {%(stages)s, 5, nodes, slopes, no, no, no};
        const symgen_taken_settings settings = {%(settings)s};
        symgen_taken_state state = {coordinates_and_rates, angle, watched, rank, %(step)s, 0, 0, 0, 0, -1};
        memset(big, 0, sizeof big);
        status = symgen_taken_run(w, &scheme, &settings, &state, active, &out, progress);
        printf("%%d %%d\\n", (int)status, big[5][0] + big[5][1] != 0);
    }
"""


@pytest.mark.compiler
def test_what_is_no_run_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    folder = write_bundle(tmp_path)
    good = {"settings": _GOOD, "coordinates": "0.3", "step": "1e-3", "stages": "4"}
    cases = [good, *({**good, **case} for case in _REFUSED.values())]
    (folder / "many.c").write_text(_PROGRAM % "".join(_CASE % case for case in cases), encoding="utf-8")
    command = [need("gcc"), "-std=c99", "-O1", "many.c", "taken.c", "-lm", "-o", "many"]
    subprocess.run(command, cwd=folder, check=True)
    said = subprocess.run([folder / "many"], capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()
    assert said[0] == f"{Status.OK.value} 1"
    assert dict(zip(_REFUSED, said[1:], strict=True)) == dict.fromkeys(_REFUSED, f"{Status.BAD_INPUT.value} 0")


@pytest.mark.compiler
def test_the_program_of_the_page_keeps_the_energy_of_its_pendulum(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "transfer-matrices.md").read_text(encoding="utf-8")
    section = page[page.index("### The C\n") :]
    mechanism, program = (re.findall(rf"```{word}\n(.*?)```", section, re.S)[0] for word in ("toml", "c"))
    (tmp_path / "pendulum.toml").write_text(mechanism, encoding="utf-8")
    words = ["generate", "--mechanism", str(tmp_path / "pendulum.toml"), "--dynamics", "--method", "riccati"]
    assert main([*words, "--name", "taken", "--out", str(tmp_path)]) == 0
    folder = tmp_path / "taken"
    (folder / "own.c").write_text(program, encoding="utf-8")
    command = [need("gcc"), *WARNINGS, *C_ONLY, "-std=c99", "-O1", "own.c", "taken.c", "-lm", "-o", "own"]
    subprocess.run(command, cwd=folder, check=True)
    said = subprocess.run([folder / "own"], capture_output=True, text=True, check=True).stdout
    energies = [float(text) for text in re.findall(r"energy (\S+) J", said)]
    # half of 0.3 + 2 * 0.5^2 kg m^2, and m g y; a step may err by 1e-11, and some hundred add up
    first = 0.5 * 0.8 * 1.2**2 + 2.0 * 9.81 * 0.5 * math.sin(0.3)
    assert energies == pytest.approx([first] * 5, abs=2e-9)


@pytest.mark.compiler
def test_the_scheme_of_order_8_keeps_a_tolerance_in_the_example(tmp_path: Path) -> None:
    folder = write_bundle(tmp_path)
    text = (folder / "example.c").read_text(encoding="utf-8")
    text = text.replace("symgen_taken_order_4", "symgen_taken_order_8")
    text, found = re.subn(r"(settings = )\{[^}]*\}", r"\g<1>{0, 1, 1e-11, 1, 0, 1, 10, 1, 1000}", text)
    assert found == 1
    (folder / "example.c").write_text(text, encoding="utf-8")
    subprocess.run([need("gcc"), "-O1", "example.c", "taken.c", "-lm", "-o", "own"], cwd=folder, check=True)
    said = subprocess.run([folder / "own"], capture_output=True, text=True, check=True).stdout
    energies = [float(each) for each in re.findall(r"energy (\S+) J", said)]
    assert energies == pytest.approx([energies[0]] * 11, abs=1e-8)  # of some 10 J; errors of a hundred steps


@pytest.mark.parametrize("method", ["riccati", "dimcd"])
def test_bodies_that_move_no_mass_are_refused_before_anything_is_written(
    method: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "idle.toml"
    idle = _BODIES[1].replace("mass = 2.0", "mass = 0.0").replace("0.15, 0.15, 0.3", "0.0, 0.0, 0.0")
    file.write_text(_HEAD + _BODIES[0] + idle, encoding="utf-8")
    words = ["generate", "--mechanism", str(file), "--dynamics", "--method", method, "--out", str(tmp_path / "out")]
    assert main(words) == 2
    assert "bodies.b: b can move without moving any mass" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_program_compiled_beside_the_source_does_not_bar_the_next_one(tmp_path: Path) -> None:
    folder = write_bundle(tmp_path, 1)
    (folder / "a.out").write_bytes(b"compiled")
    before = (folder / "taken_problem.h").read_text()
    assert write_bundle(tmp_path, 2) == folder
    assert (folder / "a.out").read_bytes() == b"compiled"
    assert (folder / "taken_problem.h").read_text() != before
