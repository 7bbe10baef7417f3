"""The registry of derived objects: name -> object, derived when it is asked for and kept.

Names are the source's letters where these say one thing (`S_p`, `M_R`, `C_R`), words elsewhere; a joint type has
`f_<type>`, `H_<type>` and `G_<type>`, `reaction_<type>`, a driven freedom `f_driven_<row>` and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial

from symgen.derive.derived_object import DerivedObject, Registry
from symgen.derive.dynamics import force_objects, inertia_objects, joint_objects, rotation_objects, step_objects


@cache
def objects() -> Mapping[str, DerivedObject]:
    """Return all derived objects of the dynamics."""
    return Registry({**_rotations(), **_inertias(), **_steps(), **_forces(), **_joints()})


def _rotations() -> dict[str, Callable[[], DerivedObject]]:
    module = rotation_objects
    return {
        "rotation_matrix_quaternion": module.rotation_matrix,
        "E_q": partial(module.rate_matrix, "world"),
        "G4": partial(module.rate_matrix, "body"),
        "angular_velocity_world": partial(module.angular_velocity, "world"),
        "angular_velocity_body": partial(module.angular_velocity, "body"),
        "S_p": module.point_jacobian,
        "S_v": module.vector_rows,
        "S_s": module.point_rows,
        "rotation_linearised": module.linearised_rotation,
        "auxiliary_quaternion_rate": partial(module.auxiliary_quaternion, 1),
        "auxiliary_quaternion_acceleration": partial(module.auxiliary_quaternion, 2),
        "quaternion_norm_linearised": module.norm_row,
        "quaternion_norm_row": partial(module.norm_parts, "quaternion_norm_row"),
        "quaternion_norm_right": partial(module.norm_parts, "quaternion_norm_right"),
    }


def _inertias() -> dict[str, Callable[[], DerivedObject]]:
    module = inertia_objects
    return {
        "M_R": module.mass_of_rotation,
        "C_R": module.rate_of_rotation,
        "T_CR": module.torque_of_rates,
        "F_CR": module.wrench_of_rates,
        "torque_body": partial(module.torque, "body"),
        "torque_world": partial(module.torque, "world"),
        "torque_linearised": module.torque_linearised,
        "inertial_torque_body": module.inertial_torque_body,
        **{name: partial(module.body_matrix, name) for name in ("M", "C")},
        **{name: partial(module.step_matrix, name) for name in ("A", "B", "D", "E")},
    }


def _steps() -> dict[str, Callable[[], DerivedObject]]:
    module = step_objects
    return {
        "central_velocity": partial(module.central, "velocity"),
        "central_acceleration": partial(module.central, "acceleration"),
        "first_step_velocity": module.first_velocity,
        "first_step_acceleration": module.first_acceleration,
        "linearisation_remainder": module.remainder,
        "step_residual": module.newton_residual,
        "first_step_residual": module.first_residual,
        "reaction_wrench": module.reaction_wrench,
        "central_form": module.central_form,
        "variational_form": module.variational_form,
    }


def _forces() -> dict[str, Callable[[], DerivedObject]]:
    module = force_objects
    return {
        "wrench_of_force": partial(module.wrench_of_force, "world"),
        "wrench_of_body_force": partial(module.wrench_of_force, "body"),
        "wrench_of_weight": module.wrench_of_weight,
        "spring_wrenches": module.spring,
        "damper_wrenches": partial(module.damper, slope=False),
        "damper_rates": partial(module.damper, slope=True),
    }


@cache
def _rows(joint: str) -> dict[str, DerivedObject]:
    return joint_objects.joint_rows(joint)


def _row(joint: str, kind: str) -> DerivedObject:
    return _rows(joint)[kind]


def _joints() -> dict[str, Callable[[], DerivedObject]]:
    module = joint_objects
    rows: dict[str, Callable[[], DerivedObject]] = {
        "f_s": partial(module.coincidence, "f_s"),
        "f_v": partial(module.coincidence, "f_v"),
        "b_s": partial(module.constant_term, "b_s"),
        "b_v": partial(module.constant_term, "b_v"),
        "f_s_linearised": module.linearised_points,
        "G_s": module.effort_of_point,
    }
    for joint in module.JOINTS:
        kinds = ("f", "H", "G", "rate", "reaction") if joint.startswith("driven_") else ("f", "H", "G", "reaction")
        rows.update({f"{kind}_{joint}": partial(_row, joint, kind) for kind in kinds})
    rows.update({f"{kind}_F": partial(module.free_pair, kind) for kind in ("H", "G")})
    return rows
