"""What a shell completes of an argument or option: its placeholder in the help says what is meant.

Used only while a shell asks (`_SYMGEN_COMPLETE`): otherwise the commands stay as they are, and this is not loaded.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem

#: The shell's question, as click names it after the program.
_COMPLETING = "_SYMGEN_COMPLETE"
_FILES = re.compile(r"MECH|FILE|INSTANCE|CLAIMS")
#: What bash takes as it stands, in a word without quotes.
_PLAIN = re.compile(r"([^\w.@%+=:,/-])")


class _Types(click.types.StringParamType):
    """Solved types and their modules; files where a mechanism may stand too."""

    name = "type"

    def __init__(self, *, files: bool) -> None:
        self._files = files

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the types that begin so; if there are none, let the shell look for files."""
        found = _beginning(type_names(), incomplete)
        return found or ([CompletionItem(incomplete, type="file")] if self._files else [])


class _Examples(click.types.StringParamType):
    """Names of the examples."""

    name = "example"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the examples that begin so."""
        from symgen.cli.demo import example_names

        return _beginning(["all", *example_names()], incomplete)


def type_names() -> list[str]:
    """Return the keys of the solved types, shipped and made on first use, and the ids of the modules."""
    from symgen.library.catalogue import load_catalogue
    from symgen.library.first_use import ON_FIRST_USE

    entries = load_catalogue().entries
    keys = {entry.key for entry in entries} | {key for keys in ON_FIRST_USE.values() for key in keys}
    return [*sorted(keys), *sorted({entry.manifest.id for entry in entries} | ON_FIRST_USE.keys())]


def complete_arguments(command: click.Command) -> None:
    """Have the arguments and options of a verb, and of the verbs below it, complete what their placeholders name."""
    for parameter in command.params:
        meant = parameter.metavar or ""
        if not isinstance(parameter.type, click.types.StringParamType):
            continue
        if "TYPE" in meant:
            parameter.type = _Types(files="MECH" in meant)
        elif _FILES.search(meant):
            parameter.type = click.Path()
        elif "DIR" in meant:
            parameter.type = click.Path(file_okay=False)
        elif command.name == "demo" and "NAME" in meant:
            parameter.type = _Examples()
    if isinstance(command, click.Group):
        for below in command.commands.values():
            complete_arguments(below)


def _beginning(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    """Return the names that begin so, written as the shell has to read them.

    Of two backslashes the function that click gives to bash eats one.
    """
    escapes = os.environ.get(_COMPLETING) == "bash_complete" and not _is_quoted()
    return [
        CompletionItem(_PLAIN.sub(r"\\\\\1", name) if escapes else name)
        for name in names
        if name.startswith(incomplete)
    ]


def _is_quoted() -> bool:
    """Tell whether the word that is typed stands in quotes; bash then takes names as they are."""
    words = os.environ.get("COMP_WORDS", "")
    return (words.count('"') - words.count('\\"')) % 2 == 1 or words.count("'") % 2 == 1
