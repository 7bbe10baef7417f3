"""MuJoCo: trees of hinges, loops closed by `connect` equalities.

Its constraints are soft. The impedance is the largest it allows (0.9999) and the time constant twice the step, below
which it clips: the best of what was tried. One call of `mj_step` a sample; the seconds are the processor's.
"""

from __future__ import annotations

import time

import mujoco
import numpy as np

from benchmarks.dynamics.contestant import Contestant
from benchmarks.dynamics.linkages import BRICARD, SECTION_ACROSS, SECTION_ALONG
from benchmarks.dynamics.problems import SAMPLE, Problem

_STEPS = (0.02, 0.01, 0.005, 0.0025, 0.001, 0.0005, 0.0001)


def _numbers(values: object) -> str:
    return " ".join(repr(float(value)) for value in np.ravel(np.asarray(values)))


def _document(bodies: str, equalities: str, integrator: str, step: float) -> str:
    return (
        f'<mujoco><option timestep="{step}" gravity="0 -9.81 0" integrator="{integrator}" tolerance="1e-12"'
        ' iterations="50">'
        f'<flag contact="disable"/></option><worldbody>{bodies}</worldbody><equality>{equalities}</equality></mujoco>'
    )


def _connect(one: str, two: str, anchor: object, step: float) -> str:
    soft = f'solref="{2 * step} 1" solimp="0.9999 0.9999 0.001 0.5 2"'
    return f'<connect body1="{one}" body2="{two}" anchor="{_numbers(anchor)}" {soft}/>'


def bricard(integrator: str, step: float) -> str:
    """Return the model: five rods one in the other, two points of the last axis held to the world."""
    opening, closing, before = "", "", np.zeros(3)
    for name, start, end, axis in BRICARD.rods:
        inertia = [SECTION_ALONG if part else SECTION_ACROSS for part in np.abs(end - start)]
        opening += (
            f'<body name="{name}" pos="{_numbers(start - before)}"><joint type="hinge" axis="{_numbers(axis)}"/>'
            f'<inertial pos="{_numbers((end - start) / 2)}" mass="1" diaginertia="{_numbers(inertia)}"/>'
            f'<site name="{name}.{name[1]}" pos="{_numbers(end - start)}"/>'
        )
        closing, before = closing + "</body>", start
    last, local = BRICARD.rods[-1][0], BRICARD.rods[-1][2] - before
    ends = [_connect(last, "world", local + along * BRICARD.last_axis, step) for along in (0.0, 0.5)]
    return _document(opening + closing, "".join(ends), integrator, step)


def _link(name: str, place: object, inside: str, site: str = "") -> str:
    moments = _numbers([1e-9, 1 / 12, 1 / 12])  # it refuses a slender rod; the first does nothing in the plane
    return (
        f'<body name="{name}" {place}><joint name="{name}" type="hinge" axis="0 0 1"/>'
        f'<inertial pos="0.5 0 0" mass="1" diaginertia="{moments}"/>{site}{inside}</body>'
    )


def double_four_bar(integrator: str, step: float) -> str:
    """Return the model: crank 0 with both bars and crank 2 behind it, crank 1 by itself; two points held."""
    up, down = 'euler="0 0 90"', 'pos="1 0 0" euler="0 0 -90"'
    tip = '<site name="{}" pos="1 0 0"/>'
    crank2 = _link("crank2", 'pos="1 0 0" euler="0 0 -90"', "", '<site name="crank2.B2" pos="0 0 0"/>')
    bar2 = _link("bar2", 'pos="1 0 0"', crank2)
    tree = _link("crank0", up, _link("bar1", down, bar2), tip.format("crank0.B0"))
    tree += _link("crank1", 'pos="1 0 0" euler="0 0 90"', "", tip.format("crank1.B1"))
    held = _connect("crank1", "bar1", [1, 0, 0], step) + _connect("crank2", "world", [1, 0, 0], step)
    return _document(tree, held, integrator, step)


def contestants(problem: Problem) -> list[Contestant]:
    """Return RK4 and implicitfast."""
    build = {"bricard": bricard, "double_four_bar": double_four_bar}[problem.name]
    mujoco.set_mju_user_warning(lambda _: None)  # else it leaves a log in the working folder

    def entry(integrator: str) -> Contestant:
        def run(step: float) -> tuple[float, np.ndarray]:
            model = mujoco.MjModel.from_xml_string(build(integrator, step))
            data = mujoco.MjData(model)
            if problem.name == "double_four_bar":
                for name, rate in (("crank0", -1.0), ("bar1", 1.0), ("crank1", -1.0), ("crank2", -1.0)):
                    data.joint(name).qvel[0] = rate
            count, places, seconds = round(SAMPLE / step), [], 0.0
            for _ in range(problem.samples):
                start = time.process_time()
                mujoco.mj_step(model, data, count)
                seconds += time.process_time() - start
                mujoco.mj_kinematics(model, data)
                places.append([data.site(point).xpos.copy() for point in problem.points])
            return seconds, np.array(places)

        return Contestant("MuJoCo", integrator, _STEPS, run)

    return [entry("RK4"), entry("implicitfast")]
