"""The examples of docs/library.md do what the document says."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import symgen
from symgen.library.instance import instance_of
from symgen.library.solve_instance import solve_instance


@pytest.fixture
def document(repository: Path) -> str:
    return (repository / "docs" / "library.md").read_text(encoding="utf-8")


@pytest.mark.extension
def test_the_python_examples_run_and_print_what_they_say(document: str, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", document, flags=re.DOTALL)
    script = "\n".join(blocks)
    names: dict[str, object] = {}
    exec(compile(script, "docs/library.md", "exec"), names)  # noqa: S102 - our own document
    said = capsys.readouterr().out.splitlines()
    promised = re.findall(r"print\(.*\) +# ([^:\n]*)", script)
    assert said == [text.rstrip() for text in promised]
    assert names["y"] == pytest.approx(1.118033988749895)  # half the base and the height of an isosceles triangle


def test_the_instance_of_the_document_has_two_branches(document: str) -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", document, flags=re.DOTALL)
    answer = solve_instance(symgen.library(backend="numpy"), instance_of(tomllib.loads(text)))
    assert [branch["status"] for branch in answer["branches"]] == ["OK", "OK"]
