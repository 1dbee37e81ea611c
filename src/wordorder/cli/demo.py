"""``wordorder demo``: the main job on the shipped sample, from text to a report."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click
import numpy as np

from wordorder.cli.command import option, title, verb
from wordorder.cli.options import seed_option, threads_option
from wordorder.errors import UsageError
from wordorder.options import RULE_SETS

if TYPE_CHECKING:
    from wordorder.analysis.analysed import Analysis
    from wordorder.analysis.corpus import AnalysedOrders

# The system that is looked at closely, and what it is compared with.
FOCUS = ("en/R5", "en/R1")
# A pre-orderer learned from alignments of other texts, for comparison with the rules.
LEARNED = "en-ja"
# Sentences shown with their orders, and rows of each table.
SHOWN = (3, 1, 8)
ROWS = 5
METRICS = ("frs",)
# The tables that are printed; the report has them all.
TABLES = ("words-by-form", "relation-errors", "rules")


@verb("demo", example="wordorder demo --html demo.html")
@title("Results")
@option("--html FILE", "Where the report goes.", default="wordorder-demo.html")
@seed_option
@threads_option
def command(html: str, seed: int) -> None:
    """Run the whole pipeline on the included sample, and write a report.

    English sentences are parsed and put into Japanese order by six rule sets and a learned order.
    The orders are compared with reference orders, which word alignments give, and what goes wrong
    is looked for. Each step shows the command that does the same on your own files.
    """

    from wordorder.report.page.page import report_page
    from wordorder.text.output import write_text

    if html == "-":
        raise UsageError("--html needs a file: standard output has the demo")
    # Opened first: a report that cannot be written is no use to wait for.
    with write_text(html) as stream:
        analysis = _main_job(seed)
        stream.write(
            report_page(
                analysis, title="wordorder: the sample", source_language="en", target_language="ja"
            )
        )
    click.echo(f"\nThe report, with pictures of the sentences, is in\n{os.path.abspath(html)}")


def _main_job(seed: int) -> Analysis[AnalysedOrders]:
    """Do the main job, and show each step."""
    import tempfile
    from pathlib import Path

    from wordorder.alignment.reading import read_alignments
    from wordorder.analysis.analyze import analyze
    from wordorder.analysis.corpus import Corpus
    from wordorder.analysis.grid_systems import analysed_grid
    from wordorder.analysis.section import shortened
    from wordorder.metrics.registry import metric
    from wordorder.order import permutation_tree, reading, reference_files
    from wordorder.order.completion import reorder_tokens
    from wordorder.order.orders import relative_orders
    from wordorder.order.reference import reference_summary
    from wordorder.parsing.pipeline.file_parser import parsed_by, read_sentences
    from wordorder.reordering.rules import open_rules
    from wordorder.report.grids import grid_text
    from wordorder.report.sections import findings_text, sections_text
    from wordorder.samples import sample_path
    from wordorder.text.lines import read_lines, tokens
    from wordorder.treebank.reading import read_treebank

    folder = sample_path("")
    click.echo(f"The sample: English sentences, aligned with Japanese. Its files are in\n{folder}")

    _step(
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

    _step(
        "2. The sentences are parsed by the model that comes with wordorder",
        "wordorder parse en source.en -o en.conllu",
    )
    sentences, name = read_sentences(sample_path("source.en"))
    trees = {
        "en": parsed_by("en", sentences, name=name),
        "hand": read_treebank(sample_path("trees.conllu")),
    }
    click.echo(trees["en"][SHOWN[0]].to_text())

    _step(
        "3. Rules put the words into target order, from the root of the tree down",
        "wordorder reorder source.en --rules R5 > source.reordered",
    )
    sample = trees["en"].take(np.array(SHOWN))
    orders = open_rules("R5").orders(sample)
    rows = [list(tree.forms) for tree in sample]
    for source_words, reordered_words in zip(rows, reorder_tokens(rows, orders), strict=True):
        click.echo(f"{' '.join(source_words)}\n  {' '.join(reordered_words)}")

    alignments = read_alignments(sample_path("alignments.talbot"), source_lengths=sentences.lengths)
    target = tuple(tuple(tokens(line)) for line in read_lines(sample_path("target.ja")))
    corpus = Corpus(trees["hand"], reference, alignments, target, trees["hand"])
    rules = {name: open_rules(name) for name in (*RULE_SETS, LEARNED)}
    frs = metric("frs")
    grid, systems = analysed_grid(corpus, trees, rules, frs, metrics=METRICS, seed=seed)

    both = "--trees en=en.conllu --trees hand=trees.conllu"
    _step(
        "4. Which parser and which rules order best, and is the difference more than chance?\n"
        "   en has the trees of the model, hand those that people made for the sample",
        f"wordorder evaluate reference.orders {both} -m {','.join(METRICS)} \\\n"
        f"      {' '.join(f'--rules {name}' for name in rules)}",
    )
    click.echo(grid_text(grid), nl=False)

    _step(
        "5. What goes wrong? What explains most, words, errors of the parser, rules",
        f"wordorder analyze alignments.talbot {both} --gold-trees trees.conllu "
        f"--focus {FOCUS[0]} --focus {FOCUS[1]} --target target.ja --html report.html",
    )
    analysis = analyze(corpus, systems, metric=frs, grid=grid, seed=seed, focus=FOCUS)
    click.echo(f"{findings_text(analysis.answer, analysis.sections, analysis.points)}\n\n")
    chosen = [section for section in analysis.sections if section.key in TABLES]
    click.echo(sections_text(shortened(chosen, ROWS), signatures=[analysis.signature]))

    focus_system = next(system for system in systems if system.name == FOCUS[0])
    # Among those that fit into a few lines.
    fitting = [row for row, n in enumerate(corpus.words.lengths.tolist()) if 5 <= n <= 10]
    worst = min(fitting, key=lambda row: float(focus_system.scores[row]))
    words = trees["en"][worst].forms
    permutation = relative_orders(focus_system.orders, reference).permutation[worst]
    ordered_words = [words[i] for i in focus_system.orders[worst].positions]
    _step(
        "6. What happened to a sentence? The permutation tree of the worst short one",
        f'wordorder tree "{" ".join(str(v + 1) for v in permutation)}" '
        f'--words "{" ".join(ordered_words)}"',
    )
    click.echo(f"source           {' '.join(words)}")
    click.echo(f"system order     {' '.join(ordered_words)}")
    click.echo(f"reference order  {' '.join(words[i] for i in reference[worst].positions)}\n")
    click.echo(permutation_tree.PermutationTree(permutation).to_text(ordered_words))
    return analysis


def _step(title: str, same: str) -> None:
    """Print what comes next, and the command that does it."""
    click.echo(f"\n{title}\n  $ {same}\n")
