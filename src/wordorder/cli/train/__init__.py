"""``wordorder train``: what each kind of model is trained from.

One file for each kind of model, and the options that several have. Training itself is in `training`
and `translation`.
"""

from __future__ import annotations

import importlib

import click

from wordorder.cli.command import Commands
from wordorder.errors import unknown_name

# The file of each kind's command.
_FILES = {
    "order": "order",
    "parser": "parser",
    "rules": "order",
    "tagger": "parser",
    "translation": "translation",
}


class Kinds(click.Group):
    """What can be trained."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find what is to be trained, or say what can be."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            raise unknown_name("kind of model", args[0], self.commands)
        return super().resolve_command(ctx, args)


@click.group(
    "train",
    cls=Kinds,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    epilog="Example: wordorder train parser train.conllu --dev dev.conllu -o my.model",
)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Train a tagger, a parser, a pre-orderer, rules or a translator."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)


def _imported(kind: str) -> click.Command:
    """Import the command that trains a kind of model."""
    module = importlib.import_module(f"wordorder.cli.train.{_FILES[kind]}")
    made: click.Command = getattr(module, f"{kind}_command")
    return made


command.commands = Commands(_FILES, _imported)  # type: ignore[assignment]  # nobody adds to it
