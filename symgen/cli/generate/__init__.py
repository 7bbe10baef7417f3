"""``symgen generate``: derive solvers and write them, one subcommand for each kind of module."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from symgen.cli.generate import dynamics, engines, loops, mechanism, newton, types
from symgen.cli.generate.short_forms import subcommand_of_flag, with_subcommand

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class _WithShortForms(click.Group):
    """Subcommands, and short forms that name none of them: they are translated once, here."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the subcommand that is meant before the words."""
        return super().parse_args(ctx, with_subcommand(args, self.commands))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand; where it lacks an option, say which subcommand has it."""
        try:
            return super().invoke(ctx)
        except click.NoSuchOption as error:
            owners = self._owners(error.option_name)
            if owners:
                words = f"no option {error.option_name} here; it belongs to `symgen generate {'|'.join(owners)}`"
                raise click.NoSuchOption(error.option_name, words, ctx=error.ctx) from error
            raise

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the subcommands in the order in which they were added."""
        return list(self.commands)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the subcommands that begin so, and the types: `symgen generate TYPE` is a short form."""
        short = self.commands["types"]
        below = click.Context(short, parent=ctx, info_name=short.name)
        if incomplete.startswith("-"):
            return short.shell_complete(below, incomplete)
        arguments = [each for each in short.params if isinstance(each, click.Argument)]
        types_ = [item for each in arguments for item in each.shell_complete(below, incomplete)]
        return [*super().shell_complete(ctx, incomplete), *types_]

    def _owners(self, option: str) -> list[str]:
        owner = subcommand_of_flag(option)
        if owner is not None:
            return [owner]
        return [name for name, each in self.commands.items() if any(option in param.opts for param in each.params)]


@click.group(name="generate", cls=_WithShortForms)
def command() -> None:
    """Derive solvers and write them in C and NumPy.

    Each kind of module has a subcommand. `symgen generate TYPE...` is short for
    `symgen generate types TYPE...`, and so is `--all` or `--mechanism MECH` without a
    subcommand. `symgen generate --mechanism MECH --whole` is short for
    `symgen generate mechanism MECH`; in the same way `--dynamics`, `--loops`, `--newton`
    and `--engines` choose their subcommands.

    Each module is written to its own folder below DIR: C source and header, NumPy,
    and a manifest. An existing module is replaced, unless its files have been
    edited, or it holds C, NumPy or a precision that this run does not write; use
    --force then. Files that symgen did not write are never changed.
    """


for _each in (types, mechanism, dynamics, loops, newton, engines):
    command.add_command(_each.command)
