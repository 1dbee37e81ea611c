"""``--figures``: what several verbs found as figures for papers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wordorder.cli.messages import say
from wordorder.errors import UsageError

if TYPE_CHECKING:
    from wordorder.drawing.figure import Figure
    from wordorder.parsing.training.learning_curve import LearningCurve

Function = TypeVar("Function", bound=Callable[..., Any])


def figures_option(function: Function) -> Function:
    """Add ``--figures``."""
    return click.option(
        "--figures",
        metavar="DIR",
        callback=_check_folder,
        help="Write figures for a paper into this folder: SVG, PDF, the data as TSV, and PNG with "
        "the extra plot.",
    )(function)


def draw(folder: str, figures: Iterable[Figure]) -> None:
    """Write figures, but not over a file that the command names, and say which."""
    from wordorder.report.figures.writing import write_figures

    named = list(_texts(click.get_current_context().params.values()))
    say(write_figures(folder, list(figures), named))


def draw_curves(folder: str | None, curves: Sequence[LearningCurve]) -> None:
    """Write the learning curves of a training, if figures are asked for."""
    if folder is not None:
        from wordorder.report.figures.training_figures import training_figures

        draw(folder, training_figures(curves))


def _texts(values: Iterable[Any]) -> Iterator[str]:
    """Yield what may be names of files among the values of options, ``NAME=FILE`` without NAME."""
    from wordorder.text.named_files import split_name

    for value in values:
        if isinstance(value, str):
            yield value
            yield split_name(value)[1]
        elif isinstance(value, (list, tuple)):
            yield from _texts(value)


def _check_folder(_: click.Context, __: click.Parameter, folder: str | None) -> str | None:
    """Refuse what cannot be a folder of figures, before the work."""
    if folder is None:
        return None
    if folder == "-":
        raise UsageError("--figures needs a folder: standard output has the tables")
    from wordorder.text.output import require_folder

    require_folder(folder)
    return folder
