"""Analyses to make pages of: the shipped sample, a large one, and one of hostile strings."""

import base64
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.reading import read_alignments
from wordorder.analysis.analysed import Analysis
from wordorder.analysis.answer import ScoreIntervals
from wordorder.analysis.corpus import AnalysedOrders, AnalysedSystem, Corpus
from wordorder.analysis.grid import Grid, system_name
from wordorder.analysis.section import Finding, Section
from wordorder.metrics.order.chunks import FuzzyReorderingScore
from wordorder.order.orders import Orders
from wordorder.order.reading import read_orders
from wordorder.samples import sample_path
from wordorder.scoring.systems import Evaluation, SystemScores, measurements
from wordorder.segments import Segments
from wordorder.segments.columns import DroppedWords
from wordorder.statistics.intervals import NO_ESTIMATE, confidence_intervals
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import compare
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import Margin, Treebank

RESAMPLES = 50


def unpacked(page: str) -> str:
    """Return a page with all its sentences in the list, as its script puts them there."""

    def blocks(found: re.Match[str]) -> str:
        return zlib.decompress(base64.b64decode(found[1])).decode()

    return re.sub(
        r'</div>\n<template id="packed">(.*?)</template>',
        lambda found: f"{blocks(found)}</div>",
        page,
    )


@dataclass(frozen=True)
class NamedRules:
    """Rules of which a page shows the name alone."""

    name: str

    def orders(self, treebank: Treebank) -> Orders:
        raise NotImplementedError


def scored(
    name: str,
    orders: Orders,
    reference: Orders,
    treebank: Treebank | None = None,
    rules: str | None = None,
) -> tuple[AnalysedSystem, SystemScores]:
    """Score a system with FRS."""
    metric = FuzzyReorderingScore()
    segments = Segments.from_orders(orders, reference)
    statistics = metric.statistics(segments)
    system = AnalysedSystem(
        name,
        orders,
        metric.segment_scores(segments),
        np.asarray(~statistics.any(axis=1)),
        treebank,
        NamedRules(rules) if rules else None,
    )
    return system, SystemScores(
        name, (metric.corpus_score(segments),), DroppedWords(), 0, (statistics,)
    )


def order_analysis(
    corpus: Corpus,
    systems: Sequence[AnalysedSystem],
    sections: tuple[Section, ...] = (),
    *,
    grid: Grid | None = None,
    answer: str = "",
    intervals: ScoreIntervals | None = None,
) -> Analysis[AnalysedOrders]:
    """Return an analysis under FRS, without intervals unless they are given."""
    analysed = AnalysedOrders.of(corpus, systems, FuzzyReorderingScore())
    unknown = (NO_ESTIMATE,) * len(systems)
    scores = intervals or ScoreIntervals("frs", analysed.names, unknown, True, "frs|v:1")
    return Analysis(analysed, (scores,), sections, answer, grid=grid)


def grid_of(parsers: Sequence[str], rules: Sequence[str], scores: Sequence[SystemScores]) -> Grid:
    """Test the systems of a grid as `wordorder evaluate` does."""
    metric = FuzzyReorderingScore()
    size = len(scores[0].statistics[0])
    evaluation = Evaluation(size, 0, (), tuple(scores))
    found = measurements(evaluation, [metric])

    def part(numbers: Sequence[int]) -> Measurement:
        return measurements(Evaluation(size, 0, (), tuple(scores[n] for n in numbers)), [metric])[0]

    def tests(groups: Sequence[Sequence[int]]) -> list[object]:
        return [compare([part(group)], resamples=RESAMPLES)[0] for group in groups]

    wide, high = len(rules), len(parsers)
    by_rules = tests([range(r, wide * high, wide) for r in range(wide)]) if high > 1 else []
    by_parser = tests([range(p * wide, (p + 1) * wide) for p in range(high)]) if wide > 1 else []
    return Grid(
        tuple(parsers),
        tuple(rules),
        evaluation,
        (metric,),
        confidence_intervals(found, resamples=RESAMPLES),
        [by_rules],  # type: ignore[list-item]
        [by_parser],  # type: ignore[list-item]
        0.95,
        RESAMPLES,
        12345,
    )


def intervals_of(grid: Grid, text: str = "frs", signature: str = "") -> ScoreIntervals:
    """Return the scores of a grid, under a metric of this name."""
    names = tuple(system.name for system in grid.evaluation.systems)
    return ScoreIntervals(text, names, tuple(grid.estimates[0]), True, signature or f"{text}|v:1")


def sections(size: int, text: str = "words") -> tuple[Section, ...]:
    """Return two tables with examples among `size` sentences."""
    rows = tuple((f"{text} {i}", i * 7 % 13, i / 20, None) for i in range(20))
    examples = tuple(tuple({i % size, (i + 5) % size}) for i in range(20)) if size else ()
    return (
        Section(
            "words-by-form",
            f"The {text} most often misordered",
            f"A reading of the {text}.",
            (f"form of {text}", "times", "mean", "nothing"),
            rows,
            examples,
            f"A note on {text}.",
            findings=(
                Finding(f"The {text} explain something.", 0.5, examples[-1]),
                Finding(f"The {text} explain most.", 1.5, examples[0]),
            )
            if size
            else (),
            signature=f"frs|{text}|v:1",
        ),
        Section("by-length", "By length", "Short.", ("length", "frs"), ((3, 0.5), (10, 0.25))),
    )


def sample_analysis() -> Analysis[AnalysedOrders]:
    """Return two parsers × three rule sets on the shipped sample."""
    reference = read_orders(sample_path("reference.orders"))
    bank = read_treebank(sample_path("trees.conllu"))
    heads = bank.heads.copy()
    # A second parser: every fifth word of a sentence depends on the first root.
    for start, stop in zip(bank.offsets[:-1].tolist(), bank.offsets[1:].tolist(), strict=True):
        root = int(np.flatnonzero(bank.heads[start:stop] == 0)[0])
        moved = np.arange(stop - start) % 5 == 4
        moved[root] = False
        heads[start:stop][moved] = root + 1
    parsers = {"P1": bank.replace(heads=heads), "P2": bank}
    same = {"R1": "unchanged", "R2": "reversed"}
    files = {
        "P1": {**same, "R5": "head-final-mistakes"},
        "P2": {**same, "R5": "head-final"},
    }
    found = [
        scored(
            system_name(parser, rules),
            read_orders(sample_path(f"{file}.orders")),
            reference,
            treebank,
            rules,
        )
        for parser, treebank in parsers.items()
        for rules, file in files[parser].items()
    ]
    target = sample_path("target.ja").read_text().splitlines()
    grid = grid_of(tuple(parsers), tuple(files["P1"]), [scores for _, scores in found])
    return order_analysis(
        Corpus(
            bank,
            reference,
            read_alignments(sample_path("alignments.talbot")),
            tuple(tuple(line.split()) for line in target),
            bank,
        ),
        [system for system, _ in found],
        sections(len(bank)),
        grid=grid,
        answer="P2R5 orders words best.",
        intervals=intervals_of(grid, signature=str(FuzzyReorderingScore().signature())),
    )


def large_analysis(
    sentences: int, parsers: int, rules: int, *, seed: int = 1
) -> Analysis[AnalysedOrders]:
    """Return sentences of 20 words; their trees and orders are drawn by chance."""
    generator = np.random.default_rng(seed)
    lexicon = ["".join(generator.choice(list("aeioubdfgklmnprst"), 6)) for _ in range(500)]
    size = 20
    words = [[lexicon[n] for n in row] for row in generator.integers(0, 500, (sentences, size))]
    labels = [["dep"] * size] * sentences
    tags = [["NOUN", "VERB"] * (size // 2)] * sentences
    reference = Orders.from_rows([generator.permutation(size) for _ in range(sentences)])
    found = []
    for p in range(parsers):
        chain = [
            [int(generator.integers(0, i + 1)) if i else 0 for i in range(size)] for _ in words
        ]
        bank = Treebank.from_words(words, heads=chain, label=labels, upos=tags)
        for r in range(rules):
            orders = Orders.from_rows([generator.permutation(size) for _ in range(sentences)])
            name = system_name(f"P{p + 1}", f"R{r + 1}")
            found.append(scored(name, orders, reference, bank, f"R{r + 1}"))
    grid = grid_of(
        [f"P{p + 1}" for p in range(parsers)],
        [f"R{r + 1}" for r in range(rules)],
        [scores for _, scores in found],
    )
    systems = [system for system, _ in found]
    return order_analysis(Corpus(bank, reference), systems, sections(sentences), grid=grid)


def hostile_analysis(text: str) -> Analysis[AnalysedOrders]:
    """Return an analysis with `text` in every field that strangers fill."""
    size = 4
    words = [[text] * size, ["a", text, "b", text]]
    column = {name: [[text] * size] * 2 for name in ("lemma", "upos", "xpos", "feats", "label")}
    margin = Margin((f"# sent_id = {text}", f"# text = {text}"))
    made = Treebank.from_words(words, heads=[[2, 0, 2, 3], [0, 1, 2, 2]], **column)
    bank = Treebank(made.offsets, made.heads, made.columns, [margin, margin])
    other = bank.replace(heads=np.array([0, 1, 2, 3, 0, 1, 1, 1], np.int32))
    reference = Orders.from_rows([[3, [1, 2], 0], [2, 1, 0]])
    parsers = {text: bank, f"{text} 2": other}
    found = [
        scored(
            system_name(parser, rules),
            Orders.from_rows([row, row]),
            reference,
            treebank,
            rules,
        )
        for parser, treebank in parsers.items()
        for rules, row in ((text, [0, 1, 2, 3]), (f"{text} 2", [3, 2, 1, 0]))
    ]
    links = Alignments.from_rows([[(0, 1), (1, 0, True)], [(2, 0)]])
    grid = grid_of(tuple(parsers), (text, f"{text} 2"), [scores for _, scores in found])
    return order_analysis(
        Corpus(bank, reference, links, ((text, text), (text,)), other),
        [system for system, _ in found],
        sections(2, text),
        grid=grid,
        answer=f"{text} orders words best.",
        intervals=intervals_of(grid, text, f"frs|{text}|v:1"),
    )
