"""The engines in C call things by the words of docs/glossary.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest


@pytest.mark.parametrize("module", ["dynamics", "transfer"])
def test_what_a_state_holds_are_coordinates(module: str, repository: Path) -> None:
    """The word was `place`; ports of kernels and elements, which are derived, may mean a place in the world by it."""
    for file in sorted((repository / "generated" / module).glob("*.[ch]")):
        if not file.name.endswith(("_kernels.h", "_elements.h")):
            code = re.sub(r"/\*.*?\*/", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
            assert not re.findall(r"\bplaces?\b|\w+_place\b", code.replace("by_place", "")), file.name
    declared = (repository / "generated" / module / f"{module}_declarations.h").read_text(encoding="utf-8")
    held = "coordinates_and_rates" if module == "transfer" else "coordinates"
    assert f"double *{held};" in declared
