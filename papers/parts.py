"""What results rest on: the parts of the package that make their numbers, each with a fingerprint.

A fingerprint is what a part computes from the shipped samples. Code that is moved or put otherwise
leaves it as it is; code that computes something else on the samples changes it, and the results
that rest on the part are stale.

    python -m papers.parts                 # the fingerprint of each part
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import wordorder as wo
from wordorder.metrics.contract import statistics_in_pieces
from wordorder.notes import held_notes
from wordorder.parsing import (
    GraphLearner,
    TaggerLearner,
    TnT,
    TransitionLearner,
    open_parser,
    train,
)
from wordorder.parsing.given_tags import without_tags
from wordorder.parsing.training.recipes import ParserOptions
from wordorder.parsing.training.training_run import TrainingRun
from wordorder.reordering import open_rules
from wordorder.samples import sample_path
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import paired_bootstrap
from wordorder.training import (
    OrderCost,
    OrderData,
    OrderRecipe,
    RuleSettings,
    SelfTraining,
    augmented_train,
    self_train,
    train_order,
    train_rules,
)
from wordorder.translation import Decoder, DecoderSearch, train_translation, tune_translation
from wordorder.treebank import Treebank, read_treebank
from wordorder.treebank.reading import write_treebank

# Sentences of the sample that are learned from; the others are tagged, parsed, put in order.
LEARNED = 48
RULES = ("R2", "R2-literal", "R3", "R3-literal", "R4", "R4-literal", "R5", "head-final")
ORDER_METRICS = ("frs", "kendall", "spearman", "hamming", "ulam", "pet", "pets", "maxop", "exact")
TEXT_METRICS = ("bleu", "bleu-s", "cder", "wer", "per", "ter", "ribes", "chrf", "f1", "gtm")


@cache
def trees() -> Treebank:
    """Return the trees of the sample."""
    return read_treebank(sample_path("trees.conllu"))


def lines(name: str, sample: str = "enja") -> list[str]:
    """Return a text of a sample."""
    return sample_path(name, sample).read_text("utf-8").splitlines()


def shown(bank: Treebank) -> str:
    """Return tags, features and trees as CoNLL-U."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trees.conllu"
        write_treebank(path, bank)
        return path.read_text("utf-8")


def rows_of(orders: wo.Orders) -> list[list[int]]:
    """Return the positions of each sentence."""
    return [row.tolist() for row in orders.positions]


def aligner() -> Any:
    """Links of our aligner."""
    found = wo.align(lines("source.en"), lines("target.ja"))
    return [sorted(row.links) for row in found]


def rules() -> Any:
    """Orders of written rules on trees made by hand, and reference orders."""
    links = wo.read_alignments(sample_path("alignments.talbot"))
    made = [rows_of(open_rules(name).orders(trees())) for name in RULES]
    references = (
        wo.reference_orders(links, trees().lengths, unaligned=unaligned)
        for unaligned in ("next", "previous", "drop")
    )
    return [*made, *map(rows_of, references)]


def metrics() -> Any:
    """Scores of orders and of texts, and paired tests between them."""
    reference = wo.read_orders(sample_path("reference.orders"))
    found = []
    systems = [
        wo.Segments.from_orders(wo.read_orders(sample_path(f"{name}.orders")), reference)
        for name in ("head-final", "head-final-mistakes")
    ]
    texts = [
        wo.Segments.from_text(
            lines(f"{name}.en", "judged"), lines("reference.en", "judged"), tokenizer="none"
        )
        for name in ("alder", "birch")
    ]
    for names, segments in ((ORDER_METRICS, systems), (TEXT_METRICS, texts)):
        for name in names:
            made = wo.metric(name)
            statistics = [statistics_in_pieces(made, each) for each in segments]
            (test,) = paired_bootstrap([Measurement(statistics, made.score)], resamples=200)
            pair = test.pair(0, 1)
            values = [float(made.score(each.sum(axis=0))) for each in statistics]
            found.append([round(value, 9) for value in (*values, *(pair.interval_95 or ()))])
    return found


def perceptron_tagger() -> Any:
    """Tags of a perceptron tagger, and what it is sure of."""
    tagger: Any = train(TaggerLearner(trees()[:LEARNED]), epochs=5, seed=1).model
    return shown(tagger.tag(without_tags(trees())))


def tnt() -> Any:
    """Tags of TnT."""
    return shown(TnT.train(trees()[:LEARNED]).tag(without_tags(trees())))


def transition_parser() -> Any:
    """Trees of a transition parser, and lists of them."""
    return parsed(TransitionLearner)


def graph_parser() -> Any:
    """Trees of a graph parser, and lists of them."""
    return parsed(GraphLearner)


def parsed(learner: Any) -> Any:
    """Return the trees of a parser of a kind, and lists of them."""
    parser: Any = train(learner(trees()[:LEARNED]), epochs=3, seed=1).model
    rest = trees()[LEARNED:]
    lists = parser.kbest(rest, 4).trees
    return shown(parser.parse(rest)), shown(lists)


def augmented_loss() -> Any:
    """Trees of parsers that learned by the cost of an order."""
    few = trees()[:LEARNED]
    cost = OrderCost(open_rules("R5"), wo.read_orders(sample_path("reference.orders"))[:LEARNED])
    found = []
    for learner in (TransitionLearner, GraphLearner):
        made: Any = learner(few)
        model: Any = augmented_train(made, [(few, cost, 1.0)], seed=1, epochs=2, start=0).model
        found.append(shown(model.parse(trees()[LEARNED:])))
    return found


def self_training() -> Any:
    """Trees of a parser that learned from trees that were chosen by their order."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "parser.model"
        self_train(
            sample_path("trees.conllu"),
            TrainingRun(path, seed=1),
            SelfTraining(
                text=sample_path("source.en"),
                reference=sample_path("reference.orders"),
                rules="R5",
                kbest=8,
            ),
            ParserOptions(tagger="tnt", epochs=2),
        )
        return shown(open_parser(path, tags="predict").parse(without_tags(trees())))


def learned_orders() -> Any:
    """Orders that were learned, each from the others' words and links."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("linear", "bracketing", "consensus"):
            path = Path(folder) / f"{kind}.model"
            data = OrderData(
                text=sample_path("source.en"),
                alignments=sample_path("alignments.talbot"),
                trees=sample_path("trees.conllu"),
            )
            train_order(data, path, OrderRecipe(model=kind, folds=0, seed=1))
            found.append(rows_of(open_rules(path).orders(trees())))
    return found


def learned_rules() -> Any:
    """Rules that were learned from R5."""
    reference = wo.read_orders(sample_path("reference.orders"))
    start: Any = open_rules("R5")
    settings = RuleSettings(caution=0.0, edits=3, seed=1)
    made = train_rules(trees(), reference, start, settings=settings)
    return rows_of(made.rules.orders(trees()))


def translator() -> Any:
    """Translations, with either model of reordering, and weights tuned in both ways."""
    source, target = lines("source.en"), lines("target.ja")
    found: list[Any] = []
    for reordering in ("msd", "maxent"):
        model = train_translation(source, target, reordering=reordering)
        found.append(Decoder(model, window=4).translate(source).lines)
    for method in ("mira", "mert"):
        tuned = tune_translation(
            model,
            sample_path("source.en"),
            sample_path("target.ja"),
            "cder",
            method=method,
            rounds=1,
            search=DecoderSearch(kbest=10),
            seed=1,
        )
        found.append(np.round(tuned.weights, 6).tolist())
    return found


def english_model() -> Any:
    """Tags and trees of the parser `en`, and lists of them, for words of both samples."""
    texts = [*lines("source.en"), *lines("reference.en", "judged")]
    opened = open_parser("en", tags="predict")
    tagged = opened.parse(Treebank.from_words([line.split(" ") for line in texts]))
    parser: Any = opened.parser
    return shown(tagged), shown(parser.kbest(tagged, 4).trees)


PARTS: dict[str, Callable[[], Any]] = {
    part.__name__.replace("_", " "): part
    for part in (
        *(aligner, rules, metrics, perceptron_tagger, tnt, transition_parser, graph_parser),
        *(augmented_loss, self_training, learned_orders, learned_rules, translator),
        english_model,
    )
}


_TAGGED = ("perceptron tagger", "transition parser")
_TRAINED = (*_TAGGED, "self training", "rules", "metrics")
_BY_LOSS = ("augmented loss", "metrics", "perceptron tagger")
_TRANSLATED = ("translator", "metrics", "rules", "aligner", "english model")
_LEARNED = ("learned orders", "rules", "metrics")
# The parts of each result. Judgements and their statistics are compared with other tools by tests.
RESTS_ON: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("leusch_2006", "order_today"), ("metrics",)),
    **dict.fromkeys(("birch_osborne_2011", "people_en_ja"), ("metrics", "aligner")),
    **dict.fromkeys(("stanojevic_simaan_2016", "trained_costs"), ("metrics",)),
    **dict.fromkeys(("tests_of_two_metrics", "bucket_bootstrap"), ("metrics",)),
    **dict.fromkeys(("null_findings", "planted_differences"), ("metrics",)),
    "judged_findings": ("metrics", "aligner", "english model"),
    **dict.fromkeys(("cheats", "units"), ("metrics",)),
    "talbot_2011_tables": ("metrics", "rules", "aligner", "english model"),
    "further_findings": ("metrics", "aligner"),
    "talbot_rules": ("rules", "metrics", "aligner", "english model", *_TAGGED),
    "rules_by_language": ("rules", "metrics", "aligner", "english model"),
    "printed_rules": ("rules", "metrics", "english model"),
    "talbot_readings": ("rules", "metrics", "english model"),
    "talbot_table_5": _TRANSLATED,
    "talbot_table_5_parsers": (*_TRANSLATED, "tnt", "transition parser", "self training"),
    "talbot_parsers": ("tnt", "transition parser", "self training", "rules", "metrics"),
    "self_training_by_hand": (*_TRAINED, "graph parser", "aligner"),
    "questions": (*_TRAINED, "aligner", "english model"),
    "verb_readings": ("perceptron tagger", "tnt", "transition parser", "rules", "aligner"),
    "tag_sequences": ("english model", "metrics"),
    "list_lengths": (*_BY_LOSS, "transition parser", "aligner", "rules"),
    "augmented_epochs": (*_TAGGED, "graph parser", "metrics"),
    "augmented_arc_length": (*_BY_LOSS, "transition parser"),
    "augmented_arc_length_graph": (*_BY_LOSS, "graph parser"),
    "augmented_order": (*_BY_LOSS, "transition parser", "rules", "aligner"),
    "augmented_order_graph": (*_BY_LOSS, "graph parser", "rules", "aligner"),
    "augmented_order_automatic": (*_BY_LOSS, "transition parser", "rules", "aligner"),
    "augmented_root": (*_BY_LOSS, "transition parser"),
    "augmented_root_graph": (*_BY_LOSS, "graph parser"),
    "learned_rules": ("learned rules", "rules", "metrics", "english model"),
    "learned_order": (*_LEARNED, "english model"),
    "language_models": _TAGGED,
    "language_pairs": (*_LEARNED, "learned rules", *_TAGGED, "english model"),
    "link_calibration": ("aligner",),
    "bo07_mert": ("translator", "metrics"),
    "moses_mert": ("translator", "metrics"),
    "translation_loop": (*_TRANSLATED, "learned orders", "self training"),
    "translation_loop_reordering": _TRANSLATED,
    "bracket_heads": (),
    "english_model": ("english model", "metrics", "perceptron tagger"),
    "learned_model": (*_LEARNED, "english model"),
    "learned_en_ja": ("learned rules", "rules", "metrics", "english model"),
}


def parts_of(result: str) -> dict[str, str]:
    """Return the fingerprints of the parts that a result rests on."""
    return {part: fingerprint(part) for part in RESTS_ON.get(result, ())}


def digest_of(content: bytes) -> str:
    """Return a short hash."""
    return hashlib.sha256(content).hexdigest()[:12]


@cache
def fingerprint(part: str) -> str:
    """Return the fingerprint of a part of the package."""
    with held_notes():
        return digest_of(json.dumps(PARTS[part]()).encode())


def main() -> None:
    """Print all fingerprints."""
    for part in PARTS:
        print(f"{part:<18} {fingerprint(part)}")


if __name__ == "__main__":
    main()
