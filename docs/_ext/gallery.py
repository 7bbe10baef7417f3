"""The gallery: a page for each mechanism file of examples/, with its picture, its structure and the command to run it.

Pictures are drawn when the site is built, by the commands that the pages show, and kept in build/ until symgen or the
file changes.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import re
import shlex
import tomllib
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from outside_pages import DOCS, MADE, REPOSITORY, example_page, led, mechanism_files, write_page
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging

_LOG = logging.getLogger(__name__)
_CACHE = REPOSITORY / "build" / "pictures"
_MOVES = "--to 1 --steps 60 --animate"
#: What draws the mechanisms of a folder or a file, before the name of the picture; the structure where nothing is said.
DRAWN = {
    "examples/dynamics/andrews": "simulate MECH --step 0.0001 --until 0.03 --animate",
    "examples/dynamics/bricard": "simulate MECH --step 0.01 --until 4 --animate",
    "examples/dynamics/double_four_bar": "simulate MECH --step 0.01 --until 4 --animate",
    "examples/dynamics/flyball_governor": "simulate MECH --step 0.002 --until 4 --sample 0.05 --animate",
    "examples/dynamics/spatial_slider_crank": "simulate MECH --step 0.002 --until 2 --sample 0.02 --animate",
    "examples/dynamics/spinning_top": "simulate MECH --step 0.002 --until 2 --sample 0.02 --animate",
    "examples/graphs": "graph MECH --draw",
    "examples/literature": "analyse MECH --picture graph --draw",
    "examples/micro_manipulator": "solve MECH --to 1 --steps 12 --no-derive --animate",
    "examples/own_derivation": "solve MECH --to 6 --steps 60 --animate",
    "examples/reactions": "reactions MECH --draw",
    "examples/rotor/original_inputs": "analyse MECH --picture graph --draw",
    "examples/transfer/cantilever": "vibrations MECH --animate",
    "examples/transfer/flexible_arm": "simulate MECH --method riccati --tolerance 1e-4 --until 1 --animate",
    "examples/transfer/large250": "simulate MECH --method riccati --step 0.01 --until 0.3 --animate",
    "examples/transfer/mixed24": "simulate MECH --method riccati --step 0.005 --until 2 --sample 0.02 --animate",
    "examples/transfer/planar_mixed24": "simulate MECH --method riccati --step 0.005 --until 2 --sample 0.02 --animate",
    "examples/transfer/robot_arm": "simulate MECH --method riccati --step 0.005 --until 4 --sample 0.05 --animate",
    "examples/transfer/slider_crank": "simulate MECH --method riccati --step 0.002 --until 2 --sample 0.02 --animate",
    "examples/transfer/spring_chain": "vibrations MECH --animate",
    "examples/transfer/tree23": "simulate MECH --method riccati --step 0.005 --until 2 --sample 0.02 --animate",
    "examples": f"solve MECH {_MOVES}",
}
#: Heading of the gallery -> folders below examples/; what is named nowhere is under the first one.
HEADINGS = {
    "Kinematics, group by group": (),
    "Motion under forces": ("dynamics",),
    "Transfer matrices": ("transfer",),
    "Redundant constraints": ("reactions",),
    "Topological graphs": ("graphs",),
    "Mechanisms of the literature": ("literature",),
}


@dataclass(frozen=True)
class Example:
    """A mechanism of the gallery."""

    file: Path
    name: str
    sentence: str
    command: str

    @property
    def path(self) -> str:
        """Path of the file in the repository."""
        return self.file.relative_to(REPOSITORY).as_posix()

    @property
    def page(self) -> str:
        """Its page in the site."""
        return example_page(self.file)

    @property
    def picture(self) -> str:
        """Its picture, below docs/."""
        return f"made/pictures/{self.path.removeprefix('examples/').removesuffix('.toml').replace('/', '-')}.svg"

    @property
    def name_of_file(self) -> str:
        """The file's own name, or that of its folder if it has the folder for itself."""
        return self.file.parent.name if self.file.stem == "mechanism" else self.file.stem

    @property
    def shown_command(self) -> str:
        """The command that draws it, for a reader."""
        return f"symgen {self.command.replace('MECH', self.path)} {self.name_of_file}.svg"


def examples() -> list[Example]:
    """Return the mechanisms of examples/."""
    return [Example(file, *_said(file), _command(file)) for file in mechanism_files()]


def _command(file: Path) -> str:
    place = file.relative_to(REPOSITORY).with_suffix("")
    return next(DRAWN[each.as_posix()] for each in (place, *place.parents) if each.as_posix() in DRAWN)


def _said(file: Path) -> tuple[str, str]:
    """Return the name of a mechanism, and a sentence on it: of its README, or of the comment in front of the file."""
    text = file.read_text(encoding="utf-8")
    name = tomllib.loads(text)["name"]
    readme = file.parent / "README.md"
    if file.stem == "mechanism":
        words = readme.read_text(encoding="utf-8").split("\n\n")[1]
        name = readme.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    else:
        row = re.search(rf"^\| \[[\w.]+\]\({file.name}\) \|(.*)\|$", readme.read_text(encoding="utf-8"), re.M)
        cells = row[1].split(" | ") if row else []
        comment = re.match(r"(?:#.*\n)+", text)
        words = cells[0] if len(cells) > 2 else re.sub(r"^# ?", "", comment[0] if comment else name, flags=re.M)
    words = re.sub(r"\[(?:\.\./)?([^\]]*)\]\([^)]*\)", r"\1", " ".join(words.replace("`", "").split()))
    sentence = re.split(r"(?<=[a-z0-9)][.:])\s+(?=[A-Z])", words)[0].rstrip(".:")
    return name[0].upper() + name[1:], sentence[0].upper() + sentence[1:] + "."


# -- pictures --------------------------------------------------------------------------------------------------------


def _draw(arguments: Sequence[str], target: str) -> str:
    """Draw a picture as the command line does, in a process of its own; return what went wrong, or nothing."""
    import contextlib
    import io

    from symgen.cli.main import main

    # the same numbers without waiting for a compiler
    backend = ["--backend", "numpy"] if arguments[0] == "solve" else []
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        status = main([*arguments, target, *backend])
    # 1: the answer is "no", as of a door whose reactions are open; it is drawn all the same
    return "" if status in (0, 1) and Path(target).is_file() else said.getvalue()


def _key(example: Example, program: bytes) -> str:
    found = hashlib.sha256(program + example.command.encode() + example.file.read_bytes())
    return found.hexdigest()[:32]


def _program() -> bytes:
    """Return a digest of symgen itself."""
    found = hashlib.sha256()
    for path in sorted((REPOSITORY / "symgen").glob("**/*.py")):
        found.update(path.read_bytes())
    return found.digest()


def _draw_pictures(found: Sequence[Example]) -> None:
    _CACHE.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("SYMGEN_CACHE", str(_CACHE.parent / "compiled"))
    os.environ.setdefault("SYMGEN_OPTIMISE", "1")  # compiled sooner, the same bits
    program = _program()
    kept = {example: _CACHE / f"{_key(example, program)}.svg" for example in found}
    lacking = {example: path for example, path in kept.items() if not path.is_file()}
    if lacking:
        _LOG.info("drawing %d pictures of examples", len(lacking))
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(min(4, os.cpu_count() or 1), mp_context=context) as pool:
            # the long ones first, so that none is left for the end
            ordered = sorted(lacking, key=lambda each: not each.command.startswith(("simulate", "solve")))
            jobs = {
                example: pool.submit(
                    _draw,
                    shlex.split(example.command.replace("MECH", shlex.quote(str(example.file)))),
                    str(lacking[example]),
                )
                for example in ordered
            }
            for example, job in jobs.items():
                if said := job.result():
                    _LOG.warning("no picture of %s: %s", example.path, said.strip())
    for path in set(_CACHE.glob("*.svg")) - set(kept.values()):
        path.unlink()
    (MADE / "pictures").mkdir(parents=True, exist_ok=True)
    for example, path in kept.items():
        if path.is_file():
            target = DOCS / example.picture
            if not target.is_file() or target.read_bytes() != path.read_bytes():
                target.write_bytes(path.read_bytes())


# -- pages -----------------------------------------------------------------------------------------------------------


def _structure(example: Example) -> str:
    """Return the structure as Markdown: status and groups in order."""
    import symgen
    from symgen.library.solutions import solutions_of

    found = symgen.analyse(symgen.load(example.file))
    counts = (
        f"{found.space.capitalize()}, {found.bodies} bodies with the frame, {found.joints} joints, "
        f"mobility {found.mobility}, {found.driven} driven: {found.status}."
    )
    if not found.groups:
        return counts
    solved = solutions_of(found)
    rows = [
        f"| {group.number} | {group.level} | {', '.join(group.bodies)} | {_code(group.signature)} | "
        f"{solved(group)[1] or 'no'} |"
        for group in found.groups
    ]
    return "\n".join([counts, "", "| group | level | bodies | type | solved by |", "|---|---|---|---|---|", *rows])


def _code(signature: str) -> str:
    return "`" + signature.replace("|", "\\|") + "`"


def _write_page(example: Example) -> None:
    folder = example.file.parent.relative_to(REPOSITORY).as_posix()
    depth = example.page.count("/") - 1
    command = f"```console\n$ {example.shown_command}\n```"
    up = "../" * depth
    picture = f"![{example.name}]({up}{example.picture})"
    if example.file.stem == "mechanism":
        readme = (example.file.parent / "README.md").read_text(encoding="utf-8")
        title, _, rest = readme.partition("\n")
        title, text = title.removeprefix("# "), led(rest.strip(), folder, depth)
    else:
        title, text = example.name, f"{example.sentence} More on the [page of its folder](/made/{folder}.md)."
    source = f"[{example.path}]({up}../{example.path})"
    # 72 pages would drown the others in the list of contents; the gallery leads to them
    parts = [
        "---\norphan: true\n---",
        f"# {title}",
        "[Gallery](/gallery.md)",
        picture,
        f"Drawn by\n\n{command}",
        text,
        "## Structure",
        _structure(example),
    ]
    shown = example.file.read_text(encoding="utf-8")
    if len(shown) < 8_000:
        parts += ["## Mechanism file", source, f"```toml\n{shown}```"]
    else:
        parts += ["## Mechanism file", f"{source}, {len(shown) // 1000} kB"]
    write_page(example.page, "\n\n".join(parts) + "\n")


def _heading(example: Example) -> str:
    folder = example.path.split("/")[1]
    return next((name for name, folders in HEADINGS.items() if folder in folders), next(iter(HEADINGS)))


def _make(app: Sphinx) -> None:
    found = examples()
    if len({example.page for example in found}) < len(found):
        raise ExtensionError("two mechanism files of examples/ have one page")
    _draw_pictures(found)
    for example in found:
        _write_page(example)


def _card(example: Example) -> str:
    link = example.page.removeprefix("/").removesuffix(".md") + ".html"
    return (
        f'<a class="card" href="{link}"><img loading="lazy" alt="" src="_images/{Path(example.picture).name}">'
        f"<strong>{escape(example.name)}</strong><span>{escape(example.sentence)}</span></a>"
    )


def _fill(app: Sphinx, docname: str, content: list[str]) -> None:
    if docname != "gallery":
        return
    found = examples()
    blocks = []
    for heading in HEADINGS:
        here = [example for example in found if _heading(example) == heading]
        cards = "\n".join(map(_card, here))
        blocks += [f"## {heading}", f'<div class="gallery">\n{cards}\n</div>']
    content[0] = re.sub(r"```\{gallery\}\n.*?```", lambda _: "\n\n".join(blocks), content[0], flags=re.S)


def setup(app: Sphinx) -> dict[str, Any]:
    """Draw and write the pages before the sources are looked for."""
    app.connect("builder-inited", _make)
    app.connect("source-read", _fill)
    return {"parallel_read_safe": True}
