"""The reference of the command line: a page for each verb, written from the commands themselves."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click
from outside_pages import write_page

from symgen.cli.main import VERBS, cli

if TYPE_CHECKING:
    from sphinx.application import Sphinx

#: What the help shows as code, and options.
_CODE = re.compile(r"(`[^`\n]+`|(?<![\w-])--[a-z][a-z-]*)")
#: Characters that mean something in Markdown.
_MARKUP = re.compile(r"([\\*_<>\[\]#|{}~$])")


def marked(text: str) -> str:
    """Return a text of the help as Markdown that shows the same."""
    return "".join(
        piece if piece.startswith("`") else f"`{piece}`" if piece.startswith("--") else _MARKUP.sub(r"\\\1", piece)
        for piece in _CODE.split(text)
    )


def page_of(path: str) -> str:
    """Return the page of a verb, ``symgen solve``, or of a verb of a verb, ``symgen library show``."""
    return f"/made/verbs/{path.split(maxsplit=1)[1].replace(' ', '-')}.md"


def _paragraphs(command: click.Command) -> Iterator[str]:
    for block in inspect.cleandoc(command.help or "").split("\n\n"):
        if block.startswith("\b"):  # lines that click keeps as they are
            yield "\n".join(["```text", block.lstrip("\b\n"), "```"])
        else:
            yield marked(block)


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    for each in command.get_params(context):
        record = each.get_help_record(context)
        if record is None:
            continue
        names, text = record
        if not text:  # an argument, which the text above tells
            continue
        yield "\n".join([f"````{{option}} {names.replace(' / ', ', ')}", marked(text), "````"])


def verb_page(command: click.Command, path: str, parent: click.Context | None = None) -> Iterator[tuple[str, str]]:
    """Yield the pages of a verb and of the verbs below it: page, text."""
    context = click.Context(command, info_name=path.rpartition(" ")[2], parent=parent)
    usage = " ".join([path, *command.collect_usage_pieces(context)])
    blocks = [f"# {path}", f"```text\n{usage}\n```", *_paragraphs(command), f"```{{program}} {path}\n```"]
    below = {name: command.get_command(context, name) for name in command.list_commands(context)} if isinstance(
        command, click.Group
    ) else {}  # fmt: skip
    if below:
        rows = [
            f"| [{path} {name}]({page_of(f'{path} {name}')}) | {marked(each.get_short_help_str(200))} |"
            for name, each in below.items()
            if each is not None
        ]
        pages = [page_of(f"{path} {name}").removesuffix(".md") for name in below]
        blocks += ["\n".join(["| | |", "|---|---|", *rows])]
        blocks += ["\n".join(["```{toctree}", ":hidden:", "", *pages, "```"])]
    blocks += ["## Options", *_options(command, context)]
    yield page_of(path), "\n\n".join(blocks) + "\n"
    for name, each in below.items():
        if each is not None:
            yield from verb_page(each, f"{path} {name}", context)


def _write_pages(app: Sphinx) -> None:
    root = click.Context(cli, info_name="symgen")
    for verb in VERBS:
        command = cli.get_command(root, verb)
        if command is None:
            continue
        for page, text in verb_page(command, f"symgen {verb}", root):
            write_page(page, text)


def _fill_list(app: Sphinx, docname: str, content: list[str]) -> None:
    """Fill the place in cli.md with the list of verbs."""
    if docname != "cli":
        return
    rows = [f"| [symgen {verb}]({page_of(f'symgen {verb}')}) | {marked(says)} |" for verb, (_, says) in VERBS.items()]
    pages = [page_of(f"symgen {verb}").removesuffix(".md") for verb in VERBS]
    table = "\n".join(["| | |", "|---|---|", *rows, "", "```{toctree}", ":hidden:", "", *pages, "```"])
    content[0] = re.sub(r"```\{verbs\}\n.*?```", lambda _: table, content[0], flags=re.S)


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the pages before the sources are looked for."""
    app.connect("builder-inited", _write_pages)
    app.connect("source-read", _fill_list)
    return {"parallel_read_safe": True}
