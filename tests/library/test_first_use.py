"""Rare closed forms: found by signature in either direction, listed before they are made, and what the table says."""

from __future__ import annotations

import pytest

from symgen.demand import is_module_on_demand, modules_on_demand
from symgen.derive.catalogue import derive_module, module_ids, rare_ids
from symgen.errors import InputError
from symgen.library.catalogue import load_catalogue
from symgen.library.description import describe_catalogue
from symgen.library.first_use import ON_FIRST_USE, modules_on_first_use
from symgen.pipeline import lower_module


@pytest.mark.parametrize(
    ("text", "modules"),
    [
        ("C.C*angle.S 3D", ("loop_pcs_c_angle",)),
        ("S.U*angle1.ER 3D", ("loop_rus_u_angle2",)),  # a U that is read from its other end
        ("U.U*.S 3D", ("loop_rus_u_angle1", "loop_rus_u_angle2")),
        ("U.C*slide.R 3D", ()),
        ("S.C*angle.U 3D", ("loop_pus_c_angle",)),
        ("S.C*slide.U 3D", ()),
        ("<R|R|R; 1-2R 1-3R 2-3R> 3D", ()),
    ],
)
def test_a_rare_type_is_found_by_key_and_by_signature(text: str, modules: tuple[str, ...]) -> None:
    assert modules_on_first_use(text) == modules
    assert not modules or modules_on_demand(text) == modules


def test_a_signature_that_also_means_a_rare_type_is_not_taken_for_the_shipped_one() -> None:
    shipped = load_catalogue()
    with pytest.raises(InputError, match=r'write one of "U\.C\*slide\.S 3D", "U\.C\*angle\.S 3D"'):
        shipped.find("U.C*.S 3D")
    assert shipped.find("S.C*slide.U 3D").key == "U.C*slide.S 3D"


def test_none_of_them_is_shipped_and_each_can_be_made() -> None:
    assert not {*ON_FIRST_USE} & {*module_ids()}
    assert {*rare_ids()} <= {*ON_FIRST_USE}
    assert all(is_module_on_demand(module) for module in ON_FIRST_USE)


@pytest.mark.parametrize("module", ["loop_pcs_c_angle", "loop_rus_u_angle2"])
def test_the_table_says_what_a_module_solves(module: str) -> None:
    keys = tuple(arrangement.key for arrangement in lower_module(derive_module(module)).arrangements)
    assert ON_FIRST_USE[module] == keys


def test_the_list_of_types_tells_them() -> None:
    document = describe_catalogue(load_catalogue())
    later = {row["key"]: row for row in document["on_first_use"]}
    assert {*later} == {key for keys in ON_FIRST_USE.values() for key in keys}
    assert later["U.U*angle1.S 3D"] == {
        "signature": "U.U*.S 3D",
        "key": "U.U*angle1.S 3D",
        "module": "loop_rus_u_angle1",
        "space": "spatial",
        "made": "on first use",
    }
    assert not {*later} & {row["key"] for row in document["types"]}
