"""The manifest of a module: what the pipeline tells the library (docs/module-manifest.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from symgen.derive.derivation import Derivation
from symgen.derive.items import AssembliesStep, Step, inner_parts
from symgen.derive.loops.cut_body import loop_columns
from symgen.derive.module import Arrangement, ModuleDerivation
from symgen.emit.c99_signature import c_symbol
from symgen.errors import DerivationError
from symgen.ir.nodes import Port, Routine
from symgen.lower import statuses
from symgen.printers.c99 import Math
from symgen.printers.float_bounds import float_bounds, float_text
from symgen.printers.operations import bound_of_search, count_operations
from symgen.printers.plain import PlainPrinter
from symgen.proofs import Proof

if TYPE_CHECKING:  # what a module of one kind is made from is not what all kinds are made from
    from symgen.derive.constraints.module import ConstraintModule, ElementKind
    from symgen.derive.dynamics.module import DynamicsModule
    from symgen.derive.loops.module import LoopModule
    from symgen.derive.transfer.module import TransferModule
    from symgen.whole.chain import ChainModule
    from symgen.whole.module import WholeModule

SCHEMA = "symgen/module/3"
#: The table of ports that several arrangements of a group have alike.
GROUP = "group"
WHOLE_SCHEMA = "symgen/mechanism-module/1"
LOOP_SCHEMA = "symgen/loop-module/1"
ENGINE_SCHEMA = "symgen/engine/1"
DYNAMICS_SCHEMA = "symgen/dynamics/1"
TRANSFER_SCHEMA = "symgen/transfer/1"


def module_manifest(
    module: ModuleDerivation,
    arrangements: Sequence[Arrangement],
    routines: Sequence[Routine],
    proofs: Sequence[Proof],
    generator: str,
    files: dict[str, list[str]],
    lanes: Mapping[str, int] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return the manifest as a JSON tree; `lanes` numbers the functions whose batches run in lanes."""
    kernel = module.kernel
    return {
        "schema": SCHEMA,
        "generator": generator,
        "id": module.id,
        "title": module.title,
        "space": module.space,
        "method": module.method,
        "degree": module.degree,
        "branches": kernel.branches,
        "branch_order": "rank" if kernel.ranked else "signs",
        "branch_bits": [{"bit": b.bit, "name": b.name, "meaning": f"clear: {b.meaning}"} for b in kernel.bits],
        "source": module.source,
        "arrangements": [_arrangement(a) for a in arrangements],
        **_functions_and_ports(module.id, routines, lanes),
        "files": files,
        "derivation": [step for d in (kernel, *(a.derivation for a in arrangements)) for step in _steps(d)],
        "proofs": [asdict(proof) for proof in proofs],
        "float_accuracy": _float_accuracy(module.id),
    }


def _float_accuracy(module: str) -> dict[str, Any] | None:
    """Return what was measured of the float version, and the words of its header."""
    bounds = float_bounds(module)
    return None if bounds is None else {**bounds, "text": list(float_text(module))}


def loop_manifest(
    module: LoopModule,
    routines: Sequence[Routine],
    reference: Mapping[str, Sequence[float]] | None,
    generator: str,
    files: dict[str, list[str]],
    cdef: dict[str, str],
) -> dict[str, Any]:
    """Return the manifest of a mechanism's loop constraints as a JSON tree."""
    columns = loop_columns(module.graph)
    return {
        "schema": LOOP_SCHEMA,
        "generator": generator,
        "id": module.id,
        "title": module.title,
        "space": module.space,
        "order": module.order,
        "source": module.source,
        "graph": module.graph.to_dict(),
        "coordinates": [
            {"number": c.number, "joint": c.joint, "freedom": c.motion.freedom, "unit": c.motion.unit}
            for c in module.coordinates.every
        ],
        "loops": [
            {"joint": cycle.joint, "columns": list(own), "cut_columns": list(without)}
            for cycle, (own, without) in zip(module.graph.cycles, columns, strict=True)
        ],
        "reference": None if reference is None else {port: list(values) for port, values in reference.items()},
        "functions": [_function(module.id, r) for r in routines],
        "files": files,
        "cdef": cdef,
        "derivation": [{**step, "stage": name} for name, _, derivation in module.parts for step in _steps(derivation)],
    }


def engine_manifest(
    module: ConstraintModule,
    routines: Mapping[str, tuple[Routine, Routine]],
    generator: str,
    files: dict[str, list[str]],
    cdef: dict[str, str],
) -> dict[str, Any]:
    """Return the manifest of a solver for groups of any shape as a JSON tree."""
    return {
        "schema": ENGINE_SCHEMA,
        "generator": generator,
        "id": module.id,
        "title": module.title,
        "space": module.space,
        "method": "certified Newton",
        "source": module.source,
        "kinds": [
            {
                "code": kind.code,
                "name": kind.name,
                "rows": kind.rows,
                "points": kind.points,
                "slides": kind.slides,
                "turns": kind.turns,
                "helices": kind.helices,
                "functions": [
                    {**tree, "ports": [_without_defaults(port) for port in tree["ports"]]}
                    for tree in (_function(module.id, routine) for routine in routines[kind.name])
                ],
            }
            for kind in module.kinds
        ],
        "files": files,
        "cdef": cdef,
        "derivation": [
            {**step, "stage": name}
            for kind in module.kinds
            for name, d in (("constraint", kind.constraint), ("constraint_bias", kind.bias))
            for step in _steps(d)
        ],
    }


def chain_manifest(
    module: ChainModule,
    routines: Sequence[Routine],
    generator: str,
    files: dict[str, list[str]],
) -> dict[str, Any]:
    """Return the manifest of a chain that certified Newton solves as a JSON tree."""
    arrangement = module.arrangement
    return {
        "schema": SCHEMA,
        "generator": generator,
        "id": module.id,
        "title": module.title,
        "space": "planar" if module.planar else "spatial",
        "method": "certified Newton",
        "degree": 0,
        "branches": 1,
        "branch_order": "signs",
        "branch_bits": [],
        "source": module.source,
        "arrangements": [
            {
                "id": arrangement.id,
                "signature": arrangement.signature,
                "key": arrangement.key,
                "known": list(arrangement.known),
                "bodies": list(arrangement.bodies),
                "joints": [
                    {
                        "name": j.name, "type": j.type, "bodies": list(j.bodies), "freedoms": list(j.freedoms),
                        "driven": list(j.driven), "frames": list(j.frames), "coordinates": j.coordinates,
                        "drive": j.drive,
                    }
                    for j in arrangement.joints
                ],
            }
        ],
        **_functions_and_ports(module.id, routines),
        "files": files,
        "derivation": [],
        "proofs": [],
    }  # fmt: skip


def dynamics_manifest(
    module: DynamicsModule,
    kernels: Sequence[Routine],
    generator: str,
    files: dict[str, list[str]],
    cdef: str,
    minimal: str,
) -> dict[str, Any]:
    """Return the manifest of the dynamics engine as a JSON tree; `minimal` declares its part in minimal coordinates."""
    return {
        "schema": DYNAMICS_SCHEMA,
        "generator": generator,
        "id": module.id,
        "title": module.title,
        "source": module.source,
        "kinds": [
            {"code": kind.code, "name": kind.name, "rows": kind.rows, "lengths": _lengths(kind)}
            for kind in module.kinds
        ],
        "freedoms": [{"code": k, "pair": pair, "name": name} for k, (pair, name) in enumerate(module.freedoms)],
        "functions": [_part(module.id, routine) for routine in kernels],
        "files": files,
        "cdef": cdef,
        "cdef_minimal": minimal,
        "derivation": [
            {**step, "stage": kernel.name} for kernel in module.kernels for step in _steps(kernel.derivation)
        ],
    }


def transfer_manifest(
    module: TransferModule,
    kernels: Sequence[Routine],
    proofs: Mapping[str, Sequence[Proof]],
    generator: str,
    files: dict[str, list[str]],
) -> dict[str, Any]:
    """Return the manifest of the elements of transfer matrices as a JSON tree; `proofs` are those of each element."""
    return {
        "schema": TRANSFER_SCHEMA,
        "generator": generator,
        "id": module.id,
        "title": module.title,
        "source": module.source,
        "functions": [_part(module.id, routine) for routine in kernels],
        "files": files,
        "cdef": "",
        "derivation": [
            {**step, "stage": kernel.name} for kernel in module.kernels for step in _steps(kernel.derivation)
        ],
        "proofs": [{"element": name, **asdict(proof)} for name, found in proofs.items() for proof in found],
    }


def _lengths(kind: ElementKind) -> list[int]:
    """Return which rows of a pair or driven freedom are lengths: their unit in the derivation says so."""
    (port,) = [each for each in kind.constraint.outputs.values() if each.name == "residual"]
    units = port.unit.split(", ")
    return [k for k, unit in enumerate(units) if unit == "m"]


def whole_manifest(
    module: WholeModule,
    routines: Sequence[Routine],
    generator: str,
    files: dict[str, list[str]],
    cdef: dict[str, str],
    math: Math,
    lanes: Mapping[str, int],
) -> dict[str, Any]:
    """Return the manifest of a whole mechanism's module as a JSON tree; `lanes` is as in `module_manifest`."""
    layout = module.layout
    return {
        "schema": WHOLE_SCHEMA,
        "generator": generator,
        "id": module.id,
        "title": module.title,
        "space": module.plan.mechanism.space,
        "source": module.source,
        "drives": [".".join(key) for key in layout.drives],
        "drives_by": "laws" if layout.by_law else "inputs",
        "math": math,
        "groups": [
            {
                "number": number,
                "signature": each.group.signature,
                "bodies": list(each.group.bodies),
                "module": each.module,
                "branches": each.branches,
                "branch_order": "rank" if each.ranked else "signs",
                "method": each.method,
                "solved": number in layout.solved,
                "unchecked": list(dict.fromkeys(w for r in routines for k, w in r.unchecked if k == number)),
            }
            for number, each in enumerate(module.groups, start=1)
        ],
        "about_branches": module.about_branches(),
        "bodies": list(layout.bodies),
        "coordinates": [".".join(key) for key in layout.coordinates],
        "points": [f"{body}.{name}" for body, name, _ in layout.points],
        "geometry": [
            {"joint": joint, "body": body, "offset": offset, "values": list(values)}
            for joint, body, offset, values in layout.geometry
        ],
        "reference": {
            "branch": None if module.branch is None else list(module.branch),
            "geometry": [value for row in layout.geometry for value in row[3]],
            **_beginning(module),
        },
        "functions": [{**_function(module.id, r), **_in_lanes(r, lanes)} for r in routines],
        "files": files,
        "cdef": cdef,
    }


def _beginning(module: WholeModule) -> dict[str, Any]:
    """Return where followed branches begin."""
    layout, begin = module.layout, module.beginning
    if not layout.followed:
        return {}
    if begin is None:
        return {"time": None, "before": None, "start": None}
    places = layout.widths[0]
    start = [begin.state[at + k] for each in layout.iterated for _, at in each.bodies for k in range(places)]
    return {"time": begin.time, "before": list(begin.state), "start": start}


def _arrangement(arrangement: Arrangement) -> dict[str, Any]:
    return {
        "id": arrangement.id,
        "signature": arrangement.signature,
        "key": arrangement.key,
        "known": list(arrangement.known),
        "bodies": list(arrangement.bodies),
        "joints": [
            {
                "name": j.name,
                "type": j.type,
                "bodies": list(j.bodies),
                "freedoms": list(j.free),
                "driven": list(j.driven),
                "frames": [f"f_{j.name}_{body}" for body in j.bodies],
                "coordinates": f"q_{j.name}" if j.free and j.type != "S" else None,
                "drive": f"u_{j.name}" if j.driven else None,
            }
            for j in arrangement.joints
        ],
    }


def _functions_and_ports(
    module: str, routines: Sequence[Routine], lanes: Mapping[str, int] = MappingProxyType({})
) -> dict[str, Any]:
    """Return functions that name their ports, and the ports: those of the kernel and of each arrangement, once each."""
    functions: list[dict[str, Any]] = []
    tables: dict[str, dict[str, dict[str, Any]]] = {}
    for routine in routines:
        table = tables.setdefault(routine.arrangement or "kernel", {})
        tree = _function(module, routine)
        del tree["symbol"]  # the reader makes it of the names
        sides: dict[str, list[str]] = {"in": [], "out": []}
        for port in tree.pop("ports"):
            side, allowed = port.pop("direction"), port.pop("range")
            sides[side].append(port["name"])
            known = table.setdefault(port["name"], {**port, "range": ""})
            known["range"] = known["range"] or allowed
            if {**known, "range": ""} != {**port, "range": ""} or allowed not in ("", known["range"]):
                raise DerivationError(f"{module}, {routine.name}: port {port['name']} is described in two ways")
        functions.append({**tree, "inputs": sides["in"], "outputs": sides["out"], **_in_lanes(routine, lanes)})
    ports = {level: [_without_defaults(port) for port in table.values()] for level, table in tables.items()}
    return {"functions": functions, "ports": _told_once(ports)}


def _in_lanes(routine: Routine, lanes: Mapping[str, int]) -> dict[str, int]:
    return {"lanes": lanes[routine.name]} if routine.name in lanes else {}


def _told_once(ports: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """Take the ports that all arrangements with a port of that name describe alike into a table of the group's."""
    kernel, groups = (
        {k: v for k, v in ports.items() if k == "kernel"},
        {k: v for k, v in ports.items() if k != "kernel"},
    )
    if len(groups) < 2:
        return ports
    each: dict[str, list[dict[str, Any]]] = {}
    for table in groups.values():
        for port in table:
            each.setdefault(port["name"], []).append(port)
    alike = {name: found[0] for name, found in each.items() if len(found) > 1 and found.count(found[0]) == len(found)}
    own = {level: [port for port in table if port["name"] not in alike] for level, table in groups.items()}
    return {**kernel, GROUP: list(alike.values()), **own}


def _without_defaults(port: Mapping[str, Any]) -> dict[str, Any]:
    """Return what has to be said of a port: a number that is real, in no frame and in no range, says nothing of it."""
    return {key: value for key, value in port.items() if value not in ("", [], "real")}


def _function(module: str, routine: Routine) -> dict[str, Any]:
    bound = bound_of_search(routine)
    return {
        "name": routine.name,
        "level": routine.level,
        "arrangement": routine.arrangement,
        "stage": routine.stage,
        "symbol": {p: c_symbol(module, routine, p) for p in ("double", "float")},
        "ports": [_port(p) for p in routine.ports],
        "statuses": [s.name for s in statuses(routine)],
        "operations": count_operations(routine),
        **({} if bound is None else {"search": asdict(bound)}),
    }


def _part(module: str, routine: Routine) -> dict[str, Any]:
    """Return a function that is static in C: it has no symbol there."""
    tree = _function(module, routine)
    del tree["symbol"]
    return {**tree, "ports": [_without_defaults(port) for port in tree["ports"]]}


def _port(port: Port) -> dict[str, Any]:
    return {
        "name": port.name,
        "direction": port.direction,
        "kind": port.kind,
        "shape": list(port.shape),
        "unit": port.unit,
        "frame": port.frame,
        "meaning": port.meaning,
        "range": port.range if port.direction == "in" else "",
    }


def _steps(derivation: Derivation) -> list[dict[str, Any]]:
    order: dict[str, int] = {}
    for port in derivation.inputs.values():
        order.update((e, len(order)) for e in port.elements)
    printer = PlainPrinter({}, order)
    steps = []
    steps += [step for part in inner_parts(derivation) for step in _steps(part.derivation)]
    for item in derivation.items:
        if isinstance(item, AssembliesStep):  # how a candidate is found and what it must close say what the loop is
            steps += [step for part in item.parts[1:3] for step in _steps(part.derivation)]
        if isinstance(item, Step) and item.part != "proof":
            texts = [f"{t} = {printer.print_expression(v)}" for t, v in zip(item.targets, item.values, strict=True)]
            order.update((t, len(order) + k) for k, t in enumerate(item.targets))
            steps.append(
                {
                    "level": derivation.level,
                    "arrangement": derivation.arrangement,
                    "stage": item.part,
                    "name": item.name,
                    "meaning": item.meaning,
                    "unit": item.unit,
                    "source": item.source,
                    "formula": "; ".join(texts),
                }
            )
    return steps
