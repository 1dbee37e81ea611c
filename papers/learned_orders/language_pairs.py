"""Learned orders of many language pairs, in both directions, beside simple orders.

Every pair of the data with links made by hand: {identity, reverse, head-final, R5, rules learned,
linear, bracketing, consensus, default}. English is parsed by the model `en`; the other languages
are words alone, so that `linear` and the rules are left out there. Hungarian and French also have
a parser, trained on a treebank of each (those of Japanese and Chinese at hand cut or write words
in another way than the texts); both sides of PUD also have its trees made by hand. `rules learned`
is what ``train rules`` makes of nothing. Each sentence is ordered by a model that did not see it:
three folds, five of fewer than 500 sentences, or a held-out fifth of 2,000 or more, as `wordorder
train order` splits them. `consensus` agrees under FRS, as ``--model consensus`` does; `balanced`
is the same members under the mean of FRS and Kendall's tau; `bracketing` is the mean of its first
six members. `default` is what the command chooses among linear, balanced and the source order:
chosen on four fifths of the held-out sentences and scored on the other fifth, five times, so that
no sentence has a say in its own score.

    nice -n 19 python -m papers.learned_orders.language_pairs DATA --cache FOLDER

FOLDER keeps what each pair gave, so that an interrupted run goes on: each row names the commit that
measured it, and rows of an earlier commit are of an earlier state of the package.
"""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import wordorder as wo
from papers.keeping import arguments_of, commit, keep
from wordorder.arrays import Ragged
from wordorder.parsing import train_parser_files
from wordorder.parsing.pipeline.file_parser import parsed_by
from wordorder.parsing.training.training_run import TrainingRun
from wordorder.reordering import PrecedenceRules, open_rules
from wordorder.reordering.consensus import (
    MEMBERS,
    TREELESS,
    Consensus,
    ConsensusLearner,
)
from wordorder.reordering.learned import OrderExamples, order_examples
from wordorder.reordering.learned.agreement import agreed_orders
from wordorder.reordering.learned.bracketing_model import Bracketing
from wordorder.reordering.learned.learned_order import ORDER_KINDS, Unchanged, learn_order
from wordorder.training import RuleSettings
from wordorder.training.held_out import (
    BALANCED_METRIC,
    HeldOut,
    compare_with_source,
    orders_without_provenance,
    rank_kinds,
    split_sentences,
)
from wordorder.training.rules.training import RuleTraining
from wordorder.treebank import read_treebank
from wordorder.treebank.treebank import Treebank

# A sentence, its translation, and the links between their words.
Row = tuple[list[str], list[str], list[tuple[int, int]]]

SEED = 1
# The languages of treebanks that a parser is trained on besides.
OWN_PARSERS = ("hu", "fr")
GOLD = "trees by hand"
PARTS = 5
CHOSEN = ("linear", "balanced")
SYSTEMS = (
    *("reverse", "head-final", "R5", "rules learned"),
    *("linear", "bracketing", "consensus", "balanced"),
)


def lines(path: Path) -> list[str]:
    """Return the lines of a compressed file."""
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        return [line.rstrip("\n") for line in stream]


def links_of(text: str, first: int = 0) -> list[tuple[int, int]]:
    """Read links written ``i-j``; those written ``ipj`` are possible ones and left out."""
    pairs = (each.split("-") for each in text.split() if "p" not in each)
    return [(int(i) - first, int(j) - first) for i, j in pairs]


def pairs_of(data: Path) -> Iterator[tuple[str, list[Row]]]:
    """Yield the pairs at hand, English as the source."""
    for other in ("hu", "es", "it", "nl", "da", "bg"):
        rows = [
            line.split("\t")
            for part in ("dev", "test")
            for line in lines(data / "xl-wa" / other / f"{part}.tsv.gz")
        ]
        yield f"en-{other}", [(a.split(" "), b.split(" "), links_of(each)) for a, b, each in rows]
    gold = data / "gold-alignments"
    for name, folder in (("en-hi", "wpt05"), ("en-pt", "graca"), ("en-cs", "czenali")):
        pairs = [json.loads(line) for line in lines(gold / f"{folder}-{name}" / "all.jsonl.gz")]
        # In wpt05-en-hi, an index of -1 says that a word has no translation.
        yield (
            name,
            [
                (
                    row["src_words"],
                    row["tgt_words"],
                    [(i, j) for i, j in row["alignment"] if min(i, j) >= 0],
                )
                for row in pairs
            ],
        )
    for name, stem in (("hansards-en-fr", "enfr"), ("tsinghua-zh-en", "zhen")):
        texts = [line.split("|||") for line in lines(gold / name / f"{stem}.src-tgt.gz")]
        found = [links_of(line, 1) for line in lines(gold / name / f"{stem}.gold.gz")]
        both = [(a.split(), b.split(), each) for (a, b), each in zip(texts, found, strict=True)]
        if name.endswith("-en"):
            both = [(b, a, [(j, i) for i, j in each]) for a, b, each in both]
        yield ("en-zh (Tsinghua)" if stem == "zhen" else "en-fr (Hansards)", both)
    for other in ("fr", "ja", "zh"):
        place = data / "pud-word-alignments" / f"en-{other}"
        columns = (lines(place / f"{each}.gz") for each in ("en.tok", f"{other}.tok"))
        words = [[line.split(" ") for line in column] for column in columns]
        found = [links_of(line) for line in lines(place / f"en-{other}.align.gz")]
        yield f"en-{other} (PUD)", list(zip(*words, found, strict=True))


def examples_of(rows: list[Row], source: Treebank | Path | str | None) -> OrderExamples:
    """Make examples of the first side of the rows, with its trees or those of a parser."""
    links = wo.Alignments.from_rows([row[2] for row in rows])
    if isinstance(source, Treebank):
        return order_examples(source, links)
    bank = Treebank.from_words([list(row[0]) for row in rows])
    return order_examples(bank if source is None else parsed_by(source, bank), links)


def parser_of(language: str, data: Path, cache: Path) -> Path:
    """Return a parser of a language, trained on its treebank in ``ud-other``."""
    path = cache / f"{language}.safetensors"
    if not path.exists():
        treebank = cache / f"{language}.conllu"
        treebank.write_text(
            "\n".join(lines(data / "ud-other" / language / "train.conllu.gz")) + "\n"
        )
        train_parser_files(treebank, TrainingRun(path, seed=SEED, restart=True))
    return path


def reversed_orders(examples: OrderExamples) -> wo.Orders:
    """Return the words of each sentence from the last to the first."""
    forward = orders_without_provenance(Unchanged(), examples.treebank).positions
    last = np.repeat(forward.lengths, forward.lengths) - 1
    return wo.Orders(Ragged((last - forward.values).astype(np.int32), forward.offsets))


def gold_trees(pair: str, data: Path) -> Treebank:
    """Return the trees of PUD made by hand, of the first language of a pair."""
    first, second = pair.split("-")
    folder = data / "pud-word-alignments" / f"en-{second if first == 'en' else first}"
    return read_treebank(folder / f"{first}.conllu.gz")


def rules_of(examples: OrderExamples) -> PrecedenceRules:
    """Return the rules that are learned of the sentences with a reference order."""
    some = examples.take(np.flatnonzero(examples.ranked))
    training = RuleTraining(some.treebank, some.references, settings=RuleSettings(seed=SEED))
    training.run()
    return training.steps[training.best].rules


def measured(rows: list[Row], source: Treebank | Path | str | None) -> dict[str, Any]:
    """Return what every order scores on the held-out sentences of a pair."""
    examples, trees = examples_of(rows, source), source is not None
    splits = split_sentences(examples, None, seed=SEED)
    held = np.sort(np.concatenate([each for _, each in splits]))
    tested = examples.take(held)
    orders = {"reverse": reversed_orders(tested)}
    if trees:
        for name in ("head-final", "R5"):
            orders[name] = orders_without_provenance(open_rules(name), tested.treebank)
    back = np.argsort(np.concatenate([each for _, each in splits]), kind="stable")
    found: dict[str, list[wo.Orders]] = {}
    for learned, left_out in splits:
        some, unseen = examples.take(learned), examples.treebank.take(left_out)
        both: dict[str, Any] = {} if trees else {"members": TREELESS}
        if trees:
            learner = ORDER_KINDS.load("linear").learner(some, seed=SEED)
            found.setdefault("linear", []).append(learn_order(learner).orders(unseen))
            found.setdefault("rules learned", []).append(
                orders_without_provenance(rules_of(some), unseen)
            )
        model = learn_order(ConsensusLearner(some, seed=SEED, metric=BALANCED_METRIC, **both))
        assert isinstance(model, Consensus)
        found.setdefault("bracketing", []).append(mean_of(model).orders(unseen))
        own = [each.model.orders(unseen) for each in model.members]
        weights = [each.weight for each in model.members]
        for name, metric in (("consensus", "frs"), ("balanced", BALANCED_METRIC)):
            agreed = agreed_orders(own, weights=weights, metric=metric)
            found.setdefault(name, []).append(agreed)
    for name, parts in found.items():
        whole = wo.Orders.concatenate([wo.Orders(each.positions) for each in parts])
        orders[name] = whole.take(back)
    scores = {
        name: compare_with_source(name, each, tested, BALANCED_METRIC, seed=SEED)
        for name, each in orders.items()
    }
    default, choices = chosen_by_others(tested, orders)
    scores["default"] = compare_with_source("default", default, tested, BALANCED_METRIC, seed=SEED)
    return {
        "sentences": len(rows),
        "scored": scores["default"].sentences,
        "chosen": choices,
        "scores": {name: of_two(each) for name, each in scores.items()},
    }


def mean_of(model: Consensus) -> Bracketing:
    """Return the mean of those bracketing members that read all there is: they come first."""
    some = [each.model for each in model.members][: MEMBERS["bracketing"]]
    weights = [each.weights for each in some if isinstance(each, Bracketing)]
    assert isinstance(some[0], Bracketing)
    return Bracketing(some[0].settings, np.mean(weights, axis=0))


def chosen_by_others(
    tested: OrderExamples, orders: dict[str, wo.Orders]
) -> tuple[wo.Orders, list[str]]:
    """Return the order of each sentence by the kind that is best on the other four fifths."""
    part = np.random.default_rng(SEED).permutation(len(tested)) % PARTS
    parts, places, choices = [], [], []
    source = orders_without_provenance(Unchanged(), tested.treebank)
    for number in range(PARTS):
        seen, scored = np.flatnonzero(part != number), np.flatnonzero(part == number)
        those = {name: orders[name].take(seen) for name in CHOSEN if name in orders}
        tried = rank_kinds(
            those, tested.take(seen), BALANCED_METRIC, seed=SEED, baseline_kind="balanced"
        )
        best = next((each.kind for each in tried if each.helps), "unchanged")
        choices.append(best)
        parts.append(wo.Orders(orders.get(best, source).take(scored).positions))
        places.append(scored)
    back = np.argsort(np.concatenate(places), kind="stable")
    return wo.Orders.concatenate(parts).take(back), choices


def of_two(found: HeldOut) -> dict[str, Any]:
    """Return FRS and tau of a system, with the interval of each and of its gain."""
    said = found.about()
    return {"frs": said["frs"], "kendall": said["kendall"]}


def page(results: dict[str, Any]) -> str:
    """Write a table of all pairs for each of the two metrics."""
    parts = ["# Orders of many language pairs\n", (__doc__ or "").split("\n\n")[1], ""]
    for metric, title in (("frs", "Fuzzy reordering score"), ("kendall", "Kendall's tau")):
        parts += [f"## {title}\n", "95 % intervals in brackets; **bold**: better than identity"]
        parts += ["at 95 % (paired bootstrap), *italic*: worse.\n"]
        head = ["pair", "source is", "scored", "identity", *SYSTEMS, "default", "chosen", "commit"]
        parts += [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
        for name, row in results["pairs"].items():
            pair, _, reads = name.partition(", ")
            scores = row["scores"]
            own = f"{scores['default'][metric]['source']:.3f}"
            cells = [cell(scores.get(each, {}).get(metric)) for each in (*SYSTEMS, "default")]
            chosen = " / ".join(dict.fromkeys(row["chosen"]))
            cells = [pair, reads, str(row["scored"]), own, *cells, chosen, row["commit"]]
            parts.append(f"| {' | '.join(cells)} |")
        parts.append("")
    return "\n".join([*parts, results["made"], ""])


def cell(score: dict[str, Any] | None) -> str:
    """Write one score with its interval."""
    if score is None:
        return "–"
    low, high = score["interval_95"]
    mark = "**" if score["gain_95"][0] > 0 else "*" if score["gain_95"][1] < 0 else ""
    return f"{mark}{score['value']:.3f}{mark} [{low:.3f}, {high:.3f}]"


def tries_of(data: Path) -> Iterator[tuple[str, list[Row], str]]:
    """Yield each pair in both directions, with what is known of its source."""
    for name, rows in pairs_of(data):
        pair, _, corpus = name.partition(" ")
        first, second = pair.split("-")
        back = f"{second}-{first} {corpus}".strip()
        turned = [(b, a, [(j, i) for i, j in each]) for a, b, each in rows]
        yield name, rows, "trees by en"
        if corpus == "(PUD)":
            yield name, rows, GOLD
        yield back, turned, "words alone"
        if second in OWN_PARSERS:
            yield back, turned, f"trees by {second}"
        if corpus == "(PUD)":
            yield back, turned, GOLD


def source_of(title: str, reads: str, data: Path, cache: Path) -> Treebank | Path | str | None:
    """Return the trees of a source or what parses it, None for words alone."""
    if reads == GOLD:
        return gold_trees(title.partition(" ")[0], data)
    parser = reads.partition("trees by ")[2]
    return parser_of(parser, data, cache) if parser in OWN_PARSERS else parser or None


def main() -> None:
    """Measure all pairs in both directions and keep the results."""
    arguments = arguments_of(__doc__)
    started = time.process_time()
    cache = arguments.cache
    cache.mkdir(parents=True, exist_ok=True)
    found, seconds = {}, 0.0
    for title, rows, reads in tries_of(arguments.data):
        path = cache / f"{title}, {reads}.json"
        if not path.exists():
            begin = time.process_time()
            result = measured(rows, source_of(title, reads, arguments.data, cache))
            result["cpu_seconds"] = round(time.process_time() - begin, 1)
            result["commit"] = commit()
            path.write_text(json.dumps(result))
            print(title, reads, result["cpu_seconds"], flush=True)
        kept = json.loads(path.read_text())
        seconds += kept["cpu_seconds"]
        found[f"{title}, {reads}"] = kept
    results = {"pairs": found, "seed": SEED, "cpu_seconds_of_all": round(seconds)}
    keep(arguments.output, "language_pairs", results, page, started)


if __name__ == "__main__":
    main()
