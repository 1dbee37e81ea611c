"""How alignments are read, wherever a verb takes them."""

from __future__ import annotations

import click

from wordorder.cli.choices import ALIGNMENT_FORMATS, UNALIGNED

unaligned_option = click.option(
    "--unaligned",
    type=click.Choice(UNALIGNED),
    help="Where words without a link go. [default: the rule's]",
)
alignment_format_option = click.option(
    "--alignment-format",
    type=click.Choice(ALIGNMENT_FORMATS),
    default="auto",
    show_default=True,
    help="How alignments are written, as in `wordorder reference --format`.",
)
strict_option = click.option(
    "--strict",
    is_flag=True,
    help="Refuse links that are listed twice. [default: take each once, with a note]",
)
