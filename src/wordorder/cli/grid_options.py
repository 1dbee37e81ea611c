"""What `evaluate` and `analyze` share on the command line: reference, trees, parsers, rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from wordorder.analysis.grid_files import RULE_SETS
from wordorder.cli.alignment_options import reference_options
from wordorder.cli.systems import level_option, seed_option
from wordorder.cli.table_options import column_option
from wordorder.cli.tree_options import multiple_roots_option

Function = TypeVar("Function", bound=Callable[..., Any])


# Trees and rules, and the source that they are of.
tree_and_rule_options = [
    click.option(
        "--trees",
        "trees",
        multiple=True,
        metavar="[NAME=]FILE ...",
        help="Trees of the source sentences in CoNLL-U, one file a parser.",
    ),
    click.option(
        "--parser",
        "parsers",
        multiple=True,
        metavar="[NAME=]MODEL ...",
        help="Parsers that parse --source: en, a model file, udpipe:FILE, spacy:NAME, stanza:LANG.",
    ),
    click.option(
        "--source",
        metavar="FILE",
        help="The source sentences, words between blanks (or CoNLL-U).",
    ),
    click.option(
        "--rules",
        "rule_sets",
        multiple=True,
        metavar="[NAME=]RULES ...",
        help="Rule sets, each a set of `wordorder rules list`, or a .toml file. "
        f"[default: {' '.join(RULE_SETS)}]",
    ),
]


def grid_options(function: Function) -> Function:
    """Add what `wordorder.analysis.grid_files.GridFiles` has, each option under its name there."""
    decorators = [
        click.argument("reference"),
        *tree_and_rule_options,
        reference_options,
        column_option,
        multiple_roots_option,
    ]
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


def order_metric_options(default: str) -> Callable[[Function], Function]:
    """Return what adds ``-m`` and ``-O`` for metrics of orders; they become `metrics`, `settings`.

    Parameters
    ----------
    default : str
        What help says of ``-m`` where it is not given.
    """

    def add(function: Function) -> Function:
        options = [
            click.option(
                "-m",
                "--metrics",
                multiple=True,
                metavar="NAMES",
                help='Metrics of orders, separated by commas; "all" for every fast one. '
                f"[default: {default}]",
            ),
            click.option(
                "-O",
                "--option",
                "settings",
                multiple=True,
                metavar="[METRIC.]KEY=VALUE",
                help="An option of one metric (-O frs.ties=rank) or of all (-O average=micro).",
            ),
        ]
        for option in reversed(options):
            function = option(function)
        return function

    return add


def interval_options(function: Function) -> Function:
    """Add ``--level``, ``--resamples`` and ``--seed``."""
    options = [
        level_option,
        click.option(
            "--resamples",
            type=click.IntRange(1),
            metavar="N",
            help="How many resamples are drawn. [default: 1000; 10000 to test by randomization]",
        ),
        seed_option,
    ]
    for option in reversed(options):
        function = option(function)
    return function
