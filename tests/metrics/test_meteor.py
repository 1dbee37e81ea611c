"""METEOR's score: worked values, a slow twin, NLTK where the two agree, and the contract."""

import random
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from nltk.translate.meteor_score import single_meteor_score
from tests import oracles_meteor as oracles
from tests.alignment.test_monolingual import WORDS, row
from tests.refusing import refuses

from wordorder.errors import UsageError
from wordorder.metrics.text.matching import TASKS, Meteor, resolve_task, task_parameters
from wordorder.segments import Segments
from wordorder.testing import check_metric

sentences = st.lists(st.sampled_from(WORDS), max_size=8)


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


def test_worked_value() -> None:
    # 4 matches of 5 and 6 words in 2 chunks: P = .8, R = .6667, mean .6838, fragmentation .5.
    assert scores(["a b c d x"], [["a b y c d z"]])[0] == pytest.approx(0.3266, abs=5e-5)


def test_short_and_empty_sentences() -> None:
    assert scores(["a"], [["a"]]) == [1.0]
    assert scores(["a b c"], [["a b c"]]) == [1.0]
    assert scores(["", "a", "", "a"], [[""], [""], ["a"], ["b"]]) == [0.0] * 4
    # All words match, but not in one chunk: the fragmentation is 2 / 2.
    assert scores(["b a"], [["a b"]])[0] == pytest.approx(1 - 0.6)


def test_the_best_reference_counts_and_none_is_left_out() -> None:
    segments = Segments.from_text(["a b", "c", "x"], [["b", "a b", "a"], [], ["y"]])
    metric = Meteor()
    assert metric.segment_scores(segments).tolist() == [1.0, 0.0, 0.0]
    score = metric.corpus_score(segments)
    assert (score.segments, score.skipped) == (3, 1)


def test_the_corpus_score_comes_from_the_sums() -> None:
    segments = Segments.from_text(["a b", "c d"], ["a b", "c x"])
    # 3 words of 4 match on both sides, in 2 chunks.
    expected = 0.75 * (1 - 0.6 * (2 / 3) ** 0.2)
    assert Meteor().corpus_score(segments).value == pytest.approx(expected)


@given(sentences, sentences, st.sampled_from(["en", "de", "sv", "other"]), st.booleans())
def test_the_slow_twin(
    hypothesis: list[str], reference: list[str], language: str, split: bool
) -> None:
    metric = Meteor(language=language)
    if split:
        metric.function_words = frozenset({"the", "a", "of"})
    segments = Segments.from_text([" ".join(hypothesis)], [" ".join(reference)])
    p = metric.parameters
    expected = oracles.score(
        row(metric.aligner.align(segments.texts)),
        hypothesis,
        reference,
        (p.alpha, p.beta, p.gamma, p.delta),
        dict(p.weights),
        sorted(metric.function_words),
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
