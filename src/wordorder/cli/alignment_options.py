"""How alignments are read, wherever a verb takes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from wordorder.cli.choices import ALIGNMENT_FORMATS, LINKS, RULES, UNALIGNED

Function = TypeVar("Function", bound=Callable[..., Any])
KINDS = ("auto", "orders", "alignments")

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
one_based_option = click.option(
    "--one-based", is_flag=True, help="Indices in alignments start at 1."
)


def input_option(kinds: Sequence[str], auto: str) -> Callable[[Function], Function]:
    """Return ``--input``, whose help says what ``auto`` takes files for."""
    return click.option(
        "--input",
        "kind",
        type=click.Choice(kinds),
        default="auto",
        show_default=True,
        help=f"What REFERENCE holds; auto: {auto}.",
    )


def rule_option(default: str) -> Callable[[Function], Function]:
    """Return ``--rule``, whose help says what the default is."""
    return click.option(
        "--rule",
        type=click.Choice(RULES),
        help=f"How alignments become orders, as in `wordorder reference`. [default: {default}]",
    )


# How alignments become orders, besides the rule.
order_making_options = [
    unaligned_option,
    click.option(
        "--links",
        type=click.Choice(LINKS),
        help="Whether possible links (ipj, i?j) count. [default: all]",
    ),
    alignment_format_option,
    one_based_option,
    strict_option,
]


def reference_options(function: Function) -> Function:
    """Add what REFERENCE holds, and how alignments become orders."""
    auto = "alignments in .align and .talbot files, orders in others"
    for decorator in reversed(
        [input_option(KINDS, auto), rule_option("talbot"), *order_making_options]
    ):
        function = decorator(function)
    return function
