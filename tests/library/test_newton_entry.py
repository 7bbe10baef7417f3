"""Chains without a closed form answer as solved types: ports, batches, statuses."""

from __future__ import annotations

import numpy as np
import pytest
from library.assembled_groups import PITCH, assemble, quaternion
from library.newton_groups import arrangement

import symgen
from symgen.errors import InputError, UnsolvedTypeError
from symgen.library.instance import instance_of
from symgen.status import Status


def _ports(seed: int) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return the ports of a constructed H.U.S, and what must come out."""
    group = assemble(arrangement("k1-b1:H b1-b2:U k2-b2:S"), "spatial", seed, (False, False, False))
    instance = instance_of(group.tree)
    ports: dict[str, np.ndarray] = {"pitch_j1": np.array(PITCH)}
    for place, name in (("k1", "K1"), ("k2", "K2")):
        motion = instance.known[name]
        ports |= {place: motion.pose, f"v_{place}": motion.twist, f"a_{place}": motion.acceleration}
    wanted = {}
    for joint in instance.joints:
        for body, frame in zip(joint.bodies, instance.frames[joint.name], strict=True):
            ports[f"f_{joint.name}_{body.removeprefix('body_').lower()}"] = frame
    for name, motion in group.bodies.items():
        body = name.removeprefix("body_")
        pose = np.concatenate([motion.pose[:3, 3], quaternion(motion.pose)])
        ports[f"start_{body}"] = pose + 1e-3
        ports[f"start_{body}"][3:] /= np.linalg.norm(ports[f"start_{body}"][3:])
        wanted |= {body: pose, f"v_{body}": motion.twist, f"a_{body}": motion.acceleration}
    wanted["q_j1"] = np.array([group.coordinates["j1"]["angle"][0]])
    return ports, wanted


@pytest.mark.extension
def test_a_chain_is_called_like_any_solved_type() -> None:
    solved = symgen.library()["H.U.S 3D"]
    assert solved.entry.manifest.method == "certified Newton"
    assert solved.branches == 1
    rows = [_ports(seed) for seed in (1, 2, 5)]
    ports = {name: np.stack([row[0][name] for row in rows]) for name in rows[0][0]}
    found = solved.all(**ports)
    assert found.status.tolist() == [Status.OK] * 3
    for row, (_, wanted) in enumerate(rows):
        for name, value in wanted.items():
            got = getattr(found, name)[row]
            if name in ("b1", "b2"):
                assert got[:3] == pytest.approx(value[:3], abs=1e-11)
                assert abs(got[3:] @ value[3:]) == pytest.approx(1.0, abs=1e-12)
            else:  # the construction differentiates numerically, see `assembled_groups.STEP`
                assert got == pytest.approx(value, abs=1e-5)
    first = {name: value[0] for name, value in ports.items() if not name.startswith(("v_", "a_"))}
    alone = solved.position(**first)
    assert alone.status is Status.OK
    assert alone.b2 == pytest.approx(found.b2[0], abs=1e-15)


@pytest.mark.extension
def test_what_is_out_of_reach_or_not_finite_says_so() -> None:
    solved = symgen.library()["H.U.S 3D"]
    ports, _ = _ports(1)
    bad = solved.all(**{**ports, "k2": np.full(7, np.nan)}, check=False)
    assert bad.status is Status.BAD_INPUT
    assert solved.all(**{**ports, "pitch_j1": 0.0}, check=False).status is Status.BAD_INPUT


def test_which_freedom_is_driven_has_to_be_said_and_singular_chains_are_refused() -> None:
    library = symgen.library(backend="numpy")
    with pytest.raises(InputError, match="say which of slide, angle"):
        _ = library["H.C*.H.S 3D"]
    with pytest.raises(UnsolvedTypeError, match="not a structural group"):
        _ = library["S.S 3D"]
    assert library["R.R.R.R.R.R 3D"].key == "R.R.R.R.R.R 3D"
    assert library["R.H*.C.S 3D"].entry.arrangement.joints[1].driven == ("angle",)
