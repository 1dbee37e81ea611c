"""``wordorder demo``: the whole pipeline on the included sample, from text to a report."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click
import numpy as np

from wordorder.cli.command import named_command, option, title
from wordorder.cli.options import seed_option, threads_option
from wordorder.errors import UsageError
from wordorder.options import RULE_SETS

if TYPE_CHECKING:
    from wordorder.analysis.analysed import Analysis
    from wordorder.analysis.corpus import AnalysedOrders, AnalysedSystem, Corpus
    from wordorder.order.orders import Orders
    from wordorder.treebank.treebank import Treebank

# The system to explain, and the one to compare it with.
FOCUS_SYSTEMS = ("en/R5", "en/R1")
# A pre-orderer learned from alignments of other texts, for comparison with the rules.
LEARNED_ORDER = "en-ja"
# Indices of the sentences shown with their orders.
EXAMPLE_ROWS = (3, 1, 8)
# Rows of each printed table.
MAX_TABLE_ROWS = 5
METRICS = ("frs",)
# The printed tables; the report has all.
PRINTED_TABLES = ("words-by-form", "relation-errors", "rules")


@named_command("demo", example="wordorder demo --html demo.html")
@title("Results")
@option("--html FILE", "Where the report goes.", default="wordorder-demo.html")
@seed_option
@threads_option
def command(html: str, seed: int) -> None:
    """Run the whole pipeline on the included sample, and write a report.

    English sentences are parsed and put into Japanese order by six rule sets and a learned order.
    The orders are compared with reference orders from word alignments, and errors are traced to
    parser or rules. Each step shows the command that does the same on your own files.
    """
    from wordorder.report.page.page import report_page
    from wordorder.text.output import write_text

    if html == "-":
        raise UsageError("--html needs a file: standard output has the demo")
    # Opened first, so that a wrong path fails before the work.
    with write_text(html) as stream:
        analysis = _run_pipeline(seed)
        stream.write(
            report_page(
                analysis, title="wordorder: the sample", source_language="en", target_language="ja"
            )
        )
    click.echo(f"\nThe report, with pictures of the sentences, is in\n{os.path.abspath(html)}")


def _run_pipeline(seed: int) -> Analysis[AnalysedOrders]:
    """Run the pipeline on the sample and print each step."""
    from wordorder.samples import sample_path

    folder = sample_path("")
    click.echo(f"The sample: English sentences, aligned with Japanese. Its files are in\n{folder}")
    reference = _make_reference()
    corpus, trees = _parse_sample(reference)
    _reorder_examples(trees["en"])
    analysis, focus_system = _evaluate_and_analyze(corpus, trees, seed)
    _draw_worst(corpus, trees["en"], focus_system)
    return analysis


def _make_reference() -> Orders:
    """Step 1: turn the word alignments of the sample into reference orders."""
    import tempfile
    from pathlib import Path

    from wordorder.order import reading, reference_files
    from wordorder.order.reference import reference_summary
    from wordorder.samples import sample_path

    _print_step(
        "1. Word alignments become reference orders: the source words in target order",
        "wordorder reference alignments.talbot --source source.en -o reference.orders",
    )
    with tempfile.TemporaryDirectory() as temporary:
        reference_path = Path(temporary) / "reference.orders"
        summary = reference_files.convert_alignments(
            sample_path("alignments.talbot"), sample_path("source.en"), reference_path
        )
        reference = reading.read_orders(reference_path)
    click.echo(reference_summary(summary))
    return reference


def _parse_sample(reference: Orders) -> tuple[Corpus, dict[str, Treebank]]:
    """Step 2: return the corpus, and its trees by the English model and by hand."""
    from wordorder.alignment.reading import read_alignments
    from wordorder.analysis.corpus import Corpus
    from wordorder.parsing.pipeline.file_parser import parsed_by, read_sentences
    from wordorder.samples import sample_path
    from wordorder.text.lines import read_lines, tokens
    from wordorder.treebank.reading import read_treebank

    _print_step(
        "2. The sentences are parsed by the model that comes with wordorder",
        "wordorder parse en source.en -o en.conllu",
    )
    sentences, name = read_sentences(sample_path("source.en"))
    trees = {
        "en": parsed_by("en", sentences, name=name),
        "hand": read_treebank(sample_path("trees.conllu")),
    }
    click.echo(trees["en"][EXAMPLE_ROWS[0]].to_text())
    alignments = read_alignments(sample_path("alignments.talbot"), source_lengths=sentences.lengths)
    target = tuple(tuple(tokens(line)) for line in read_lines(sample_path("target.ja")))
    return Corpus(trees["hand"], reference, alignments, target, trees["hand"]), trees


def _reorder_examples(treebank: Treebank) -> None:
    """Step 3: show some sentences before and after a rule set."""
    from wordorder.order.completion import reorder_tokens
    from wordorder.reordering.rules import open_rules

    _print_step(
        "3. Rules put the words into target order, from the root of the tree down",
        "wordorder reorder source.en --rules R5 > source.reordered",
    )
    sample = treebank.take(np.array(EXAMPLE_ROWS))
    orders = open_rules("R5").orders(sample)
    rows = [list(tree.forms) for tree in sample]
    for source_words, reordered_words in zip(rows, reorder_tokens(rows, orders), strict=True):
        click.echo(f"{' '.join(source_words)}\n  {' '.join(reordered_words)}")


def _evaluate_and_analyze(
    corpus: Corpus, trees: dict[str, Treebank], seed: int
) -> tuple[Analysis[AnalysedOrders], AnalysedSystem]:
    """Steps 4 and 5: score all systems and find the errors of one; return both."""
    from wordorder.analysis.analyze import analyze
    from wordorder.analysis.grid_systems import analysed_grid
    from wordorder.analysis.section import shortened
    from wordorder.metrics.registry import metric
    from wordorder.reordering.rules import open_rules
    from wordorder.report.grids import grid_text
    from wordorder.report.sections import findings_text, sections_text

    rules = {name: open_rules(name) for name in (*RULE_SETS, LEARNED_ORDER)}
    frs = metric("frs")
    grid, systems = analysed_grid(corpus, trees, rules, frs, metrics=METRICS, seed=seed)

    both = "--trees en=en.conllu --trees hand=trees.conllu"
    _print_step(
        "4. Which parser and which rules order best, and is the difference more than chance?\n"
        "   en has the trees of the model, hand those that annotators made for the sample",
        f"wordorder evaluate reference.orders {both} -m {','.join(METRICS)} \\\n"
        f"      {' '.join(f'--rules {name}' for name in rules)}",
    )
    click.echo(grid_text(grid), nl=False)

    _print_step(
        "5. What goes wrong? The most important findings, words, errors of the parser, rules",
        f"wordorder analyze alignments.talbot {both} --gold-trees trees.conllu "
        f"--focus {' --focus '.join(FOCUS_SYSTEMS)} --target target.ja --html report.html",
    )
    analysis = analyze(corpus, systems, metric=frs, grid=grid, seed=seed, focus=FOCUS_SYSTEMS)
    click.echo(f"{findings_text(analysis.answer, analysis.sections, analysis.points)}\n\n")
    chosen = [section for section in analysis.sections if section.key in PRINTED_TABLES]
    click.echo(sections_text(shortened(chosen, MAX_TABLE_ROWS), signatures=[analysis.signature]))
    return analysis, next(system for system in systems if system.name == FOCUS_SYSTEMS[0])


def _draw_worst(corpus: Corpus, treebank: Treebank, system: AnalysedSystem) -> None:
    """Step 6: draw the permutation tree of the worst short sentence of a system."""
    from wordorder.order import permutation_tree
    from wordorder.order.orders import relative_orders

    short_rows = [row for row, n in enumerate(corpus.words.lengths.tolist()) if 5 <= n <= 10]
    worst = min(short_rows, key=lambda row: float(system.scores[row]))
    words = treebank[worst].forms
    permutation = relative_orders(system.orders, corpus.reference).permutation[worst]
    ordered_words = [words[i] for i in system.orders[worst].positions]
    _print_step(
        "6. What happened to a sentence? The permutation tree of the worst short one",
        f'wordorder tree "{" ".join(str(v + 1) for v in permutation)}" '
        f'--words "{" ".join(ordered_words)}"',
    )
    click.echo(f"source           {' '.join(words)}")
    click.echo(f"system order     {' '.join(ordered_words)}")
    reference_words = [words[i] for i in corpus.reference[worst].positions]
    click.echo(f"reference order  {' '.join(reference_words)}\n")
    click.echo(permutation_tree.PermutationTree(permutation).to_text(ordered_words))


def _print_step(title: str, command_line: str) -> None:
    """Print the title of a step, and the command that does the same."""
    click.echo(f"\n{title}\n  $ {command_line}\n")
