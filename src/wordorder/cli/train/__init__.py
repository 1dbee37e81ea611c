"""``wordorder train``: what each kind of model is trained from.

One file for each kind of model, and the options that several have. Training itself is in `training`
and `translation`.
"""

import importlib

import click

from wordorder.cli.command import Actions, Commands, need_action

# The file of each kind's command.
_FILES = {
    "order": "order",
    "parser": "parser",
    "rules": "order",
    "tagger": "parser",
    "translation": "translation",
}


@click.group(
    "train",
    cls=Actions,
    noun="kind of model",
    subcommand_metavar="COMMAND [ARGS]...",
    epilog="Example: wordorder train parser train.conllu --dev dev.conllu -o my.model",
)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Train a tagger, a parser, a pre-orderer, rules or a translator."""
    need_action(ctx)


def _imported(kind: str) -> click.Command:
    """Import the command that trains a kind of model."""
    module = importlib.import_module(f"wordorder.cli.train.{_FILES[kind]}")
    trainer: click.Command = getattr(module, f"{kind}_command")
    return trainer


command.commands = Commands(_FILES, _imported)  # type: ignore[assignment]  # nobody adds to it
