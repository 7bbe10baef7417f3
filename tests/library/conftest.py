"""A hand-written module of the tests as a library of its own, in both backends."""

from __future__ import annotations

from pathlib import Path

import pytest

from symgen.library.catalogue import Catalogue, modules_in
from symgen.library.open import Library
from symgen.library.solved_type import BackendName, SolvedType

FIXTURES = Path(__file__).resolve().parent.parent / "build" / "data" / "library"


@pytest.fixture(scope="session")
def toy_catalogue() -> Catalogue:
    return Catalogue(modules_in(FIXTURES))


@pytest.fixture(params=[pytest.param("c", marks=pytest.mark.extension), "numpy"])
def backend(request: pytest.FixtureRequest) -> BackendName:
    name: BackendName = request.param
    return name


@pytest.fixture
def toy(toy_catalogue: Catalogue, backend: BackendName) -> SolvedType:
    return Library(toy_catalogue, backend=backend)["R.R.R 2D"]
