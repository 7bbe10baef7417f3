"""A change of one family makes that family's modules stale, and nothing that a module is made from is overlooked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from symgen.derive.catalogue import module_ids
from symgen.pipeline import known_engines, module_sources

#: One of each family, and an engine.
KINDS = ("driven_h_3d", "dyad_rrr", "slot_pl", "triad_rr_rp_rp", "loop_rss", "loop_uuu", "loop_ccc", "ring_r_r_r_s")

_LOADED = """
import sys
from symgen.pipeline import {function}
before = {{name for name in sys.modules if name.split(".")[0] == "symgen"}}
{function}({module!r})
print("\\n".join(sorted(name for name in sys.modules if name.split(".")[0] == "symgen" and name not in before)))
"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("module", [*KINDS, "newton_planar"])
def test_all_that_is_loaded_to_make_a_module_is_among_its_sources(module: str, repository: Path) -> None:
    function = "generate_engine_texts" if module in known_engines() else "generate_texts"
    code = _LOADED.format(function=function, module=module)
    done = subprocess.run([sys.executable, "-c", code], cwd=repository, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= module_sources(module), "a family reaches sources by a way that is not seen"


def test_a_family_is_no_source_of_another() -> None:
    assert "symgen.derive.planar.dyad_rrr" in module_sources("dyad_rrr")
    assert "symgen.derive.rings.rod_kernel" in module_sources("loop_rss")
    assert "symgen.derive.rings.rod_kernel" not in module_sources("dyad_rrr")
    assert "symgen.derive.planar.dyad_rrr" not in module_sources("loop_rss")
    for module in module_ids():
        # Verbs, solvers and engines may change as they like.
        own = module_sources(module)
        assert not [name for name in own if name.startswith(("symgen.cli", "symgen.solve", "symgen.derive.transfer"))]


def test_stages_and_templates_are_sources_of_every_module() -> None:
    for module in (*KINDS, *known_engines()):
        assert {"symgen.lower", "symgen.printers.c99", "symgen.proofs"} <= module_sources(module)


@pytest.mark.slow
@pytest.mark.parametrize(("touched", "stale"), [
    ("symgen/derive/rings/rod_kernel.py", {"loop_rss"}),
    ("symgen/printers/c99.py", {"dyad_rrr", "loop_rss"}),
    ("symgen/cli/main.py", set()),
    ("templates/c99/module.c.j2", {"dyad_rrr", "loop_rss"}),
])  # fmt: skip
def test_the_digest_changes_with_what_it_stands_for(
    touched: str, stale: set[str], repository: Path, tmp_path: Path
) -> None:
    code = (
        "from symgen.build.generator import generator_digest\n"
        "from symgen.pipeline import module_sources\n"
        "print(*(generator_digest(module_sources(name)) for name in ('dyad_rrr', 'loop_rss')))"
    )
    for folder in ("symgen", "templates"):
        (tmp_path / folder).mkdir()
        for path in (repository / folder).rglob("*"):
            if path.suffix in (".py", ".j2", ".json") and "_generated" not in path.parts:
                copy = tmp_path / path.relative_to(repository)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(path.read_bytes())

    def digests() -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True,
            env={"PYTHONPATH": str(tmp_path), "PATH": ""},
        )  # fmt: skip
        return done.stdout.split()

    before = digests()
    with (tmp_path / touched).open("a") as stream:
        stream.write("\n" if touched.endswith(".j2") else "\n# changed\n")
    changed = {name for name, old, new in zip(("dyad_rrr", "loop_rss"), before, digests(), strict=True) if old != new}
    assert changed == stale
