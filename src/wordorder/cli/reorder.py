"""``wordorder reorder``: put the words of a text into another order."""

from typing import Any

import click

from wordorder.cli import options as shared
from wordorder.cli.command import check_files, named_command, option, refuse, setting, title
from wordorder.errors import UsageError
from wordorder.notes import note


@named_command(
    "reorder",
    example="wordorder reorder source.txt --parser en --rules R5 -o reordered.txt",
    usual="rules parser by to output orders-output input tokenizer factors alignments "
    "alignment-output threads",
)
@click.argument("source", metavar="[IN]", default="-")
@title("Systems and files")
@option(
    "--rules RULES",
    "Rules that reorder the words of a tree: a set of `wordorder rules list`, or a .toml file.",
)
@option("--by ORDERS", "Orders to reorder by instead, one line per sentence.")
@option(
    "--parser MODEL",
    "The parser of IN, as in `wordorder parse`. [default: en for sentences without a tree]",
)
@title("Results")
@option(
    "--to {text,orders,conllu,alignment}",
    "The output: the reordered words, their order, their tree, or the links of --alignments.",
    default="text",
)
@shared.output_option
@option("--orders-output FILE", "Also write the orders to a file.", name="orders")
@shared.input_reading_options
@title("Systems and files")
@option(
    "--factors NAMES",
    "Names of the factors if the tokens of IN have some, separated by |: form,xpos; also lemma, "
    "upos, feats, and _ for others. All factors move with their token.",
)
@title("Alignments and reference orders")
@option("--alignments FILE", "Links of IN with another text, to be renumbered.", name="alignment")
@title("Results")
@option(
    "--alignment-output FILE",
    "Write the renumbered links, 0-based, in the same notation (naacl and giza as pharaoh).",
)
@shared.notation_options
@setting("--side {source,target}", "Which side of --alignments IN is.", default="source")
@setting(
    "--missing {error,next,previous,end,drop}",
    "Words missing in --by go before the next word that it has, after the previous one, to the "
    "end, or are left out.",
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

    IN is text, one sentence per line, which is parsed; or CoNLL-U, whose trees are used. By default
    it is standard input.
    """
    from wordorder.reordering.reorder_files import reorder_with_options

    if (options["rules"] is None) == (options["by"] is None):
        raise UsageError(
            "reorder needs --rules NAME (`wordorder rules list` shows them: R5 is English into "
            "Japanese) or --by ORDERS, one of the two"
        )
    inputs = [source, *(options[name] for name in ("rules", "by", "parser", "alignment"))]
    links_output = options["alignment_output"]
    check_files(inputs, output, orders, links_output)
    if options["by"] is None:
        refuse(["missing"], "is for --by: rules order all words")
    if options["alignment"] is None:
        if options["to"] == "alignment" or links_output is not None:
            raise UsageError("there is no alignment to reorder: --alignments FILE names it")
        link_options = ("alignment_format", "one_based", "strict", "side")
        refuse(link_options, "is for --alignments, and there is none")
    elif links_output is None and options["to"] != "alignment":
        destination = "--alignment-output FILE, or --to alignment"
        raise UsageError(f"--alignments: say where the reordered links go: {destination}")
    options |= {"source": source, "output": output, "orders": orders}
    options["factors"] = [] if factors is None else factors.split(",")
    options["format"] = options.pop("alignment_format")
    if engine is not None or options["rules"] is None or options["alignment"] is None:
        shared.run_or_distribute(engine, "reorder", reorder_with_options, options)
        return
    # The order of the target is known only through links: note if the rules make it worse.
    from wordorder.analysis.linked_orders import LinkedOrders

    linked_orders = LinkedOrders()
    reorder_with_options(**options, on_links=linked_orders)
    if (warning := linked_orders.warning(options["rules"])) is not None:
        note(f"{options['alignment']}: {warning}")
