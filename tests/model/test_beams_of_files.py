"""Beams in mechanism files: read, written back, refused where they are wrong or where bodies must be rigid."""

from __future__ import annotations

from typing import Any

import pytest

import symgen
from symgen.errors import MechanismError
from symgen.model.load import parse_text
from symgen.model.write import write_mechanism

BEAM = {"length": 1.0, "mass_per_length": 2.0, "bending": [3.0, "2*2"]}


def tree(body: dict[str, Any], space: str = "spatial") -> dict[str, Any]:
    return {
        "schema": "symgen/mechanism/1", "space": space, "bodies": {"b": body},
        "joints": {"A": {"type": "W", "bodies": ["ground", "b"], "at": [0, 0, 0], "axis": [0, 0, 1]}},
    }  # fmt: skip


def test_a_beam_is_read_and_written_back() -> None:
    made = symgen.Mechanism.from_dict(
        tree({"beam": {**BEAM, "torsion": 1.0, "polar": 0.1, "damping": 0.02, "end_shapes": 1}})
    )
    beam = made.bodies[0].beam
    assert beam is not None
    assert (beam.bending, beam.axial, beam.torsion, beam.modes) == ((3.0, 4.0), None, 1.0, 4)
    assert (beam.damping, beam.end_shapes) == (0.02, 1)
    for suffix in (".toml", ".json"):
        text = write_mechanism(made, suffix)  # type: ignore[arg-type]
        assert symgen.Mechanism.from_dict(parse_text(text, suffix)) == made


def test_a_planar_beam_may_give_one_stiffness() -> None:
    made = symgen.Mechanism.from_dict(tree({"beam": {**BEAM, "bending": 5.0}}, "planar"))
    assert made.bodies[0].beam is not None
    assert made.bodies[0].beam.bending[1] == 5.0


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"beam": BEAM, "mass": 1.0}, "bodies.b.mass"),
        ({"beam": {**BEAM, "length": 0.0}}, "bodies.b.beam.length"),
        ({"beam": {**BEAM, "bending": 5.0}}, "bodies.b.beam.bending"),
        ({"beam": {**BEAM, "bending": [5.0, -1.0]}}, "bodies.b.beam.bending"),
        ({"beam": {**BEAM, "torsion": 5.0}}, "bodies.b.beam.polar"),
        ({"beam": {**BEAM, "modes": 2.5}}, "bodies.b.beam.modes"),
        ({"beam": {"length": 1.0, "bending": [1.0, 1.0]}}, "mass_per_length"),
        ({"beam": {**BEAM, "lenght": 1.0}}, "length"),
    ],
)
def test_wrong_beams_are_refused_by_field(body: dict[str, Any], where: str) -> None:
    with pytest.raises(MechanismError, match=where.replace(".", r"\.")):
        symgen.Mechanism.from_dict(tree(body))


def test_what_takes_rigid_bodies_only_says_so() -> None:
    made = symgen.Mechanism.from_dict(tree({"beam": BEAM}))
    for run in (
        lambda: symgen.simulate(made, step=0.1, until=0.1),
        lambda: symgen.solve(made, [0.0]),
    ):
        with pytest.raises(MechanismError, match=r"bodies\.b\.beam: .*rigid bodies only"):
            run()
