"""The solver without a compiler: the same steps in NumPy, with dense matrices; many starts at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symgen.library.generated_numpy import load_routines
from symgen.library.newton.bounds import certify, extent_of
from symgen.library.newton.engine import REPORT, EngineManifest, Kind, Rows, Tracked, kinds_by_name
from symgen.library.newton.numbers import Inputs
from symgen.library.newton.plan import HEAD, RECORD, SolverPlan
from symgen.poses import Array, move
from symgen.status import Status

# As in symgen.printers.newton, which only the generator may import.
_ROUNDS, _HALVINGS, _CLOSE, _LOOSE, _MEETING, _WORST = 60, 12, 1e-9, 1e-10, 1e-7, 1e-8
_EPSILON = 2.0**-52


@dataclass
class Linear:
    """Residual (B, n) and Jacobian (B, n, n) for B sets of poses; blocks of known bodies per element; facing (B,)."""

    residual: Array
    jacobian: Array
    known: list[tuple[int, int, int, Array]]
    facing: Array

    @property
    def length(self) -> Array:
        """Length of the residual, (B,)."""
        found: Array = np.linalg.norm(self.residual, axis=-1)
        return found


class NumpyEngine:
    """See `symgen.library.newton.engine.Engine`."""

    name = "numpy"
    epsilon = _EPSILON

    def __init__(self, manifest: EngineManifest) -> None:
        self._manifest, self._kinds = manifest, kinds_by_name(manifest)
        self._module = load_routines(manifest.id, manifest.files["numpy"][0])

    def track(self, plan: SolverPlan, inputs: Inputs, times: Array, start: Array, sign: int = 0) -> Tracked:
        """See `Engine.track`."""
        rows, (bodies, places) = len(times), start.shape
        free = plan.problem.freedoms
        out = [np.full((rows, bodies, size), np.nan) for size in (places, free, free)]
        report, status = np.full((rows, REPORT), np.nan), np.full(rows, -1, dtype=np.int32)
        expected, reach = start, np.inf
        for row in range(rows):
            here = inputs.rows(slice(row, row + 1))
            if row:
                dt = times[row] - times[row - 1]
                step = dt * (out[1][row - 1] + 0.5 * dt * out[2][row - 1])
                expected = move(out[0][row - 1], step)
                reach = 0.25 * float(np.linalg.norm(step)) + _MEETING
            poses, report[row : row + 1], found, now = self._iterate(plan, here, expected[None])
            verdict = int(found[0])
            weight = np.where(np.arange(places) < 3, 1.0, 2.0)
            # nearer than any other solution, or than a quarter of the step
            far = not float(np.linalg.norm((poses[0] - expected) * weight)) <= max(reach, 0.5 * report[row, 4])
            if verdict == Status.OK and (report[row, 5] * sign < 0 or far):
                verdict = Status.BRANCH_LOST
            status[row] = verdict
            if verdict in (Status.OK, Status.SINGULAR):
                out[0][row] = poses[0]
            if verdict != Status.OK:
                return Tracked(out[0], out[1], out[2], report, status, row)
            out[1][row], out[2][row] = self._rates(plan, here, poses, now)
            sign = int(report[row, 5])
        return Tracked(out[0], out[1], out[2], report, status, rows)

    def search(self, plan: SolverPlan, inputs: Inputs, starts: Array) -> tuple[Array, Array, Rows]:
        """See `Engine.search`."""
        return self._iterate(plan, inputs.rows(slice(0, 1)), np.array(starts))[:3]

    # -- one step after another --------------------------------------------------------------------------------------

    def _iterate(self, plan: SolverPlan, inputs: Inputs, poses: Array) -> tuple[Array, Array, Rows, Linear]:
        extent = extent_of(inputs, poses)
        now = self.linear(plan, inputs, poses)
        length, running = now.length, np.ones(len(poses), dtype=bool)
        converged, rounds = np.zeros(len(poses), dtype=bool), np.zeros(len(poses))
        for _ in range(_ROUNDS):
            if not running.any():
                break
            step = _solve(now.jacobian, -now.residual).reshape(len(poses), -1, plan.problem.freedoms)
            longest = np.abs(step).max(axis=(1, 2))
            running &= longest <= 1e6
            share = np.where(running, np.minimum(1.0, 1.0 / np.maximum(longest, 1e-300)), 0.0)
            for _ in range(_HALVINGS):
                trial = move(poses, share[:, None, None] * np.where(running[:, None, None], step, 0.0))
                after = self.linear(plan, inputs, trial)
                worse = running & ~((after.length < length) | (share * longest <= _CLOSE))
                if not worse.any():
                    break
                share = np.where(worse, 0.5 * share, share)
            rounds += running
            done = (share * longest <= _CLOSE) | (
                (after.length <= 16 * _EPSILON * extent) & (2 * after.length >= length)
            )
            converged |= running & done
            poses, now, length = trial, after, after.length
            running &= ~converged
        report = certify(plan, self._kinds, inputs, poses, now.residual, now.jacobian, now.facing, extent)
        report[:, 7] = rounds
        status = np.where(report[:, 1] * _WORST <= now.residual.shape[1], Status.OK, Status.SINGULAR).astype(np.int32)
        bad = (
            ~converged | ~(length <= _LOOSE * extent) | ~(now.facing > _WORST)
        )  # turned about, or an S with driven turns in gimbal lock
        return poses, report, np.where(bad, np.int32(Status.NOT_CONVERGED), status), now

    def linear(self, plan: SolverPlan, inputs: Inputs, poses: Array) -> Linear:
        """Return residual and Jacobian at many sets of poses (B, bodies, places), for the first row of `inputs`."""
        count, free = len(poses), plan.problem.freedoms
        rows, unknowns = int(plan.integers[HEAD - 1]), free * poses.shape[1]
        result = Linear(np.zeros((count, rows)), np.zeros((count, rows, unknowns)), [], np.ones(count))
        for record in _records(plan):
            kind, ends, row = self._kind(record[0]), record[1:3], record[5]
            values = self._values(plan, inputs, poses, record)
            found = self._call(kind, 0, values)
            result.residual[:, row : row + kind.rows] = found["residual"]
            for side, body in enumerate(ends):
                block = found[f"jacobian_{side + 1}"].reshape(count, kind.rows, free)
                if body < poses.shape[1]:
                    result.jacobian[:, row : row + kind.rows, free * body : free * (body + 1)] = block
                else:
                    result.known.append((row, kind.rows, body - poses.shape[1], block))
            if "facing" in found:
                result.facing = np.minimum(result.facing, found["facing"].min(axis=-1))
        return result

    def _rates(self, plan: SolverPlan, inputs: Inputs, poses: Array, now: Linear) -> tuple[Array, Array]:
        shape = (poses.shape[1], plan.problem.freedoms)
        twist: Array = np.zeros(shape)
        found: list[Array] = []
        for given, port in ((inputs.twists, "rate"), (inputs.accelerations, "bias")):
            right = np.zeros(now.residual.shape)
            for record in _records(plan):
                kind = self._kind(record[0])
                if (port, "out") not in [(each.name, each.direction) for each in kind.functions[1].ports]:
                    continue
                values = self._values(plan, inputs, poses, record)
                for side, body in enumerate(record[1:3]):
                    own = body < poses.shape[1]
                    motion = twist[body] if own else inputs.twists[0, body - poses.shape[1]]
                    values[f"twist_{side + 1}"] = motion[None]
                right[:, record[5] : record[5] + kind.rows] -= self._call(kind, 1, values)[port]
            for row, rows, body, block in now.known:
                right[:, row : row + rows] -= block @ given[0, body]
            twist = _solve(now.jacobian, right).reshape(shape) if port == "rate" else twist
            found.append(twist if port == "rate" else _solve(now.jacobian, right).reshape(shape))
        return found[0], found[1]

    def _kind(self, code: int) -> Kind:
        return self._manifest.kinds[code]

    def _values(self, plan: SolverPlan, inputs: Inputs, poses: Array, record: tuple[int, ...]) -> dict[str, Array]:
        _, one, two, joint, drive, _ = record
        known = poses.shape[1]
        ends = [poses[:, b] if b < known else inputs.known[:, b - known] for b in (one, two)]
        first, second = inputs.frames[joint]
        values = {"pose_1": ends[0], "pose_2": ends[1], "frame_1": first, "frame_2": second}
        values["pitch"] = inputs.pitches[joint]
        if drive >= 0:
            values |= {name: inputs.drives[:, drive, k] for k, name in enumerate(("u", "ud", "udd"))}
        return values

    def _call(self, kind: Kind, which: int, values: dict[str, Array]) -> dict[str, Array]:
        function = kind.functions[which]
        arguments = [values[port.name] for port in function.ports if port.direction == "in"]
        names = [port.name for port in function.ports if port.direction == "out"]
        found: dict[str, Array] = dict(zip(names, getattr(self._module, function.name)(*arguments), strict=False))
        return found


def _records(plan: SolverPlan) -> list[tuple[int, ...]]:
    count = int(plan.integers[2])
    table: NDArray[Any] = plan.integers[HEAD : HEAD + RECORD * count].reshape(count, RECORD)
    return [tuple(map(int, record)) for record in table]


def _solve(matrices: Array, right: Array) -> Array:
    """Solve many systems, with more rows than unknowns too; where one is singular its solution is of least length."""
    safe = np.where(np.isfinite(matrices), matrices, 0.0)
    if safe.shape[-1] != safe.shape[-2]:
        least: Array = (np.linalg.pinv(safe) @ right[..., None])[..., 0]
        return least
    try:
        found: Array = np.linalg.solve(safe, right[..., None])[..., 0]
    except np.linalg.LinAlgError:
        found = (np.linalg.pinv(safe) @ right[..., None])[..., 0]
    return found
