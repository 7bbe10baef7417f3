"""The module of a whole mechanism with its coordinates as inputs: generated once, kept in the build cache."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

import msgspec

from symgen import __version__
from symgen.build.cache import Cache, is_unwritable, private_cache
from symgen.build.entries import cache_place, file_digest
from symgen.build.recipe import digest
from symgen.errors import BuildError, InputError
from symgen.resources import templates_folder
from symgen.simulate.minimal.coordinates import MinimalCoordinates

ID = "mechanism"
#: Rooms and templates whose text decides that of a module.
_ROOMS = ("algebra", "derive", "emit", "ir", "lower.py", "manifest.py", "naming.py", "passes", "pipeline",
          "printers", "render", "solve/plan.py", "whole")  # fmt: skip


class MinimalPort(msgspec.Struct):
    """A port of a function, as far as it is read here."""

    name: str
    direction: str


class MinimalFunction(msgspec.Struct):
    """A function of the module."""

    name: str
    ports: list[MinimalPort]


class MinimalGroup(msgspec.Struct):
    """A structural group."""

    number: int
    signature: str
    bodies: list[str]


class WholeManifest(msgspec.Struct):
    """The manifest ``symgen/mechanism-module/1``, as far as it is read here."""

    drives: list[str]
    groups: list[MinimalGroup]
    functions: list[MinimalFunction]
    cdef: dict[str, str]
    sha256: dict[str, str]


@dataclass(frozen=True)
class MechanismModule:
    """A generated module: its folder, and what its manifest says."""

    folder: Path
    manifest: WholeManifest

    @property
    def motion(self) -> MinimalFunction:
        """The function that gives poses, velocities and accelerations."""
        return next(function for function in self.manifest.functions if function.name == "motion")

    def text(self, name: str) -> bytes:
        """Return a file of the module; it must be as it was generated.

        Raises
        ------
        BuildError
            It is missing or was changed.
        """
        path = self.folder / name
        if not path.is_file() or file_digest(path) != self.manifest.sha256.get(name):
            raise BuildError(f"{path} is missing or was changed; remove its folder")
        return path.read_bytes()

    def load(self) -> ModuleType:
        """Return the NumPy file as a Python module."""
        name = f"{ID}.py"
        self.text(name)
        spec = importlib.util.spec_from_file_location(f"symgen_{ID}_{self.folder.name[:16]}", self.folder / name)
        if spec is None or spec.loader is None:
            raise InputError(f"{self.folder / name} cannot be loaded")
        python = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(python)
        return python


def obtain_module(coordinates: MinimalCoordinates) -> MechanismModule:
    """Return the module of a mechanism, from the cache or generated now.

    Raises
    ------
    MechanismError
        A group can never be solved with this geometry; the message names it.
    InputError
        A group is solved by a derivation that is not symgen's and has not been loaded: it is derived again here.
    """

    def make(folder: Path) -> Path:
        import symgen
        from symgen.pipeline import generate_whole_texts
        from symgen.whole.module import whole_module

        module = whole_module(
            replace(coordinates.driven, name=""),
            symgen.library(backend="numpy"),
            module_id=ID,
            drives="inputs",
            checks="all",
            results=("points",) if coordinates.driven.space == "planar" else ("bodies", "points"),
        )
        for name, text in generate_whole_texts(module, precisions=("double",), batches=False).items():
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
        return folder / f"{ID}.json"

    key = _key(coordinates)
    about = {"module": ID, "symgen": __version__}
    try:
        built = Cache(cache_place()).obtain(key, make, about)
    except OSError as error:
        if not is_unwritable(error):
            raise
        built = private_cache(error).obtain(key, make, about)
    return MechanismModule(built.library.parent, msgspec.json.decode(built.library.read_bytes(), type=WholeManifest))


def _key(coordinates: MinimalCoordinates) -> str:
    """Return the content address: what the text of the module depends on, and the text of what makes it."""
    mechanism = coordinates.driven
    groups = [(group.module, group.adapter.fit.entry.arrangement.id) for group in coordinates.plan.in_closed_form(ID)]
    joints = [
        (joint.id, joint.type, joint.bodies, joint.driven_freedoms, joint.frames, joint.pitch)
        for joint in mechanism.joints
    ]
    bodies = [(body.id, sorted(body.points.items())) for body in mechanism.bodies]
    identity = (__version__, mechanism.space, mechanism.ground, mechanism.ground_body.pose, bodies, joints, groups)
    own = [text.encode() for text in _own_texts(coordinates)]
    return digest([b"minimal coordinates", repr(identity).encode(), *own, *_makers()])


def _own_texts(coordinates: MinimalCoordinates) -> Iterator[str]:
    """Yield what groups are made of that are not symgen's, whose derivations are none of its files.

    Raises
    ------
    InputError
        Such a derivation has not been loaded.
    """
    for group in coordinates.plan.in_closed_form(ID):
        origin = group.adapter.fit.entry.manifest.origin
        if not origin:
            continue
        from symgen.pipeline.whole import group_text

        try:
            yield group_text(group.module)
        except InputError as error:
            raise InputError(
                f"{coordinates.driven.name}: group {group.group.number} is solved by {group.module!r}, a derivation "
                f"that is not symgen's ({', '.join(origin.values())}); --method group derives it again: give "
                "--own FILE.py:NAME (in Python call symgen.derivations.sources.load), or take --method dimcd"
            ) from error


def _makers() -> Iterator[bytes]:
    """Yield digests of the files that decide the text of a module."""
    package = Path(__file__).resolve().parents[2]
    for place in (*(package / room for room in _ROOMS), templates_folder()):
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.is_file() and path.suffix != ".pyc":
                yield hashlib.sha256(path.read_bytes()).digest()
