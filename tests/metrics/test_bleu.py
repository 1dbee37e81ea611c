"""BLEU and chrF: the numbers of sacreBLEU."""

import pickle
import random
import sys
from typing import Any

import numpy as np
import pytest
from sacrebleu import corpus_bleu, sentence_bleu
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from tests.nasty_text import nasty_line, near_line
from tests.refusing import refuses

import wordorder as wo
from wordorder.errors import UsageError
from wordorder.kernels import _run
from wordorder.metrics.registry import named_metric
from wordorder.metrics.text.ngrams import Bleu, Chrf
from wordorder.testing import check_metric

BLEU_OPTIONS: list[dict[str, Any]] = [
    {},
    {"tokenize": "none", "lowercase": True},
    {"tokenize": "intl", "smooth_method": "floor"},
    {"smooth_method": "add-k", "smooth_value": 0.5},
    {"smooth_method": "none", "max_ngram_order": 2},
    {"effective_order": True, "tokenize": "char"},
]
CHRF_OPTIONS: list[dict[str, Any]] = [
    {},
    {"word_order": 2},
    {"char_order": 0, "word_order": 1, "beta": 1},
    {"lowercase": True, "whitespace": True},
    {"eps_smoothing": True, "char_order": 3, "beta": 3},
]
WORDS = ["The", "cat's", "sat", "on", "the", "mat.", "(yes,", "no)", "3.5", "x-y", "Ünder", "-"]


def corpus(seed: int, *, varying: bool) -> tuple[list[str], list[list[str]]]:
    """Hypotheses, empty ones included, with two or with one to three references each."""
    rng = random.Random(seed)
    hypotheses, references = [], []
    for length in [0, 1, 2, 3, 4, 5, *range(6, 40)]:
        words = rng.choices(WORDS, k=length)
        several = []
        for _ in range(rng.randint(1, 3) if varying else 2):
            other = list(words)
            for _ in range(length // 4):
                other[rng.randrange(length)] = rng.choice(WORDS)
            several.append(" ".join(other[: rng.randint(0, length + 2)]))
        hypotheses.append(" ".join(words))
        references.append(several)
    return hypotheses, references


def by_file(references: list[list[str]]) -> list[Any]:
    """sacreBLEU's layout: a list a file, None where a segment has no more references."""
    most = max(map(len, references))
    return [[row[i] if i < len(row) else None for row in references] for i in range(most)]


@pytest.mark.parametrize("varying", [False, True])
@pytest.mark.parametrize("options", BLEU_OPTIONS, ids=str)
def test_bleu(options: dict[str, Any], varying: bool) -> None:
    single = BLEU(**options | {"effective_order": True}, force=True)
    compare(Bleu(**options), BLEU(**options, force=True), single, varying)


@pytest.mark.parametrize("varying", [False, True])
@pytest.mark.parametrize("options", CHRF_OPTIONS, ids=str)
def test_chrf(options: dict[str, Any], varying: bool) -> None:
    compare(Chrf(**options), CHRF(**options), CHRF(**options), varying)


def compare(metric: Bleu | Chrf, theirs: Any, single: Any, varying: bool) -> None:
    """Compare a corpus with `theirs`, its segments with `single`."""
    hypotheses, references = corpus(3, varying=varying)
    segments = wo.Segments.from_text(hypotheses, references)
    score = metric.corpus_score(segments)
    wanted = theirs.corpus_score(hypotheses, by_file(references))
    # Its perfect score may end a digit above 100.
    assert score.value == min(wanted.score / 100, 1.0)
    rows = zip(hypotheses, references, strict=True)
    each = [min(single.sentence_score(h, several).score / 100, 1.0) for h, several in rows]
    assert metric.segment_scores(segments).tolist() == each
    # Their signature is inside ours, but for the number of references.
    own = theirs.get_signature().format().split("|")
    fields = dict(score.signature.fields)
    for field in own:
        key, value = field.split(":", 1)
        assert fields.get(f"sacrebleu-{key}") == (None if key == "nrefs" else value)


def test_segments_take_effective_order_as_sentence_bleu_does() -> None:
    hypotheses = ["Thank you .", "Thank you .", "No", "", "yes it is so", "a b"]
    references = ["Thank you .", "Thanks to you .", "No", "a", "it is", "a b c d e"]
    segments = wo.Segments.from_text(hypotheses, references)
    metric = wo.metric("bleu")
    wanted = [
        min(sentence_bleu(h, [r]).score / 100, 1.0)
        for h, r in zip(hypotheses, references, strict=True)
    ]
    assert wanted[:3:2] == [1.0, 1.0]
    assert metric.segment_scores(segments).tolist() == wanted
    # A corpus of one segment is a corpus still.
    one = wo.Segments.from_text(hypotheses[:1], references[:1])
    assert metric.corpus_score(one).value == corpus_bleu(hypotheses[:1], [references[:1]]).score
    assert dict(metric.segment_signature().fields)["sacrebleu-eff"] == "yes"
    assert dict(metric.signature().fields)["sacrebleu-eff"] == "no"
    # In sums too.
    half = wo.metric("mix", formula="0.5*bleu + 0.5*bleu-s")
    assert half.segment_scores(segments)[0] == 1.0
    assert "sacrebleu-eff:yes" in str(half.segment_signature())
    assert "sacrebleu-eff:no" in str(half.signature())


@pytest.mark.parametrize(
    "name", ["bleu", "bleu-s", "chrf", "chrf(word_order=2)", "f1", "gtm", "ribes", "lr-kb4"]
)
def test_equal_short_sentences_are_perfect(name: str) -> None:
    lines = ["Thank you .", "Well done", "yes it is so"]
    segments = wo.Segments.from_text(lines, lines, aligner="exact")
    assert named_metric(name).segment_scores(segments).tolist() == [1.0, 1.0, 1.0]


@pytest.fixture(scope="module")
def nasty() -> tuple[list[str], list[list[str]]]:
    """Hypotheses with one to three references of the same pieces, some of them empty or equal."""
    rng = random.Random(5)
    hypotheses = ["", "a", *(nasty_line(rng, 40) for _ in range(600))]
    references = [
        [near_line(rng, line) if rng.random() < 0.8 else nasty_line(rng) for _ in range(count)]
        for line, count in zip(hypotheses, rng.choices([1, 1, 2, 3], k=602), strict=True)
    ]
    return hypotheses, [
        [*several, line] for line, several in zip(hypotheses, references, strict=True)
    ]


NASTY_BLEU: list[dict[str, Any]] = [
    {},
    {"lowercase": True, "max_ngram_order": 7, "effective_order": True},
    {"tokenize": "none", "smooth_method": "floor"},
    {"tokenize": "char", "smooth_method": "add-k"},
]
NASTY_CHRF: list[dict[str, Any]] = [
    {"word_order": 2},
    {"whitespace": True, "lowercase": True, "char_order": 9},
    {"char_order": 0, "word_order": 3, "eps_smoothing": True},
]


@pytest.mark.parametrize("options", [*NASTY_BLEU, *NASTY_CHRF], ids=str)
def test_statistics_of_nasty_text(
    options: dict[str, Any], nasty: tuple[list[str], list[list[str]]]
) -> None:
    bleu = options in NASTY_BLEU
    metric = Bleu(**options) if bleu else Chrf(**options)
    theirs: Any = BLEU(**options, force=True) if bleu else CHRF(**options)
    hypotheses, references = nasty
    segments = wo.Segments.from_text(hypotheses, references)
    wanted = theirs._extract_corpus_statistics(hypotheses, by_file(references))
    found = metric.statistics(segments)
    assert found[:, :-1].tolist() == wanted
    # Any pieces of the segments have their own rows.
    pieces = [segments[:7], segments[7:7], segments[7:]]
    assert np.array_equal(np.concatenate([metric.statistics(p) for p in pieces]), found)
    # Those of single segments take effective order.
    single: Any = BLEU(**options | {"effective_order": True}, force=True) if bleu else theirs
    scores = [single._compute_score_from_stats(list(row)).score / 100 for row in wanted]
    assert metric.segment_scores(segments).tolist() == [min(score, 1.0) for score in scores]


@pytest.mark.parametrize("metric", [Bleu(), Bleu(lowercase=True), Chrf(word_order=2)], ids=str)
def test_chunks_and_threads_change_nothing(
    metric: Bleu | Chrf, nasty: tuple[list[str], list[list[str]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = metric.statistics(wo.Segments.from_text(*nasty))
    monkeypatch.setattr(_run, "SMALLEST_CHUNK", 500)
    monkeypatch.setattr(_run, "threads", lambda: 3)
    assert np.array_equal(metric.statistics(wo.Segments.from_text(*nasty)), whole)


def test_lists_of_tokens_may_hold_anything() -> None:
    """Line breaks within a line, and what UTF-8 cannot encode, come from lists of tokens only."""
    rng = random.Random(6)
    words = ["5-\n", "\ud800", "a b", "-", "\n", "\u03a3", "x", "&am\ud800p;", "<skipped>"]
    lines = [rng.choices(words, k=rng.randrange(1, 9)) for _ in range(80)]
    segments = wo.Segments.from_text(lines[:40], [[line] for line in lines[40:]])
    joined = [" ".join(line) for line in lines]
    pairs: list[tuple[Bleu | Chrf, Any]] = [
        (Bleu(), BLEU()),
        (Bleu(lowercase=True, tokenize="intl"), BLEU(lowercase=True, tokenize="intl")),
        (Chrf(word_order=2), CHRF(word_order=2)),
    ]
    for metric, theirs in pairs:
        wanted = theirs._extract_corpus_statistics(joined[:40], [joined[40:]])
        assert metric.statistics(segments)[:, :-1].tolist() == wanted


def test_words_of_another_tokenizer_are_not_taken() -> None:
    hypotheses, references = corpus(4, varying=True)
    for case in ("keep", "lower"):
        segments = wo.Segments.from_text(hypotheses, references, tokenizer="13a", case=case)
        apart = wo.Segments.from_text(hypotheses, references, case=case)
        for options in ({}, {"lowercase": True}, {"tokenize": "none"}):
            found = Bleu(**options).statistics(segments)
            assert np.array_equal(found, Bleu(**options).statistics(apart))


def test_signatures_tell_all_options_apart() -> None:
    # sacreBLEU's own says neither the longest n-grams nor beta, and two digits of a value.
    bleu = [Bleu(**options) for options in (*BLEU_OPTIONS, {"max_ngram_order": 2})]
    bleu += [Bleu(smooth_method="floor", smooth_value=value) for value in (0.101, 0.102)]
    chrf = [Chrf(**options) for options in (*CHRF_OPTIONS, {"beta": 3})]
    signatures = [str(metric.signature()) for metric in (*bleu, *chrf)]
    assert len(set(signatures)) == len(signatures)


@pytest.mark.parametrize("metric", [Bleu(), Bleu(max_ngram_order=2), Chrf(eps_smoothing=True)])
def test_contract(metric: Bleu | Chrf) -> None:
    hypotheses, references = corpus(1, varying=True)
    segments = wo.Segments.from_text([*hypotheses, "", "a", "b"], [*references, [""], [], []])
    check_metric(metric, segments)
    assert metric.corpus_score(segments).skipped == 2
    assert np.isnan(metric.segment_scores(segments)[-2:]).all()
    nothing = wo.Segments.from_text(["a"], [[]])
    assert np.isnan(metric.corpus_score(nothing).value)
    again = pickle.loads(pickle.dumps(metric))
    assert again.corpus_score(segments) == metric.corpus_score(segments)


def test_lines_are_not_cut_before() -> None:
    hypotheses, references = corpus(2, varying=False)
    one = wo.Segments.from_text(hypotheses, references)
    other = wo.Segments.from_text(hypotheses, references, tokenizer="char")
    bleu = Bleu(tokenize="13a")
    assert bleu.corpus_score(one) == bleu.corpus_score(other) == Bleu().corpus_score(one)
    tokens = wo.Segments.from_text(
        [line.split() for line in hypotheses],
        [[line.split() for line in several] for several in references],
    )
    assert Bleu().corpus_score(tokens).value == Bleu().corpus_score(one).value


def test_options_are_checked() -> None:
    for call, message in (
        (lambda: Bleu(tokenize="14a"), "did you mean '13a'"),
        (lambda: Bleu(smooth_method="exponential"), "legal names: add-k, exp, floor, none"),
        (lambda: Bleu(smooth_value="x"), "smooth_value is a number, not 'x'"),
        (lambda: Bleu(smooth_value=-1), "at least 0, not -1"),
        (lambda: Bleu(max_ngram_order=0), "from 1 to 100, not 0"),
        (lambda: Chrf(char_order=0), "not both 0"),
        (lambda: Chrf(word_order=-1), "from 0 to 100, not -1"),
        (lambda: Chrf(beta=0), "from 1 to 1000, not 0"),
    ):
        refuses(UsageError, message, call)
    assert Bleu(smooth_method="floor", smooth_value="0.2").smooth_value == 0.2


def test_a_tokenizer_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    # As it is where the optional package is missing; sacreBLEU remembers what it has found.
    monkeypatch.setitem(sys.modules, "mecab_ko", None)
    monkeypatch.delitem(sys.modules, "sacrebleu.tokenizers.tokenizer_ko_mecab", raising=False)
    refuses(UsageError, r"bleu\.tokenize=ko-mecab: ", Bleu, tokenize="ko-mecab")


@pytest.mark.parametrize("options", BLEU_OPTIONS)
def test_many_rows_have_the_digits_of_single_ones(options: dict[str, Any]) -> None:
    """Rows are scored together, and by sacreBLEU one by one."""
    bleu = Bleu(**options)
    rng = np.random.default_rng(3)
    order = bleu.max_ngram_order
    total = rng.integers(0, 40, (3000, order)) * rng.integers(0, 2, (3000, 1))
    total[1000:] = rng.integers(1, 10**7, (2000, order))
    correct = rng.integers(0, total + 1) * rng.integers(0, 3, total.shape).clip(0, 1)
    lengths = rng.integers(0, 50, (3000, 2))
    lengths[:, 0] = np.maximum(lengths[:, 0], total[:, 0].clip(0, 40))
    used = rng.integers(0, 9, (3000, 1)).clip(0, 1)
    rows = np.concatenate([lengths, correct, total, used], axis=1) * np.where(used, 1.0, 0.0)
    scorer = BLEU(**options)
    wanted = [
        min(scorer._compute_score_from_stats(row[:-1]).score / 100, 1.0) if row[-1] else 0.0
        for row in rows.astype(int).tolist()
    ]
    found = bleu.score(rows)
    assert found.tolist() == wanted
    assert bleu.score(rows.reshape(30, 100, -1)).ravel().tolist() == wanted
    assert len(set(wanted)) > 500
