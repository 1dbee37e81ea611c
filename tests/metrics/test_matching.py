"""GTM against its slow twin and the largest of all matchings; METEOR against its own and NLTK."""

import random
from fractions import Fraction
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from nltk.translate.meteor_score import single_meteor_score
from tests import oracles_meteor as oracles, oracles_runs as runs
from tests.alignment.test_monolingual import WORDS, row
from tests.refusing import refuses

import wordorder as wo
from wordorder.arrays import Float64
from wordorder.errors import UsageError
from wordorder.metrics.text.matching import (
    TASKS,
    GeneralTextMatcher,
    Meteor,
    resolve_task,
    task_parameters,
)
from wordorder.segments import Segments
from wordorder.testing import check_metric

EXPONENTS = [1.0, 1.2, 2.0, 3.0]


def sentences(seed: int, number: int, longest: int, kinds: int) -> list[list[str]]:
    rng = random.Random(seed)
    words = [f"w{n}" for n in range(kinds)]
    return [rng.choices(words, k=rng.randrange(longest + 1)) for _ in range(number)]


def matching_sizes(segments: Segments, exponent: float) -> Float64:
    return GeneralTextMatcher(exponent=exponent).statistics(segments)[:, 0]


@pytest.mark.parametrize("kinds", [1, 2, 4, 12])
def test_sizes_of_the_greedy_twin(kinds: int) -> None:
    ours, theirs = sentences(kinds, 60, 16, kinds), sentences(kinds + 50, 60, 16, kinds)
    # Blocks that were moved: long runs.
    theirs += [row[5:] + row[:5] for row in ours]
    segments = Segments.from_text(ours + ours, [[row] for row in theirs])
    for exponent in EXPONENTS:
        wanted = [
            runs.size(runs.greedy(one, other), exponent)
            for one, other in zip(ours + ours, theirs, strict=True)
        ]
        assert matching_sizes(segments, exponent) == pytest.approx(np.array(wanted), rel=1e-12)


def test_greedy_sizes_beside_the_largest() -> None:
    """Never above the largest matching of all, and nearly always that."""
    ours, theirs = sentences(1, 300, 6, 4), sentences(2, 300, 6, 4)
    segments = Segments.from_text(ours, [[row] for row in theirs])
    for exponent in EXPONENTS:
        largest = np.array(
            [runs.largest(one, other, exponent) for one, other in zip(ours, theirs, strict=True)]
        )
        found = matching_sizes(segments, exponent)
        assert np.all(found <= largest + 1e-12)
        assert np.mean(found >= largest - 1e-12) > 0.95
        if exponent == 1:
            assert found == pytest.approx(largest)


def test_where_greedy_is_not_the_largest() -> None:
    """Four words in a row leave two single ones; two runs of three are more at exponent 1.5."""
    one, other = "a b c d e f".split(), "b c d e x a b c x d e f".split()
    assert sorted(runs.run_lengths(runs.greedy(one, other))) == [1, 1, 4]
    [found] = matching_sizes(Segments.from_text([one], [[other]]), 1.5)
    assert found == pytest.approx(10 ** (2 / 3))
    largest = runs.largest(one, other, 1.5)
    assert largest == pytest.approx((2 * 3**1.5) ** (2 / 3))
    assert found < largest


def test_worked_values() -> None:
    """Runs of 4 and 2 in six words: sqrt(20) / 6; an exponent of 1 sees the words only."""
    pair = Segments.from_text(["on tuesday we met at six"], ["we met at six on tuesday"])
    assert GeneralTextMatcher().segment_scores(pair).tolist() == pytest.approx([sqrt(20) / 6])
    assert GeneralTextMatcher(exponent=1).segment_scores(pair).tolist() == [1.0]
    # Precision sqrt(5) / 3, recall sqrt(5) / 5.
    other = Segments.from_text(["a b c"], ["c x a b y"])
    precision, recall = sqrt(5) / 3, sqrt(5) / 5
    wanted = 2 * precision * recall / (precision + recall)
    assert GeneralTextMatcher().segment_scores(other).tolist() == pytest.approx([wanted])


def test_exponent_1_is_f1() -> None:
    rows = sentences(5, 80, 12, 6)
    references = [
        [sentences(n, 1, 12, 6)[0] for n in (seed, seed + 99)][: seed % 3] for seed in range(80)
    ]
    segments = Segments.from_text(rows, references)
    ours, f1 = wo.metric("gtm", exponent=1), wo.metric("f1")
    assert ours.statistics(segments).tolist() == f1.statistics(segments).tolist()
    assert ours.corpus_score(segments).value == f1.corpus_score(segments).value


@pytest.mark.parametrize("exponent", [1, 1.1, 1.5, 2, 2.7, 3, 4, 5, 6.3, 7, 8, 9, 10])
def test_equal_sentences_score_exactly_one(exponent: float) -> None:
    lines = [" ".join(f"w{n}" for n in range(length)) for length in range(1, 120)]
    segments = Segments.from_text(lines, lines)
    metric = wo.metric("gtm", exponent=exponent)
    assert metric.segment_scores(segments).tolist() == [1.0] * len(lines)
    assert metric.corpus_score(segments).value == 1.0
    # Reorderings of the words are never above 1.
    rng = random.Random(9)
    turned = [" ".join(rng.sample(line.split(), len(line.split()))) for line in lines]
    scores = metric.segment_scores(Segments.from_text(turned, lines))
    assert scores.max() <= 1.0


def test_equally_good_references_are_a_tie() -> None:
    """A run of 3 over 12 words, and one of 2 over 8: exactly as much."""
    references = ["a c b ab a ab a b c", "b ab ab ab c"]
    segments = Segments.from_text(["b ab a"], [references])
    statistics = wo.metric("gtm", exponent=3).statistics(segments)
    assert statistics[0, 1:].tolist() == [3.0, 9.0, 1.0]


def first_best(one: list[str], references: list[list[str]], exponent: int) -> int:
    """Return the first best reference by whole numbers alone."""
    best, value = 0, Fraction(-1)
    for number, other in enumerate(references):
        size = sum(length**exponent for length in runs.run_lengths(runs.greedy(one, other)))
        words = len(one) + len(other)
        found = Fraction(size, words**exponent) if words else Fraction(0)
        if found > value:
            best, value = number, found
    return best


@pytest.mark.parametrize("exponent", [1, 2, 3, 5, 10])
def test_the_first_of_the_best_references(exponent: int) -> None:
    rng = random.Random(exponent)
    rows, references = [], []
    for _ in range(400):
        rows.append(rng.choices("abc", k=rng.randrange(1, 6)))
        references.append([rng.choices("abc", k=rng.randrange(9)) for _ in range(4)])
    statistics = wo.metric("gtm", exponent=exponent).statistics(
        Segments.from_text(rows, references)
    )
    lengths = [
        len(several[first_best(row, several, exponent)])
        for row, several in zip(rows, references, strict=True)
    ]
    assert statistics[:, 2].tolist() == lengths


def test_ties_at_exponents_that_are_not_whole() -> None:
    """Runs of 3 and 1 over 13 words, and of 6 and 2 over 26: one share, whatever the exponent."""
    ours = "a b c d e f g h"
    short, long = "x d a b c", "g h a b c d e f" + " x" * 10
    for exponent in np.linspace(1.05, 9.95, 90).round(2).tolist():
        metric = wo.metric("gtm", exponent=exponent)
        for references in ([short, long], [long, short]):
            statistics = metric.statistics(Segments.from_text([ours], [references]))
            assert statistics[0, 2] == len(references[0].split())


def test_short_and_long_sentences() -> None:
    segments = Segments.from_text(["", "a", "", "a"], [[""], [""], ["a"], ["a"]])
    assert GeneralTextMatcher().segment_scores(segments).tolist() == [0, 0, 0, 1]
    words = [f"w{n % 700}" for n in range(3000)]
    turned = Segments.from_text([words], [[words[1000:] + words[:1000]]])
    scores = GeneralTextMatcher(exponent=10).segment_scores(turned)
    assert 0 < scores[0] < 1


def test_exponents_out_of_range_are_refused() -> None:
    for wrong in (0.5, 11, "x", True):
        refuses(UsageError, r"gtm\.exponent is a number", wo.metric, "gtm", exponent=wrong)
    assert wo.metric("gtm", exponent="1.2").signature().fields == (("exponent", "1.2"),)


# -- METEOR's score: worked values, a slow twin, NLTK where the two agree, and the contract.


drawn = st.lists(st.sampled_from(WORDS), max_size=8)


def scores(hypotheses: list[str], references: list[list[str]], **options: object) -> list[float]:
    segments = Segments.from_text(hypotheses, references)
    return [float(v) for v in Meteor(**options).segment_scores(segments)]  # type: ignore[arg-type]


def sample() -> Segments:
    """Text with no, one and several references, and empty lines."""
    rng = random.Random(11)

    def sentence() -> str:
        return " ".join(rng.choice(WORDS) for _ in range(rng.randrange(10)))

    hypotheses = [sentence() for _ in range(30)]
    references = [[sentence() for _ in range(rng.randrange(4))] for _ in range(30)]
    references[3] = [hypotheses[3]]
    references[4] = ["", hypotheses[4] + " x"]
    hypotheses[5] = ""
    return Segments.from_text(hypotheses, references)


def test_worked_value_and_short_sentences() -> None:
    # 4 matches of 5 and 6 words in 2 chunks: P = .8, R = .6667, mean .6838, fragmentation .5.
    assert scores(["a b c d x"], [["a b y c d z"]])[0] == pytest.approx(0.3266, abs=5e-5)
    assert scores(["a"], [["a"]]) == [1.0]
    assert scores(["a b c"], [["a b c"]]) == [1.0]
    assert scores(["", "a", "", "a"], [[""], [""], ["a"], ["b"]]) == [0.0] * 4
    # All words match, but not in one chunk: the fragmentation is 2 / 2.
    assert scores(["b a"], [["a b"]])[0] == pytest.approx(1 - 0.6)


def test_the_best_reference_counts_and_a_corpus_is_scored_by_its_sums() -> None:
    segments = Segments.from_text(["a b", "c", "x"], [["b", "a b", "a"], [], ["y"]])
    metric = Meteor()
    np.testing.assert_array_equal(metric.segment_scores(segments), [1.0, np.nan, 0.0])
    score = metric.corpus_score(segments)
    assert (score.segments, score.skipped) == (3, 1)
    segments = Segments.from_text(["a b", "c d"], ["a b", "c x"])
    # 3 words of 4 match on both sides, in 2 chunks.
    expected = 0.75 * (1 - 0.6 * (2 / 3) ** 0.2)
    assert Meteor().corpus_score(segments).value == pytest.approx(expected)


@given(drawn, drawn, st.sampled_from(["en", "de", "sv", "other"]), st.booleans())
def test_the_slow_twin(
    hypothesis: list[str], reference: list[str], language: str, split: bool
) -> None:
    metric = Meteor(language=language)
    if split:
        metric.function_word_set = frozenset({"the", "a", "of"})
    segments = Segments.from_text([" ".join(hypothesis)], [" ".join(reference)])
    p = metric.parameters
    expected = oracles.score(
        row(metric.aligner.align(segments.texts)),
        hypothesis,
        reference,
        (p.alpha, p.beta, p.gamma, p.delta),
        dict(p.weights),
        sorted(metric.function_word_set),
    )
    assert metric.segment_scores(segments)[0] == pytest.approx(expected, abs=1e-12)


class NoWordNet:
    """NLTK asks for synonyms; there are none."""

    @staticmethod
    def synsets(word: str) -> list[str]:
        return []


class NoStemmer:
    """NLTK stems; here words stay as they are."""

    @staticmethod
    def stem(word: str) -> str:
        return word


def test_nltk_where_it_aligns_alike() -> None:
    """Words that occur once: any aligner finds the same. NLTK has no case for equal sentences."""
    rng = random.Random(2)
    for _ in range(200):
        hypothesis = rng.sample("abcdefghij", rng.randrange(1, 10))
        reference = rng.sample("abcdefghij", rng.randrange(1, 10))
        if hypothesis == reference or not set(hypothesis) & set(reference):
            continue
        expected = single_meteor_score(
            reference,
            hypothesis,
            stemmer=NoStemmer(),
            wordnet=NoWordNet(),
            alpha=0.85,
            beta=0.2,
            gamma=0.6,
        )
        assert scores([" ".join(hypothesis)], [[" ".join(reference)]])[0] == pytest.approx(expected)


def test_function_words_weigh_less(tmp_path: Path) -> None:
    path = tmp_path / "function.txt"
    path.write_text("the\nof\n")
    # Of "the cat" one content word in (.75 + .25) of weight matches: P = R = .75; one chunk.
    value = scores(["the cat"], [["A cat".lower().replace("a ", "of ")]], function_words=str(path))
    assert value[0] == pytest.approx(0.75 * (1 - 0.6))
    # Capitals are function words too, as METEOR looks words up in lower case.
    value = scores(["The cat"], [["of cat"]], function_words=str(path))
    assert value[0] == pytest.approx(0.75 * (1 - 0.6))
    signatures = {str(Meteor(function_words=f).signature()) for f in ("", str(path))}
    assert len(signatures) == 2


def test_modules_with_resources(tmp_path: Path) -> None:
    (tmp_path / "sets").write_text("big large\n")
    (tmp_path / "table").write_text("0.5\nat once\nnow\n")
    options = {"synonyms": str(tmp_path / "sets"), "paraphrases": str(tmp_path / "table")}
    metric = Meteor(**options)  # type: ignore[arg-type]
    assert metric.aligner.modules == ("exact", "stem", "synonym", "paraphrase")
    segments = Segments.from_text(["a big cat now"], ["a large cats at once"])
    listed = row(metric.aligner.align(segments.texts))
    assert [m[4] for m in listed] == ["exact", "synonym", "stem", "paraphrase"]
    weights = 1 + 0.8 + 0.6
    precision, recall = (weights + 0.6) / 4, (weights + 1.2) / 5
    mean = 1 / (0.15 / precision + 0.85 / recall)
    # All words of both sides in one chunk: no penalty.
    assert metric.segment_scores(segments)[0] == pytest.approx(mean)
    check_metric(metric, sample())


@pytest.mark.parametrize("options", [{}, {"language": "cs"}, {"task": "li"}, {"java": True}])
def test_the_contract(options: dict[str, object]) -> None:
    check_metric(Meteor(**options), sample())  # type: ignore[arg-type]


@pytest.mark.parametrize("task", TASKS)
def test_parameters_are_complete(task: str) -> None:
    parameters = task_parameters("en", resolve_task("en", task))
    assert parameters.weights["exact"] == 1
    assert 0 <= parameters.alpha <= 1
    assert 0 <= parameters.delta <= 1


@pytest.mark.parametrize(
    ("task", "other", "language"),
    [("ranking", "de", "en"), ("universal", "other", "any"), ("tuning", "other", "any")],
)
def test_a_language_stands_in_the_signature_if_it_matters(
    task: str, other: str, language: str
) -> None:
    line = str(Meteor(task=task).signature())
    assert line.startswith(f"meteor|language:{language}|task:{task}|")
    # Without a stemmer in it, a task for all languages is the same in each.
    assert (str(Meteor(task=task, language=other).signature()) == line) == (task == "universal")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"language": "xx"}, "unknown value for meteor.language"),
        ({"task": "rank"}, "did you mean 'ranking'"),
        ({"language": "sv", "task": "ranking"}, "task=li is for any language"),
        ({"language": "de", "task": "hter"}, "there are some for en;"),
        ({"language": "de", "synonyms": "x"}, "METEOR uses no synonyms for task=ranking"),
        ({"task": "universal", "synonyms": "x"}, "METEOR uses no synonyms"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, object], message: str) -> None:
    refuses(UsageError, message, Meteor, **options)
