"""Objects are compiled once a run, whichever worker wants them first."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of this run for compiled objects."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    folder = base / "generated-code-objects"
    folder.mkdir(exist_ok=True)
    return folder
