"""The systems of the transfer matrix literature's example: tree of 12 bodies, mixed system, 250 bodies; and chains.

Topology from "automatic deduction of the overall transfer equation" (10.1177/1687814018788752), figures 2, 4 and 9;
numbers of the reference file. A system is a tree of bodies with inputs and outputs at points of the body frame; states
are orientations and angular velocities, places follow from the root.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from transfer.drafts import Draft, chain, random_inertia, random_turn, random_values
from transfer.oracle_multibody import rotation

from symgen.model.mechanism import Mechanism

REFERENCES = Path(__file__).resolve().parent / "references"
#: Hinge -> inboard body, outboard body, its input.
HINGES: dict[int, tuple[int, int, int]] = {
    5: (1, 9, 1), 6: (2, 10, 1), 7: (3, 11, 1), 8: (4, 12, 1), 13: (9, 17, 1), 14: (10, 17, 2), 15: (11, 18, 1),
    16: (12, 18, 2), 19: (17, 21, 1), 20: (18, 21, 2), 22: (21, 23, 1),
}  # fmt: skip
BODIES = (1, 2, 3, 4, 9, 10, 11, 12, 17, 18, 21, 23)


def reference() -> dict[str, Any]:
    """Return the reference of the tree: system, four states, a trajectory."""
    return json.loads((REFERENCES / "mstmm_tree23.json").read_text(encoding="utf-8"))


def tree23(state: dict[str, Any]) -> Mechanism:
    """Return the tree in a state of the reference (quaternion, omega, r_I1, v_I1 by body)."""
    system = reference()["system"]
    draft = Draft("tree23", gravity=system["gravity"])
    points: dict[str, dict[str, Any]] = {}
    for body in system["bodies"]:
        key = str(body["id"])
        points[key] = {f"I{k + 1}": np.array(at) for k, at in enumerate(body["inputs"])} | {
            "O": np.array(body["output"])
        }
        turn = rotation(state["quaternion"][key])
        draft.body(key, state["r_I1"][key], turn, body["m"], body["com"], body["J_com_body"],
                   **points[key])  # fmt: skip
    for key, (inboard, outboard, number) in HINGES.items():
        draft.tree["joints"][f"h{key}"] = {
            "type": "S", "bodies": [str(inboard), str(outboard)],
            "frames": {str(inboard): {"at": list(points[str(inboard)]["O"])},
                       str(outboard): {"at": list(points[str(outboard)][f"I{number}"])}},
        }  # fmt: skip
    draft.tree["joints"]["root"] = {
        "type": "S", "bodies": ["23", "ground"],
        "frames": {"23": {"at": list(points["23"]["O"])}, "ground": {"at": list(system["root_point"])}},
    }  # fmt: skip
    initial = {}
    for body in system["bodies"]:
        key = str(body["id"])
        turn, omega = rotation(state["quaternion"][key]), np.array(state["omega"][key])
        v = np.array(state["v_I1"][key]) + np.cross(omega, turn @ np.array(body["com"]))
        initial[key] = {"v": [float(x) for x in v], "omega": [float(x) for x in omega]}
    draft.tree["initial"] = {"bodies": initial}
    for joint in draft.tree["joints"].values():
        for frame in joint["frames"].values():
            frame["at"] = [float(x) for x in frame["at"]]
    return Mechanism.from_dict(draft.tree)


def chain3_ball() -> Mechanism:
    """Return three generic bodies on balls, turning."""
    rng = np.random.default_rng(3)
    return chain(3, "S", rng, name="chain3_ball").moving(rng)


def chain40_ball() -> Mechanism:
    """Return forty slender rods on balls, hanging skew and turning."""
    rng = np.random.default_rng(40)
    draft, corner = Draft("chain40_ball"), np.zeros(3)
    for k in range(40):
        turn = _leaning(rng)
        draft.body(str(k + 1), corner, turn, 1.0, [0.25, 0.0, 0.0], np.diag([1e-3, 1 / 48, 1 / 48]))
        draft.joint(f"h{k + 1}", "S", (str(k + 1), str(k) if k else "ground"), corner)
        corner = corner + turn @ [0.5, 0.0, 0.0]
    return draft.moving(rng)


def chain6_percussion(miss: float = 0.0) -> Mechanism:
    """Return six dumbbells on balls: the output is the centre of percussion of the input, J = m c d (1 + miss)."""
    rng = np.random.default_rng(6)
    draft, corner = Draft("chain6_percussion"), np.zeros(3)
    for k in range(6):
        turn = _leaning(rng)
        j = 0.2 * 0.3 * (1.0 + miss)
        draft.body(str(k + 1), corner, turn, 1.0, [0.2, 0.0, 0.0], np.diag([0.01, j, j]))
        draft.joint(f"h{k + 1}", "S", (str(k + 1), str(k) if k else "ground"), corner)
        corner = corner + turn @ [0.5, 0.0, 0.0]
    return draft.moving(rng)


def _leaning(rng: np.random.Generator) -> Any:
    """Return a rotation that takes x nearly down."""
    return rotation([1.0, 0.0, 1.0, 0.0]) @ rotation([1.0, *(0.1 * rng.normal(size=3))])


ZOO = ("R", "W", "PL", "H", "U", "C", "P", "R", "S")


def hinge_zoo(*, reverse: bool = False) -> Draft:
    """Return a chain with a hinge of every kind, from the ground to the tip: springs, dampers and motors in some."""
    rng = np.random.default_rng(9)
    draft, corner = Draft("hinge_zoo"), np.zeros(3)
    for k, code in enumerate(ZOO):
        turn = random_turn(rng)
        mass = float(rng.uniform(0.5, 2.0))
        draft.body(str(k + 1), corner, turn, mass, 0.2 * rng.normal(size=3), random_inertia(rng, 0.2, mass))
        ends = (str(k) if k else "ground", str(k + 1))
        draft.joint(f"h{k + 1}", code, ends[::-1] if reverse else ends, corner, random_turn(rng),
                    values=random_values(rng, code, 0.4), pitch=0.12 if code == "H" else None)  # fmt: skip
        corner = corner + turn @ [0.4, 0.1, 0.0]
    for joint, freedom in (
        ("h1", "angle"),
        ("h3", "x"),
        ("h4", "angle"),
        ("h5", "angle2"),
        ("h6", "slide"),
        ("h9", "pitch"),
    ):
        draft.force(
            f"s_{joint}", kind="joint", joint=joint, freedom=freedom, stiffness=5.0, damping=0.3, rest=0.1, value="0.7"
        )
    return draft


def ladder(rungs: int, code: str = "S", seed: int = 8) -> Draft:
    """Return two rails of bodies from the ceiling with a rung between them at every level: as many loops as rungs."""
    rng = np.random.default_rng(seed)
    draft = Draft("ladder")
    draft.body("top", [0.0, 0.0, 0.0], random_turn(rng), 2.0, 0.05 * rng.normal(size=3), random_inertia(rng, 0.3))
    draft.joint("root", "S", ("top", "ground"), [0.0, 0.0, 0.1])
    above = {"L": ("top", np.array([-0.3, 0.0, 0.0])), "R": ("top", np.array([0.3, 0.0, 0.0]))}
    for k in range(1, rungs + 1):
        for side in "LR":
            before, corner = above[side]
            name = f"{side}{k}"
            draft.body(name, corner, random_turn(rng), 1.0, 0.05 * rng.normal(size=3), random_inertia(rng, 0.15))
            draft.joint(f"{side}h{k}", code, (name, before), corner, random_turn(rng))
            above[side] = name, corner + np.array([0.02, 0.05, -0.4]) + 0.02 * rng.normal(size=3)
        left, right = above["L"][1] + [0.02, 0.0, 0.1], above["R"][1] - [0.02, 0.0, -0.1]
        draft.body(f"rung{k}", left, random_turn(rng), 0.5, 0.05 * rng.normal(size=3), random_inertia(rng, 0.2))
        draft.joint(f"a{k}", "S", (f"rung{k}", f"L{k}"), left)
        draft.joint(f"b{k}", "S", (f"R{k}", f"rung{k}"), right)
    return draft
