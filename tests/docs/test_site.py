"""What the site is made of: every page has its place, statuses and names are those of the program.

`make docs` builds the site, and `make check` does with every warning an error.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

import symgen
from symgen.status import MEANING, Status

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"
EXTENSIONS = DOCS / "_ext"


def extension(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return an extension of the site that can be read without Sphinx."""
    monkeypatch.syspath_prepend(str(EXTENSIONS))
    return __import__(name)


def test_every_page_is_in_the_contents_once() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    listed = Counter(re.findall(r"^\| \[[^\]]+\]\(([\w-]+\.md)\)", index, re.M))
    more = re.findall(r"^\| \[[^\]]+\]\([\w-]+\.md\), ", index, re.M)
    assert more == []
    assert set(listed) == {page.name for page in DOCS.glob("*.md")} - {"index.md"}
    assert set(listed.values()) == {1}


def test_pages_begin_with_their_title() -> None:
    assert {page.name for page in DOCS.glob("*.md") if not page.read_text(encoding="utf-8").startswith("# ")} == set()


def test_the_settings_name_no_place_of_this_machine() -> None:
    for file in [DOCS / "conf.py", *EXTENSIONS.glob("*.py"), *(DOCS / "_static").iterdir()]:
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"/(home|work|tmp|usr|opt|root)/", text), file.name
        assert not re.search(r"(?:https?:)?//[\w-]+\.[a-z]", text), f"{file.name}: nothing is fetched"


def test_the_page_of_statuses_is_the_table() -> None:
    page = (DOCS / "statuses.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \| (.*) \|$", page, re.M)
    assert [(int(number), name, meaning) for number, name, meaning in rows] == [
        (status.value, status.name, MEANING[status]) for status in Status
    ]


def test_a_word_has_one_entry_in_the_glossary() -> None:
    page = (DOCS / "glossary.md").read_text(encoding="utf-8")
    rows = [row for row in re.findall(r"^\| ([^|]+) \| ([^|]+) \|", page, re.M) if row[0] != "word"]
    words = Counter(word for word, _ in rows if not word.startswith("-"))
    assert len(words) > 80
    assert [word for word, number in words.items() if number > 1] == []
    for table in page.split("\n## ")[1:]:
        here = [word for word in re.findall(r"^\| ([^|]+) \|", table, re.M) if word != "word"]
        assert here == sorted(here, key=str.lower)


def test_the_python_page_has_all_that_symgen_binds() -> None:
    tree = ast.parse((EXTENSIONS / "python_face.py").read_text(encoding="utf-8"))
    (sections,) = (
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "SECTIONS" and node.value is not None
    )
    named = {name for names in sections.values() for name in names if "." not in name}
    assert named == set(symgen.__all__) - {"__version__"}


def test_the_example_of_the_python_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```", (DOCS / "api.md").read_text(encoding="utf-8"), re.M | re.S)
    exec(compile(program, "api.md", "exec"), {})  # noqa: S102 - a page of ours
    assert capsys.readouterr().out == "R.R.R 2D\n"


def test_links_lead_to_pages_of_the_site(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = extension("outside_pages", monkeypatch)
    text = "[a](solving.md#branches) [solving.md](solving.md) [x](../README.md) [y](../examples/rotor/README.md)"
    assert pages.led(text, "docs", 0) == (
        "[a](/solving.md#branches) [](/solving.md) [x](/made/readme.md) [y](/made/examples/rotor.md)"
    )
    assert pages.led("[c](coupler.c) [d](../literature)", "examples/c", 2) == (
        "[c](../../../examples/c/coupler.c) [d](/made/examples/literature.md)"
    )


def test_help_texts_are_shown_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    verbs = extension("verbs", monkeypatch)
    assert verbs.marked("R* of `A*B`, see --to <T>") == r"R\* of `A*B`, see `--to` \<T\>"


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    for each in ("sphinx", "myst_parser", "furo", "sphinx_copybutton"):
        if importlib.util.find_spec(each) is None:
            pytest.skip(f"needs {each}: make docs installs it")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-n", "-d", tmp_path / "trees", DOCS]
    done = subprocess.run(
        [*command, tmp_path / "site"], capture_output=True, text=True, timeout=600, env={**os.environ, "NO_COLOR": "1"}
    )
    assert done.returncode == 0, done.stderr
    pages = {path.relative_to(tmp_path / "site").as_posix(): path for path in (tmp_path / "site").glob("**/*.html")}
    assert "from_dict" in pages["api.html"].read_text(encoding="utf-8")
    assert 'class="m"' in pages["made/formulas/r-r-r-2d.html"].read_text(encoding="utf-8")
    assert "--assemblies" in pages["made/verbs/solve.html"].read_text(encoding="utf-8")
    for page, path in pages.items():
        fetched = re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(?:https?:)?//', path.read_text(encoding="utf-8"))
        assert fetched == [], page
