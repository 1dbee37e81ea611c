"""``wordorder reorder``: the words of a text in another order."""

from __future__ import annotations

from typing import Any

import click

from wordorder.cli.engine_options import Engine, engine_options, write_or_plan
from wordorder.cli.help import GroupedHelp
from wordorder.cli.options import (
    ALIGNMENT_FORMATS,
    SENTENCES,
    column_option,
    multiple_roots_option,
    refuse_overwriting,
    strict_option,
    threads_option,
)


@click.command("reorder", cls=GroupedHelp)
@click.argument("source", metavar="[IN]", default="-")
@click.option(
    "--rules",
    metavar="RULES",
    help="What puts the words of a tree in order: a set of `wordorder rules list`, or a .toml "
    "file.",
)
@click.option(
    "--by",
    metavar="ORDERS",
    help="Orders to reorder by instead, a line a sentence.",
)
@click.option(
    "--parser",
    metavar="MODEL",
    help="Parse IN by it first, as `wordorder parse` does. [default: en, where there is no tree]",
)
@click.option(
    "--to",
    type=click.Choice(["text", "orders", "conllu", "alignment"]),
    default="text",
    show_default=True,
    help="What is written: the reordered words, their order, their tree, or the links of "
    "--alignment.",
)
@click.option(
    "-o", "--output", metavar="FILE", default="-", help="Where the result goes. [default: stdout]"
)
@click.option("--orders", metavar="FILE", help="Write the orders too, into a file.")
@click.option(
    "--input",
    "kind",
    type=click.Choice(SENTENCES),
    default="auto",
    show_default=True,
    help="What IN holds; auto: .conllu files say so themselves, others are looked at.",
)
@click.option(
    "--tokenize",
    is_flag=True,
    help="IN is raw English, a sentence a line. [default: words are separated by blanks]",
)
@click.option(
    "--factors",
    metavar="NAMES",
    help="IN is text whose tokens have factors between bars: what these are, form,xpos; also "
    "lemma, upos, feats, and _ for any other. Tokens are moved whole.",
)
@click.option(
    "--alignment",
    metavar="FILE",
    help="Links of IN with another text, which are renumbered.",
)
@click.option(
    "--alignment-output",
    metavar="FILE",
    help="Where the renumbered links go, in the same notation (naacl, giza: pharaoh), 0-based.",
)
@click.option(
    "--alignment-format",
    type=click.Choice(ALIGNMENT_FORMATS),
    default="auto",
    show_default=True,
    help="How --alignment is written, as in `wordorder reference --format`.",
)
@click.option("--one-based", is_flag=True, help="Indices in --alignment start at 1.")
@strict_option
@click.option(
    "--side",
    type=click.Choice(["source", "target"]),
    default="source",
    show_default=True,
    help="Which side of --alignment IN is.",
)
@click.option(
    "--missing",
    type=click.Choice(["error", "next", "previous", "end", "drop"]),
    default="error",
    show_default=True,
    help="Words that --by lacks go before the next word that it has, behind the previous one, to "
    "the end, or out.",
)
@multiple_roots_option
@engine_options
@column_option
@threads_option
def command(
    engine: Engine | None,
    source: str,
    rules: str | None,
    by: str | None,
    parser: str | None,
    to: str,
    output: str,
    orders: str | None,
    kind: str,
    tokenize: bool,
    multiple_roots: bool,
    factors: str | None,
    alignment: str | None,
    alignment_output: str | None,
    alignment_format: str,
    one_based: bool,
    strict: bool,
    side: str,
    missing: str,
) -> None:
    """Put the words of a text into another order.

    IN is text, a sentence a line, which is parsed; or CoNLL-U, whose trees are used. Standard
    input unless it is named.
    """
    from wordorder.errors import UsageError
    from wordorder.reordering.reorder_files import reorder_files
    from wordorder.report.progress import Progress, about_how_many
    from wordorder.text.names import is_treebank

    if (rules is None) == (by is None):
        raise UsageError(
            "reorder needs --rules NAME (`wordorder rules list` shows them: R5 is English into "
            "Japanese) or --by ORDERS, one of the two"
        )
    inputs = (source, rules, by, parser, alignment)
    if inputs.count("-") > 1:
        raise UsageError('only one input can be standard input ("-")')
    outputs = [path for path in (output, orders, alignment_output) if path is not None]
    for path in outputs:
        refuse_overwriting(None if path == "-" else path, inputs)
    if by is None and missing != "error":
        raise UsageError("--missing is for given orders (--by): rules order all words")
    if alignment is None:
        if to == "alignment" or alignment_output is not None:
            raise UsageError("there is no alignment to reorder: --alignment FILE names it")
        for option, given in (
            ("--alignment-format", alignment_format != "auto"),
            ("--one-based", one_based),
            ("--strict", strict),
            ("--side", side != "source"),
        ):
            if given:
                raise UsageError(f"{option} is for --alignment, and there is none")
    elif alignment_output is None and to != "alignment":
        raise UsageError(
            "--alignment: say where the reordered links go: --alignment-output FILE, or "
            "--to alignment"
        )
    with Progress("sentences", about_how_many(source, treebank=is_treebank(source))) as progress:
        options: dict[str, Any] = {
            "source": source,
            "output": output,
            "rules": rules,
            "by": by,
            "parser": parser,
            "to": to,
            "kind": kind,
            "tokenize": tokenize,
            "multiple_roots": multiple_roots,
            "factors": [] if factors is None else factors.split(","),
            "orders": orders,
            "alignment": alignment,
            "alignment_output": alignment_output,
            "format": alignment_format,
            "one_based": one_based,
            "strict": strict,
            "side": side,
            "missing": missing,
        }
        if engine is None:
            reorder_files(**options, progress=progress)
        else:
            write_or_plan(engine, "reorder", options, progress)
