"""The manifest of a generated module as typed, frozen data: the only thing the library knows about generated code.

The format is described in ``docs/module-manifest.md``. Fields a newer generator
adds are ignored; another schema number is refused.
"""

from __future__ import annotations

import base64
import bz2
import re
from collections.abc import Iterable
from typing import Literal

import msgspec

from symgen.errors import MechanismError
from symgen.resources import Place
from symgen.status import MEANING, Status

SCHEMA = "symgen/module/3"
_OTHER_KINDS = frozenset(
    {
        "symgen/dynamics/1",
        "symgen/engine/1",
        "symgen/loop-module/1",
        "symgen/mechanism-module/1",
        "symgen/transfer/1",
    }
)

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,120}\Z")
_FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,120}\Z")

Level = Literal["kernel", "group"]
Stage = Literal["position", "velocity", "acceleration", "all", "condition", "rates"]


class ManifestPort(msgspec.Struct, frozen=True, kw_only=True):
    """One argument of a function: its shape, unit, frame and meaning."""

    name: str
    direction: Literal["in", "out"]
    kind: Literal["real", "int"]
    shape: tuple[int, ...] = ()
    unit: str = ""
    frame: str = ""
    meaning: str = ""
    range: str = ""

    @property
    def size(self) -> int:
        """Number of values the port holds."""
        count = 1
        for extent in self.shape:
            count *= extent
        return count


class Function(msgspec.Struct, frozen=True, kw_only=True):
    """One generated function: what it is for, its ports in call order (inputs first) and the statuses it may return.

    `lanes` is its number in the module if batches of it run in lanes of vector registers, else 0.
    """

    name: str
    level: Level
    stage: Stage
    arrangement: str | None = None
    symbol: dict[str, str] = {}
    ports: tuple[ManifestPort, ...]
    statuses: tuple[str, ...] = ()
    operations: dict[str, int] = {}
    search: dict[str, int] = {}
    lanes: int = 0

    @property
    def inputs(self) -> tuple[ManifestPort, ...]:
        """Input ports in call order."""
        return tuple(port for port in self.ports if port.direction == "in")

    @property
    def outputs(self) -> tuple[ManifestPort, ...]:
        """Output ports in call order."""
        return tuple(port for port in self.ports if port.direction == "out")


class ManifestJoint(msgspec.Struct, frozen=True, kw_only=True):
    """One joint of an arrangement.

    `freedoms` are the free ones in the order of the coordinate port, `driven` those of the drive port; `frames`,
    `coordinates` and `drive` are names of ports.
    """

    name: str
    type: str
    bodies: tuple[str, str]
    freedoms: tuple[str, ...] = ()
    driven: tuple[str, ...] = ()
    frames: tuple[str, str]
    coordinates: str | None = None
    drive: str | None = None


class ManifestArrangement(msgspec.Struct, frozen=True, kw_only=True):
    """One way of putting a module's joints in a row: ``k1-b1``, ``b1-b2``, ..., ``k2-b2``."""

    id: str
    signature: str
    key: str = ""
    known: tuple[str, ...]
    bodies: tuple[str, ...]
    joints: tuple[ManifestJoint, ...]


class ManifestBranchBit(msgspec.Struct, frozen=True, kw_only=True):
    """One bit of the branch index and what it decides."""

    bit: int
    name: str
    meaning: str = ""


class DerivationStep(msgspec.Struct, frozen=True, kw_only=True):
    """One named step of the derivation, for people to read."""

    name: str
    formula: str = ""
    meaning: str = ""
    unit: str = ""
    source: str = ""
    level: str = ""
    arrangement: str | None = None
    stage: str = ""


class ManifestProof(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was proved or checked with many digits when the module was generated."""

    name: str
    statement: str = ""
    method: str = ""
    bound: str = ""
    level: Level = "kernel"
    arrangement: str | None = None


class Ratios(msgspec.Struct, frozen=True, kw_only=True):
    """Errors of the float version per condition * FLT_EPSILON (rates: condition squared): 99 in 100, worst, bound."""

    most: float
    worst: float
    bound: float


class FloatAccuracy(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured of the float version: `lost` of the `well_conditioned` solutions; `text` is for people."""

    instances: int
    solutions: int
    well_conditioned: int
    lost: int
    instances_with_lost: int
    position: Ratios
    velocity: Ratios
    acceleration: Ratios
    text: tuple[str, ...] = ()


class _About(msgspec.Struct, frozen=True, kw_only=True):
    """What a manifest says of a module but for its functions; `derivation` is the file of its steps."""

    schema: str
    generator: str = ""
    id: str
    title: str = ""
    space: Literal["planar", "spatial"]
    method: str = ""
    degree: int = 0
    branches: int = 1
    branch_order: Literal["signs", "rank"] = "signs"
    branch_bits: tuple[ManifestBranchBit, ...] = ()
    source: str = ""
    arrangements: tuple[ManifestArrangement, ...]
    files: dict[str, tuple[str, ...]]
    derivation: str | None = None
    proofs: tuple[ManifestProof, ...] = ()
    float_accuracy: FloatAccuracy | None = None
    #: Digests of the files beside the manifest, as they were written.
    sha256: dict[str, str] = {}
    #: Of a derivation that is not symgen's own: file and name, or package and entry point.
    origin: dict[str, str] = {}
    #: Of such a derivation: what its guards and flags say of a status, by its name.
    meanings: dict[str, str] = {}


class Manifest(_About, frozen=True, kw_only=True):
    """A generated module: one multiset of joints, its arrangements and functions."""

    functions: tuple[Function, ...]

    def is_complete(self, precision: str) -> bool:
        """Tell whether all branches are found: in float those of ranked zeros only if none was lost in measurements."""
        if precision != "float":
            return True
        measured = self.float_accuracy
        return measured.lost == 0 if measured is not None else self.branch_order == "signs"

    def meaning(self, status: Status) -> str:
        """Return what a status of its functions means: by its own guards, if it is not symgen's."""
        return self.meanings.get(status.name, MEANING[status])

    def function(self, name: str) -> Function | None:
        """Return the function of this name, or None."""
        return next((function for function in self.functions if function.name == name), None)

    def functions_of(self, level: Level, arrangement: str | None = None) -> tuple[Function, ...]:
        """Return the functions of one level; of the group level, those of one arrangement."""
        return tuple(
            function
            for function in self.functions
            if function.level == level and (level == "kernel" or function.arrangement == arrangement)
        )


#: The table of ports that several arrangements of a group have alike.
_GROUP = "group"


class _WrittenPort(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    kind: Literal["real", "int"] = "real"
    shape: tuple[int, ...] = ()
    unit: str = ""
    frame: str = ""
    meaning: str = ""
    range: str = ""


class _WrittenFunction(msgspec.Struct, frozen=True, kw_only=True):
    """A function as it is written: its ports are names in the table of its level, or arrangement."""

    name: str
    level: Level
    stage: Stage
    arrangement: str | None = None
    symbol: dict[str, str] = {}
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    statuses: tuple[str, ...] = ()
    operations: dict[str, int] = {}
    lanes: int = 0


class _Written(_About, frozen=True, kw_only=True):
    functions: tuple[_WrittenFunction, ...]
    ports: dict[str, tuple[_WrittenPort, ...]] = {}


class _Head(msgspec.Struct):
    schema: str | None = None


def is_ours(path: Place) -> bool:
    """Tell whether a file is a manifest of a module of some kind."""
    try:
        schema = msgspec.json.decode(path.read_bytes(), type=_Head).schema
    except (OSError, msgspec.DecodeError):
        return False
    return schema == SCHEMA or schema in _OTHER_KINDS


def is_of_another_kind(path: Place) -> bool:
    """Tell whether a manifest is one of ours that holds no solved types: a mechanism's, loops', a solver for groups."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Head).schema in _OTHER_KINDS
    except (OSError, msgspec.DecodeError):
        return False


def read_manifest(path: Place) -> Manifest:
    """Read and validate one manifest file.

    Raises
    ------
    MechanismError
        The file is not JSON, is of another schema, or breaks the format; the message names file and field.
    """
    text = path.read_bytes()
    try:
        found = msgspec.json.decode(text, type=_Head).schema
        if found == SCHEMA:
            written = msgspec.json.decode(text, type=_Written)
    except msgspec.DecodeError as error:
        raise MechanismError(f"not a module manifest: {error}", file=str(path)) from error
    if found != SCHEMA:
        raise MechanismError(
            f"found {found!r}, this symgen reads {SCHEMA!r}: generate the module again "
            f"(symgen generate) or install the symgen that wrote it",
            file=str(path),
            field="schema",
        )
    _check_names(written, path)
    try:
        functions = _functions(written)
    except KeyError as error:
        raise MechanismError(f"no port {error} is described", file=str(path), field="ports") from error
    about = {name: getattr(written, name) for name in _About.__struct_fields__}
    return Manifest(**about, functions=functions)


def _symbols(module: str, function: str) -> dict[str, str]:
    """Return the names of a function in C."""
    return {"double": f"symgen_{module}_{function}", "float": f"symgenf_{module}_{function}"}


def _functions(written: _Written) -> tuple[Function, ...]:
    """Return the functions with their ports; those of a name are one object."""
    tables: dict[str, dict[str, tuple[ManifestPort, ManifestPort]]] = {}
    for level, ports in written.ports.items():
        tables[level] = {port.name: (_port(port, "in", port.range), _port(port, "out", "")) for port in ports}
    for level, table in tables.items():
        tables[level] = {**({} if level == "kernel" else tables.get(_GROUP, {})), **table}
    found = []
    for one in written.functions:
        table = tables[one.arrangement or "kernel"] if one.inputs or one.outputs else {}
        found.append(
            Function(
                name=one.name,
                level=one.level,
                stage=one.stage,
                arrangement=one.arrangement,
                symbol=one.symbol or _symbols(written.id, one.name),
                ports=(*(table[name][0] for name in one.inputs), *(table[name][1] for name in one.outputs)),
                statuses=one.statuses,
                operations=one.operations,
                lanes=one.lanes,
            )
        )
    return tuple(found)


def _port(port: _WrittenPort, direction: Literal["in", "out"], allowed: str) -> ManifestPort:
    return ManifestPort(
        name=port.name,
        direction=direction,
        kind=port.kind,
        shape=port.shape,
        unit=port.unit,
        frame=port.frame,
        meaning=port.meaning,
        range=allowed,
    )


def read_steps(path: Place) -> tuple[DerivationStep, ...]:
    """Return the steps of a derivation: lines of JSON, compressed, in letters.

    Raises
    ------
    MechanismError
        The file is missing, or is none of this kind.
    """
    try:
        lines = bz2.decompress(base64.b64decode(path.read_bytes())).splitlines()
        return tuple(msgspec.json.decode(line, type=DerivationStep) for line in lines)
    except (OSError, ValueError, msgspec.DecodeError) as error:
        raise MechanismError(f"not the steps of a derivation: {error}", file=str(path)) from error


def _check_names(manifest: _Written, path: Place) -> None:
    """Names end in C, in file paths and in attribute names: accept nothing but identifiers and plain file names."""
    identifiers = [("id", manifest.id)]
    for function in manifest.functions:
        identifiers.append((f"functions.{function.name}.name", function.name))
        identifiers += [(f"functions.{function.name}.symbol.{p}", s) for p, s in sorted(function.symbol.items())]
    identifiers += [(f"ports.{level}", port.name) for level, ports in manifest.ports.items() for port in ports]
    _refuse(path, identifiers, _IDENTIFIER, "an identifier (letters, digits, underscore)")
    files = [(f"files.{kind}", name) for kind, names in sorted(manifest.files.items()) for name in names]
    files += [("derivation", manifest.derivation)] if manifest.derivation is not None else []
    _refuse(path, files, _FILE_NAME, "a plain file name without folder")
    arrangements = {arrangement.id for arrangement in manifest.arrangements}
    for function in manifest.functions:
        if function.level == "group" and function.arrangement not in arrangements:
            raise MechanismError(
                f"found {function.arrangement!r}; arrangements are {', '.join(sorted(arrangements))}",
                file=str(path),
                field=f"functions.{function.name}.arrangement",
            )


def _refuse(path: Place, named: Iterable[tuple[str, str]], allowed: re.Pattern[str], what: str) -> None:
    for field, text in named:
        if not allowed.match(text):
            raise MechanismError(f"found {text!r}, which is not {what}", file=str(path), field=field)
