"""Modules that are made on first use; collected only where SYMGEN_TESTED_MODULES names them: see `oracle.modules`."""

from __future__ import annotations

import pytest
from oracle.cases import plain_ports
from oracle.modules import BACKENDS, MODULES, Arranged, call, inputs_of, manifest
from oracle.modules import function as function_of

from symgen.library.first_use import ON_FIRST_USE
from symgen.status import Status


def test_all_of_them_are_there_with_the_keys_of_the_table() -> None:
    assert {*MODULES} == {*ON_FIRST_USE}
    for module, keys in ON_FIRST_USE.items():
        assert tuple(each["key"] for each in manifest(module)["arrangements"]) == keys


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_leg_in_line_is_degenerate(backend: str) -> None:
    """ER-C*-S with both centres on the C axis: the rotation of C is idle."""
    arranged = Arranged("loop_rus_c_slide", "u_c_slide_s")
    up, origin = [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    ports = plain_ports(arranged, u_j2=[0.5], k2=[0.0, 0.0, 1.5, 1.0, 0.0, 0.0, 0.0], f_j2_b1=up, f_j3_b2=origin)
    for stage in ("position", "all"):
        entry = function_of(arranged.module, arranged.function(stage))
        given = {port["name"]: ports[port["name"]] for port in inputs_of(entry)}
        assert call(backend, arranged.module, entry["name"], given)[0] is Status.DEGENERATE
