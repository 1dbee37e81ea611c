"""``wordorder train``: what each kind of model is trained from.

One file for each kind of model, and the options that several have. Training itself is in `training`
and `translation`.
"""

from __future__ import annotations

import click

from wordorder.cli.train.order import order_command, rules_command
from wordorder.cli.train.parser import parser_command, tagger_command
from wordorder.cli.train.translation import command as translation_command
from wordorder.errors import unknown_name


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


for kind in (parser_command, tagger_command, order_command, rules_command, translation_command):
    command.add_command(kind)
