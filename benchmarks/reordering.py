"""Rules and learned orders on dependency trees: trees per CPU second on one core, and processes.

WORDORDER_DATA names a folder with ud-pud/; without it, the trees of the sample are repeated. Beside
them is what a script of plain Python needs for the simplest rule set, with the same orders.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from measuring import Report, main, measure, measure_process, wordorder_command

from wordorder.alignment.alignments import Alignments
from wordorder.kernels._run import set_threads
from wordorder.parsing import open_parser
from wordorder.reordering.consensus import Consensus
from wordorder.reordering.learned import LearnedOrder, order_examples
from wordorder.reordering.learned.bracketing_model import Bracketing
from wordorder.reordering.rules import open_rules
from wordorder.samples import sample_path
from wordorder.treebank.reading import read_treebank, write_treebank
from wordorder.treebank.treebank import Tree, Treebank

SETS = ("R1", "R2", "R4", "R4-literal", "head-final", "R5")


def benchmark(report: Report) -> None:
    set_threads(1)
    some = trees()
    bank = repeated(some, 1_000 if report.quick else 40_000)
    for name in SETS:
        rules = open_rules(name)
        peers = {}
        if name == "R4-literal":
            peers["plain Python"] = rate(lambda: r4_in_python(some), len(some), 1)
            theirs = r4_in_python(some)
            if rules.orders(some).positions.to_lists() != theirs:
                raise RuntimeError("the plain script has other orders")
        report.add_rate(
            f"{name}, single trees",
            len(bank),
            measure(partial(rules.orders, bank)),
            "trees/s",
            at_least=200_000,
            peers=peers,
            words_per_tree=bank.words / len(bank),
        )
    opened = open_parser("en")
    lists = opened.listed(opened.tagged(some, "sample", 0), 8)
    many = repeated(lists.trees, 1_000 if report.quick else 40_000)
    rules = open_rules("R5")
    report.add_rate(
        "R5, lists of 8 trees",
        len(many),
        measure(lambda: rules.orders(many)),
        "trees/s",
        at_least=200_000,
        words_per_tree=many.words / len(many),
    )
    learned(report, some)
    long_lines(report, some)
    processes(report, some)


def learned(report: Report, some: Treebank) -> None:
    """Measure the members of the model en-ja, and what they agree on, on short and long trees."""
    whole = open_rules("en-ja")
    if not isinstance(whole, LearnedOrder) or not isinstance(whole.model, Consensus):
        raise RuntimeError("en-ja is no consensus")
    # Of each kind the first, which reads trees.
    members = reversed(whole.model.members)
    models = {getattr(each.model, "kind", "rules"): each.model for each in members}
    of_words = words_alone(some)
    for title, least, asked in (("all trees", 0, None), ("trees of 20 words or more", 20, 5_000)):
        bank = some.take(np.flatnonzero(some.lengths >= least))
        bank = repeated(bank, 200 if report.quick else 5_000)
        for name, orders, at_least in (
            ("bracketing", models["bracketing"].orders, asked),
            ("bracketing, words alone", of_words.orders, asked),
            ("linear", models["linear"].orders, None),
            ("consensus en-ja", whole.model.orders, None),
        ):
            report.add_rate(
                f"{name}, {title}",
                len(bank),
                measure(partial(orders, bank)),
                "trees/s",
                at_least=at_least,
                words_per_tree=bank.words / len(bank),
            )


def words_alone(some: Treebank) -> Bracketing:
    """Return a bracketing model that reads words, and learned to leave half of them in order."""
    random = np.random.default_rng(1)
    few = some.take(np.arange(min(300, len(some))))
    links = [
        [(k, n - k if random.random() < 0.5 else k) for k in range(n)] for n in few.lengths.tolist()
    ]
    examples = order_examples(few, Alignments.from_rows(links))
    learner = Bracketing.learner(examples, epochs=2, runs=1, reads="words", straight=0.0)
    for epoch in (1, 2):
        learner.learn(epoch)
    return learner.model()


def long_lines(report: Report, some: Treebank) -> None:
    """Measure learned orders on one line: in pieces above 512 words, so linear in its length."""
    words = some.form.strings()
    with tempfile.TemporaryDirectory() as name:
        for count in (500, 2_000) if report.quick else (500, 2_000, 10_000, 50_000):
            text = [words[k % len(words)] for k in range(count)]
            line = Path(name, "a.txt")
            line.write_text(f"{' '.join(text)}\n")
            flat = Treebank.from_words(
                [text],
                heads=[[0, *([1] * (count - 1))]],
                upos=[["NOUN"] * count],
                xpos=[["NN"] * count],
                label=[["root", *(["obj"] * (count - 1))]],
            )
            trees_file = Path(name, "a.conllu")
            write_treebank(trees_file, flat)
            for title, file in (("real text", line), ("a flat tree", trees_file)):
                command = wordorder_command("reorder", file, "--rules", "en-ja", "--threads", "1")
                run = measure_process(command, 2)
                report.add_seconds(
                    f"reorder --rules en-ja, {title} of {count:,} words",
                    run,
                    at_most=2 if count <= 2_000 else None,
                    peak_megabytes=run.megabytes,
                )


def processes(report: Report, some: Treebank) -> None:
    """Measure `wordorder reorder` on files, of which the longer needs no more memory."""
    program = Path(sys.executable).with_name("wordorder")
    with tempfile.TemporaryDirectory() as name:
        for sentences in (1_000, 10_000) if report.quick else (10_000, 100_000):
            bank = repeated(some, sentences)
            trees_file, text_file = Path(name, "a.conllu"), Path(name, "a.txt")
            write_treebank(trees_file, bank)
            text_file.write_text("".join(f"{' '.join(words)}\n" for words in bank.sentences()))
            for title, file, to in (
                ("trees to orders", trees_file, "orders"),
                ("text to text", text_file, "text"),
            ):
                options = ["--rules", "R5", "--to", to, "--threads", "1"]
                run = measure_process([program, "reorder", file, *options], 1)
                report.add_rate(
                    f"reorder, {title}, {sentences} sentences",
                    len(bank),
                    run,
                    "sentences/s",
                    peak_megabytes=run.megabytes,
                )


def rate(work: Callable[[], object], trees: int, runs: int) -> float:
    """Return trees per CPU second."""
    return trees / measure(work, runs).least_cpu


def r4_in_python(bank: Treebank) -> list[list[int]]:
    """Put heads last and what stands after them in reverse, as a script would."""

    def write(tree: Tree, word: int) -> list[int]:
        children = tree.children(word)
        left = [child for child in children if child < word]
        right = [child for child in children if child > word]
        return [*(w for child in [*left, *right[::-1]] for w in write(tree, child)), word - 1]

    return [write(tree, tree.root) for tree in bank]


def trees() -> Treebank:
    """Return projective trees: of PUD English, or of the sample."""
    data = os.environ.get("WORDORDER_DATA")
    path = (
        sample_path("trees.conllu")
        if data is None
        else Path(data, "ud-pud", "en_pud-ud-test.conllu.gz")
    )
    bank = read_treebank(path)
    flat = np.array([tree.is_projective for tree in bank])
    return bank.take(np.flatnonzero(flat))


def repeated(bank: Treebank, sentences: int) -> Treebank:
    """Return so many sentences, over and over the same."""
    return bank.take(np.arange(sentences) % len(bank))


if __name__ == "__main__":
    main(__file__, __doc__, benchmark)
