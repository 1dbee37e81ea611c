"""What `score` and `compare` share: reference, systems, metrics and their options."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from wordorder.cli.help import GroupedHelp
from wordorder.cli.table_options import column_option
from wordorder.cli.text_options import text_options
from wordorder.errors import UsageError
from wordorder.scoring.files import KINDS
from wordorder.text.table_names import file_of

Function = TypeVar("Function", bound=Callable[..., Any])

# Options that take all names that follow, up to the next option.
MANY = (
    *("-i", "--system", "-r", "--reference"),
    *("--hypothesis-alignment", "--reference-alignment"),
    *("--trees", "--parser", "--rules", "--nbest"),
)


class ManySystems(GroupedHelp):
    """A command whose ``-i`` takes all names that follow: ``-i A B C``; so do others of `MANY`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the option before each of its names, as click wants it."""
        spread: list[str] = []
        taking = ""
        for number, arg in enumerate(args):
            if arg == "--":
                spread += args[number:]
                break
            if arg in MANY:
                taking = arg
                if number + 1 == len(args):
                    spread.append(arg)
                continue
            if arg.startswith("-") and arg != "-":
                taking = ""
            spread += [taking, arg] if taking else [arg]
        taker = next((arg for arg in reversed(args) if arg in MANY), "") if len(args) > 2 else ""
        try:
            return super().parse_args(ctx, spread)
        except click.MissingParameter as error:
            if taker and error.param is not None and error.param.name == "reference":
                raise UsageError(
                    f"{ctx.info_name}: no REFERENCE: {taker} takes all names that follow; "
                    "put REFERENCE before it"
                ) from None
            raise


def system_options(function: Function) -> Function:
    """Add reference, systems, metrics and their options to a verb."""
    decorators = [
        click.argument("reference"),
        click.option(
            "-i",
            "--system",
            "inputs",
            multiple=True,
            required=True,
            metavar="SYSTEM ...",
            help="Systems; NAME=FILE names one. Translations, or orders, reordered source lines "
            "(with --source), alignments, or treebanks: what REFERENCE is.",
        ),
        click.option(
            "-m",
            "--metrics",
            multiple=True,
            metavar="NAMES",
            help='Metrics, separated by commas; also sums, "0.6*cder+0.4*per", and options, '
            '"cder(penalty=length)"; "all" for every fast one that the input serves. [default: '
            "frs,kendall for orders, cder,ter,bleu for text, aer,precision,recall for alignments, "
            "uas,las for .conllu]",
        ),
        metric_option,
        click.option(
            "--source",
            metavar="FILE",
            help="The source text: for alignments, for systems given as reordered source lines, "
            "and for -O match=first-unmatched.",
        ),
        click.option(
            "--input",
            "kind",
            type=click.Choice(KINDS),
            default="auto",
            show_default=True,
            help="What the files hold; auto: .orders, .conllu, .align and .talbot files say so "
            "themselves, others hold what the metrics read. In treebanks, metrics of text read the "
            "words.",
        ),
        column_option,
        *text_options,
        click.option(
            "--resamples",
            type=click.IntRange(1),
            metavar="N",
            help="How many resamples are drawn. [default: 1000; 10000 to test by randomization]",
        ),
        seed_option,
        threads_option,
        paper_format_option,
    ]
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


def metric_option(function: Function) -> Function:
    """Add ``-O``."""
    return click.option(
        "-O",
        "--option",
        "settings",
        multiple=True,
        metavar="[METRIC.]KEY=VALUE",
        help="An option of one metric (-O frs.ties=rank) or of all (-O average=micro).",
    )(function)


def level_option(function: Function) -> Function:
    """Add ``--level``."""
    return click.option(
        "--level",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        metavar="P",
        default=0.95,
        show_default=True,
        help="The confidence of the intervals.",
    )(function)


def seed_option(function: Function) -> Function:
    """Add ``--seed``."""
    return click.option(
        "--seed",
        type=click.IntRange(0),
        default=12345,
        show_default=True,
        metavar="N",
        help="Where the random choices start.",
    )(function)


def threads_option(function: Function) -> Function:
    """Add ``--threads``."""
    return click.option(
        "--threads",
        type=click.IntRange(1),
        metavar="N",
        expose_value=False,
        callback=_set_threads,
        help="Threads; results do not depend on it. [default: all cores]",
    )(function)


def format_option(function: Function) -> Function:
    """Add ``--format``."""
    return _format_option(["text", "json", "tsv"])(function)


def paper_format_option(function: Function) -> Function:
    """Add ``--format`` of verbs whose tables go into papers and pages too."""
    return _format_option(["text", "json", "tsv", "markdown", "latex"])(function)


def _format_option(forms: Sequence[str]) -> Callable[[Function], Function]:
    return click.option(
        "--format",
        "form",
        type=click.Choice(forms),
        default="text",
        show_default=True,
        help="How the result is printed.",
    )


def _set_threads(ctx: click.Context, _: click.Parameter, number: int | None) -> None:
    if number is not None:
        from wordorder.kernels._run import set_threads

        set_threads(number)


def refuse_overwriting(output: str | None, inputs: Sequence[str | None]) -> None:
    """Raise a UsageError if the output would take the place of an input."""
    for given in inputs:
        path = None if given is None else file_of(given)
        known = output and path and os.path.exists(output) and os.path.exists(path)
        if known and os.path.samefile(str(output), str(path)):
            raise UsageError(f"{output}: is an input too; give the output another name")
