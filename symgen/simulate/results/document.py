"""The result of a simulation as a JSON document, symgen/simulation/1 (docs/simulate-output.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from symgen.poses import Array
from symgen.simulate.results.energies import conserves_energy

if TYPE_CHECKING:
    from symgen.simulate.results.result import SimulationResult

SCHEMA = "symgen/simulation/1"


def simulation_document(result: SimulationResult, *, rows: bool = True) -> dict[str, Any]:
    """Return the document as JSON data; what is not known is null.

    Parameters
    ----------
    rows : hold the table and the reactions too; else they are null.
    """
    run, failure = result.run, result.run.failure
    total = result.total
    counts = run.iterations
    return {
        "schema": SCHEMA,
        "mechanism": result.mechanism.name,
        "status": "OK" if failure is None else failure.word,
        "failure": None if failure is None else {"t": number(failure.time), "message": failure.message},
        "method": run.method,
        "order": run.order,
        "step": number(run.step),
        "steps": run.steps,
        "coordinates": None if run.coordinates is None else list(run.coordinates),
        "times": {"count": len(result.times), "from": _end(result.times, 0), "to": _end(result.times, -1)},
        "iterations": {"mean": float(counts.mean()), "most": int(counts.max())} if counts.size else None,
        "energy": {
            "start": _end(total, 0),
            "end": _end(total, -1),
            "work": _end(result.work, -1),
            "error": number(result.energy_error),
            "drift": number(result.drift),
            "conserved": conserves_energy(result.mechanism),
        },
        "violation": number(result.largest_violation),
        "seconds": number(run.seconds),
        "reactions_seconds": number(run.reactions_seconds),
        "warnings": list(run.warnings),
        "advice": run.advice,
        "rows": {name: numbers(column) for name, column in result.table().items()} if rows else None,
        "resultants": {body: numbers(each) for body, each in result.resultants.items()} if rows else None,
        "reactions": {
            joint: {
                "force": numbers(each.force),
                "moment": numbers(each.moment),
                "unique": each.unique,
                "components": dict(each.components),
            }
            for joint, each in result.reactions.items()
        }
        if rows
        else None,
    }


def number(value: float) -> float | None:
    """Return a number, or None for one that JSON has no word for."""
    return float(value) if np.isfinite(value) else None


def numbers(values: Array) -> Any:
    """Return an array as nested lists, None where it is not finite."""
    if np.all(np.isfinite(values)):
        return values.tolist()
    return [numbers(row) for row in values] if values.ndim > 1 else [number(float(value)) for value in values]


def _end(values: Array, row: int) -> float | None:
    return number(float(values[row])) if len(values) else None
