"""Options of the verbs that read human judgements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from wordorder.cli.systems import format_option, level_option, seed_option, threads_option

Function = TypeVar("Function", bound=Callable[..., Any])


def judgement_options(function: Function) -> Function:
    """Add the file of judgements, and how its intervals are made and printed."""
    decorators = [
        click.argument("judgements"),
        click.option(
            "--languages",
            metavar="SOURCE-TARGET",
            help="The language pair of a WMT file that has several, as it names them: "
            "French-English.",
        ),
        click.option(
            "--items",
            metavar="FILE",
            help="For scores of items (item judge score): the table with the system of each item.",
        ),
        level_option,
        click.option(
            "--resamples",
            type=click.IntRange(1),
            metavar="N",
            default=1000,
            show_default=True,
            help="How often the judged items are resampled; for trueskill, the number of runs.",
        ),
        seed_option,
        threads_option,
        format_option,
    ]
    for decorator in reversed(decorators):
        function = decorator(function)
    return function
