"""What `score` and `compare` share: reference, systems, metrics and their options."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wordorder.errors import UsageError, WordOrderWarning

if TYPE_CHECKING:
    from wordorder.metrics.systems import Evaluation

Function = TypeVar("Function", bound=Callable[..., Any])

SUFFIXES = (".gz", ".xz", ".bz2", ".zst")


class ManySystems(click.Command):
    """A command whose ``-i`` takes all names that follow: ``-i A B C``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat ``-i`` before each of its names, as click wants it."""
        spread: list[str] = []
        taking = False
        for number, arg in enumerate(args):
            if arg == "--":
                spread += args[number:]
                break
            if arg in ("-i", "--input"):
                taking = True
                if number + 1 == len(args):
                    spread.append(arg)
                continue
            if arg.startswith("-") and arg != "-":
                taking = False
            spread += ["-i", arg] if taking else [arg]
        several = spread.count("-i") > 1
        try:
            return super().parse_args(ctx, spread)
        except click.MissingParameter as error:
            if several and error.param is not None and error.param.name == "reference":
                raise UsageError(
                    f"{ctx.info_name}: no REFERENCE: -i takes all names that follow; "
                    "put REFERENCE before it"
                ) from None
            raise


def system_options(function: Function) -> Function:
    """Add reference, systems, metrics and their options to a verb."""
    decorators = [
        click.argument("reference"),
        click.option(
            "-i",
            "--input",
            "inputs",
            multiple=True,
            required=True,
            metavar="SYSTEM ...",
            help="Systems' orders; NAME=FILE names one. An .orders file, or reordered text lines "
            "(with --source).",
        ),
        click.option(
            "-m",
            "--metrics",
            multiple=True,
            default=["frs,kendall"],
            metavar="NAMES",
            help='Metrics, separated by commas; "all" for every one. [default: frs,kendall]',
        ),
        click.option(
            "-O",
            "--option",
            "settings",
            multiple=True,
            metavar="[METRIC.]KEY=VALUE",
            help="An option of one metric (-O frs.ties=rank) or of all (-O average=micro).",
        ),
        click.option(
            "--source",
            metavar="FILE",
            help="The source text: for systems given as reordered text, and match=first-unmatched.",
        ),
        click.option(
            "--input-format",
            type=click.Choice(["auto", "orders", "text"]),
            default="auto",
            show_default=True,
            help="What the systems' files hold; auto: text if --source is given and the name does "
            "not end in .orders.",
        ),
        click.option(
            "--resamples",
            type=click.IntRange(1),
            metavar="N",
            help="How many resamples are drawn. [default: 1000; 10000 to test by randomization]",
        ),
        click.option(
            "--seed",
            type=click.IntRange(0),
            default=12345,
            show_default=True,
            metavar="N",
            help="Where the random choices start.",
        ),
        threads_option,
        format_option,
    ]
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


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
    return click.option(
        "--format",
        "form",
        type=click.Choice(["text", "json", "tsv"]),
        default="text",
        show_default=True,
        help="How the result is printed.",
    )(function)


def _set_threads(ctx: click.Context, _: click.Parameter, number: int | None) -> None:
    if number is not None:
        from wordorder.kernels._run import set_threads

        set_threads(number)


def make_metrics(given: Sequence[str], settings: Sequence[str]) -> list[Any]:
    """Make the metrics of ``-m`` with the options of ``-O``.

    Raises
    ------
    UsageError
        If a name, an option or a value is unknown, or an option fits none of the metrics.
    """
    from wordorder.metrics import METRICS, metric
    from wordorder.metrics.options import defaults

    names = ",".join(given)
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    if "all" in wanted:
        wanted = METRICS.names()
    if not wanted:
        raise UsageError("-m names no metric")
    if len(set(wanted)) < len(wanted):
        raise UsageError(f"-m names a metric twice: {names}")
    options: dict[str, dict[str, str]] = {name: {} for name in wanted}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals:
            raise UsageError(f"-O {setting}: expected [METRIC.]KEY=VALUE")
        name, dot, option = key.rpartition(".")
        if dot and name not in options:
            raise UsageError(f"-O {setting}: {name!r} is not among the metrics {names}")
        takers = [name] if dot else [n for n in wanted if option in defaults(METRICS.load(n))]
        if not takers:
            raise UsageError(f"-O {setting}: none of the metrics {names} has an option {option!r}")
        for taker in takers:
            options[taker][option] = value
    return [metric(name, **options[name]) for name in wanted]


def names_and_paths(inputs: Sequence[str]) -> list[tuple[str, str]]:
    """Return a distinct name and the path of each system.

    ``NAME=FILE`` names it; otherwise it is called after its file, without folder and suffix, or by
    the whole path where two would be the same.

    Raises
    ------
    UsageError
        If two systems have one name all the same.
    """
    found = []
    chosen = set()
    for given in inputs:
        name, equals, path = given.partition("=")
        if equals and name and os.sep not in name and not os.path.exists(given):
            found.append((name, path))
            chosen.add(len(found) - 1)
        else:
            found.append((_stem(given), given))
    names = [name for name, _ in found]
    distinct = [
        (name if place in chosen or names.count(name) == 1 else path, path)
        for place, (name, path) in enumerate(found)
    ]
    if len({name for name, _ in distinct}) < len(distinct):
        raise UsageError("two systems have one name; NAME=FILE gives another")
    return distinct


def _stem(path: str) -> str:
    if path == "-":
        return "stdin"
    name = PurePath(path).name
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    return name.removesuffix(".orders") or name


@contextlib.contextmanager
def opened(
    reference: str, paths: Sequence[str], source: str | None, form: str, metrics: Sequence[Any]
) -> Iterator[tuple[Any, list[Any], Any]]:
    """Open the reference, the systems and, if needed, the source words."""
    from wordorder.order.matching import MatchedTextReader, WordIdReader
    from wordorder.order.reading import OrderReader

    if [reference, *paths, source].count("-") > 1:
        raise UsageError('only one input can be standard input ("-")')
    with contextlib.ExitStack() as stack:
        readers: list[Any] = []
        for path in paths:
            if _is_text(path, source, form):
                if source is None:
                    raise UsageError(f"{path}: reordered text needs --source")
                readers.append(stack.enter_context(MatchedTextReader(path, source)))
            else:
                readers.append(stack.enter_context(OrderReader(path)))
        target = stack.enter_context(OrderReader(reference))
        by_form = any(getattr(metric, "match", "index") != "index" for metric in metrics)
        words = stack.enter_context(WordIdReader(source)) if source and by_form else None
        yield target, readers, words


def evaluate(
    reference: str,
    inputs: Sequence[str],
    source: str | None,
    form: str,
    metrics: Sequence[Any],
    *,
    keep: bool,
) -> Evaluation:
    """Score the systems' files, with progress; say what did not take part."""
    from wordorder.metrics.systems import score_systems
    from wordorder.report.progress import Progress

    named = names_and_paths(inputs)
    paths = [path for _, path in named]
    with (
        opened(reference, paths, source, form, metrics) as (target, systems, words),
        Progress("segments") as progress,
    ):
        evaluation = score_systems(
            target,
            systems,
            metrics,
            names=[name for name, _ in named],
            words=words,
            keep=keep,
            progress=progress,
        )
    note_dropped(evaluation)
    return evaluation


def refuse_overwriting(output: str | None, inputs: Sequence[str | None]) -> None:
    """Raise a UsageError if the output would take the place of an input."""
    for path in inputs:
        known = output and path and os.path.exists(output) and os.path.exists(path)
        if known and os.path.samefile(str(output), str(path)):
            raise UsageError(f"{output}: is an input too; give the output another name")


def note_dropped(evaluation: Evaluation) -> None:
    """Say on standard error what did not take part in the scores."""
    from wordorder.report.counts import counted

    for system in evaluation.systems:
        if system.dropped:
            warnings.warn(
                f"{system.name}: left out {counted(system.dropped, 'word')} that only one of "
                "system and reference has",
                WordOrderWarning,
                stacklevel=2,
            )
    if evaluation.skipped:
        lines = ", ".join(map(str, evaluation.skipped_lines[:5]))
        more = ", ..." if evaluation.skipped > 5 else ""
        warnings.warn(
            f"skipped {counted(evaluation.skipped, 'segment')} without a word to order: "
            f"{'line' if evaluation.skipped == 1 else 'lines'} {lines}{more}",
            WordOrderWarning,
            stacklevel=2,
        )


def _is_text(path: str, source: str | None, form: str) -> bool:
    """Whether a system's file holds reordered text."""
    if form != "auto":
        return form == "text"
    name = path
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    return source is not None and not name.endswith(".orders")
