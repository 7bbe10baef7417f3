"""All kernels of the dynamics, in the order in which engines emit them."""

from __future__ import annotations

from dataclasses import dataclass

from symgen.derive.derivation import Derivation
from symgen.derive.dynamics import forces, freedoms, momenta, rigid_body, tree_motion


@dataclass(frozen=True)
class DynamicsKernel:
    """A routine of the engines: its name, and the derivation whose position results it gives."""

    name: str
    derivation: Derivation


def dynamics_kernels() -> tuple[DynamicsKernel, ...]:
    """Derive every kernel: those of the engine, and the momenta in axes of the body, as the source has them."""
    return (*engine_kernels(), *_named(_momenta_in_body_axes()))


def engine_kernels() -> tuple[DynamicsKernel, ...]:
    """Derive the kernels that the engine calls."""
    return _named((*_momenta(), *_bodies(), *_motions(), *_forces()))


def _named(derivations: tuple[Derivation, ...]) -> tuple[DynamicsKernel, ...]:
    return tuple(DynamicsKernel(derivation.name, derivation) for derivation in derivations)


def _momenta() -> tuple[Derivation, ...]:
    return (
        momenta.half_turn(),
        momenta.world_turn(),
        momenta.departure("central", "world"),
        momenta.arrival("world"),
        momenta.departure("start", "world"),
        momenta.start_momentum("world"),
        momenta.departure("variational", "world"),
    )


def _momenta_in_body_axes() -> tuple[Derivation, ...]:
    return (
        momenta.departure("central"),
        momenta.arrival(),
        momenta.departure("start"),
        momenta.start_momentum(),
        momenta.departure("variational"),
        momenta.variational_arrival(),
    )


def _bodies() -> tuple[Derivation, ...]:
    return rigid_body.body_inertia(), rigid_body.gyroscopic(), rigid_body.kinetic()


def _motions() -> tuple[Derivation, ...]:
    axes = "xyz"
    return (
        tree_motion.compose(),
        *(tree_motion.turn(axis) for axis in axes),
        *(tree_motion.slide(axis) for axis in axes),
        tree_motion.screw(),
        tree_motion.ball(),
        *(tree_motion.turn_column(axis) for axis in axes),
        *(tree_motion.slide_column(axis) for axis in axes),
        tree_motion.screw_column(),
        tree_motion.shift(),
        tree_motion.column_rate(),
        tree_motion.spin(),
    )


def _forces() -> tuple[Derivation, ...]:
    return (
        forces.length_row(),
        forces.push(),
        forces.push_in_body(),
        forces.twist_in_body(),
        *(freedoms.freedom(pair, name) for pair, names in freedoms.FREEDOMS.items() for name in names),
    )
