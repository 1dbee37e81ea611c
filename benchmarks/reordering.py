"""Rules and learned orders on dependency trees: trees per CPU second on one core, and processes.

Beside them is what a script of plain Python needs for the simplest rule set, with the same orders.
"""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import numpy as np
from measuring import Report, benchmark, main, measure, measure_process, wordorder_command
from peers import r4_in_python

from wordorder.alignment.alignments import Alignments
from wordorder.kernels._run import set_threads
from wordorder.parsing import open_parser
from wordorder.reordering.consensus import Consensus
from wordorder.reordering.learned import LearnedOrder, order_examples
from wordorder.reordering.learned.bracketing_model import Bracketing
from wordorder.reordering.learned.learned_order import OrderModel
from wordorder.reordering.rules import RuleSet, open_rules
from wordorder.treebank.reading import read_treebank, write_treebank
from wordorder.treebank.treebank import Treebank

SETS = ("R1", "R2", "R4", "R4-literal", "head-final", "R5")


@benchmark("reordering kernels", needs="ud-pud")
def reordering(report: Report) -> None:
    """Add rule sets and learned orders on the projective trees of PUD English, and processes."""
    set_threads(1)
    some = read_treebank(report.data / "en_pud-ud-test.conllu.gz")
    some = some.take(np.flatnonzero([tree.is_projective for tree in some]))
    size = 1_000 if report.quick else 40_000
    for name in SETS:
        rules, peers = open_rules(name), {}
        if name == "R4-literal":
            peers["plain Python"] = len(some) / measure(partial(r4_in_python, some), 1).least_cpu
            if rules.orders(some).positions.to_lists() != r4_in_python(some):
                raise RuntimeError("the plain script has other orders")
        title = f"{name}, single trees"
        add_orders(report, title, rules, repeated(some, size), 200_000, peers)
    opened = open_parser("en")
    lists = opened.list_trees(opened.tagged(some, "sample", 0), 8)
    title = "R5, lists of 8 trees"
    add_orders(report, title, open_rules("R5"), repeated(lists.trees, size), 200_000)
    learned(report, some)
    long_lines(report, some)
    processes(report, some)


def add_orders(
    report: Report,
    title: str,
    rules: RuleSet | OrderModel,
    bank: Treebank,
    at_least: float | None = None,
    peers: dict[str, float] | None = None,
) -> None:
    """Add the rate at which rules or a model order trees."""
    timing = measure(partial(rules.orders, bank))
    report.add_rate(
        *(title, len(bank), timing, "trees/s"),
        at_least=at_least,
        peers=peers,
        words_per_tree=bank.words / len(bank),
    )


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
        for name, model, at_least in (
            ("bracketing", models["bracketing"], asked),
            ("bracketing, words alone", of_words, asked),
            ("linear", models["linear"], None),
            ("consensus en-ja", whole.model, None),
        ):
            add_orders(report, f"{name}, {title}", model, bank, at_least)


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
        line, tree = Path(name, "a.txt"), Path(name, "a.conllu")
        for count in (500, 2_000) if report.quick else (500, 2_000, 10_000, 50_000):
            text = [words[k % len(words)] for k in range(count)]
            line.write_text(f"{' '.join(text)}\n")
            children = count - 1
            flat = Treebank.from_words(
                [text],
                heads=[[0, *[1] * children]],
                label=[["root", *["obj"] * children]],
                upos=[["NOUN"] * count],
                xpos=[["NN"] * count],
            )
            write_treebank(tree, flat)
            for title, file in (("real text", line), ("a flat tree", tree)):
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
    with tempfile.TemporaryDirectory() as name:
        trees_file, text_file = Path(name, "a.conllu"), Path(name, "a.txt")
        for sentences in (1_000, 10_000) if report.quick else (10_000, 100_000):
            bank = repeated(some, sentences)
            write_treebank(trees_file, bank)
            text_file.write_text("".join(f"{' '.join(words)}\n" for words in bank.sentences()))
            for title, file, to in (
                ("trees to orders", trees_file, "orders"),
                ("text to text", text_file, "text"),
            ):
                options = ["--rules", "R5", "--to", to, "--threads", "1"]
                run = measure_process(wordorder_command("reorder", file, *options), 1)
                report.add_rate(
                    *(f"reorder, {title}, {sentences} sentences", len(bank), run, "sentences/s"),
                    peak_megabytes=run.megabytes,
                )


def repeated(bank: Treebank, sentences: int) -> Treebank:
    """Return so many sentences, over and over the same."""
    return bank.take(np.arange(sentences) % len(bank))


if __name__ == "__main__":
    main(__doc__)
