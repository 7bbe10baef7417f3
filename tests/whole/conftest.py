"""The mechanisms that the tests of `symgen.solve` use: welds, slots, joints written every other way."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest


def _trees() -> Mapping[str, dict[str, Any]]:
    path = Path(__file__).parents[1] / "solve" / "conftest.py"
    spec = importlib.util.spec_from_file_location("mechanisms_to_solve", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    trees: Mapping[str, dict[str, Any]] = module.TREES
    return trees


@pytest.fixture(scope="session")
def trees() -> Mapping[str, dict[str, Any]]:
    """Mechanisms as data, by name."""
    return _trees()
