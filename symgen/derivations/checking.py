"""What a module of somebody's own must be before it is derived any further: names, shapes and ports, told plainly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import cast

from symgen.algebra import Expr, symbol_names
from symgen.derivations.ranges import guarded
from symgen.derive.catalogue import module_ids, rare_ids
from symgen.derive.constraints.module import ENGINES
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.module import ID as DYNAMICS
from symgen.derive.items import (
    AssembliesStep,
    CallStep,
    Check,
    Identity,
    Item,
    SamplesStep,
    SolveStep,
    Step,
    SystemStep,
    ZeroClaim,
    ZerosStep,
    inner_parts,
)
from symgen.derive.joints import PRIMITIVES
from symgen.derive.module import Arrangement, JointSlot, ModuleDerivation
from symgen.derive.planar.modules import PREFIX as PLANAR
from symgen.derive.ports import TAKEN_BY_BATCHES, TAKEN_BY_ROUTINES
from symgen.derive.rings.modules import PREFIX as RING
from symgen.derive.transfer.module import ID as TRANSFER
from symgen.errors import DerivationError, InputError
from symgen.ir.nodes import Port, Routine
from symgen.library.catalogue import load_catalogue
from symgen.model.nearest import did_you_mean
from symgen.model.pairs import PAIR_TYPES
from symgen.naming import check_identifier
from symgen.status import Status
from symgen.topology.signatures import parse_signature

#: Pairs whose closure is proved, by space.
_TYPES = {"planar": ("R", "P", "FP", "L"), "spatial": (*PRIMITIVES, "H")}
_SIZES = {"planar": (3, 3, 3), "spatial": (7, 6, 6)}
_KNOWN, _UNKNOWN = re.compile(r"k[1-9]\d?"), re.compile(r"b[1-9]\d?")

#: Parts of which a function gives the results.
_GIVEN = ("position", "velocity", "acceleration", "condition")
#: So many components of a result are named in a message.
_FEW = 6
_NOTHING_CLAIMED = (
    "{name}: nothing is claimed of it, so nothing would be proved; add d.claim_identity(name, statement, [left - "
    "right]) or d.claim_zero(...): an equation that the results satisfy and that they were not made from. (A "
    "structural group needs no claim: symgen proves of every group that its joints close.)"
)


def checked(module: object, where: str) -> ModuleDerivation:
    """Return a module whose arrangements are looked at as soon as they are derived.

    Raises
    ------
    InputError
        It is no module, or its id is taken or cannot stand in code.
    """
    if not isinstance(module, ModuleDerivation):
        hint = "; a Derivation becomes a module by formula(kernel, id=...)" if isinstance(module, Derivation) else ""
        if module is None:
            hint = "; is a `return` missing?"
        raise InputError(
            f"{where}: expected a function without arguments that returns a ModuleDerivation (formula(...), "
            f"element(...)), found {'None' if module is None else type(module).__name__}{hint}"
        )
    check_identifier(module.id)
    if module.id in (*module_ids(), *rare_ids(), *ENGINES, DYNAMICS, TRANSFER) or module.id.startswith((PLANAR, RING)):
        raise InputError(f"{where}: the id {module.id!r} is that of a module of symgen; give yours another id")
    if module.space not in _SIZES:
        raise InputError(f"{where}: space is {module.space!r}; allowed are planar, spatial")
    if not isinstance(module.kernel, Derivation) or module.kernel.level != "kernel":
        raise InputError(f"{where}: kernel must be a Derivation of level 'kernel'")
    if "position" not in module.kernel.output_part.values():
        raise InputError(
            f"{where}: {module.kernel.name} has no result in the part 'position'; "
            "d.output(name, step, ...) declares one"
        )
    given = {element for port in module.kernel.inputs.values() for element in port.elements}
    for name, port in module.kernel.outputs.items():
        passed = [element for element in port.elements if element in given]
        if passed:
            raise InputError(
                f"{where}: result {name!r} is the argument {', '.join(passed)} itself; a result is a step of its own"
            )

    _check_arguments(module.kernel, where)

    def arrange(position: Routine) -> tuple[Arrangement, ...]:
        found = module.arrange(position)
        if not isinstance(found, tuple) or not all(isinstance(each, Arrangement) for each in found):
            raise DerivationError(f"{module.id}: `arrange` must return a tuple of Arrangement; found {found!r}")
        if not found:
            check_claims(module.kernel)
        for arrangement in found:
            _check_arrangement(module, arrangement)
        names = [arrangement.id for arrangement in found]
        if len(set(names)) < len(names):
            raise DerivationError(f"{module.id}: arrangements have ids of their own; found {', '.join(names)}")
        return tuple(replace(each, derivation=guarded(each.derivation)) for each in found)

    _check_derivation(module.kernel)
    return replace(module, kernel=guarded(module.kernel), arrange=arrange)


def _check_arguments(d: Derivation, where: str) -> None:
    taken = [name for name in (*d.inputs, *d.outputs) if name in TAKEN_BY_BATCHES | TAKEN_BY_ROUTINES]
    if taken:
        raise InputError(
            f"{where}: {d.name}: an argument or result cannot be called {taken[0]!r}: the code around it has a name "
            f"like that; take another, such as '{taken[0]}_value' (steps may have it)"
        )


def claims_of(d: Derivation) -> tuple[Identity | ZeroClaim, ...]:
    """Return the claims of a derivation."""
    return (*d.identities, *d.zero_claims)


def check_claims(d: Derivation) -> None:
    """Refuse a kernel by itself that claims nothing, or has a result that no claim involves: it would not be proved.

    Raises
    ------
    DerivationError
        Names the results.
    """
    proved = _proved_of_parts(d)
    if not claims_of(d) and not proved:
        raise DerivationError(_NOTHING_CLAIMED.format(name=d.name))
    involved = proved.union(name for claim in claims_of(d) for name in _involved(d, claim))
    left = {name: [e for e in port.elements if e not in involved] for name, port in d.outputs.items()}
    unclaimed = [
        repr(name) if len(missing) == len(d.outputs[name].elements) else f"{name!r} ({', '.join(missing[:_FEW])})"
        for name, missing in left.items()
        if missing and d.output_part[name] != "proof"
    ]
    if unclaimed:
        results = f"result{'s' * (len(unclaimed) > 1)} {', '.join(unclaimed)}"
        raise DerivationError(
            f"{d.name}: no claim involves the {results}, so nothing would be proved of it: whatever it is, "
            "all claims hold. Add an equation in which it stands; claim_zero takes any function of it, such as "
            "x*sin(angle) - y*cos(angle) of an angle"
        )


def _proved_of_parts(d: Derivation) -> set[str]:
    """Return what inner parts with claims of their own give; such a part must claim something of all its results."""
    claiming = {part for part in inner_parts(d) if claims_of(part.derivation)}
    for part in claiming:
        check_claims(part.derivation)
    calls = [item for item in d.items if isinstance(item, CallStep) and item.routine in claiming]
    return {name for call in calls for name in _targets(call)}


def _involved(d: Derivation, claim: Identity | ZeroClaim) -> set[str]:
    """Return the names on which it depends whether a claim holds: those in it, and what these are made of.

    Of a name that the claim keeps its definition does not matter.
    """
    if isinstance(claim, ZeroClaim):
        needed, kept = set(claim.ports), frozenset[str]()
    else:
        needed = {n for value in (*claim.residuals, *claim.squares.values()) for n in symbol_names(value)}
        kept = frozenset(claim.keep)
    for item in reversed(d.items):
        wanted = needed.intersection(_targets(item)) - kept
        if wanted:
            needed |= _sources(item, wanted)
    return needed


def _targets(item: Item) -> tuple[str, ...]:
    """Return what an item gives names to; a system is called by the name that solutions call it by."""
    if isinstance(item, Check):
        return ()
    if isinstance(item, SystemStep):
        return (_system(item.name),)
    return tuple(name for group in item.targets for name in group) if isinstance(item, CallStep) else item.targets


def _sources(item: Item, wanted: set[str]) -> set[str]:
    """Return the names that an item makes some of its targets of."""
    values: Iterable[Expr] = ()
    if isinstance(item, Step):
        values = [v for target, v in zip(item.targets, item.values, strict=True) if target in wanted]
    elif isinstance(item, (CallStep, SamplesStep)):
        values = [value for group in item.inputs for value in group]
    elif isinstance(item, ZerosStep):
        values = (*item.coefficients, item.rank, *(() if item.least is None else (item.least,)))
    elif isinstance(item, AssembliesStep):
        values = (*item.inputs, item.rank)
    elif isinstance(item, SystemStep):
        values = [value for row in item.matrix for value in row]
    elif isinstance(item, SolveStep):
        values = item.right
    names = {name for value in values for name in symbol_names(value)}
    return names | {_system(item.system)} if isinstance(item, SolveStep) else names


def _system(name: str) -> str:
    return f"system {name}"


def _check_derivation(d: Derivation) -> None:
    """Refuse claims that say nothing, results that no function gives, and two meanings of SINGULAR."""
    steps = {t: v for item in d.items if isinstance(item, Step) for t, v in zip(item.targets, item.values, strict=True)}
    for claim in claims_of(d):
        ports = claim.ports if isinstance(claim, ZeroClaim) else ()
        residuals = [steps[port] for port in ports] if ports else cast(Identity, claim).residuals
        if not any(symbol_names(residual) for residual in residuals):
            raise DerivationError(
                f"{d.name}: claim {claim.name!r} says nothing: its residuals are plain numbers; give differences that "
                "contain steps and inputs"
            )
    proved = {port for claim in d.zero_claims for port in claim.ports}
    for name, part in d.output_part.items():
        if part not in _GIVEN and name not in proved:
            raise DerivationError(
                f"{d.name}: no function gives the result {name!r} of the part {part!r}; results belong to "
                f"{', '.join(_GIVEN)}"
            )
    singular = {
        i.kind for i in d.items if isinstance(i, Check) and i.status is Status.SINGULAR and i.part == "position"
    }
    if len(singular) == 2:
        raise DerivationError(
            f"{d.name}: Status.SINGULAR stands in a guard and in a flag of the position; after a flag results are "
            "written, after a guard they are not: give the guard another status, such as DEGENERATE"
        )
    for inner in inner_parts(d):
        _check_derivation(inner.derivation)
        for name, where in inner.derivation.output_part.items():
            if where not in ("position", "proof"):
                raise DerivationError(
                    f"{inner.name}: result {name!r} belongs to the part {where!r}; an inner part gives all its results "
                    'in the part "position", whatever they are'
                )


def _check_arrangement(module: ModuleDerivation, arrangement: Arrangement) -> None:
    _check_arguments(arrangement.derivation, module.id)
    _check_derivation(arrangement.derivation)
    faults = list(_faults(module, arrangement))
    if faults:
        raise DerivationError(f"{module.id}, arrangement {arrangement.id!r}: " + "; ".join(faults))
    _check_signature(module, arrangement)


def _faults(module: ModuleDerivation, arrangement: Arrangement) -> Iterator[str]:
    d = arrangement.derivation
    check_identifier(arrangement.id)
    if arrangement.space != module.space:
        yield f"space is {arrangement.space!r}, that of the module {module.space!r}"
        return
    if d.level != "group" or d.arrangement != arrangement.id:
        yield f"its Derivation must have level='group', arrangement={arrangement.id!r}; found {d.level!r}, "
        yield repr(d.arrangement)
        return
    for names, pattern, what in ((arrangement.known, _KNOWN, "k1, k2"), (arrangement.bodies, _UNKNOWN, "b1, b2")):
        for name in names:
            if not pattern.fullmatch(name):
                yield f"body {name!r}: bodies of this kind are called {what}, ..."
    for joint in arrangement.joints:
        yield from _joint_faults(arrangement, joint)
    pose, twist, acceleration = _SIZES[arrangement.space]
    for body in arrangement.known:
        ports = ((body, pose), (f"v_{body}", twist), (f"a_{body}", acceleration))
        yield from _port_faults(d.inputs, ports, "input", f"known_body(d, {body!r}, ...)")
    for body in arrangement.bodies:
        ports = ((body, pose), (f"v_{body}", twist), (f"a_{body}", acceleration))
        yield from _port_faults(d.outputs, ports, "result", f"the motion of {body}")


def _joint_faults(arrangement: Arrangement, joint: JointSlot) -> Iterator[str]:
    d, types = arrangement.derivation, _TYPES[arrangement.space]
    if joint.type not in types:
        yield f"joint {joint.name}: {joint.type!r} is none of {', '.join(types)}{did_you_mean(joint.type, types)}"
        return
    freedoms = PAIR_TYPES[joint.type].freedoms
    given = sorted((*joint.free, *joint.driven))
    if given != sorted(freedoms):
        yield f"joint {joint.name}: free and driven must name {', '.join(freedoms)} once each; found {', '.join(given)}"
    for body in joint.bodies:
        if body not in (*arrangement.known, *arrangement.bodies):
            yield f"joint {joint.name}: there is no body {body!r}"
    pose = _SIZES[arrangement.space][0]
    frames = tuple((f"f_{joint.name}_{body}", pose) for body in joint.bodies)
    yield from _port_faults(d.inputs, frames, "input", f"joint_frame(d, {joint.name!r}, body)")
    if joint.driven:
        drives = tuple((f"{u}_{joint.name}", len(joint.driven)) for u in ("u", "ud", "udd"))
        yield from _port_faults(d.inputs, drives, "input", f"the drive of {joint.name}: {', '.join(joint.driven)}")
    if joint.free and joint.type != "S":
        coordinates = tuple((f"{q}_{joint.name}", len(joint.free)) for q in ("q", "qd", "qdd"))
        yield from _port_faults(d.outputs, coordinates, "result", f"coordinates of {joint.name}")


def _port_faults(ports: dict[str, Port], wanted: Sequence[tuple[str, int]], kind: str, what: str) -> Iterator[str]:
    for name, size in wanted:
        if name not in ports:
            yield f"lacks the {kind} {name!r} ({what})"
        elif ports[name].shape != (size,):
            yield f"{kind} {name!r} must have shape ({size},); found {ports[name].shape}"


def _check_signature(module: ModuleDerivation, arrangement: Arrangement) -> None:
    """Refuse what is no structural group, is read from the wrong end, or is solved by somebody else."""
    text = arrangement.signature
    if not text.startswith("<"):
        read = parse_signature(text).text
        if read != text:
            raise DerivationError(
                f"{module.id}, arrangement {arrangement.id!r}: its joints read {text!r}; in the order of Table 3 it is "
                f"{read!r}: put them in that order"
            )
    for entry in load_catalogue().matching(arrangement.key):
        if entry.manifest.id != module.id:
            raise DerivationError(
                f"{module.id}, arrangement {arrangement.id!r}: {arrangement.key!r} is solved by module "
                f"{entry.manifest.id!r}, in {entry.module.folder}; a type belongs to one module"
            )


def check_ports_used(lowered: Sequence[Routine], arrangements: Sequence[Arrangement]) -> None:
    """Refuse a group whose results do not depend on all of its ports: the proof of closure asks for each.

    Raises
    ------
    DerivationError
        Names the ports.
    """
    for arrangement in arrangements:
        routine = next(r for r in lowered if r.arrangement == arrangement.id and r.stage == "all")
        unused = [name for name in arrangement.derivation.inputs if name not in {port.name for port in routine.inputs}]
        if unused:
            raise DerivationError(
                f"{routine.name}: no result depends on {', '.join(unused)}; position, velocity and acceleration of a "
                "group depend on poses, twists and accelerations of its known bodies, joint frames and drives"
            )
