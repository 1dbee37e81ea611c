"""Translation edit rates against sacreBLEU's."""

import random
from itertools import product

import numpy as np
import pytest
from sacrebleu.metrics import lib_ter
from sacrebleu.metrics.ter import TER
from tests.metrics.test_bleu import by_file
from tests.nasty_text import PUNCTUATED
from tests.random_texts import corpus, moved
from tests.refusing import refuses
from tests.threads import with_threads

import wordorder as wo
from wordorder.errors import UsageError
from wordorder.kernels import _run
from wordorder.metrics.text.ter import TranslationEditRate, count_shifted_edits
from wordorder.segments import Segments
from wordorder.testing import check_metric
from wordorder.text.texts import Texts

Sentence = list[str]

OPTIONS = ("normalized", "no_punct", "asian_support", "case_sensitive")


def theirs(hypotheses: list[str], references: list[list[str]], **options: bool) -> np.ndarray:
    """Return sacreBLEU's edits and mean reference length of each segment."""
    metric = TER(**options)  # type: ignore[arg-type]  # no option is a list of references
    scores = [metric.sentence_score(h, r) for h, r in zip(hypotheses, references, strict=True)]
    return np.array([[s.num_edits, s.ref_length] for s in scores])


def same(hypotheses: list[str], references: list[list[str]], **options: bool) -> None:
    segments = Segments.from_text(hypotheses, references)
    metric = wo.metric("ter", **options)
    statistics = metric.statistics(segments)
    np.testing.assert_array_equal(statistics[:, :2], theirs(hypotheses, references, **options))
    scorer = TER(**options)  # type: ignore[arg-type]
    score = scorer.corpus_score(hypotheses, by_file(references)).score
    assert metric.corpus_score(segments).value == pytest.approx(score / 100, rel=1e-12)


def fuzz(seed: int, segments: int, longest: int) -> tuple[list[str], list[list[str]]]:
    """Make lines with repeated words, one to three references each, some of them empty."""
    lengths = random.Random(seed).choices(range(longest + 1), k=segments)
    hypotheses, references = corpus(seed, lengths, [2, 3, 5, 10, 30, 100])
    return list(map(" ".join, hypotheses)), [list(map(" ".join, rows)) for rows in references]


def edits(one: Sentence, other: Sentence) -> int:
    """Return our edits, which are sacreBLEU's."""
    ours = int(count_shifted_edits(Texts.from_segments([one], [[other]]))[0])
    assert ours == lib_ter.translation_edit_rate(one, other)[0]
    return ours


@pytest.mark.parametrize(("segments", "longest"), [(250, 12), (20, 30)])
def test_segments_are_those_of_sacrebleu(segments: int, longest: int) -> None:
    same(*fuzz(1, segments, longest))


@pytest.mark.parametrize("length", [1, 2, 24, 25, 26, 49, 50, 51, 63, 64, 65, 127, 128, 129])
def test_lengths_around_words_of_64_bits(length: int) -> None:
    reference = [f"w{number}" for number in range(length)]
    cut = length // 2
    hypothesis = [*reference[cut : cut + 3], *reference[:cut], *reference[cut + 3 :]]
    for changed in (hypothesis, [*hypothesis, "x"], [*hypothesis[:-1], "w0"]):
        edits(changed, reference)
        edits(reference, changed)


@pytest.mark.parametrize(("one", "other"), [(511, 512), (512, 513), (520, 514)])
def test_references_of_more_than_512_words(one: int, other: int) -> None:
    reference = [f"w{number}" for number in range(other)]
    hypothesis = [f"w{number}" for number in range(one)]
    hypothesis[200:202] = ["w201", "w200"]
    assert edits(hypothesis, reference) == abs(one - other) + 1


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, 30), (1, 49), (1, 50), (1, 51), (1, 101), (2, 120), (3, 151), (3, 200), (4, 202)],
)
def test_lengths_so_different_that_the_beam_widens(one: int, other: int) -> None:
    rng = random.Random(one * other)
    words = [f"w{number}" for number in range(12)]
    for _ in range(3):
        short, long = rng.choices(words, k=one), rng.choices(words, k=other)
        edits(short, long)
        edits(long, short)


@pytest.mark.parametrize(("one", "other"), [(104, 40), (110, 55), (120, 60)])
def test_the_beam_hides_what_lies_too_far_from_the_diagonal(
    one: int, other: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    reference = [f"w{number}" for number in range(other)]
    hypothesis = [*reference, *(f"x{number}" for number in range(one - other))]
    expected = edits(hypothesis, reference)
    monkeypatch.setattr(lib_ter, "_BEAM_WIDTH", 1000)
    wider = lib_ter.translation_edit_rate(hypothesis, reference)[0]
    assert wider == one - other < expected


def test_after_a_thousand_shifts_no_more_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    one = list("aababbbbbbabaabaabbbbbbaababab")
    other = list("bbaabbbaabbabbabbbaabaaabbabbb")
    expected = edits(one, other)
    monkeypatch.setattr(lib_ter, "_MAX_SHIFT_CANDIDATES", 10**6)
    assert lib_ter.translation_edit_rate(one, other)[0] < expected


LINES = [
    'He said: "yes, it\'s 3.5% (or so)!"  A B-C 7-8 &amp; &lt;x&gt; &quot;q&quot;',
    "he SAID : yes ; it 's 3.5 % or so . a b - c 7 - 8 & < x >",
    "東京は、日本の首都です。 カタカナ ＡＢＣ！",
    "日本の首都は東京です ． かな カタカナ　ＡＢＣ",
    "non\u00a0breaking\u2003and ideographic\u3000blank\x0bs",
    "non breaking and  ideographic blank s",
    "ΟΔΟΣ ΣΑΣ. ÉCOLE İstanbul",
    "οδος σας. école i̇stanbul",
    "\tleading and trailing\t ",
    "",
    "   ",
]


@pytest.mark.allow_notes(".*without blanks between words")
@pytest.mark.parametrize("values", list(product([False, True], repeat=4)))
def test_all_options_are_those_of_sacrebleu(values: tuple[bool, ...]) -> None:
    pairs = list(product(LINES, repeat=2))
    rows = [[reference, reference + " and , more"] for _, reference in pairs]
    same([h for h, _ in pairs], rows, **dict(zip(OPTIONS, values, strict=True)))


@pytest.mark.parametrize("values", [(False, False), (True, False), (False, True)])
def test_references_are_tokenised_twice_as_in_sacrebleu(values: tuple[bool, bool]) -> None:
    rng = random.Random(6)
    rows = [rng.choices(PUNCTUATED, k=rng.randrange(9)) for _ in range(60)]
    references = [[" ".join(row), " ".join(moved(rng, row, PUNCTUATED, 1))] for row in rows]
    hypotheses = [" ".join(moved(rng, row, PUNCTUATED, 2)) for row in rows]
    options = dict(zip(("no_punct", "asian_support"), values, strict=True))
    same(hypotheses, references, normalized=True, **options)
    # Each line against itself too.
    same([" ".join(row) for row in rows], [[" ".join(row)] for row in rows], normalized=True)


def test_references_tokenised_once() -> None:
    segments = Segments.from_text(["Well ..5 people came"], ["Well ..5 people came"])
    theirs_too = wo.metric("ter", normalized=True)
    assert theirs_too.statistics(segments).tolist() == [[2.0, 6.0, 1.0]]
    assert "compat:sacrebleu" in str(theirs_too.signature())
    once = wo.metric("ter", normalized=True, compat="none")
    assert once.segment_scores(segments).tolist() == [0.0]
    assert "compat:none" in str(once.signature())
    assert "compat" not in str(wo.metric("ter").signature())
    refuses(UsageError, "none, sacrebleu", wo.metric, "ter", compat="tercom")


def test_options_change_the_signature() -> None:
    lines = {
        str(wo.metric("ter", **dict(zip(OPTIONS, values, strict=True))).signature())
        for values in product([False, True], repeat=4)
    }
    # By itself, asian_support does nothing.
    assert len(lines) == 14


def test_a_tokenizer_changes_nothing_and_tokens_are_words() -> None:
    hypotheses, references = ["It is, yes."], [["Yes, it is."]]
    plain = TranslationEditRate().statistics(Segments.from_text(hypotheses, references))
    cut = Segments.from_text(hypotheses, references, tokenizer="13a")
    np.testing.assert_array_equal(TranslationEditRate().statistics(cut), plain)
    assert plain[0, 1] == 3
    tokens = Segments.from_text([["A", "b", "c"]], [[["c", "a", "B"]]])
    lines = Segments.from_text(["A b c"], ["c a B"])
    ours = TranslationEditRate().statistics(tokens)
    np.testing.assert_array_equal(ours, TranslationEditRate().statistics(lines))
    assert ours.tolist() == [[1.0, 3.0, 1.0]]


@pytest.mark.parametrize("tokenizer", ["none", "13a"])
def test_white_space_of_any_kind_parts_words(tokenizer: str) -> None:
    hypotheses = ["a\u00a0b c", "\u3000", "ΣΑΣ\u2003x\u00a0y d", " a\tb, c. "]
    references = [["a b\u00a0c", "c"], ["\u00a0", "x"], ["x\u00a0σας d y"], ["b, c. a"]]
    segments = Segments.from_text(hypotheses, references, tokenizer=tokenizer)
    found = TranslationEditRate().statistics(segments)[:, :2]
    np.testing.assert_array_equal(found, theirs(hypotheses, references))


def test_the_numbers_of_references_may_differ() -> None:
    segments = Segments.from_text(["a b", "a b", "", "x"], [["b a c", "a b c d e"], [], [""], [""]])
    metric = TranslationEditRate()
    found = metric.statistics(segments).tolist()
    assert found == [[2.0, 4.0, 1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0]]
    np.testing.assert_array_equal(metric.segment_scores(segments), [0.5, np.nan, 0.0, 1.0])
    corpus = metric.corpus_score(segments)
    assert (corpus.value, corpus.segments, corpus.skipped) == (0.75, 4, 1)


def test_the_number_of_threads_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_run, "SMALLEST_CHUNK", 500)
    hypotheses, references = fuzz(3, 150, 40)
    texts = Texts.from_segments(hypotheses, references)
    one, three = with_threads(lambda: count_shifted_edits(texts).tolist())
    assert one == three


def test_length_of_the_most_similar_reference() -> None:
    """The smallest rate over its own reference's length, by sacreBLEU's edits, one by one."""
    hypotheses, references = fuzz(5, 120, 10)
    references[3] = ["", "a b"]
    metric = TranslationEditRate(ref_len="best")
    segments = Segments.from_text(hypotheses, references)
    rows = metric.statistics(segments)
    for row, hypothesis, several in zip(rows, hypotheses, references, strict=True):
        single = theirs([hypothesis] * len(several), [[each] for each in several])
        rates = [edits / length if length else float(edits > 0) for edits, length in single]
        best = rates.index(min(rates))
        assert row.tolist() == [single[best, 0], single[best, 1], 1]
    both = rows[:, 0].sum() / rows[:, 1].sum()
    assert metric.corpus_score(segments).value == pytest.approx(both, rel=1e-12)
    check_metric(metric, segments)
    assert "ref_len:best" in str(metric.signature())
    assert "ref_len" not in str(TranslationEditRate().signature())
    # One edit over 2 words, or over the mean of 2 and 6; one over 6 is less than one over 2.
    two = Segments.from_text(["a b x"], [["a b", "a b c d e f"]])
    assert wo.metric("ter").segment_scores(two).tolist() == [0.25]
    assert wo.metric("ter", ref_len="best").segment_scores(two).tolist() == [0.5]
    refuses(UsageError, "average, best", wo.metric, "ter", ref_len="closest")
