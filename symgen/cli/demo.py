"""``symgen demo``: mechanisms from file to pictures, every stage shown as it happens."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symgen.cli.terminal.invocation import invocation
from symgen.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

_DEFAULT = ("jansen_leg", "rotor")
_EXIT_NO = 1


@click.command(name="demo", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--out", metavar="DIR", default="demo", show_default=True, help="Folder to write into.")
def command(names: tuple[str, ...], out: str) -> None:
    """Run examples from mechanism file to pictures; jansen_leg and rotor if no NAME is given.

    For each example, symgen finds the structural groups, derives, proves and writes
    the solvers of their types, compiles them, solves one second of motion, and draws
    it. `symgen demo all` runs every example. The exit status is 1 if a time could not
    be solved.
    """
    from symgen.cli.demo_stages import run_example
    from symgen.cli.terminal.console import table_console

    console = table_console()
    folders = chosen_examples(names)
    target = Path(out)
    if target.exists() and not target.is_dir():
        raise InputError(f"--out {out}: there is a file of that name; give a folder")
    solved = []
    for folder in folders:
        place = target / folder.name
        place.mkdir(parents=True, exist_ok=True)
        solved.append(run_example(console, folder, place))
    _print_next(console, folders, target)
    if not all(solved):
        raise SystemExit(_EXIT_NO)


def example_names() -> tuple[str, ...]:
    """Return the examples that can be solved, by name."""
    from symgen.resources import examples_folder

    return tuple(sorted(path.parent.name for path in examples_folder().glob("*/mechanism.toml")))


def chosen_examples(names: tuple[str, ...]) -> list[Path]:
    """Return the folders of the examples meant.

    Raises
    ------
    InputError
        There is no such example; the nearest is named.
    """
    from symgen.model.nearest import did_you_mean, list_names, show
    from symgen.resources import examples_folder

    known = example_names()
    wanted = list(dict.fromkeys(known if "all" in names else names or _DEFAULT))
    for name in wanted:
        if name not in known:
            hint = did_you_mean(name, known) or f"; there are {list_names(known)}, or all"
            raise InputError(f"no example {show(name)}{hint}")
    return [examples_folder() / name for name in wanted]


def _print_next(console: Console, folders: list[Path], target: Path) -> None:
    first = target / folders[0].name
    mechanism = folders[0] / "mechanism.toml"
    if mechanism.is_relative_to(Path.cwd()):
        mechanism = mechanism.relative_to(Path.cwd())
    symgen = invocation()
    console.print("Where to look next", style="bold")
    rows = (
        (f"{first / 'motion.html'}", "the motion, in a browser: play, turn, zoom"),
        (f"{first / 'motion.svg'}, {first / 'structure.svg'}", "pictures"),
        (f"{first / 'solvers'}", "the generated C and NumPy; start with a .h file"),
        (f"{mechanism}", "the mechanism file; change a length and run"),
        (f"{symgen} solve {shlex.quote(str(mechanism))} --to 1 --output motion.csv", "the same motion as a table"),
        (f"{symgen} library list", "all types that are solved"),
        (f"{symgen} demo {_other(folders)}", "another example"),
    )
    for what, why in rows:
        console.print(f"  {what}\n      {why}")


def _other(folders: list[Path]) -> str:
    run = {folder.name for folder in folders}
    return next((name for name in example_names() if name not in run), "all")
