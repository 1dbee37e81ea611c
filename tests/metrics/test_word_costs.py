"""Costs of substitutions by stem, synonym, table and information, against slow twins."""

import math
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path
from typing import Any

import pytest
from tests import oracles_edit as oracles
from tests.notes import noted
from tests.refusing import refuses

import wordorder as wo
from wordorder.errors import InputError, UsageError
from wordorder.kernels import _run
from wordorder.metrics.accumulator import Accumulator
from wordorder.metrics.registry import named_metric
from wordorder.metrics.text import substitution as substitutions
from wordorder.metrics.text.paths import cover_paths
from wordorder.metrics.text.substitution import TableCosts, find_broken_triangles
from wordorder.segments import Segments
from wordorder.testing import check_metric

Sentence = list[str]

WORDS = ["talk", "talks", "Talked", "car", "automobile", "auto", "a", "the", "house", "é"]
STEMS = {"talk": "talk", "talks": "talk", "Talked": "talk"}
SETS = [{"car", "automobile"}, {"automobile", "auto"}, {"talk", "speech"}]
TABLE = {("a", "the"): 0.25, ("car", "auto"): 1.5, ("é", "house"): 2.0, ("talk", "talks"): 0.1}


def by_stem(one: str, other: str) -> Fraction:
    same = STEMS.get(one, one) == STEMS.get(other, other)
    return Fraction(0 if one == other else Fraction(0.5) if same else 1)


def by_synonym(one: str, other: str) -> Fraction:
    same = any({one, other} <= each for each in SETS)
    return Fraction(0 if one == other else Fraction(0.25) if same else 1)


def by_table(one: str, other: str) -> Fraction:
    if one == other:
        return Fraction(0)
    return Fraction(TABLE.get((one, other), TABLE.get((other, one), 1.0)))


def by_information(references: list[list[Sentence]]) -> oracles.Cost:
    counts = Counter(word for several in references for row in several for word in row)
    total = sum(counts.values())
    bits = {word: math.log2(total / count) for word, count in counts.items()}
    mean = sum(count * bits[word] for word, count in counts.items()) / total
    rarest = max(bits.values())

    def cost(one: str, other: str) -> Fraction:
        if one == other:
            return Fraction(0)
        both = (bits.get(one, rarest) + bits.get(other, rarest)) / (2 * mean)
        return Fraction(min(both, 2.0))

    return cost


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("costs")
    (folder / "sets.txt").write_text("\n".join(" ".join(sorted(each)) for each in SETS))
    lines = [f"{one}\t{other} {cost}" for (one, other), cost in TABLE.items()]
    (folder / "table.tsv").write_text("\n".join([*lines, "", "the a 0.25", "a a 0"]) + "\n")
    return {"synonyms": str(folder / "sets.txt"), "costs": str(folder / "table.tsv")}


def sample(seed: int, size: int = 40) -> tuple[list[Sentence], list[list[Sentence]]]:
    rng = random.Random(seed)

    def sentence() -> Sentence:
        return rng.choices(WORDS, k=rng.randrange(8))

    references = [[sentence() for _ in range(rng.randrange(1, 3))] for _ in range(size)]
    return [sentence() for _ in range(size)], references


def options(kind: str, files: dict[str, str]) -> dict[str, Any]:
    if kind == "synonym":
        return {"substitution": kind, "synonyms": files["synonyms"], "similar": 0.25}
    if kind == "table":
        return {"substitution": kind, "costs": files["costs"]}
    return {"substitution": kind}


KINDS = ["stem", "synonym", "table", "information"]


@pytest.mark.parametrize("kind", KINDS)
def test_distances_against_slow_twins(kind: str, files: dict[str, str]) -> None:
    hypotheses, references = sample(1)
    cost: Callable[[str, str], Any] = {
        "stem": by_stem,
        "synonym": by_synonym,
        "table": by_table,
        "information": by_information(references),
    }[kind]
    segments = Segments.from_text(hypotheses, references)
    rows = [(h, r) for h, several in zip(hypotheses, references, strict=True) for r in several]
    for name, twin in oracles.DISTANCES.items():
        metric: Any = wo.metric(name, **options(kind, files)).prepare(segments)
        wanted = [float(twin(h, r, cost)) for h, r in rows]
        assert metric.distances(segments) == pytest.approx(wanted, rel=1e-12, abs=1e-12)
        back: Any = None
        if name == "cder":
            back = wo.metric(name, direction="candidate", **options(kind, files)).prepare(segments)
            wanted = [float(twin(r, h, cost)) for h, r in rows]
            assert back.distances(segments) == pytest.approx(wanted, rel=1e-12, abs=1e-12)
            path = cover_paths(segments.texts, substitution=metric.word_costs)
            assert path.distance == pytest.approx(metric.distances(segments))
            steps = cover_paths(segments.texts, substitution=metric.word_costs, ties="steps")
            assert steps.distance == pytest.approx(metric.distances(segments))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["wer", "per", "cder"])
def test_contract(kind: str, name: str, files: dict[str, str]) -> None:
    hypotheses, references = sample(2)
    references[3] = []
    segments = Segments.from_text(hypotheses, references)
    metric = wo.metric(name, ref_len="average", **options(kind, files))
    check_metric(metric, segments)
    check_metric(wo.metric(name, **options(kind, files)), Segments.from_text([], []))


def test_signatures(files: dict[str, str]) -> None:
    lines = [str(wo.metric("wer", **options(kind, files)).signature()) for kind in KINDS]
    stem, synonym, table, information = (line.split("|") for line in lines)
    assert stem[2:4] == ["substitution:stem", "stems:en"]
    assert stem[5] == "similar:0.5"
    assert synonym[2] == "substitution:synonym"
    assert synonym[3].startswith("synonyms:")
    assert synonym[4] == "similar:0.25"
    assert table[2] == "substitution:table"
    assert table[3].startswith("costs:")
    assert information[2:4] == ["substitution:information", "information:references"]
    segments = Segments.from_text(["a"], ["a b"])
    prepared = wo.metric("wer", substitution="information").prepare(segments)
    assert "information:references" not in str(prepared.signature())
    with pytest.raises(UsageError, match=r"use metric\.prepare"):
        wo.metric("wer", substitution="information").statistics(segments)


def test_costs_survive_partial_results(files: dict[str, str]) -> None:
    hypotheses, references = sample(3)
    segments = Segments.from_text(hypotheses, references)
    for kind in ("stem", "synonym", "table"):
        metric = wo.metric("cder", **options(kind, files))
        running = Accumulator(metric)
        running.update(segments)
        again = Accumulator.from_bytes(running.to_bytes())
        assert again.compute().value == metric.corpus_score(segments).value
    both = wo.metric("mix", formula="0.6*cder(substitution=stem)+0.4*per")
    assert both.corpus_score(segments).value > 0


def test_threads_and_batches_change_nothing(
    files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hypotheses, references = sample(4, 200)
    segments = Segments.from_text(hypotheses, references)
    for kind in KINDS:
        whole = wo.metric("wer", **options(kind, files)).corpus_score(segments).value
        with monkeypatch.context() as patch:
            patch.setattr(substitutions, "CHUNK_WORD_PAIRS", 50)
            patch.setattr(_run, "PIECE_NUMBERS", 64)
            assert wo.metric("wer", **options(kind, files)).corpus_score(segments).value == whole


# -- Information. ---------------------------------------------------------------------------------


def test_information_of_a_worked_example() -> None:
    """Bits a 1, b and c 2: 1.5 on average; a word that is not there as many as the rarest."""
    segments = Segments.from_text([["a", "x"]], [[["b", "a"], ["a", "c"]]])
    metric: Any = wo.metric("wer", substitution="information").prepare(segments)
    # a to b and x to a, or an insertion and a deletion: 1 + 1; a and an x for c, (2 + 2) / 3.
    assert metric.distances(segments).tolist() == pytest.approx([2.0, 4 / 3])
    lone = Segments.from_text(["b b"], ["a a"])
    assert wo.metric("wer", substitution="information").segment_scores(lone).tolist() == [1.0]


def test_information_costs_are_a_metric() -> None:
    _, references = sample(5)
    cost = by_information(references)
    words = [*WORDS, "unseen"]
    for a, b, c in product(words, repeat=3):
        assert cost(a, c) <= cost(a, b) + cost(b, c) + Fraction(1, 10**12)
        assert (cost(a, b) == 0) == (a == b)
        assert cost(a, b) == cost(b, a) <= 2


# -- Tables. --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("a b\n", r"t\.tsv:1: 2 fields; expected two words and a cost"),
        ("\na b c d\n", r"t\.tsv:2: 4 fields"),
        ("a b much\n", r"t\.tsv:1: 'much'; expected a cost, a number"),
        ("a b 2.5\n", r"cost 2\.5 for 'a' and 'b'; expected above 0 and at most 2"),
        ("a b 0\n", "cost 0 for 'a' and 'b'; expected above 0"),
        ("a b nan\n", "'nan'; expected a cost"),
        ("a b -1\n", "cost -1 for 'a' and 'b'"),
        ("a a 0.5\n", r"cost 0\.5 for 'a' and itself; expected 0 for equal words"),
        ("a b 0.5\nb a 0.4\n", r"t\.tsv:2: 0\.4 for 'b' and 'a', but 0\.5 in line 1"),
    ],
)
def test_broken_tables_are_refused(tmp_path: Path, lines: str, message: str) -> None:
    path = tmp_path / "t.tsv"
    path.write_text(lines)
    refuses(InputError, message, wo.metric, "wer", substitution="table", costs=str(path))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("wer(substitution=table)", r"wer\.substitution=table needs a file: wer\.costs=FILE"),
        ("per(substitution=synonym)", r"per\.synonyms=FILE"),
        ("cder(costs=table.tsv)", r"cder\.costs needs cder\.substitution=table"),
        ("wer(substitution=stem,similar=0)", r"wer\.similar is 0: only equal words"),
        ("wer(substitution=stem,similar=3)", r"wer\.similar is a number from 0 to 2"),
        ("wer(substitution=stem,language=other)", r"no stemmer for wer\.language=other"),
        ("wer(substitution=stem,language=xx)", r"unknown value for wer\.language 'xx'"),
    ],
)
def test_what_does_not_fit_is_refused(name: str, message: str) -> None:
    refuses(UsageError, message, named_metric, name)


@pytest.mark.parametrize("name", ["wer", "per", "cder"])
def test_functions_are_no_costs(name: str) -> None:
    message = rf"{name}\.substitution takes no Python func.*table"
    refuses(UsageError, message, wo.metric, name, substitution=lambda one, other: 0.5)


def test_triangles_against_all_triples() -> None:
    rng = random.Random(6)
    for _ in range(40):
        words = list("abcdef")
        pairs = [pair for pair in permutations(words, 2) if pair[0] < pair[1]]
        costs = {pair: rng.choice([0.2, 0.5, 1.0, 1.5, 2.0]) for pair in rng.sample(pairs, 8)}

        def cost(one: str, other: str, costs: dict[tuple[str, str], float] = costs) -> float:
            pair = (one, other) if one < other else (other, one)
            return 0.0 if one == other else costs.get(pair, 1.0)

        wanted = {
            (min(a, c), b, max(a, c))
            for a, b, c in permutations(words, 3)
            if cost(a, c) > cost(a, b) + cost(b, c) + 1e-9
        }
        _, broken = find_broken_triangles(costs)
        assert {(min(a, c), b, max(a, c)) for a, b, c in broken} == wanted
        assert len(broken) == len(wanted)


def test_a_table_that_is_no_metric_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("a b 0.2\nb c 0.2\n")
    with noted(r"in 1 of 3 triples of words \(33 %\).*'a' to 'b'"):
        TableCosts(path)
    path.write_text("a b 0.5\nb c 0.5\n")
    TableCosts(path)
