"""What `tag` and `parse` share: the model, the sentences, and where the result goes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from wordorder.cli.choices import SENTENCES
from wordorder.cli.systems import refuse_overwriting, threads_option
from wordorder.cli.table_options import column_option

Function = TypeVar("Function", bound=Callable[..., Any])


def sentence_options(function: Function) -> Function:
    """Add model, input, output and how the input is read to a verb."""
    decorators = [
        click.argument("model", metavar="MODEL", callback=_named, required=False),
        click.argument("source", metavar="[IN]", default="-"),
        click.option(
            "-o",
            "--output",
            metavar="FILE",
            default="-",
            help="Where the result goes. [default: stdout]",
        ),
        click.option(
            "--input",
            "kind",
            type=click.Choice(SENTENCES),
            default="auto",
            show_default=True,
            help="What IN holds; auto: .conllu files say so themselves, others are looked at.",
        ),
        click.option(
            "--tokenize",
            is_flag=True,
            help="IN is raw English, a sentence a line. [default: words are separated by blanks]",
        ),
        column_option,
        # Taken since all commands that read trees take it.
        click.option(
            "--multiple-roots",
            is_flag=True,
            expose_value=False,
            help="Changes nothing here: sentences of IN may have several roots.",
        ),
        threads_option,
    ]
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


def _named(ctx: click.Context, _: click.Parameter, model: str | None) -> str:
    """Return the model that was named, or say which ones there are."""
    if ctx.resilient_parsing:
        return ""
    from wordorder.text.tensors import is_text

    if model is None or is_text(model):
        from wordorder.errors import UsageError
        from wordorder.parsing.model_file import WHICH_MODELS

        found = "the model is missing" if model is None else f"{model} is a text, not a model"
        example = f"wordorder {ctx.command.name} en {model or 'FILE'}"
        raise UsageError(f"{found}: `{example}` is for English. {WHICH_MODELS}")
    return model


def check_paths(output: str, *inputs: str | None) -> None:
    """Raise a UsageError if the output would take the place of an input."""
    refuse_overwriting(None if output == "-" else output, inputs)
