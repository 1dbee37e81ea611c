"""``wordorder train``: the commands that train models.

`options` has the options of parsers and taggers. Training itself is in `parsing`, `training` and
`translation`.
"""

import importlib

import click

from wordorder.cli.command import ActionGroup, LazyCommands, need_action

# The file with the command of each kind of model.
_FILE_OF_KIND = {
    "order": "order",
    "parser": "parser",
    "rules": "order",
    "tagger": "parser",
    "translation": "translation",
}


@click.group(
    "train",
    cls=ActionGroup,
    noun="kind of model",
    subcommand_metavar="COMMAND [ARGS]...",
    epilog="Example: wordorder train parser train.conllu --dev dev.conllu -o my.model",
)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Train a tagger, a parser, a pre-orderer, rules or a translator."""
    need_action(ctx)


def _import_command(kind: str) -> click.Command:
    """Import the command that trains a kind of model."""
    module = importlib.import_module(f"wordorder.cli.train.{_FILE_OF_KIND[kind]}")
    trainer: click.Command = getattr(module, f"{kind}_command")
    return trainer


command.commands = LazyCommands(_FILE_OF_KIND, _import_command)  # type: ignore[assignment]  # nobody adds to it
