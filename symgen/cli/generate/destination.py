"""Where a subcommand of ``symgen generate`` writes its modules: the options, the files, what is said of them."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, TypeVar

import click

from symgen.cli.terminal.publishing import Replacement, check_destination, publish, staging
from symgen.errors import InputError

if TYPE_CHECKING:
    from symgen.printers.c99 import Precision

Word = TypeVar("Word", bound=str)

PRECISIONS: tuple[Precision, ...] = ("double", "float")
BACKENDS: tuple[str, ...] = ("c", "numpy")

math_option = click.option(
    "--math",
    type=click.Choice(["libm", "own"]),
    default="own",
    show_default=True,
    help="sin, cos and atan2 in the C code: symgen's own (symgen_math.h), with the same bits on every machine, or "
    "those of <math.h>.",
)
mechanism_argument = click.argument("mechanism", metavar="MECH")


class Forms(TypedDict):
    """What is written of a module, by keyword."""

    precisions: tuple[Precision, ...]
    backends: tuple[str, ...]


@dataclass(frozen=True)
class Destination:
    """A folder for modules, what is written of each, and what may be replaced there.

    Parameters
    ----------
    as_json : print one document of the files at the end.
    """

    out: Path
    precisions: tuple[Precision, ...]
    backends: tuple[str, ...]
    replacement: Replacement
    as_json: bool

    @property
    def forms(self) -> Forms:
        """Precisions and languages, as what makes the texts takes them."""
        return {"precisions": self.precisions, "backends": self.backends}

    def claim(self, modules: Sequence[str]) -> None:
        """Refuse before any work a folder that is not symgen's to replace; name what ``--force`` gives up."""
        for file in check_destination(self.out, modules, self.replacement):
            click.echo(f"--force: {file} is discarded", err=True)

    def write(self, texts: Iterable[tuple[str, Mapping[str, str]]]) -> list[Path]:
        """Write modules, all or none; return the files.

        Parameters
        ----------
        texts : of each module its id and name -> text of its files. They may be made as they are taken: a folder that
            cannot be written is refused first.
        """
        with staging(self.out) as stage:
            for module, files in texts:
                (stage / module).mkdir()
                for name, text in files.items():
                    (stage / module / name).write_text(text, encoding="utf-8", newline="\n")
            return publish(stage, self.out, self.replacement)

    def report(self, modules: Sequence[str], files: Iterable[Path]) -> None:
        """Print the document of the files, if it was asked for."""
        if self.as_json:
            names = sorted({path.relative_to(self.out).as_posix() for path in files})
            document = {
                "schema": "symgen/generate/1",
                "out": str(self.out),
                "modules": list(modules),
                "files": names,
            }
            click.echo(json.dumps(document, indent=2))


def destination_options(
    precisions: tuple[Precision, ...] = PRECISIONS, backends: tuple[str, ...] = BACKENDS
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of its destination; it gets them as one `Destination`, its first argument.

    Parameters
    ----------
    precisions, backends : what the command can write; where there is nothing to choose, the help omits the option.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def call(out: str, precision: str, backend: str, force: bool, as_json: bool, **others: object) -> None:
            chosen = _choice("--precision", precision, precisions), _choice("--backend", backend, backends)
            target = Path(out)
            function(Destination(target, *chosen, _replacement(target, *chosen, force), as_json), **others)

        for option in reversed(
            (
                click.option(
                    "--out", metavar="DIR", default="generated", show_default=True, help="Folder to write into."
                ),
                _listed("--precision", "Precisions", precisions),
                _listed("--backend", "Languages", backends),
                click.option(
                    "--force",
                    is_flag=True,
                    help="Also replace files that were edited, and remove those that are no longer generated.",
                ),
                click.option("--json", "as_json", is_flag=True, help="Print one JSON document of the files written."),
            )
        ):
            option(call)
        return call

    return decorate


def _listed(option: str, what: str, allowed: tuple[str, ...]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return click.option(
        option,
        default=",".join(allowed),
        show_default=True,
        hidden=len(allowed) == 1,
        help=f"{what}: {', '.join(allowed)}.",
    )


def _choice(option: str, text: str, allowed: tuple[Word, ...]) -> tuple[Word, ...]:
    """Split a comma-separated option; the answer is in the order of `allowed`."""
    from symgen.model.nearest import did_you_mean

    words = [word.strip() for word in text.split(",")]
    if not any(words):
        raise InputError(f"{option}: nothing chosen; give one or more of {','.join(allowed)}")
    for word in words:
        if not word:
            raise InputError(f"{option} {text}: a name is missing between two commas; write {','.join(allowed)}")
        if word not in allowed and len(allowed) == 1:
            raise InputError(f"{option} {text}: this is written for {allowed[0]} only; omit the option")
        if word not in allowed:
            raise InputError(f"{option}: {word!r} is not one of {', '.join(allowed)}{did_you_mean(word, allowed)}")
    return tuple(name for name in allowed if name in words)


def _replacement(target: Path, precisions: Iterable[str], backends: Iterable[str], force: bool) -> Replacement:
    """Say what this run makes, and what a user can do if more than that is there."""
    from symgen.resources import generated_folder

    kinds = (*(precisions if "c" in backends else ()), *(["numpy"] if "numpy" in backends else []))
    way_out = "choose another --out, or give --force"
    if str(target.resolve()) == str(generated_folder()):
        way_out = "this is symgen's own library; choose another --out, such as --out solvers, or give --force"
    return Replacement(kinds, force, way_out)
