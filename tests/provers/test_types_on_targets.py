"""Every solved type that ships, as an export: on Cortex-M, RISC-V and AVR every bit and every status is the host's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from oracle.compilers import need, run

import symgen
from symgen.errors import InputError
from symgen.export.embedded.bundle import bundle
from symgen.export.embedded.targets import ARM, AVR, CORES, FAMILIES, HAVE_DOUBLE, RISCV, families
from symgen.export.solved_type import TypeRequest, type_subject
from symgen.library.catalogue import Entry
from symgen.printers.c99 import Precision

#: What does not run on an ATmega2560, and why: its memory has 8 kB, of which the self-test takes 1.4 kB for data; the
#: steps of these take 6.4 to 6.9 kB of stack on Cortex-M.
NOT_ON_AVR = dict.fromkeys(("loop_cuu-c_u_u", "loop_cuu-u_c_u", "loop_uuu-u_u_u"), "the stack may be larger")


def _entries() -> tuple[Entry, ...]:
    return symgen.library().catalogue.entries


def _name(entry: Entry) -> str:
    return f"{entry.manifest.id}-{entry.arrangement.id}"


def _exported(entry: Entry, precision: Precision) -> dict[str, str]:
    """Return the files of an export that takes its branch from the caller: the self-test goes through all of them."""
    request = TypeRequest(prefix="tested", precision=precision, branch="input")
    return bundle(type_subject(entry, request), (), "export X", families=FAMILIES)


@pytest.mark.provers
@pytest.mark.parametrize("entry", _entries(), ids=_name)
def test_a_type_in_float_has_the_bits_of_the_host_everywhere(entry: Entry) -> None:
    for core in CORES:
        need(core.family.compiler)
        need(core.emulator)
    manifest = json.loads(_exported(entry, "float")["manifest.json"])
    found = {core: told["selftest_differ"] for core, told in manifest["figures"]["targets"].items()}
    assert manifest["vectors"]["OK"] > 0
    reason = NOT_ON_AVR.get(_name(entry))
    wanted = {core.name: 0 if core.board else None for core in CORES}
    if reason is not None:
        del wanted["atmega2560"]
        assert [line for line in manifest["not_run"] if reason in line] == manifest["not_run"] != []
    assert found == wanted, manifest["not_run"]


@pytest.mark.provers
@pytest.mark.parametrize(
    "entry", {entry.manifest.id: entry for entry in reversed(_entries())}.values(), ids=lambda e: e.manifest.id
)
def test_a_type_in_double_has_the_bits_of_the_host_where_a_unit_calculates_it(entry: Entry) -> None:
    """Elsewhere the library of the compiler calculates double, and GCC's for Arm does not always round rightly."""
    for core in CORES:
        if core.family is not AVR:
            need(core.family.compiler)
            need(core.emulator)
    manifest = json.loads(_exported(entry, "double")["manifest.json"])
    found = {core: told["selftest_differ"] for core, told in manifest["figures"]["targets"].items()}
    assert {core: found[core] for core in HAVE_DOUBLE} == dict.fromkeys(HAVE_DOUBLE, 0)
    assert manifest["not_run"] == ["AVR: double has 32 bits there"]


@pytest.mark.provers
def test_double_is_refused_by_a_compiler_whose_double_has_32_bits(tmp_path: Path) -> None:
    compiler = need(AVR.compiler)
    entry = symgen.library().catalogue.matching("R.R.R 2D")[0]
    for precision in ("double", "float"):
        request = TypeRequest(prefix=f"in_{precision}", precision=precision)
        for name, text in bundle(type_subject(entry, request), (), "export X", targets=False).items():
            path = tmp_path / precision / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    folder = tmp_path / "float"
    command = [compiler, "-mmcu=atmega2560", "-std=c99", "-O2", f"-I{folder}/include", "-c", "-o", folder / "solver.o"]
    run(*command, folder / "src" / "in_float_solver_f32.c")
    folder = tmp_path / "double"
    with pytest.raises(AssertionError, match="double does not have 53 bits of mantissa here"):
        run(*command, f"-I{folder}/include", folder / "src" / "in_double_solver.c")


def test_targets_are_chosen_by_name() -> None:
    assert families("") == (ARM,)
    assert families(" avr,riscv") == (ARM, RISCV, AVR)
    with pytest.raises(InputError, match='did you mean "riscv"'):
        families("risc")
    assert {core.family for core in CORES} == {*FAMILIES}


def test_a_core_is_run_by_the_emulator_of_its_family() -> None:
    programs = {core.name: core.emulator for core in CORES}
    assert programs["cortex-m7"] == "qemu-system-arm"
    assert programs["rv32imafc"] == "qemu-system-riscv32"
    assert programs["rv64imafdc"] == "qemu-system-riscv64"
    assert programs["atmega2560"] == "simavr"
