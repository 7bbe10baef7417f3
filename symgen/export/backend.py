"""What an export is written for: a backend is one folder behind one protocol, in one table.

A backend is given a `Subject` (a mechanism or a solved type with its C) and what the command line says about the
backend itself, and returns files. Other distributions register theirs as entry points of the group `symgen.backends`
(docs/export-backends.md).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from symgen.errors import InputError
from symgen.model.nearest import did_you_mean

if TYPE_CHECKING:
    from symgen.export.subject import Subject
    from symgen.model.mechanism import Mechanism
    from symgen.printers.c99 import Precision

SCHEMA = "symgen/export/1"
GROUP = "symgen.backends"
#: Name of a backend -> the module that holds it as `BACKEND`; it is imported for its options, so it imports little.
BACKENDS = {
    "embedded": "symgen.export.embedded",
    "fmu": "symgen.export.fmu",
    "shared": "symgen.export.shared",
    "cpp": "symgen.export.cpp",
    "casadi": "symgen.export.casadi",
    "matlab": "symgen.export.matlab",
}
#: Options that say what is exported, not for whom; a backend names those that mean something to it.
COMMON = (
    "--prefix", "--precision", "--results", "--stages", "--drives", "--branch", "--arrangement", "--period",
    "--ranges", "--math", "--checks", "--batch", "--allow-iterative", "--at", "--assembly",
)  # fmt: skip


@dataclass(frozen=True)
class Setting:
    """An option of the command line that belongs to a backend.

    Parameters
    ----------
    flag : as it is written, ``--fmi``; ``--targets/--no-targets`` is on or off.
    help : one line.
    metavar : of its text; empty for what is on or off, or one of `choices`.
    default : a text, or whether it is on.
    """

    flag: str
    help: str
    metavar: str = ""
    choices: tuple[str, ...] = ()
    default: str | bool | None = None

    @property
    def name(self) -> str:
        """The option without dashes and without its opposite: the key in `Asked.settings`."""
        return self.flag.partition("/")[0].lstrip("-").replace("-", "_")


@dataclass(frozen=True)
class Asked:
    """What the command line says besides the subject: the command that makes the export again, settings by name."""

    command: str
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Product:
    """What a backend has made.

    Parameters
    ----------
    files : path -> text or bytes, the manifest among them.
    manifest : the tree of the manifest: `schema`, `title`, `files` (path -> digest) and what else there is to tell.
    said : lines for the user about it.
    table : head and rows of figures; no rows: none.
    notes : what whoever uses it has to know.
    not_run : what was left undone here, and why.
    """

    files: Mapping[str, str | bytes]
    manifest: Mapping[str, Any]
    said: tuple[str, ...] = ()
    table: tuple[tuple[object, ...], ...] = ()
    notes: tuple[str, ...] = ()
    not_run: tuple[str, ...] = ()


@runtime_checkable
class ExportBackend(Protocol):
    """One system that exports are written for."""

    @property
    def name(self) -> str:
        """What stands behind ``--for``."""
        ...

    @property
    def summary(self) -> str:
        """One line for the help."""
        ...

    @property
    def common(self) -> frozenset[str]:
        """Of `COMMON`, the options that mean something to it."""
        ...

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Options of its own."""
        ...

    @property
    def precision(self) -> Precision:
        """Of its numbers, if the command line does not say."""
        ...

    @property
    def manifest(self) -> str:
        """Path of the manifest among its files."""
        ...

    @property
    def archive(self) -> str:
        """Ending of a name that makes ``--out`` one file, ``.fmu``; empty if there are only folders."""
        ...

    @property
    def tangent(self) -> bool:
        """Whether subjects shall have exact derivatives, where they can be differentiated."""
        ...

    def check(self, settings: Mapping[str, Any]) -> None:
        """Refuse wrong settings (InputError) before any work is done."""

    def files(self, subject: Subject, asked: Asked) -> Product:
        """Return the files of an export; InputError if the subject cannot be exported to this system."""


@runtime_checkable
class DynamicsBackend(ExportBackend, Protocol):
    """A backend that has a setting ``--dynamics`` and writes the dynamics of a mechanism, too."""

    def dynamics(self, mechanism: Mechanism, prefix: str | None, asked: Asked) -> Product:
        """Return the files of an export of dynamics; InputError or MechanismError if there can be none."""


_MEMBERS = ("name", "summary", "common", "settings", "precision", "manifest", "archive", "tangent", "check", "files")


def backends() -> dict[str, ExportBackend]:
    """Return all backends by name: those of the table, then those of other distributions.

    Raises
    ------
    InputError
        A distribution registers what is no backend or cannot be loaded, or one by a name that is taken.
    """
    found = {name: _of(import_module(module), name) for name, module in BACKENDS.items()}
    for point in sorted(entry_points(group=GROUP), key=lambda each: each.name):
        if point.name in found:
            raise InputError(
                f"{GROUP}: {point.value} registers {point.name!r}, a name that is taken; uninstall one of the two"
            )
        try:
            loaded = point.load()
        except Exception as error:
            raise InputError(
                f"{GROUP}: {point.value}, registered for --for {point.name}, cannot be loaded: {type(error).__name__}: "
                f"{error}; correct or uninstall its distribution"
            ) from error
        found[point.name] = checked(loaded, point.name, point.value)
    return found


def _of(module: object, name: str) -> ExportBackend:
    return checked(getattr(module, "BACKEND", None), name, f"symgen.export.{name}")


def checked(found: object, name: str, where: str) -> ExportBackend:
    """Return an object as a backend.

    Raises
    ------
    InputError
        It lacks something of the protocol, or has another name.
    """
    if not isinstance(found, ExportBackend):
        lacking = [each for each in _MEMBERS if not hasattr(found, each)]
        raise InputError(f"{GROUP}: {where} is not a backend: it has no {', '.join(lacking)}")
    if found.name != name:
        raise InputError(f"{GROUP}: {where} is registered as {name!r} and calls itself {found.name!r}")
    unknown = sorted(found.common - set(COMMON))
    if unknown:
        hint = did_you_mean(unknown[0], COMMON)
        raise InputError(
            f"{GROUP}: {where} takes the option {unknown[0]}, which symgen does not define for exports{hint}"
        )
    return found


def manifest_of(subject: Subject, files: Mapping[str, str | bytes], asked: Asked, **more: Any) -> dict[str, Any]:
    """Return the tree that every manifest has: what was exported, its inputs and results, digests of all files.

    Parameters
    ----------
    more : what the backend adds; it stands before the files.
    """
    from symgen import __version__

    following = subject.following
    return {
        "schema": SCHEMA,
        "generator": f"symgen {__version__}",
        "request": asked.command,
        "prefix": subject.prefix,
        "title": subject.title,
        "source": subject.source,
        "precision": subject.precision,
        "math": subject.math,
        "stage": subject.stage,
        "reference_branch": list(subject.drawn) if subject.branch_is_input else None,
        "branch": "follow" if following else "input" if subject.branch_is_input else list(subject.chosen or ()),
        "period": None if following is None or subject.by_law else following.period,
        "inputs": [
            {
                "name": v.name, "index": k, "c_name": v.c_name, "unit": v.unit,
                "start": None if v.start is None else v.begin,
                "min": v.least, "max": v.most,
            }
            for k, v in enumerate(subject.inputs)
        ],
        "results": [
            {"name": v.name, "index": k, "c_name": v.c_name, "unit": v.unit, "depends_on": list(v.depends_on)}
            for k, v in enumerate(subject.results)
        ],
        **({"ports": [asdict(each) for each in subject.ports]} if subject.ports else {}),
        **more,
        "files": {name: hashlib.sha256(as_bytes(text)).hexdigest() for name, text in sorted(files.items())},
    }  # fmt: skip


def as_bytes(text: str | bytes) -> bytes:
    """Return what stands in a file."""
    return text if isinstance(text, bytes) else text.encode()


def manifest_text(tree: Mapping[str, Any]) -> str:
    """Return a manifest as it is written."""
    return json.dumps(tree, indent=1) + "\n"
