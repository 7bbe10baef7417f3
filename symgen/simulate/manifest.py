"""The manifest of the dynamics engine, as far as it is read here."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from symgen.resources import generated_folder

FOLDER, SCHEMA = "dynamics", "symgen/dynamics/1"


class RowKind(msgspec.Struct):
    """A kind of rows of constraints; `lengths` are the numbers of those in metres, the others are cosines."""

    code: int
    name: str
    rows: int
    lengths: list[int]


class JointForceFreedom(msgspec.Struct):
    """A freedom of a pair, as joint forces know it."""

    code: int
    pair: str
    name: str


class DynamicsManifest(msgspec.Struct):
    """Files of the engine, kinds of rows, codes of freedoms."""

    id: str
    kinds: list[RowKind]
    freedoms: list[JointForceFreedom]
    files: dict[str, list[str]]
    cdef: str
    cdef_minimal: str


@lru_cache(maxsize=1)
def read_dynamics() -> DynamicsManifest:
    """Return the manifest."""
    return msgspec.json.decode((generated_folder() / FOLDER / f"{FOLDER}.json").read_bytes(), type=DynamicsManifest)
