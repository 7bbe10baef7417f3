"""Vibrating hinges: what an elastic one transfers, and how a static load acts on a hinge that gives way.

A hinge between the tip side A and the root side B moves by dq: [x theta]_B = [x theta]_A + H dq, H = [along about].
Its axis turns with A, and the wrench at rest keeps its direction, so that the hinge's equation and the moment beyond it
have further terms with g = [0, -(about x moment)/2 - along x force]:

    H^T [q m]_A - g^T [x theta]_A = tau - k dq,    [q m]_B = [q m]_A + g dq.

Source: docs/vibrations.md; moments are the symmetric ones of `vibration_body`.
"""

from __future__ import annotations

from symgen.algebra import HALF, ONE, ZERO, Expr
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.ports import Results, kernel
from symgen.derive.transfer.vibration_ports import PLANAR, SOURCE, SPATIAL, claim_symplectic, of_map, put_matrix
from symgen.derive.vectors import Vector

_REST = "docs/vibrations.md, hinges under load"


def hinge_rest() -> Derivation:
    """Derive H and g of a turn (along = 0), a slide (about = 0) or a screw (along = pitch times about)."""
    d = kernel("vibration_hinge_rest", "a hinge with one freedom under a static load", _REST)
    along = d.input_vector("along", 3, meaning="displacement per unit of the coordinate", unit="m")
    about = d.input_vector("about", 3, meaning="rotation per unit of the coordinate", unit="rad")
    moment = d.input_vector("moment", 3, meaning="static moment that A exerts on B, about the hinge", unit="N m")
    force = d.input_vector("force", 3, meaning="static force that A exerts on B", unit="N")
    coupling = d.vector("coupling", -(about.cross(moment) * HALF) - along.cross(force), "moment of g", "N m")
    results = Results(d)
    results.put("column", (*along, *about), "H: [x theta] per unit of the coordinate", "m, rad")
    results.put("rest", (ZERO, ZERO, ZERO, *coupling), "g: [q m] per unit of the coordinate", "N, N m")
    # Claims: with unit turns theta of A, the change of H^T [q m] by the turning axis, moments taken symmetrically.
    axes = [Vector(tuple(_unit(k, i) for i in range(3))) for k in range(3)]
    gaps = []
    for theta in axes:
        axis_turned = theta.cross(about).dot(moment) + theta.cross(along).dot(force)
        back = about.dot(theta.cross(moment)) * HALF  # m of A is the symmetric one, plus half of theta x moment
        gaps.append(axis_turned + back + coupling.dot(theta))
    d.claim_identity("axis", "the axis turns with A", gaps, squares={})
    jump = -along.cross(force) - about.cross(moment) * HALF - coupling
    d.claim_identity("behind", "B moves away under the static force and turns by dq", jump.components, squares={})
    return d


def _unit(place: int, k: int) -> Expr:
    return ONE if place == k else ZERO


def spring_spatial() -> Derivation:
    """Derive the transfer matrix of an elastic hinge: three directions that give way along and about each."""
    d = kernel("vibration_spring_spatial", "elastic hinge, 12 x 12", SOURCE)
    axes = [d.input_vector(f"axis_{k}", 3, meaning=f"direction {k}", unit="1", range="unit") for k in (1, 2, 3)]
    along = d.input_array("along", ["cx", "cy", "cz"], meaning="compliance along the directions; 0: rigid", unit="m/N",
                          frame="the directions")  # fmt: skip
    about = d.input_array("about", ["ca", "cb", "cc"], meaning="compliance about the directions; 0: rigid",
                          unit="rad/(N m)", frame="the directions")  # fmt: skip

    def carry(z: tuple[Expr, ...]) -> tuple[Expr, ...]:
        x, theta, m, q = Vector(z[:3]), Vector(z[3:6]), Vector(z[6:9]), Vector(z[9:])
        for axis, slide, turn in zip(axes, along, about, strict=True):
            x, theta = x - axis * (slide * axis.dot(q)), theta - axis * (turn * axis.dot(m))
        return (*x, *theta, *m, *q)

    matrix = of_map(SPATIAL, carry)
    claim_symplectic(d, matrix)
    put_matrix(d, matrix, "transfer matrix, state [x theta m q]")
    return d


def spring_planar() -> Derivation:
    """Derive the transfer matrix of an elastic hinge in the plane."""
    d = kernel("vibration_spring_planar", "elastic hinge in the plane, 6 x 6", SOURCE)
    along = d.input_array("along", ["cx", "cy"], meaning="compliance along x and y; 0: rigid", unit="m/N")
    about = d.input_scalar("about", meaning="compliance of the turn; 0: rigid", unit="rad/(N m)")

    def carry(z: tuple[Expr, ...]) -> tuple[Expr, ...]:
        return (z[0] - along[0] * z[4], z[1] - along[1] * z[5], z[2] - about * z[3], *z[3:])

    matrix = of_map(PLANAR, carry)
    claim_symplectic(d, matrix)
    put_matrix(d, matrix, "transfer matrix, state [x y theta m qx qy]")
    return d
