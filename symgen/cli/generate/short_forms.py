"""Short forms of ``symgen generate``, which name no subcommand: translated into one, without any check of their own."""

from __future__ import annotations

from collections.abc import Container, Iterable

_HELP = ("-h", "--help")
_MECHANISM = "--mechanism"
#: Flag of a short form -> subcommand.
_FLAGS = {
    "--whole": "mechanism",
    "--dynamics": "dynamics",
    "--loops": "loops",
    "--newton": "newton",
    "--engines": "engines",
}
#: What `symgen generate` writes, in the words of its subcommands.
SUBCOMMANDS = ("types", *_FLAGS.values())
#: Subcommands whose argument is the mechanism file.
_OF_MECHANISM = ("mechanism", "dynamics", "loops")


def subcommand_of_flag(option: str) -> str | None:
    """Return the subcommand that a flag of a short form stands for."""
    return _FLAGS.get(option)


def with_subcommand(words: list[str], subcommands: Container[str]) -> list[str]:
    """Return the words with their subcommand in front; what names one already, or asks for help, stays.

    Of several flags the first is taken; its subcommand does not know the others and refuses them.

    Parameters
    ----------
    words : behind ``symgen generate``.
    subcommands : their names.
    """
    if not words or words[0] in subcommands or words[0] in _HELP:
        return words
    end = words.index("--") if "--" in words else len(words)
    options, behind = words[:end], words[end:]
    flag = next((word for word in options if word in _FLAGS), None)
    if flag is None:
        return ["types", *words]
    name = _FLAGS[flag]
    options = [word for word in options if word != flag]
    if name not in _OF_MECHANISM:
        return [name, *options, *behind]
    files, options = _taken(options)
    if any(file.startswith("-") for file in files):  # a name, not an option
        return [name, *options, "--", *files, *behind[1:]]
    return [name, *files, *options, *behind]


def _taken(words: Iterable[str]) -> tuple[list[str], list[str]]:
    """Take ``--mechanism MECH`` out of words: return the file, the last if there are several, and the other words."""
    files: list[str] = []
    others: list[str] = []
    left = iter(words)
    for word in left:
        if word == _MECHANISM and (file := next(left, None)) is not None:
            files.append(file)
        elif word.startswith(f"{_MECHANISM}="):
            files.append(word.partition("=")[2])
        else:
            others.append(word)
    return files[-1:], others
