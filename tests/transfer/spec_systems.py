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
from transfer.drafts import Draft
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
        points[key] = {f"I{k + 1}": np.array(at) for k, at in enumerate(body["inputs"])} | {"O": np.array(body["output"])}
        draft.body(key, state["r_I1"][key], rotation(state["quaternion"][key]), body["m"], body["com"], body["J_com_body"],
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
