"""Groups of any shape for the tests of certified Newton: a row of words becomes an arrangement."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgen.library.instance import GroupInstance
from symgen.library.manifest import ManifestArrangement, ManifestJoint
from symgen.library.newton.group import Given, NewtonGroup
from symgen.library.newton.problem import make_problem
from symgen.model.pairs import PAIR_TYPES

#: Six legs U-P-S with driven slides on a free platform: thirteen bodies.
STEWART = " ".join(f"k{n}-a{n}:U a{n}-b{n}:P*slide b{n}-p:S" for n in range(6))
#: Pairs of bodies (k...: known) with a type and the driven freedoms. Every known body has one joint: the construction
#: hangs each body on the one before, so that there must be no loop.
SHAPES: dict[str, tuple[str, str]] = {
    "helix on a rod": ("spatial", "k1-a:H a-b:U b-k2:S"),
    "two helices": ("spatial", "k1-a:H a-b:S b-k2:U a-c:R c-d:S d-k3:C"),
    "driven helix": ("spatial", "k1-a:H*angle a-b:U b-c:R c-k2:S"),
    "ring of six": ("spatial", "k1-a:R a-b:R b-c:R c-d:R d-e:R e-k2:R"),
    "ring with a cross": ("spatial", "k1-a:R a-b:R b-c:R c-d:R d-k2:ER"),
    "two crosses and a cylinder": ("spatial", "k1-a:U a-b:U b-k2:C"),
    "three legs": ("spatial", "k1-a:R a-p:S k2-b:R b-p:S k3-c:R c-p:S"),
    "driven ball": ("spatial", "k1-a:S*yaw+roll a-b:U b-k2:S"),
    "driven cross": ("spatial", "k1-a:U*angle2 a-b:R b-c:S c-k2:R"),
    "driven plane": ("spatial", "k1-a:PL*x a-b:R b-k2:S"),
    "free body, mostly driven": ("spatial", "k1-a:F*x+y+pitch+roll a-b:S b-k2:R"),
    "planar six": ("planar", "k1-a:R k2-b:R a-p:R b-p:R p-q:R q-c:R q-d:R c-k3:R d-k4:R"),
    "planar with slides": ("planar", "k1-a:R k2-b:P a-p:R b-p:R p-q:P q-c:R q-d:R c-k3:R d-k4:R"),
    "planar, driven inside": ("planar", "k1-a:R a-b:P*slide b-c:R c-k2:R"),
    "planar, free pair driven": ("planar", "k1-a:FP*y k3-a:FP*angle a-b:R b-k2:P"),
    "pin in a driven slot": ("planar", "k1-a:R a-b:L*slide b-k2:R"),
    "slot turned by a drive": ("planar", "k1-a:L*angle a-b:R b-k2:P"),
    "platform on two slots": ("planar", "k1-p:L p-k2:L k3-a:R a-p:P"),
    "two driven slots": ("planar", "k1-a:R a-b:L*angle b-k2:L*slide"),
    "slot in space": ("spatial", "k1-a:L a-b:U b-k2:U"),
    "driven slot in space": ("spatial", "k1-a:L*slide a-b:C b-c:R c-k2:U"),
    "platform on six legs": ("spatial", STEWART),
}


def arrangement(words: str) -> ManifestArrangement:
    """Return the arrangement of a row ``k1-a:U a-b:P*slide``."""
    joints = []
    for number, word in enumerate(words.split(), start=1):
        ends, _, pair = word.partition(":")
        code, _, names = pair.partition("*")
        driven = names.split("+") if names else []
        free = [name for name in PAIR_TYPES[code].freedoms if name not in driven]
        one, two = ends.split("-")
        joints.append({"name": f"j{number}", "type": code, "bodies": [one, two], "freedoms": free, "driven": driven,
                       "frames": ["", ""], "coordinates": None, "drive": None})  # fmt: skip
    every = list(dict.fromkeys(body for joint in joints for body in joint["bodies"]))
    import msgspec

    known = [body for body in every if body.startswith("k")]
    tree = {
        "id": "", "signature": "", "key": "", "known": known, "bodies": [b for b in every if b not in known],
        "joints": [msgspec.to_builtins(msgspec.convert(joint, ManifestJoint)) for joint in joints],
    }  # fmt: skip
    return msgspec.convert(tree, ManifestArrangement)


def newton_of(instance: GroupInstance, backend: str) -> tuple[NewtonGroup, Given]:
    """Return an instance ready for certified Newton, whether or not the library has a closed form."""
    problem = make_problem(instance.space, instance.bodies, instance.joints, instance.frames, instance.pitches)
    group = NewtonGroup(problem, backend=backend)
    return group, group.given(instance.known, instance.drives)


def start_near(bodies: dict[str, Any], planar: bool, seed: int, size: float = 0.03) -> dict[str, Any]:
    """Return the start of an instance: poses of the bodies, each moved a little."""
    from library.assembled_groups import quaternion

    random, start = np.random.default_rng(seed), {}
    for name, motion in bodies.items():
        pose = motion.pose
        place = pose[:3, 3] + random.uniform(-size, size, 3)
        if planar:
            angle = float(np.arctan2(pose[1, 0], pose[0, 0])) + random.uniform(-size, size)
            start[name] = {"r": place[:2].tolist(), "phi": angle}
        else:
            q = quaternion(pose) + random.uniform(-size, size, 4) / 2
            start[name] = {"r": place.tolist(), "q": (q / np.linalg.norm(q)).tolist()}
    return start
