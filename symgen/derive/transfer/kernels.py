"""All kernels of the transfer matrix method, in the order in which they are emitted; a new element has a line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.kernels import DynamicsKernel
from symgen.derive.transfer import (
    balls,
    bodies,
    far_side,
    hinge_forces,
    hinges,
    pins,
    planar_bodies,
    riccati,
    special_loops,
    special_motion,
)
from symgen.derive.transfer.assembly import assembly_kernels
from symgen.derive.transfer.beam_motion import beam_motion_kernels
from symgen.derive.transfer.beam_motion_modes import beam_mode_kernels
from symgen.derive.transfer.beam_shapes import beam_kernels
from symgen.derive.transfer.beam_transfer import beam_transfers
from symgen.derive.transfer.riccati_loads import load_kernels
from symgen.derive.transfer.riccati_loops import loop_kernels
from symgen.derive.transfer.riccati_sizes import size_kernels
from symgen.derive.transfer.tree_sweep import tree_kernels
from symgen.derive.transfer.vibration_kernels import vibration_kernels


@dataclass(frozen=True)
class KernelGroup:
    """Kernels that are derived together; `names` is how their names begin."""

    names: tuple[str, ...]
    derive: Callable[[], tuple[Derivation, ...]]


def _bodies() -> tuple[Derivation, ...]:
    return (
        bodies.body_transfer(),
        bodies.body_inverse(),
        bodies.input_transfer(),
        bodies.geometric(),
        planar_bodies.body_transfer_planar(),
        planar_bodies.input_transfer_planar(),
        planar_bodies.geometric_planar(),
    )


def _hinges() -> tuple[Derivation, ...]:
    return (
        hinges.revolute(),
        hinges.prismatic(),
        hinges.screw(),
        hinges.cylindrical(),
        hinges.universal(),
        hinges.planar_pair(),
        hinges.pin_in_slot(),
        hinges.ball(),
        hinges.slide_planar(),
        hinges.slot_planar(),
        *(hinges.reverse(freedoms) for freedoms in (1, 2, 3)),
        hinge_forces.force(),
        *(hinge_forces.driven(freedoms) for freedoms in (1, 2, 3)),
        *(hinge_forces.effort(freedoms) for freedoms in (1, 2, 3)),
    )


def _far_sides() -> tuple[Derivation, ...]:
    return (
        far_side.sizes(),
        *(far_side.hinge(freedoms) for freedoms in (1, 2, 3)),
        far_side.ball(),
        far_side.pin(),
    )


def _riccati() -> tuple[Derivation, ...]:
    return (
        riccati.body(),
        riccati.one_input(),
        riccati.shift(),
        *(riccati.hinge(freedoms) for freedoms in (1, 2, 3)),
        riccati.column_shift(),
        *(riccati.column_hinge(freedoms) for freedoms in (1, 2, 3)),
        *(riccati.loop_close(count) for count in (1, 2, 3)),
    )


def _sweeps() -> tuple[Derivation, ...]:
    return *load_kernels(), *loop_kernels(), *size_kernels(), *tree_kernels()


def _balls() -> tuple[Derivation, ...]:
    return balls.body(), balls.one_input(), balls.close(), balls.back(), balls.point_back()


def _pins() -> tuple[Derivation, ...]:
    return pins.body(), pins.one_input(), pins.close(), pins.back(), pins.point_back()


def _special() -> tuple[Derivation, ...]:
    return (
        *special_motion.special_ball_motion(),
        *special_motion.special_pin_motion(),
        *special_loops.special_ball_loops(),
        *special_loops.special_pin_loops(),
    )


def _vibrations() -> tuple[Derivation, ...]:
    return tuple(vibration_kernels())


def _shapes() -> tuple[Derivation, ...]:
    return tuple(beam_kernels())


def _beams() -> tuple[Derivation, ...]:
    return tuple(beam_transfers())


def _moving_beams() -> tuple[Derivation, ...]:
    return *beam_motion_kernels(), *beam_mode_kernels()


def _assemblies() -> tuple[Derivation, ...]:
    return tuple(assembly_kernels())


#: All groups, in the order in which their kernels are emitted. Names tell apart what is dear to derive: beams.
GROUPS: tuple[KernelGroup, ...] = (
    KernelGroup(("body_transfer_", "body_inverse_", "input_transfer_", "geometric_"), cache(_bodies)),
    KernelGroup(("hinge_",), cache(_hinges)),
    KernelGroup(("far_side_", "body_transfer_sizes"), cache(_far_sides)),
    KernelGroup(("riccati_", "loop_"), cache(_riccati)),
    KernelGroup(
        ("riccati_", "loop_", "damper_force", "lever", "twist_along", "carrier_swept", "column_swept"), cache(_sweeps)
    ),
    KernelGroup(("ball_",), cache(_balls)),
    KernelGroup(("pin_",), cache(_pins)),
    KernelGroup(("turned_", "quaternion_rate", "reached_motion", "direction", "ball_", "pin_"), cache(_special)),
    KernelGroup(("vibration_",), cache(_vibrations)),
    KernelGroup(("beam_bending_shapes", "beam_rod_shapes", "beam_mode"), cache(_shapes)),
    KernelGroup(("beam_transfer_",), cache(_beams)),
    KernelGroup(
        ("beam_shape_values", "beam_station", "beam_twist", "beam_end", "beam_energy", "beam_mode_"),
        cache(_moving_beams),
    ),
    KernelGroup(("handle_", "assembly_"), cache(_assemblies)),
)


@cache
def transfer_kernels() -> tuple[DynamicsKernel, ...]:
    """Derive every kernel, once."""
    return tuple(DynamicsKernel(derivation.name, derivation) for group in GROUPS for derivation in group.derive())
