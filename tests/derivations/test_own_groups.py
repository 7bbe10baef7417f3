"""A structural group of one's own: ports and joints are looked at before anything is derived of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from symgen.derivations import Arrangement, Derivation, JointSlot, ModuleDerivation
from symgen.derivations.sources import Own, load
from symgen.derivations.writing import own_texts
from symgen.derive import catalogue
from symgen.errors import DerivationError, InputError
from symgen.pipeline.modules import lower_module


@pytest.fixture
def trocar(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Own:
    monkeypatch.setattr(catalogue, "_OWN", {})
    return load(str(repository / "examples" / "own_derivation" / "symgen_instruments" / "trocar.py"))


def changed(own: Own, change: Callable[[Arrangement], Arrangement]) -> ModuleDerivation:
    """Return the module with another arrangement, which is looked at as one that was loaded."""
    from symgen.derivations.checking import checked

    inner = own.module.arrange
    return checked(replace(own.module, arrange=lambda kernel: tuple(map(change, inner(kernel)))), "mine")


def without_port(name: str) -> Callable[[Arrangement], Arrangement]:
    def change(arrangement: Arrangement) -> Arrangement:
        d = arrangement.derivation
        for ports in (d.inputs, d.outputs):
            ports.pop(name, None)
        return arrangement

    return change


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (without_port("f_j1_b1"), "lacks the input 'f_j1_b1' (joint_frame(d, 'j1', body))"),
        (without_port("a_k2"), "lacks the input 'a_k2'"),
        (without_port("udd_j2"), "lacks the input 'udd_j2' (the drive of j2: x, y)"),
        (without_port("v_b1"), "lacks the result 'v_b1'"),
        (without_port("qdd_j1"), "lacks the result 'qdd_j1' (coordinates of j1)"),
        (lambda a: replace(a, joints=a.joints[::-1]), "its joints read 'FP**.L 2D'; in the order of Table 3 it is"),
        (lambda a: replace(a, joints=(replace(a.joints[0], free=("slide",)), a.joints[1])), "must name slide, angle"),
        (lambda a: replace(a, joints=(replace(a.joints[0], type="RP"), a.joints[1])), "'RP' is none of R, P, FP, L"),
        (lambda a: replace(a, bodies=("body",)), "body 'body': bodies of this kind are called b1, b2"),
        (lambda a: replace(a, space="spatial"), "space is 'spatial', that of the module 'planar'"),
    ],
)
def test_an_arrangement_is_refused_for_what_it_lacks(
    change: Callable[[Arrangement], Arrangement], told: str, trocar: Own
) -> None:
    with pytest.raises(DerivationError) as caught:
        lower_module(changed(trocar, change))
    assert told in str(caught.value)


def test_a_type_that_symgen_has_is_refused() -> None:
    from symgen.derivations.checking import checked

    shipped = catalogue.derive_module("driven_r_2d")
    with pytest.raises(DerivationError, match=r"'R\* 2D' is solved by module 'driven_r_2d'"):
        lower_module(checked(replace(shipped, id="mine"), "mine"))


def test_a_wrong_rate_is_told_with_joint_part_and_point(trocar: Own, repository: Path, tmp_path: Path) -> None:
    assert trocar.file is not None
    text = trocar.file.read_text(encoding="utf-8")
    right = "coordinates(rate, k1.omega - omega, omega - k2.omega, 1)"
    assert right in text
    (tmp_path / "wrong.py").write_text(text.replace(right, right.replace("k1.omega -", "k1.omega +")), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        own_texts(load(str(tmp_path / "wrong.py")))
    assert "l_fp_all: joint j1 stays open by " in str(caught.value)
    assert " in velocity at k1 = [" in str(caught.value)


def test_a_result_that_feels_no_port_is_told() -> None:
    from symgen.derivations.checking import check_ports_used

    module = catalogue.derive_module("driven_r_2d")
    lowered = lower_module(module)
    d = lowered.arrangements[0].derivation
    extra = Derivation("extra", level="group", title="t", source="s", arrangement=d.arrangement)
    extra.inputs = {**d.inputs}
    extra.input_scalar("idle", meaning="idle", unit="m")
    with pytest.raises(DerivationError, match="no result depends on idle"):
        check_ports_used(lowered.routines, [replace(lowered.arrangements[0], derivation=extra)])


def test_a_joint_is_named_as_its_ports() -> None:
    assert JointSlot("j1", "FP", ("k1", "b1"), ("angle",), driven=("x", "y")).text == "FP**"


@pytest.mark.parametrize("module_id", ["dyad_rrp", "driven_h_3d", "driven_s_3d", "slot_rl"])
def test_arrangements_of_symgen_lack_nothing(module_id: str) -> None:
    """What is asked of a user's group is what all groups have: nothing more."""
    from symgen.derivations.checking import _faults, check_ports_used

    module = catalogue.derive_module(module_id)
    lowered = lower_module(module)
    assert [fault for each in lowered.arrangements for fault in _faults(module, each)] == []
    check_ports_used(lowered.routines, lowered.arrangements)
