"""Who finds accelerations in place of the engine's sweep: the other methods that this integrator takes.

The room of the elements knows this one, so it is imported when it is asked for: docs/architecture.md lists this door.
"""

from __future__ import annotations

from symgen.model.mechanism import Mechanism
from symgen.simulate.articulated.numpy_motion import Accelerator
from symgen.simulate.start.initial import InitialState
from symgen.simulate.tables.problem import Problem


def accelerator(mechanism: Mechanism, problem: Problem, start: InitialState) -> Accelerator:
    """Return what finds accelerations by the overall transfer equation.

    Raises
    ------
    SymgenError
        As `symgen.accelerations` with method ``"transfer"``: what it refuses at the start.
    """
    from symgen.transfer.motion import DirectAccelerator

    return DirectAccelerator(mechanism, problem, start)
