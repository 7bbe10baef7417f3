"""Kernels of linear vibrations, in the order in which they are emitted."""

from __future__ import annotations

from symgen.derive.derivation import Derivation
from symgen.derive.transfer import vibration_beam, vibration_body, vibration_column, vibration_hinge


def vibration_kernels() -> tuple[Derivation, ...]:
    """Derive the kernels of linear vibrations."""
    return (
        vibration_body.body_spatial(),
        vibration_body.body_planar(),
        vibration_body.body_stiffness(),
        vibration_body.rest_force(),
        vibration_hinge.hinge_rest(),
        vibration_hinge.spring_spatial(),
        vibration_hinge.spring_planar(),
        vibration_beam.beam_spatial(),
        vibration_beam.beam_planar(),
        vibration_beam.beam_functions(),
        vibration_column.column_spatial(),
        vibration_column.column_planar(),
        vibration_column.column_functions(),
    )
