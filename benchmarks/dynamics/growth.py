"""A chain of n revolute bodies: seconds a step against n. Order n for a recursion, n^3 for a dense factorisation."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

NUMBERS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
STEP = 1e-3
#: A tool is not asked for longer chains once a step takes longer than this [s].
_ENOUGH = 0.1
#: Longest chain whose Pinocchio data fit easily: it keeps tensors of 6 n^3 numbers.
_ROOM = 100


def chain(bodies: int) -> Any:
    """Return a chain of slender rods, 1 m and 1 kg in all, that starts level and at rest."""
    import symgen

    length = mass = 1.0 / bodies
    moment = mass * length**2 / 12
    links = {
        f"b{k}": {"mass": mass, "com": [(k + 0.5) * length, 0, 0], "inertia": [1e-6 * moment, moment, moment, 0, 0, 0]}
        for k in range(bodies)
    }
    joints = {
        f"j{k}": {
            "type": "R", "bodies": [f"b{k - 1}" if k else "ground", f"b{k}"],
            "at": [k * length, 0, 0], "axis": [0, 0, 1],
        }
        for k in range(bodies)
    }  # fmt: skip
    links[f"b{bodies - 1}"]["points"] = {"tip": [1.0, 0.0, 0.0]}
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": f"chain of {bodies}", "space": "spatial", "gravity": [0, -9.81, 0],
        "bodies": links, "joints": joints,
    })  # fmt: skip


def _symgen(bodies: int) -> float:
    import symgen

    mechanism, steps = chain(bodies), max(20, 2000 // bodies)
    seconds = []
    for _ in range(3):
        motion = symgen.simulate(mechanism, method="dimcd", step=STEP, until=steps * STEP)
        seconds.append(motion.run.seconds)  # of the engine, without compiling
    return min(seconds) / steps


def _mujoco(bodies: int) -> float:
    import mujoco

    length = mass = 1.0 / bodies
    moment = mass * length**2 / 12
    spec = mujoco.MjSpec()  # a document of nested elements may not be so deep
    spec.option.timestep, spec.option.integrator = STEP, mujoco.mjtIntegrator.mjINT_RK4
    spec.option.gravity = [0.0, -9.81, 0.0]
    body = spec.worldbody
    for k in range(bodies):
        body = body.add_body(pos=[length if k else 0.0, 0.0, 0.0], mass=mass, ipos=[length / 2, 0.0, 0.0])
        body.inertia, body.explicitinertial = [1e-3 * moment, moment, moment], True
        body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0.0, 0.0, 1.0])
    model = spec.compile()
    mujoco.set_mju_user_warning(lambda _: None)  # long chains are unstable with this step: their time is the same
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data)
    return _per_call(lambda count: mujoco.mj_step(model, data, count))


def _pinocchio(bodies: int) -> float:
    import pinocchio as pin

    if bodies > _ROOM:
        raise MemoryError(f"its data grow as n^3: several GB beyond {_ROOM} bodies")

    length = mass = 1.0 / bodies
    moment = mass * length**2 / 12
    model = pin.Model()
    model.gravity.linear = np.array([0.0, -9.81, 0.0])
    joint = 0
    for k in range(bodies):
        place = pin.SE3(np.eye(3), np.array([length if k else 0.0, 0.0, 0.0]))
        joint = model.addJoint(joint, pin.JointModelRZ(), place, f"j{k}")
        body = pin.Inertia(mass, np.array([length / 2, 0.0, 0.0]), np.diag([1e-3 * moment, moment, moment]))
        model.appendBodyToJoint(joint, body, pin.SE3.Identity())
    data, q, v = model.createData(), pin.neutral(model), np.zeros(model.nv)

    def run(count: int) -> None:
        for _ in range(4 * count):
            pin.aba(model, data, q, v, v)

    return _per_call(run)


def _per_call(run: Callable[[int], Any]) -> float:
    count = 1
    while True:
        start = time.process_time()
        run(count)
        taken = time.process_time() - start
        if taken > 0.05:
            return taken / count
        count *= 4


TOOLS: dict[str, Callable[[int], float]] = {
    "symgen, dimcd": _symgen,
    "MuJoCo, RK4": _mujoco,
    "Pinocchio, 4 aba (RK4), lower bound": _pinocchio,
}


def grow(numbers: tuple[int, ...] = NUMBERS) -> Iterator[tuple[str, list[tuple[int, float]], str]]:
    """Yield tool, (bodies, seconds a step), and why it stopped or is missing."""
    for tool, seconds in TOOLS.items():
        found: list[tuple[int, float]] = []
        why = ""
        for bodies in numbers:
            try:
                found.append((bodies, seconds(bodies)))
            except ImportError as error:
                why = f"not installed: {error.name}"
            except Exception as error:  # a tool that breaks must not stop the others
                why = str(error).strip().splitlines()[0][:120] if str(error).strip() else type(error).__name__
            if why:
                break
            if found[-1][1] > _ENOUGH:
                why = f"not run beyond {bodies} bodies"
                break
        yield tool, found, why
