"""``symgen schema``: the JSON Schema of the mechanism file, for editors and checkers."""

from __future__ import annotations

import json

import click


@click.command(name="schema")
def command() -> None:
    """Print the JSON Schema of the mechanism file (symgen/mechanism/1).

    With this schema an editor completes keys and marks mistakes in JSON and
    TOML mechanism files while you type.
    """
    from symgen.model.load import schema

    click.echo(json.dumps(schema(), indent=2))
