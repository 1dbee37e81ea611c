"""Learned orders without a parser: the bracketing model on other pairs of languages.

For each pair, five folds in which equal sentences share one: each sentence is ordered by a model
that learned from the links of the four other folds, from the words alone, or from words and tags.
English tags come from the tagger of the model `en`, others from a TnT tagger that learned from the
treebank of the other folds (of all PUD where the sentences are not from PUD). The models choose
their preference for straight splits within those four folds; beside them is what the same models
of words do without it (plain). The figures are those
of topdown-btg's evaluator; each difference has a paired bootstrap over sentences.

    python -m papers.learned_orders.bracketing_pairs DATA
"""

from __future__ import annotations

import argparse
import gzip
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import wordorder as wo
from papers.keeping import write
from wordorder.arrays import Float64, Int64
from wordorder.metrics.compat import evaluate_compat
from wordorder.metrics.registry import metric
from wordorder.order.reference import span_ranks
from wordorder.parsing import TnT, open_tagger
from wordorder.reordering.learned import order_examples
from wordorder.reordering.learned.bracketing_model import Bracketing
from wordorder.segments import Segments
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import paired_bootstrap
from wordorder.treebank import Treebank, read_treebank
from wordorder.treebank.folds import grouped_folds

OUTPUT = Path(__file__).parent / "bracketing_pairs.json"
FOLDS = 5
# Less than usual of each, for time.
EFFORT = {"runs": 2, "epochs": 6, "beam": 8}
SEEDS = (1, 2, 3)
READS = ("words", "tags")
SYSTEMS = ("none", "plain", *READS)
TESTS = (
    *(("none", "plain"), ("none", "words"), ("plain", "words")),
    *(("words", "tags"), ("none", "tags")),
)
Tagged = Callable[[Int64, Int64], Treebank]


@dataclass(frozen=True)
class Pair:
    """Source sentences, their links to the translation, and how they are tagged."""

    name: str
    sentences: Treebank
    links: wo.Alignments
    # Tags all sentences without having seen the tags of those of a fold.
    tagged: Callable[[Int64], Treebank]


def words_alone(sentences: Treebank) -> Treebank:
    """Return the words and nothing else."""
    return Treebank.from_words(sentences.sentences())


def pud(folder: Path, source: str, target: str) -> Pair:
    """Read a pair of PUD whose links were made by hand from English."""
    other = target if source == "en" else source
    folder = folder / "pud-word-alignments" / f"en-{other}"
    english = read_treebank(folder / "en.conllu.gz")
    foreign = read_treebank(folder / f"{other}.conllu.gz")
    links = wo.read_alignments(
        folder / f"en-{other}.align.gz",
        source_lengths=english.lengths,
        target_lengths=foreign.lengths,
    )
    if source == "en":
        tagger = open_tagger("en")
        tagged = tagger.tag(words_alone(english))
        return Pair(f"{source}-{target}, PUD", words_alone(english), links, lambda _: tagged)

    def by_other_folds(rows: Int64) -> Treebank:
        return TnT.train(foreign.take(rows)).tag(words_alone(foreign))

    name = f"{source}-{target}, PUD turned round"
    return Pair(name, words_alone(foreign), links.transpose(), by_other_folds)


def tsinghua(folder: Path) -> Pair:
    """Read the Chinese-English pairs of Tsinghua, linked by hand; tags by a tagger of PUD."""
    gold = folder / "gold-alignments" / "tsinghua-zh-en"
    with gzip.open(gold / "zhen.src-tgt.gz", "rt", encoding="utf-8", newline="\n") as stream:
        rows = [line.rstrip("\n").split(" ||| ")[0].split(" ") for line in stream]
    sentences = Treebank.from_words(rows)
    links = wo.read_alignments(gold / "zhen.gold.gz", one_based=True)
    bank = read_treebank(folder / "pud-word-alignments" / "en-zh" / "zh.conllu.gz")
    tagged = TnT.train(bank).tag(sentences)
    return Pair("zh-en, Tsinghua", sentences, links, lambda _: tagged)


def ordered(pair: Pair, reads: str, seed: int) -> tuple[wo.Orders, wo.Orders, list[float]]:
    """Order each sentence by the model of the other folds.

    Returns the orders, those without a preference for straight splits, and the preferences.
    """
    folds = grouped_folds(pair.sentences, FOLDS, seed=seed)
    parts, plain, places, straight = [], [], [], []
    for fold in range(FOLDS):
        rows, held = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        bank = pair.tagged(rows) if reads == "tags" else pair.sentences
        examples = order_examples(bank.take(rows), pair.links.take(rows))
        learner = Bracketing.learner(examples, seed=seed, **EFFORT)
        for epoch in range(1, learner.epochs + 1):
            learner.learn(epoch)
        model = learner.model()
        parts.append(model.orders(bank.take(held)))
        plain.append(model.preferring(0.0).orders(bank.take(held)))
        straight.append(model.straight)
        places.append(held)
    back = np.argsort(np.concatenate(places))
    found, other = (wo.Orders.concatenate(each).take(back) for each in (parts, plain))
    return found, other, straight


def statistics(pair: Pair, orders: wo.Orders, figure: str) -> Float64:
    """Return value and weight of each sentence, as topdown-btg's evaluator counts them."""
    reference = order_examples(pair.sentences, pair.links).references
    segments = Segments.from_orders(orders, reference)
    ties = {"frs-boundary": "rank", "kendall": "best"}[figure]
    values = metric(figure, ties=ties).segment_scores(segments)
    values[segments.permutation.lengths == 0] = 1.0
    counted = span_ranks(pair.links, pair.sentences.lengths)[1]
    return np.stack([np.where(counted, values, 0.0), counted.astype(np.float64)], axis=1)


def mean(totals: Float64) -> Float64:
    """Return the value of sums of statistics."""
    return np.asarray(totals[..., 0] / totals[..., 1])


def measured(pair: Pair, seed: int) -> dict[str, Any]:
    """Order and score with one seed."""
    systems = {"none": wo.Orders.from_rows([range(n) for n in pair.sentences.lengths])}
    systems["words"], systems["plain"], straight = ordered(pair, "words", seed)
    systems["tags"], _, with_tags = ordered(pair, "tags", seed)
    names = list(systems)
    found: dict[str, Any] = {"straight": {"words": straight, "tags": with_tags}}
    tests = []
    for figure in ("frs-boundary", "kendall"):
        rows = [statistics(pair, orders, figure) for orders in systems.values()]
        tests.append(Measurement(rows, score=mean))
    frs, tau = paired_bootstrap(tests)
    for number, name in enumerate(names):
        figures = evaluate_compat("topdown-btg", systems[name], pair.links, pair.sentences.lengths)
        whole = [score.value for score in figures.values()]
        values = [float(test.values()[number]) for test in tests]
        # Our rows add up to what the evaluator prints.
        if not np.allclose(whole[:2], values):
            raise SystemExit(f"{pair.name}, {name}: {values} is not {whole[:2]}")
        found[name] = {"frs": whole[0], "tau": whole[1], "exact": whole[2]}
    for one, two in TESTS:
        numbers = names.index(one), names.index(two)
        found[f"{two} against {one}"] = {
            figure: {
                "difference": test.pair(*numbers).difference,
                "interval": test.pair(*numbers).interval_95,
                "p": test.pair(*numbers).p_value,
                "mark": test.pair(*numbers).mark,
            }
            for figure, test in (("frs", frs), ("tau", tau))
        }
    return found


def markdown(results: dict[str, Any]) -> str:
    """Lay the results out as a table."""
    lines = [
        "# The bracketing model without a parser",
        "",
        "Five folds, gold links, figures of topdown-btg's",
        "evaluator (FRS / Kendall's tau), means over seeds. plain: words, without a preference for",
        "straight splits; words and tags: with the preference that each model chose on sentences",
        "of its training part (from least to most). Marks: better (+) or worse (-) by a paired",
        "bootstrap, at 90 % (*) or 95 % (**), a mark for each seed. Effort: runs, epochs, beam.",
        "",
        "| pair | sentences | effort | none | plain | vs none | words | preference | vs none "
        "| vs plain | words + tags | vs none | vs words |",
        f"|{'---|' * 13}",
    ]
    for name, pair in results["pairs"].items():
        seeds = list(pair["seeds"].values())
        effort = ", ".join(map(str, pair["effort"].values()))
        values = {
            system: " / ".join(
                f"{np.mean([seed[system][figure] for seed in seeds]):.3f}"
                for figure in ("frs", "tau")
            )
            for system in SYSTEMS
        }
        marks = {
            (two, one): "; ".join(
                f"{figure} "
                + " ".join(seed[f"{two} against {one}"][figure]["mark"] for seed in seeds)
                for figure in ("frs", "tau")
            )
            for one, two in TESTS
        }
        chosen = [value for seed in seeds for value in seed["straight"]["words"]]
        cells = [
            *(name, str(pair["sentences"]), effort, values["none"]),
            *(values["plain"], marks["plain", "none"]),
            *(values["words"], f"{min(chosen):g} to {max(chosen):g}"),
            *(marks["words", "none"], marks["words", "plain"]),
            *(values["tags"], marks["tags", "none"], marks["tags", "words"]),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure all pairs and keep the results."""
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("data", type=Path, nargs="?", default=os.environ.get("WORDORDER_DATA"))
    arguments.add_argument("--output", type=Path, default=OUTPUT)
    given = arguments.parse_args()
    if given.data is None:
        arguments.error("name the folder of corpora, or set WORDORDER_DATA")
    folder = Path(given.data)
    started = time.process_time()
    pairs = [
        *(pud(folder, "en", "zh"), pud(folder, "en", "fr")),
        *(pud(folder, "ja", "en"), pud(folder, "zh", "en"), tsinghua(folder)),
    ]
    results: dict[str, Any] = {"pairs": {}}
    for pair in pairs:
        results["pairs"][pair.name] = {
            "sentences": len(pair.sentences),
            "effort": EFFORT,
            "seeds": {str(seed): measured(pair, seed) for seed in SEEDS},
        }
        print(markdown(results).splitlines()[-1], flush=True)
        results["CPU seconds"] = round(time.process_time() - started)
        write(given.output.parent, given.output.stem, results, markdown(results))


if __name__ == "__main__":
    main()
