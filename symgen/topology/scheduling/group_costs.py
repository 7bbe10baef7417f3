"""What it costs to solve each group: the numbers a schedule is made of, and where they come from."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from symgen.errors import InputError, MechanismError
from symgen.model.load import LARGEST_FILE, parse_text
from symgen.model.nearest import did_you_mean, list_names, show

if TYPE_CHECKING:
    from symgen.topology.structure import Group

SCHEMA = "symgen/costs/1"

Source = Literal["operations", "measured", "estimated", "given"]

_KEYS = ("schema", "unit", "types", "groups", "default")
#: Largest cost: the sums of millions of such costs are finite and as good as exact.
LARGEST_COST = 1e30
# Costs that are not zero but smaller would make speed-ups infinite.
_SMALLEST_COST = 1e-30
#: Iterations that a numerical solution of a group without a solver is taken to need.
NEWTON_ITERATIONS = 5
#: Operations for one constraint equation and its row of the Jacobian matrix.
_OPERATIONS_A_ROW = 60


@dataclass(frozen=True, slots=True)
class GroupCost:
    """Cost of one group and where the number comes from."""

    value: float
    source: Source


@dataclass(frozen=True, slots=True)
class GroupCosts:
    """Costs of all groups of a structure.

    Attributes
    ----------
    unit : ``operations``, ``s``, or what the user's file says.
    of : group number -> cost.
    notices : what the reader of the numbers should know, in words.
    """

    unit: str
    of: Mapping[int, GroupCost]
    notices: tuple[str, ...] = ()

    @property
    def values(self) -> dict[int, float]:
        """Group number -> cost, the bare numbers."""
        return {number: cost.value for number, cost in self.of.items()}


def estimated_operations(bodies: int, freedoms: int) -> int:
    """Return the operations of a Newton iteration for a group that the library does not solve.

    With n = freedoms x bodies constraint equations: `NEWTON_ITERATIONS` times their evaluation and an elimination
    of 2/3 n^3 + 2 n^2 operations, and two more solutions for velocity and acceleration.

    Parameters
    ----------
    bodies : rigid bodies of the group.
    freedoms : of a free body, 6 in space and 3 in the plane.
    """
    n = bodies * freedoms
    elimination = 2 * n**3 // 3 + 2 * n**2
    return NEWTON_ITERATIONS * (elimination + _OPERATIONS_A_ROW * n) + 2 * (2 * n**2 + _OPERATIONS_A_ROW * n)


def load_costs(path: str | os.PathLike[str], groups: Sequence[Group]) -> GroupCosts:
    """Return the costs that a file symgen/costs/1 gives to the groups of a structure.

    ``types`` maps signatures to costs, ``groups`` numbers of groups, which win; ``default`` is for all others.

    Raises
    ------
    MechanismError
        The file cannot be read or is wrong, names a group that there is not, or leaves a group without a cost.
    """
    file = os.fspath(path)
    suffix = Path(file).suffix.lower()
    if suffix not in (".json", ".toml"):
        raise MechanismError(f"a file of costs ends in .json or .toml, not {show(suffix)}", file=file)
    try:
        with open(file, "rb") as stream:
            data = stream.read(LARGEST_FILE + 1)
        text = data.decode("utf-8")
    except OSError as error:
        raise MechanismError(f"cannot be read: {error.strerror or error}", file=file) from error
    except ValueError as error:  # not UTF-8, or a NUL in the name
        raise MechanismError(f"is not UTF-8 text: {error}", file=file) from error
    if len(data) > LARGEST_FILE:
        raise MechanismError(f"is larger than {LARGEST_FILE // 1_000_000} MB", file=file)
    try:
        return costs_of(parse_text(text, suffix, file), groups)
    except MechanismError as error:
        raise MechanismError(error.reason, file=file, field=error.field) from None


def costs_of(tree: object, groups: Sequence[Group]) -> GroupCosts:
    """Return the costs of a tree symgen/costs/1; see `load_costs`."""
    if not isinstance(tree, Mapping):
        raise MechanismError("must be a table")
    for key in tree:
        if key not in _KEYS:
            hint = did_you_mean(key, _KEYS) or f"; keys are {', '.join(_KEYS)}"
            raise MechanismError(f"unknown key{hint}", field=str(key))
    if tree.get("schema") != SCHEMA:
        raise MechanismError(f"found {show(tree.get('schema'))}, allowed is {SCHEMA!r}", field="schema")
    unit = tree.get("unit", "")
    if not isinstance(unit, str) or len(unit) > 20 or not unit.isprintable():
        raise MechanismError("must be a short text, such as s or us", field="unit")
    types, numbers = _table(tree, "types"), _table(tree, "groups")
    default = _cost(tree["default"], "default") if "default" in tree else None
    known = {str(group.number) for group in groups}
    for key in numbers:
        if key not in known:
            raise MechanismError(f"there is no group {show(key)}; groups are 1 to {len(groups)}", field="groups")
    found = {}
    lacking = []
    for group in groups:
        value = numbers.get(str(group.number), types.get(group.signature, default))
        if value is None:
            lacking.append(f"{group.number} ({group.signature})")
        else:
            found[group.number] = GroupCost(value, "given")
    if lacking:
        raise MechanismError(
            f"no cost for group {list_names(lacking)}: name it under groups, its signature under types, "
            "or give a default"
        )
    return GroupCosts(unit, found)


def _table(tree: Mapping[str, Any], key: str) -> dict[str, float]:
    table = tree.get(key, {})
    if not isinstance(table, Mapping):
        raise MechanismError("must be a table of costs", field=key)
    return {str(name): _cost(value, f"{key}.{name}") for name, value in table.items()}


def _cost(value: object, field: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise MechanismError(f"found {show(value)}; a cost is a number", field=field)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not (number == 0.0 or _SMALLEST_COST <= number <= LARGEST_COST):
        raise MechanismError(
            f"found {show(value)}; a cost is finite and not negative: 0, or from {_SMALLEST_COST:g} to "
            f"{LARGEST_COST:g}; choose another unit",
            field=field,
        )
    return number


def check_complete(costs: GroupCosts, groups: Sequence[Group]) -> None:
    """Refuse costs that leave a group out.

    Raises
    ------
    InputError
        A group has no cost.
    """
    lacking = [str(group.number) for group in groups if group.number not in costs.of]
    if lacking:
        raise InputError(f"no cost for group {list_names(lacking)}")
