"""``wordorder evaluate``, ``select`` and ``convert``: orders of trees, and trees in brackets."""

from dataclasses import replace
from typing import Any

import click

from wordorder.cli import options as shared
from wordorder.cli.command import check_files, named_command, option, setting, title
from wordorder.cli.messages import print_json, print_message, print_result
from wordorder.errors import UsageError
from wordorder.messages import counted

METRICS = "frs,kendall,exact"


@named_command(
    "evaluate",
    example="wordorder evaluate reference.orders --trees en=trees.conllu --rules R1 R5",
    usual="trees parser source rules metrics option rule test sensitivity seed figures format "
    "output",
)
@click.argument("reference")
@shared.tree_and_rule_options
@shared.reference_options
@shared.column_option
@shared.multiple_roots_option
@shared.order_metric_options(METRICS)
@shared.test_option
@setting(
    "--triangles {best,all}",
    "Tests to show as text: of the parsers with the best rules and of the rules with the best "
    "parser (best), or all. [default: best]",
)
@title("Intervals and tests")
@option(
    "--sensitivity",
    "Evaluate under every convention for REFERENCE (rule, unaligned words, links, ties), and show "
    "which rankings hold under all.",
)
@shared.interval_options
@shared.figures_option
@shared.threads_option
@shared.format_option
def evaluate_command(
    reference: str,
    triangles: str | None,
    sensitivity: bool,
    figures: str | None,
    form: str,
    **options: Any,
) -> None:
    """Score parsers x rule sets: which trees and rules come closest to REFERENCE.

    The trees of each parser are reordered by each rule set and scored against reference orders;
    system P1R5 is parser P1 with rules R5. REFERENCE is an .orders file, as `wordorder reference`
    writes it, or word alignments, from which orders are made here.
    """
    from wordorder.analysis.evaluated_files import evaluate_files
    from wordorder.report.grids import grid_output, sensitivity_output

    if triangles is not None and (sensitivity or form in ("json", "tsv")):
        accepted = "the tables of an evaluation without --sensitivity"
        raise UsageError(
            f"--triangles is for {accepted}, not for json and tsv, which have all tests"
        )
    evaluated = evaluate_files(reference, sensitivity=sensitivity, **options)
    if figures is not None:
        from wordorder.report.figures.command_figures import grid_figures

        shared.write_figures_of(figures, grid_figures(evaluated.grid))
    if evaluated.sensitivity is None:
        output = grid_output(evaluated.grid, all_triangles=triangles == "all")
    else:
        output = sensitivity_output(evaluated.sensitivity)
    print_result(
        replace(output, data=lambda: {**evaluated.inputs.description().to_json(), **output.data()}),
        form,
    )


@named_command(
    "select",
    example="wordorder select lists.conllu reference.orders --rules R5 -o chosen.conllu",
    usual="rules metrics output input rule alignment-format one-based threads option format",
)
@click.argument("kbest", metavar="KBEST")
@click.argument("reference", metavar="REFERENCE")
@title("Systems and files")
@option(
    "--rules RULES",
    "Rules that reorder the words of a tree: a set of `wordorder rules list`, a .toml file, or a "
    "learned order.",
    required=True,
)
@shared.order_metric_option
@shared.reference_options
@shared.multiple_roots_option
@shared.output_option
@shared.threads_option
@title("Results")
@option(
    "--format {text,json}",
    "Format of the report: text on standard error, json on standard output.",
    name="form",
    default="text",
)
def select_command(
    kbest: str, reference: str, output: str, form: str, metric: str | None, **options: Any
) -> None:
    """Choose the tree of each list whose order comes closest to REFERENCE.

    KBEST are lists of trees in CoNLL-U, of any parser, as `wordorder parse --kbest` writes them;
    REFERENCE has a row for each list: an .orders file, or word alignments, from which orders are
    made here. A parser that is trained on the chosen trees too gives better orders (targeted
    self-training).
    """
    from wordorder.training.references import select_files

    if form == "json" and output == "-":
        raise UsageError("the trees go to standard output, and so does json: -o=FILE for the trees")
    check_files([kbest, reference, options["rules"]], output)
    report = select_files(kbest, reference, output, metric=metric or "frs", **options)
    if form == "json":
        print_json(report.to_json())
    else:
        for line in report.lines():
            print_message(line)


@named_command("convert", example="wordorder convert trees.mrg -o trees.conllu")
@click.argument("trees", nargs=-1, required=True, metavar="TREES...")
@shared.output_option
@title("Results")
@option(
    "--heads {stanford,surface}",
    "stanford: main verbs and predicates are heads, with the labels of Stanford "
    "Dependencies; surface: auxiliaries, copulas and conjunctions are heads, without labels.",
    default="stanford",
)
def convert_command(trees: tuple[str, ...], output: str, heads: str) -> None:
    """Convert phrase structure trees to dependency trees.

    TREES are files of trees in brackets, as the Penn Treebank (.mrg) and constituency parsers
    write them. The result is CoNLL-U, which all other commands read; --rules R5-sd reorders trees
    with Stanford labels. Lists of trees with scores, of an n-best parser (Charniak's, Berkeley's,
    Stanford's), become lists for `wordorder select`.

    \b
    Example: wordorder convert wsj_*.mrg -o wsj.conllu
    """
    from wordorder.treebank.brackets.conversion import convert_files

    if trees.count("-") > 1:
        raise UsageError('standard input ("-") is listed twice')
    check_files(trees, output)
    counts = convert_files(trees, output, heads=heads)
    tree_text = f", {counted(counts.trees, 'tree')}" if counts.trees != counts.sentences else ""
    print_message(
        f"{counted(counts.sentences, 'sentence')}{tree_text}, {counted(counts.words, 'word')}"
    )
