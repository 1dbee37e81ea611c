"""``wordorder reorder``: the words of a text in another order."""

from typing import Any

import click

from wordorder.cli import options as shared
from wordorder.cli.command import check_files, option, refuse, setting, title, verb
from wordorder.errors import UsageError
from wordorder.notes import note


@verb(
    "reorder",
    example="wordorder reorder source.txt --parser en --rules R5 -o reordered.txt",
    usual="rules parser by to output orders-output input tokenizer factors alignments "
    "alignment-output threads",
)
@click.argument("source", metavar="[IN]", default="-")
@title("Systems and files")
@option(
    "--rules RULES",
    "What puts the words of a tree in order: a set of `wordorder rules list`, or a .toml file.",
)
@option("--by ORDERS", "Orders to reorder by instead, one line per sentence.")
@option(
    "--parser MODEL",
    "Parse IN with it first, as `wordorder parse` does. [default: en, where there is no tree]",
)
@title("Results")
@option(
    "--to {text,orders,conllu,alignment}",
    "What is written: the reordered words, their order, their tree, or the links of --alignments.",
    default="text",
)
@shared.output_option
@option("--orders-output FILE", "Write the orders too, into a file.", name="orders")
@shared.read_by
@title("Systems and files")
@option(
    "--factors NAMES",
    "IN is text whose tokens have factors between bars: what these are, form,xpos; also "
    "lemma, upos, feats, and _ for any other. Tokens are moved whole.",
)
@title("Alignments and reference orders")
@option(
    "--alignments FILE", "Links of IN with another text, which are renumbered.", name="alignment"
)
@title("Results")
@option(
    "--alignment-output FILE",
    "Where the renumbered links go, in the same notation (naacl, giza: pharaoh), 0-based.",
)
@shared.notation_options
@setting("--side {source,target}", "Which side of --alignments IN is.", default="source")
@setting(
    "--missing {error,next,previous,end,drop}",
    "Words that --by lacks go before the next word that it has, behind the previous one, to "
    "the end, or are left out.",
    default="error",
)
@shared.multiple_roots_option
@shared.engine_options
@shared.column_option
@shared.threads_option
def command(
    engine: shared.Engine | None,
    source: str,
    output: str,
    orders: str | None,
    factors: str | None,
    **options: Any,
) -> None:
    """Put the words of a text into another order.

    IN is text, one sentence per line, which is parsed; or CoNLL-U, whose trees are used. Standard
    input unless it is named.
    """
    from wordorder.reordering.reorder_files import reorder_with_options

    if (options["rules"] is None) == (options["by"] is None):
        raise UsageError(
            "reorder needs --rules NAME (`wordorder rules list` shows them: R5 is English into "
            "Japanese) or --by ORDERS, one of the two"
        )
    inputs = [source, *(options[name] for name in ("rules", "by", "parser", "alignment"))]
    links = options["alignment_output"]
    check_files(inputs, output, orders, links)
    if options["by"] is None:
        refuse(["missing"], "is for given orders (--by): rules order all words")
    if options["alignment"] is None:
        if options["to"] == "alignment" or links is not None:
            raise UsageError("there is no alignment to reorder: --alignments FILE names it")
        of_links = ("alignment_format", "one_based", "strict", "side")
        refuse(of_links, "is for --alignments, and there is none")
    elif links is None and options["to"] != "alignment":
        destination = "--alignment-output FILE, or --to alignment"
        raise UsageError(f"--alignments: say where the reordered links go: {destination}")
    options |= {"source": source, "output": output, "orders": orders}
    options["factors"] = [] if factors is None else factors.split(",")
    options["format"] = options.pop("alignment_format")
    if engine is not None or options["rules"] is None or options["alignment"] is None:
        shared.share_out(engine, "reorder", reorder_with_options, options)
        return
    # The target side is known from links alone.
    from wordorder.analysis.linked_orders import LinkedOrders

    judge = LinkedOrders()
    reorder_with_options(**options, on_links=judge)
    if (warning := judge.warning(options["rules"])) is not None:
        note(f"{options['alignment']}: {warning}")
