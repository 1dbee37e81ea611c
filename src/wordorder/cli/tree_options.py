"""What verbs that read trees have in common."""

from __future__ import annotations

import click

multiple_roots_option = click.option(
    "--multiple-roots",
    is_flag=True,
    help="Take sentences of CoNLL-U with several roots. [default: an error]",
)
