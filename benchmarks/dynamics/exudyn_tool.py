"""Exudyn: rigid bodies in absolute coordinates, generalised-alpha (spectral radius 0.9), modified Newton.

Redundant constraints need its rank-revealing dense solver. Sensors write at the samples; the seconds are the
processor's.
"""

from __future__ import annotations

import time
from typing import Any

import exudyn as exu
import numpy as np
from exudyn.utilities import (
    GenericJoint,
    MarkerBodyPosition,
    MarkerBodyRigid,
    NodeRigidBody2D,
    ObjectGround,
    ObjectRigidBody2D,
    RevoluteJoint2D,
    RigidBodyInertia,
    SensorBody,
    VObjectGround,
)

from benchmarks.dynamics.contestant import Contestant
from benchmarks.dynamics.linkages import BRICARD, GRAVITY, SECTION_ACROSS, SECTION_ALONG
from benchmarks.dynamics.problems import SAMPLE, Problem

_STEPS = (0.02, 0.01, 0.005, 0.0025, 0.001, 0.0005, 0.0001)


def _sensor(mbs: Any, body: int, local: Any) -> int:
    kind = exu.OutputVariableType.Position
    return mbs.AddSensor(SensorBody(bodyNumber=body, localPosition=local, storeInternal=True, outputVariableType=kind))


def bricard() -> tuple[Any, Any, list[int]]:
    """Return container, system and sensors of the points."""
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    bodies, sensors = [mbs.CreateGround()], []
    for _, start, end, axis in BRICARD.rods:
        moments = np.diag([SECTION_ALONG if part else SECTION_ACROSS for part in np.abs(end - start)])
        body = mbs.CreateRigidBody(
            inertia=RigidBodyInertia(mass=1.0, inertiaTensor=moments),
            referencePosition=(start + end) / 2,
            gravity=GRAVITY,
        )
        mbs.CreateRevoluteJoint(bodyNumbers=[bodies[-1], body], position=start, axis=axis, useGlobalFrame=True)
        bodies.append(body)
        sensors.append(_sensor(mbs, body, (end - start) / 2))
    _, start, end, _ = BRICARD.rods[-1]
    sides = [
        mbs.AddMarker(MarkerBodyRigid(bodyNumber=bodies[-1], localPosition=(end - start) / 2)),
        mbs.AddMarker(MarkerBodyRigid(bodyNumber=bodies[0], localPosition=end)),
    ]
    mbs.AddObject(GenericJoint(markerNumbers=sides, constrainedAxes=[1, 1, 1, 0, 1, 1]))  # turns about x
    mbs.Assemble()
    return container, mbs, sensors


def double_four_bar() -> tuple[Any, Any, list[int]]:
    """Return container, system and sensors of the points: planar bodies."""
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    ground = mbs.AddObject(ObjectGround(visualization=VObjectGround(show=False)))
    bodies: dict[str, int] = {}
    for name, place, speed in (
        ("crank0", [0.0, 0.5, np.pi / 2], [0.5, 0.0, -1.0]),
        ("crank1", [1.0, 0.5, np.pi / 2], [0.5, 0.0, -1.0]),
        ("crank2", [2.0, 0.5, np.pi / 2], [0.5, 0.0, -1.0]),
        ("bar1", [0.5, 1.0, 0.0], [1.0, 0.0, 0.0]),
        ("bar2", [1.5, 1.0, 0.0], [1.0, 0.0, 0.0]),
    ):
        node = mbs.AddNode(NodeRigidBody2D(referenceCoordinates=place, initialVelocities=speed))
        bodies[name] = mbs.AddObject(ObjectRigidBody2D(nodeNumber=node, physicsMass=1.0, physicsInertia=1 / 12))
        centre = mbs.AddMarker(MarkerBodyPosition(bodyNumber=bodies[name], localPosition=[0, 0, 0]))
        mbs.AddLoad(exu.itemInterface.Force(markerNumber=centre, loadVector=list(GRAVITY)))

    def marker(body: int, x: float, y: float = 0.0) -> int:
        return mbs.AddMarker(MarkerBodyPosition(bodyNumber=body, localPosition=[x, y, 0.0]))

    pins = [(marker(ground, float(k)), marker(bodies[f"crank{k}"], -0.5)) for k in range(3)]
    for one, x, two, y in (
        ("crank0", 0.5, "bar1", -0.5),
        ("crank1", 0.5, "bar1", 0.5),
        ("crank1", 0.5, "bar2", -0.5),
        ("crank2", 0.5, "bar2", 0.5),
    ):
        pins.append((marker(bodies[one], x), marker(bodies[two], y)))
    for pair in pins:
        mbs.AddObject(RevoluteJoint2D(markerNumbers=list(pair)))
    sensors = [_sensor(mbs, bodies[f"crank{k}"], [0.5, 0.0, 0.0]) for k in range(3)]
    mbs.Assemble()
    return container, mbs, sensors


def contestants(problem: Problem) -> list[Contestant]:
    """Return generalised-alpha."""
    build = {"bricard": bricard, "double_four_bar": double_four_bar}[problem.name]
    exu.SetWriteToConsole(False)

    def run(step: float) -> tuple[float, np.ndarray]:
        _container, mbs, sensors = build()  # the container must live as long as the system
        settings = exu.SimulationSettings()
        integration = settings.timeIntegration
        integration.numberOfSteps, integration.endTime = round(problem.until / step), problem.until
        integration.verboseMode, integration.newton.useModifiedNewton = 0, True
        integration.generalizedAlpha.spectralRadius = 0.9
        settings.solutionSettings.writeSolutionToFile = False
        settings.solutionSettings.sensorsWritePeriod = SAMPLE
        settings.linearSolverType = exu.LinearSolverType.EigenDense
        settings.linearSolverSettings.ignoreSingularJacobian = True
        start = time.process_time()
        mbs.SolveDynamic(settings, solverType=exu.DynamicSolverType.GeneralizedAlpha)
        seconds = time.process_time() - start
        rows = [np.asarray(mbs.GetSensorStoredData(sensor))[1:, 1:4] for sensor in sensors]
        return seconds, np.stack(rows, axis=1)

    return [Contestant("Exudyn", "generalised-alpha", _STEPS, run)]
