"""Units as products of powers of the base units of SI, which is how FMI tells them."""

from __future__ import annotations

import re

#: Exponents of the units that inputs and results have; those of FMI in its order.
BASE = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
_OTHERS = {"N": {"kg": 1, "m": 1, "s": -2}, "1": {}}
_FACTOR = re.compile(r"([A-Za-z1]+)(?:\^(-?[0-9]+))?")


def exponents(unit: str) -> dict[str, int] | None:
    """Return the exponents of a unit such as ``rad/s^2`` or ``kg*m^2``, those of zero left out; None if it is none."""
    found: dict[str, int] = {}
    for number, part in enumerate(unit.replace(" ", "").split("/")):
        for factor in part.split("*"):
            match = _FACTOR.fullmatch(factor)
            if match is None or (match[1] not in BASE and match[1] not in _OTHERS):
                return None
            power = int(match[2] or 1) * (-1 if number else 1)
            for name, exponent in _OTHERS.get(match[1], {match[1]: 1}).items():
                found[name] = found.get(name, 0) + power * exponent
    return {name: found[name] for name in BASE if found.get(name)}
