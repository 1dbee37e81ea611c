"""``wordorder reorder``: the words of a text in another order."""

from __future__ import annotations

from typing import Any

import click

from wordorder.cli.command import (
    option,
    refuse,
    refuse_overwriting,
    refuse_two_pipes,
    setting,
    verb,
)
from wordorder.cli.engine_options import Engine, engine_options, write_or_plan
from wordorder.cli.options import (
    column_option,
    multiple_roots_option,
    notation_options,
    output_option,
    read_by,
    threads_option,
)


@verb("reorder")
@click.argument("source", metavar="[IN]", default="-")
@option(
    "--rules",
    "RULES",
    "What puts the words of a tree in order: a set of `wordorder rules list`, or a .toml file.",
)
@option("--by", "ORDERS", "Orders to reorder by instead, a line a sentence.")
@option(
    "--parser",
    "MODEL",
    "Parse IN by it first, as `wordorder parse` does. [default: en, where there is no tree]",
)
@option(
    "--to",
    ["text", "orders", "conllu", "alignment"],
    "What is written: the reordered words, their order, their tree, or the links of --alignments.",
    default="text",
)
@output_option
@option("--orders-output", "FILE", "Write the orders too, into a file.", name="orders")
@read_by
@option(
    "--factors",
    "NAMES",
    "IN is text whose tokens have factors between bars: what these are, form,xpos; also "
    "lemma, upos, feats, and _ for any other. Tokens are moved whole.",
)
@option("--alignments", "FILE", "Links of IN with another text, which are renumbered.")
@option(
    "--alignment-output",
    "FILE",
    "Where the renumbered links go, in the same notation (naacl, giza: pharaoh), 0-based.",
)
@notation_options
@setting("--side", ["source", "target"], "Which side of --alignments IN is.", default="source")
@setting(
    "--missing",
    ["error", "next", "previous", "end", "drop"],
    "Words that --by lacks go before the next word that it has, behind the previous one, to "
    "the end, or out.",
    default="error",
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
    alignments: str | None,
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
    from wordorder.notes import note
    from wordorder.reordering.reorder_files import reorder_files
    from wordorder.report.progress import Progress, about_how_many
    from wordorder.text.names import is_treebank

    if (rules is None) == (by is None):
        raise UsageError(
            "reorder needs --rules NAME (`wordorder rules list` shows them: R5 is English into "
            "Japanese) or --by ORDERS, one of the two"
        )
    inputs = (source, rules, by, parser, alignments)
    refuse_two_pipes(*inputs)
    for path in (output, orders, alignment_output):
        refuse_overwriting(None if path == "-" else path, inputs)
    if by is None:
        refuse(["missing"], "is for given orders (--by): rules order all words")
    if alignments is None:
        if to == "alignment" or alignment_output is not None:
            raise UsageError("there is no alignment to reorder: --alignments FILE names it")
        of_links = ("alignment_format", "one_based", "strict", "side")
        refuse(of_links, "is for --alignments, and there is none")
    elif alignment_output is None and to != "alignment":
        raise UsageError(
            "--alignments: say where the reordered links go: --alignment-output FILE, or "
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
            "alignment": alignments,
            "alignment_output": alignment_output,
            "format": alignment_format,
            "one_based": one_based,
            "strict": strict,
            "side": side,
            "missing": missing,
        }
        if engine is not None:
            write_or_plan(engine, "reorder", options, progress)
        elif rules is None or alignments is None:
            reorder_files(**options, progress=progress)
        else:
            # Only links say what the target is.
            from wordorder.analysis.linked_orders import LinkedOrders

            judge = LinkedOrders()
            reorder_files(**options, linked=judge, progress=progress)
            if (warning := judge.warning(rules)) is not None:
                note(f"{alignments}: {warning}")
