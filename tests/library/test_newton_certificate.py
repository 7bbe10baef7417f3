"""The certificate: rows and bounds hold for random geometry, and nothing but a root is ever certified."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from library.assembled_groups import assemble
from library.newton_groups import SHAPES, arrangement, newton_of, start_near

from symgen.library.group_joints import GroupJoint
from symgen.library.instance import instance_of
from symgen.library.newton.assemblies import distance
from symgen.library.newton.bounds import certify, curvature, extent_of
from symgen.library.newton.engine import kinds_by_name, read_engine
from symgen.library.newton.group import NewtonGroup
from symgen.library.newton.numpy_engine import NumpyEngine
from symgen.library.newton.problem import make_problem
from symgen.poses import move
from symgen.status import Status

#: One pair between two unknown bodies, held by as many rows as a determined group needs: (pair, driven, other pairs).
PAIRS: dict[str, tuple[str, str]] = {
    "S": ("spatial", "a-b:S"), "U": ("spatial", "a-b:U"), "R": ("spatial", "a-b:R"), "C": ("spatial", "a-b:C"),
    "H": ("spatial", "a-b:H"), "P": ("spatial", "a-b:P"), "PL": ("spatial", "a-b:PL"),
    "slides": ("spatial", "a-b:F*x+y+z"), "turns": ("spatial", "a-b:S*yaw+pitch+roll"),
    "L": ("spatial", "a-b:L"), "L slide": ("spatial", "a-b:L*slide"),
    "planar L": ("planar", "a-b:L"), "planar L, driven": ("planar", "a-b:L*slide+angle"),
    "planar R": ("planar", "a-b:R"), "planar P": ("planar", "a-b:P"), "planar drives": ("planar", "a-b:FP*x+y+angle"),
}  # fmt: skip


def _certify(group: NewtonGroup, inputs: Any, poses: Any) -> Any:
    engine = NumpyEngine(read_engine(group.problem.space))
    now = engine.linear(group.plan, inputs, poses)
    kinds = kinds_by_name(read_engine(group.problem.space))
    extent = extent_of(inputs, poses)
    return certify(group.plan, kinds, inputs, poses, now.residual, now.jacobian, now.facing, extent), now


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.extension
def test_numpy_and_c_do_the_same(name: str) -> None:
    space, words = SHAPES[name]
    made = arrangement(words)
    group = assemble(made, space, 7, (False,) * len(made.joints))
    group.tree["start"] = start_near(group.bodies, space == "planar", 7, 0.01)
    instance = instance_of(group.tree)
    found = []
    for backend in ("c", "numpy"):
        newton, given = newton_of(instance, backend)
        start = newton.poses(given, instance.start)
        found.append(newton.engine.track(newton.plan, given.inputs, np.zeros(1), start))
    c, numpy = found
    assert c.status[0] == numpy.status[0] == Status.OK
    condition = c.report[0, 1]
    # two orders of the same sums: rounding times the condition
    assert np.abs(c.poses - numpy.poses).max() < 1e-14 * condition
    assert np.abs(c.twists - numpy.twists).max() < 1e-13 * condition * (1 + np.abs(c.twists).max())
    scale = 1 + np.abs(c.accelerations).max()
    # and what poses are off by, rounding times the condition, bends the Jacobian: once more the condition
    bound = (1e-12 + 1e-16 * condition) * condition * scale
    assert np.abs(c.accelerations - numpy.accelerations).max() < bound
    assert c.report[0, 1] == pytest.approx(numpy.report[0, 1], rel=1e-6)
    assert c.report[0, 2] == numpy.report[0, 2]
    # a radius is a quotient by the bound of a bend, a maximum over sums that the compiler orders: 2e-6 was seen
    assert c.report[0, 4] == pytest.approx(numpy.report[0, 4], rel=1e-5)


@pytest.mark.sampled(16)
@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("moving", ["both", "first", "second"])
def test_no_line_bends_more_than_the_bound_says(name: str, moving: str) -> None:
    """Second differences of a pair's residual along random lines of unit speed inside the unit ball."""
    space, word = PAIRS[name]
    ends, code = word.split(":")
    pair, _, names = code.partition("*")
    unknown = {"both": ("a", "b"), "first": ("a",), "second": ("b",)}[moving]
    joint = GroupJoint("j", pair, ("a", "b"), tuple(names.split("+")) if names else ())
    random = np.random.default_rng(3)
    size = 3 if space == "planar" else 7
    kinds = kinds_by_name(read_engine(space))
    engine = NumpyEngine(read_engine(space))
    worst = 0.0
    for _ in range(40):
        frames = {"j": (_pose(random, size), _pose(random, size))}
        problem = make_problem(space, unknown, [joint], frames, {"j": float(random.uniform(0.05, 2))})
        group = _bare_group(problem)
        count = len(unknown)
        base = np.stack([_pose(random, size) for _ in unknown])
        inputs = _inputs(group, problem, random, size)
        bound = float(curvature(group, kinds, inputs, base[None])[0])
        free = problem.freedoms
        centre = random.normal(size=(20, count, free))
        centre *= random.uniform(0, 0.9, (20, 1, 1)) / np.linalg.norm(centre, axis=(1, 2), keepdims=True)
        line = random.normal(size=(20, count, free))
        line /= np.linalg.norm(line, axis=(1, 2), keepdims=True)
        h, many = 1e-3, np.broadcast_to(base, (20, *base.shape))
        rows = [_residual(engine, group, inputs, move(many, centre + k * h * line)) for k in (-1, 0, 1)]
        bend = np.linalg.norm(rows[0] - 2 * rows[1] + rows[2], axis=-1).max() / h**2
        # truncation of the difference: h^2/12 of the fourth derivative, of order 1e2 here; rounding 1e-9
        assert bend <= bound * (1 + 1e-3) + 1e-4
        worst = max(worst, bend / bound) if bound else worst
    assert ends == "a-b"
    if bound and not (moving == "first" and pair in ("C", "P", "PL", "F", "H")):
        assert worst > 0.05, "a bound that nothing comes near is of no use"


def _pose(random: np.random.Generator, size: int) -> Any:
    pose = random.uniform(-1, 1, size)
    if size == 7:
        pose[3:] = random.normal(size=4)
        pose[3:] /= np.linalg.norm(pose[3:])
    return pose


class _Bare:
    """A plan of one joint: no group, so that nothing could be eliminated."""

    def __init__(self, problem: Any, elements: Any, integers: Any) -> None:
        self.problem, self.elements, self.integers = problem, elements, integers
        self.order = tuple(range(len(problem.bodies)))
        self.drives = tuple(each for each in elements if each.freedom is not None)


def _bare_group(problem: Any) -> Any:
    from symgen.library.newton.problem import elements_of

    elements = elements_of(problem)
    rows = read_engine(problem.space).rows
    code = {kind: k for k, kind in enumerate(rows)}
    number = {body: k for k, body in enumerate((*problem.bodies, *problem.known))}
    head = [len(problem.bodies), len(problem.known), len(elements), 1, 0, 0, 0, 0, sum(rows[e.kind] for e in elements)]
    first = drive = 0
    for each in elements:
        one, two = problem.joints[0].bodies
        head += [code[each.kind], number[one], number[two], 0, drive if each.freedom else -1, first]
        drive += each.freedom is not None
        first += rows[each.kind]
    return _Bare(problem, elements, np.array(head, dtype=np.int32))


def _inputs(group: Any, problem: Any, random: np.random.Generator, size: int) -> Any:
    from symgen.library.newton.numbers import Inputs

    free = problem.freedoms
    known = np.stack([_pose(random, size) for _ in problem.known])[None] if problem.known else np.zeros((1, 0, size))
    rest = np.zeros((1, len(problem.known), free))
    frames = np.stack(problem.frames["j"])[None]
    drives = random.uniform(-1, 1, (1, len(group.drives), 3))
    return Inputs(frames, np.array([problem.pitches["j"]]), known, rest, rest, drives)


def _residual(engine: NumpyEngine, group: Any, inputs: Any, poses: Any) -> Any:
    rows = read_engine(group.problem.space).rows
    total = sum(rows[each.kind] for each in group.elements)
    found = np.zeros((len(poses), total))
    first = 0
    count = len(group.elements)
    for record in group.integers[9 : 9 + 6 * count].reshape(count, 6):
        kind = engine._kind(int(record[0]))
        values = engine._values(group, inputs, poses, tuple(map(int, record)))
        found[:, first : first + kind.rows] = engine._call(kind, 0, values)["residual"]
        first += kind.rows
    return found


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["helix on a rod", "ring of six", "planar six", "three legs", "driven cross"])
def test_what_is_certified_has_a_root_within_the_radius_and_no_other_near(name: str) -> None:
    """Poses at all distances from a root: where they are certified, Newton's method ends inside the radius."""
    space, words = SHAPES[name]
    made = arrangement(words)
    random = np.random.default_rng(8)
    certified = refused = 0
    for seed in (1, 2, 4):
        tree = assemble(made, space, seed, (False,) * len(made.joints))
        tree.tree["start"] = start_near(tree.bodies, space == "planar", seed, 1e-3)
        instance = instance_of(tree.tree)
        newton, given = newton_of(instance, "numpy")
        root = newton.near(given, newton.poses(given, instance.start))
        if root is None:
            continue
        shape = (60, len(newton.problem.bodies), newton.problem.freedoms)
        step = random.normal(size=shape)
        step *= (10.0 ** random.uniform(-12, 0, 60))[:, None, None] / np.linalg.norm(step, axis=(1, 2), keepdims=True)
        poses = move(np.broadcast_to(root.poses, (60, *root.poses.shape)), step)
        reports, _ = _certify(newton, given.inputs, poses)
        away = np.linalg.norm(step, axis=(1, 2))
        for pose, report, far in zip(poses, reports, away, strict=True):
            if report[2] != 1.0:
                refused += 1
                continue
            certified += 1
            end = newton.near(given, pose)
            assert end is not None
            # `distance` takes the largest number, which is no more than the norm of the step
            assert distance(end.poses, pose) <= report[3] * (1 + 1e-9) + 1e-15
            if far < report[4]:  # the constructed root is in the ball where there is only one
                assert distance(end.poses, root.poses) < 1e-7
    assert certified > 20
    assert refused > 20


def test_poses_that_are_no_root_are_never_certified() -> None:
    """Random poses: their residuals are of order one, far above what any certificate lets through."""
    for name in ("helix on a rod", "planar six"):
        space, words = SHAPES[name]
        made = arrangement(words)
        tree = assemble(made, space, 2, (False,) * len(made.joints))
        newton, given = newton_of(instance_of(tree.tree), "numpy")
        random = np.random.default_rng(1)
        count = len(newton.problem.bodies)
        poses = np.stack([[_pose(random, newton.problem.places) for _ in range(count)] for _ in range(200)])
        reports, now = _certify(newton, given.inputs, poses)
        assert not np.any(reports[now.length > 0.5, 2])


def test_an_axis_that_points_the_wrong_way_is_no_assembly() -> None:
    """The rows of an R vanish for a reversed axis too; `facing` refuses that root."""
    joints = [GroupJoint("A", "R", ("k", "a")), GroupJoint("B", "R", ("k2", "a"), ("angle",))]
    frame = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    problem = make_problem("spatial", ("a",), joints[:1], {"A": (frame, frame)}, {})
    engine = NumpyEngine(read_engine("spatial"))
    group = _bare_group(problem)
    reversed_pose = np.array([[[0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]]])  # half a turn about x
    from symgen.library.newton.numbers import Inputs

    rest = np.zeros((1, 1, 6))
    inputs = Inputs(np.stack([[frame, frame]]), np.ones(1), frame[None, None], rest, rest, np.zeros((1, 0, 3)))
    record = tuple(map(int, group.integers[9:15]))
    found = engine._call(engine._kind(record[0]), 0, engine._values(group, inputs, reversed_pose, record))
    assert np.abs(found["residual"]).max() < 1e-15
    assert found["facing"].min() == pytest.approx(-1.0)
