"""``[couplings]``, ``[limits]`` and ``[ranges]`` of the file: read and checked; only exports use ranges."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from symgen.errors import MechanismError
from symgen.model.couplings import Belt, Coupling, Freedom, Gear, Rack, Relation
from symgen.model.named_freedoms import check_freedom, find_joint
from symgen.model.nearest import did_you_mean, list_names, show
from symgen.model.parameters import Numbers, refuse
from symgen.model.parts import Joint
from symgen.model.read_relation import RelationReader
from symgen.model.shapes import Problems, below

_TURNING = ("R", "C", "H")
_SLIDING = ("P", "C")
_MOST_TEETH = 1e6
_ORDERS = ("rate", "acc")


class CouplingReader:
    """Reads couplings, limits and ranges.

    Parameters
    ----------
    bodies : ids, the ground among them.
    joints : those that can be named; `choosable` as of `symgen.model.named_freedoms.find_joint`.
    """

    def __init__(
        self, bodies: Sequence[str], joints: Mapping[str, Joint], numbers: Numbers, choosable: Mapping[str, str]
    ) -> None:
        self.bodies, self.joints, self.numbers, self.choosable = bodies, joints, numbers, choosable

    def read_couplings(self, table: Mapping[str, Any], problems: Problems) -> tuple[Coupling, ...]:
        """Return the couplings in file order."""
        readers: dict[str | None, Callable[[str, Mapping[str, Any], str], Coupling]] = {
            None: self._relation,
            "gear": self._gear,
            "rack": self._rack,
            "belt": self._belt,
        }
        found: list[Coupling] = []
        for name, entry in table.items():
            try:
                found.append(readers[entry.get("kind")](name, entry, below("couplings", name)))
            except MechanismError as error:
                problems.keep(error)
            if problems.full:
                break
        return tuple(found)

    def read_limits(self, table: Mapping[str, Any], problems: Problems) -> dict[Freedom, tuple[float, float]]:
        """Return least and greatest value by freedom, in file order."""
        found: dict[Freedom, tuple[float, float]] = {}
        for name, freedom, values in _flat(table):
            path = below("limits", name if freedom is None else f"{name}.{freedom}")
            try:
                joint = find_joint(name, path, self.joints, self.choosable)
                if freedom is None:
                    example = f'; write "{name}.{joint.freedoms[0]}" = [...]' if joint.freedoms else ""
                    raise refuse(path, f"does not say which freedom of joint {show(name)} is limited{example}")
                check_freedom(joint, freedom, path)
                if (name, freedom) in found:
                    raise refuse(path, "the limits of this freedom are given twice")
                least, most = self.numbers.numbers(values, path)
                if not least < most:
                    what = "a joint that does not move is of type W, or driven by a number"
                    raise refuse(path, f"the first must be below the second, found [{least:g}, {most:g}]; {what}")
                found[name, freedom] = (least, most)
            except MechanismError as error:
                problems.keep(error)
            if problems.full:
                break
        return found

    def read_ranges(self, table: Mapping[str, Any], problems: Problems) -> dict[str, tuple[float, float]]:
        """Return least and greatest value by input: ``joint.freedom``, or that with ``.rate`` or ``.acc`` behind it."""
        found: dict[str, tuple[float, float]] = {}
        for name, values in _every(table):
            path = below("ranges", name)
            joint_id, _, rest = name.partition(".")
            freedom, _, order = rest.partition(".")
            try:
                joint = find_joint(joint_id, path, self.joints, self.choosable)
                check_freedom(joint, freedom, path)
                if order not in ("", *_ORDERS):
                    ends = " or ".join(f'"{joint_id}.{freedom}.{each}"' for each in _ORDERS)
                    raise refuse(path, f"{show(order)} is not a derivative{did_you_mean(order, _ORDERS)}; write {ends}")
                if joint.driven_freedoms is not None and freedom not in joint.driven_freedoms:
                    raise refuse(
                        path, ("this freedom is not driven, so it is not an input; [limits] applies to any freedom")
                    )
                if name in found:
                    raise refuse(path, "this range is given twice")
                least, most = self.numbers.numbers(values, path)
                if not least < most:
                    raise refuse(path, f"the first must be below the second, found [{least:g}, {most:g}]")
                found[name] = (least, most)
            except MechanismError as error:
                problems.keep(error)
            if problems.full:
                break
        return found

    def _relation(self, name: str, entry: Mapping[str, Any], path: str) -> Relation:
        reader = RelationReader(self.joints, self.choosable, self.numbers)
        return reader.read(name, entry["relation"], f"{path}.relation")

    def _gear(self, name: str, entry: Mapping[str, Any], path: str) -> Gear:
        first, second = self._two(entry, path, (_TURNING, _TURNING))
        teeth = self._teeth(entry["teeth"][0], f"{path}.teeth[0]"), self._teeth(entry["teeth"][1], f"{path}.teeth[1]")
        mesh = entry["mesh"]
        if mesh == "internal" and teeth[0] == teeth[1]:
            raise refuse(
                f"{path}.teeth", f"the ring of an internal mesh has more teeth than its wheel, found {teeth[0]} twice"
            )
        if mesh == "bevel" and self.numbers.space == "planar":
            raise refuse(
                f"{path}.mesh",
                "axes of bevel wheels meet, those of a planar mechanism are parallel; allowed "
                "are external and internal",
            )
        carrier = entry.get("carrier")
        ends = {*first.bodies, *second.bodies}
        if carrier is None and not set(first.bodies) & set(second.bodies):
            message = f"joints {show(first.id)} and {show(second.id)} have no body in common; name the body that holds "
            raise refuse(path, f'{message}both wheels: carrier = "..."')
        if carrier is not None and carrier not in self.bodies:
            known = did_you_mean(carrier, self.bodies) or f"; bodies are {list_names(self.bodies)}"
            raise refuse(f"{path}.carrier", f"no body has the id {show(carrier)}{known}")
        if carrier is not None and carrier not in ends:
            message = f"{show(carrier)} holds neither wheel; the joints are between {list_names(sorted(ends))}"
            raise refuse(f"{path}.carrier", message)
        return Gear(name, (first.id, second.id), teeth, mesh, carrier)

    def _rack(self, name: str, entry: Mapping[str, Any], path: str) -> Rack:
        first, second = self._two(entry, path, (_TURNING, _SLIDING))
        return Rack(name, (first.id, second.id), self._positive(entry["radius"], f"{path}.radius"))

    def _belt(self, name: str, entry: Mapping[str, Any], path: str) -> Belt:
        first, second = self._two(entry, path, (_TURNING, _TURNING))
        one, two = (self._positive(value, f"{path}.radii[{k}]") for k, value in enumerate(entry["radii"]))
        return Belt(name, (first.id, second.id), (one, two), entry.get("crossed", False))

    def _two(
        self, entry: Mapping[str, Any], path: str, types: tuple[tuple[str, ...], tuple[str, ...]]
    ) -> tuple[Joint, Joint]:
        """Return the two joints of a coupling; `types` are allowed for the first and for the second."""
        names = entry["joints"]
        first, second = (
            find_joint(name, f"{path}.joints[{k}]", self.joints, self.choosable) for k, name in enumerate(names)
        )
        if first is second:
            raise refuse(
                f"{path}.joints", (f"joint {show(first.id)} is given twice; a {entry['kind']} couples two joints")
            )
        for k, (joint, allowed) in enumerate(zip((first, second), types, strict=True)):
            if joint.type not in allowed:
                turned = types[0] != types[1] and first.type in types[1] and second.type in types[0]
                fix = "; write the wheel first, then the rack" if turned else ""
                what = (
                    f"joint {show(joint.id)} is a {joint.type}; the {('first', 'second')[k]} joint of a {entry['kind']}"
                )
                raise refuse(f"{path}.joints[{k}]", f"{what} is one of {', '.join(allowed)}{fix}")
        return first, second

    def _teeth(self, value: Any, path: str) -> int:
        number = self.numbers.number(value, path)
        if number != int(number) or not 1 <= number <= _MOST_TEETH:
            raise refuse(path, f"must be a whole number of teeth, found {number:g}")
        return int(number)

    def _positive(self, value: Any, path: str) -> float:
        number = self.numbers.number(value, path)
        if not number > 0.0:
            raise refuse(path, f"must be greater than 0 m, found {number:g}")
        return number


def _flat(table: Mapping[str, Any]) -> Iterator[tuple[str, str | None, Any]]:
    """Return joint, freedom, limits of each entry: ``"A.angle"``, or the table ``A.angle`` of a key without quotes."""
    for key, value in table.items():
        joint, _, freedom = key.partition(".")
        if isinstance(value, Mapping):
            yield from ((joint, f"{freedom}.{name}" if freedom else name, each) for name, each in value.items())
        else:
            yield joint, freedom or None, value


def _every(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Return name and range of each entry, however deep its key without quotes makes it stand."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _every(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value
