"""Texts: layouts of references, preparation, parts and wholes."""

import unicodedata
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sacrebleu.metrics.bleu import BLEU
from tests.refusing import refuses

import wordorder as wo
from wordorder.errors import InputError, UsageError
from wordorder.text.cut_words import cut_words
from wordorder.text.preparation import Preparation
from wordorder.text.texts import Texts
from wordorder.text.tokenizers import blank_words, changed_words

SENTENCES = st.lists(st.sampled_from("abcd"), max_size=6).map(" ".join)
CORPUS = st.lists(
    st.tuples(SENTENCES, st.lists(SENTENCES, max_size=3), SENTENCES), min_size=1, max_size=8
)
Corpus = list[tuple[str, list[str], str]]


def texts_of(corpus: Corpus) -> Texts:
    return Texts.from_segments(
        [row[0] for row in corpus], [row[1] for row in corpus], [row[2] for row in corpus]
    )


def shown(texts: Texts) -> list[tuple[str, list[str], str]]:
    offsets = texts.reference_offsets.tolist()
    references = [" ".join(row) for row in texts.words_of(texts.references)]
    assert texts.source is not None
    return [
        (" ".join(h), references[a:b], " ".join(s))
        for h, a, b, s in zip(
            texts.words_of(texts.hypothesis),
            offsets,
            offsets[1:],
            texts.words_of(texts.source),
            strict=False,
        )
    ]


@given(CORPUS, st.integers(0, 8), st.integers(0, 8))
def test_parts_and_wholes_hold_the_same_words(corpus: Corpus, first: int, last: int) -> None:
    texts = texts_of(corpus)
    assert shown(texts) == corpus
    part = texts[first:last]
    assert shown(part) == corpus[first:last]
    assert part.reference_lines == [line for row in corpus[first:last] for line in row[1]]
    joined = Texts.concatenate([part, texts])
    assert shown(joined) == corpus[first:last] + corpus
    assert joined.hypothesis_lines == [row[0] for row in corpus[first:last] + corpus]
    assert texts.segment_of.tolist() == [i for i, row in enumerate(corpus) for _ in row[1]]


@given(CORPUS)
def test_local_numbers_tell_equal_words_of_a_segment(corpus: Corpus) -> None:
    texts = texts_of(corpus)
    local = texts.local()
    for s, (hypothesis, references, _) in enumerate(corpus):
        known: dict[str, int] = {}
        rows = [
            [known.setdefault(w, len(known)) for w in line.split()]
            for line in (hypothesis, *references)
        ]
        first, last = texts.reference_offsets[s : s + 2].tolist()
        found = [local.hypothesis[s], *(local.references[r] for r in range(first, last))]
        assert [row.tolist() for row in found] == rows
        assert local.distinct[s] == len(known)


def test_tokens_and_strings_are_the_same_text() -> None:
    strings = Texts.from_segments(["a b", ""], [["b a", "a"], "c"])
    lists = Texts.from_segments([["a", "b"], []], [[["b", "a"], ["a"]], ["c"]])
    assert strings.words_of(strings.references) == lists.words_of(lists.references)
    assert strings.reference_offsets.tolist() == lists.reference_offsets.tolist() == [0, 2, 3]
    assert lists.reference_lines == ["b a", "a", "c"]


def test_references_by_file_are_recognised_and_refused() -> None:
    hypotheses = ["a", "b", "c"]
    by_file = [["a", "b", "c"], ["A", "B", "C"]]
    refuses(InputError, "references_by_file=", wo.Segments.from_text, hypotheses, by_file)
    segments = wo.Segments.from_text(hypotheses, references_by_file=by_file)
    assert segments.texts.reference_lines == ["a", "A", "b", "B", "c", "C"]
    with pytest.raises(InputError, match="entry 2: 2 references for 3"):
        wo.Segments.from_text(hypotheses, references_by_file=[by_file[0], ["A", "B"]])
    with pytest.raises(UsageError, match="either"):
        wo.Segments.from_text(hypotheses, by_file, references_by_file=by_file)


@pytest.mark.parametrize(
    ("hypotheses", "references", "what"),
    [
        (["a"], ["a", "b"], "2 entries for 1"),
        ("a b", ["a"], "hypotheses: str"),
        (["a"], "a", "references: str"),
        (None, ["a"], "hypotheses: NoneType"),
        (["a", ["b"]], ["a", "b"], "hypotheses, entry 2: .*a string"),
        ([["a"], "b"], [["a"], ["b"]], "hypotheses, entry 2: .*a list of tokens"),
        (["a", None], ["a", "b"], "hypotheses, entry 2: None; expected a string"),
        ([None], ["a"], "hypotheses, entry 1: None"),
        ([7], ["a"], "hypotheses, entry 1: 7"),
        ([float("nan")], ["a"], "hypotheses, entry 1: nan"),
        ([b"a"], ["a"], "hypotheses, entry 1: b'a'"),
        ([[1, 2]], [[["a"]]], "hypotheses, entry 1: the token 1"),
        ([[["a"]]], [[["a"]]], "hypotheses, entry 1: the token"),
        ([["a"]], [[[1]]], "references, entry 1: the token 1"),
        ([["a"]], ["a"], "references, entry 1: 'a'; expected lists of tokens"),
        ([["c", "a", "t"]], [[["dog"], "cat"]], "references, entry 2: 'cat'"),
        ([["the", "cat"]], [["the cat", "a cat"]], "the token 'the cat'"),
        (["a\n"], ["a"], "entry 1: a line break"),
        (["a"], ["x\ny"], "a line break"),
        (["a"], [7], "references, entry 1: 7"),
        (["a"], [[7]], "references, entry 1: 7"),
        (["a"], [None], "references, entry 1: None"),
        (["a"], [[None]], "references, entry 1: None"),
    ],
)
def test_what_is_no_text_is_refused(hypotheses: object, references: object, what: str) -> None:
    refuses(InputError, what, wo.Segments.from_text, hypotheses, references)


@pytest.mark.parametrize(
    ("hypotheses", "source", "what"),
    [
        ([["a"]], ["die Katze"], "source, entry 1: 'die Katze'; expected a list of tokens"),
        (["a"], [["a"]], "source, entry 1: .*a string"),
        (["a"], "a", "source: str"),
        (["a"], ["a", "b"], "source: 2 segments for 1"),
        (["a"], iter(["a"]), "source: list_iterator"),
    ],
)
def test_a_source_that_is_no_text_is_refused(hypotheses: object, source: object, what: str) -> None:
    refuses(InputError, what, wo.Segments.from_text, hypotheses, [["a"]], source)


@pytest.mark.parametrize(
    ("files", "what"),
    [
        ("a", "references_by_file: str"),
        (["a"], "references_by_file, entry 1: str"),
        ([None], "references_by_file, entry 1: NoneType"),
        (3, "references_by_file: int"),
        ([], "references_by_file: no file"),
    ],
)
def test_references_by_file_are_lists(files: object, what: str) -> None:
    refuses(InputError, what, wo.Segments.from_text, ["a"], references_by_file=files)


@pytest.mark.parametrize("name", ["13a", "intl", "zh", "char", "ja-mecab"])
def test_tokenizers_are_sacrebleus(name: str) -> None:
    lines = ["Hello, world!", "\u4f60\u597d,  (x)", "", " 3.5%\u00a0of  it "]
    texts = wo.Segments.from_text(lines, lines, tokenizer=name).texts
    tokenize = BLEU(tokenize=name).tokenizer
    assert texts.words_of(texts.hypothesis) == [
        [word for word in tokenize(line).split(" ") if word] for line in lines
    ]
    assert texts.hypothesis_lines == lines
    assert dict(texts.fields)["tok"] == name


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_case_and_normal_form(form: str) -> None:
    lines = ["\u00c9t\u00e9 \ufb01n", "E\u0301"]
    texts = wo.Segments.from_text(lines, lines, case="lower", normalization=form).texts
    expected = [unicodedata.normalize(form, line).lower() for line in lines]  # type: ignore[arg-type]
    assert texts.hypothesis_lines == expected
    assert texts.fields == (("tok", "13a"), ("case", "lower"), ("norm", form))
    lists = wo.Segments.from_text(
        [line.split() for line in lines], [[line.split()] for line in lines],
        case="lower", normalization=form,
    )  # fmt: skip
    assert lists.texts.hypothesis_lines == expected


def test_wrong_options_are_refused() -> None:
    wrong: list[dict[str, Any]] = [
        *({"tokenizer": "14a"}, {"case": "upper"}, {"normalization": "nfc"})
    ]
    for options in wrong:
        with pytest.raises(UsageError):
            wo.Segments.from_text(["a"], ["a"], **options)
    with pytest.raises(UsageError, match="lists of tokens"):
        wo.Segments.from_text([["a"]], [[["a"]]], tokenizer="13a")


def test_texts_prepared_in_different_ways_are_not_put_together() -> None:
    one = Texts.from_segments(["a"], ["a"])
    other = Texts.from_segments(["a"], ["a"], preparation=Preparation(case="lower"))
    refuses(UsageError, "different ways", Texts.concatenate, [one, other])
    assert np.array_equal(Texts.concatenate([one, one]).reference_offsets, [0, 1, 2])


ODD = ["a", "b", "ab", "a\u3000b", "b\u2009", "\x0b", "a\x1fa\u00a0c", "\u00e9", "\u2028"]


@pytest.mark.parametrize("seed", range(20))
def test_few_odd_words_are_cut_as_all_are(seed: int) -> None:
    """Words with white space that is no blank: cutting them alone is cutting all words."""
    random = np.random.default_rng(seed)
    words = [*ODD[: random.integers(3, len(ODD) + 1)], "\U0001f600"]
    lines = [" ".join(random.choice(words, random.integers(0, 7))) for _ in range(40)]
    texts = Texts.from_segments(lines[:20], lines[20:])
    marked = cut_words(texts, blank_words, lowercase=False, changed=changed_words)
    assert marked.words_of(marked.hypothesis) == [line.split() for line in lines[:20]]
    assert marked.words_of(marked.references) == [line.split() for line in lines[20:]]
    # The same word has the same number everywhere.
    numbers = {
        (word, number)
        for column in (marked.hypothesis, marked.references)
        for row, names in zip(column.to_lists(), marked.words_of(column), strict=True)
        for number, word in zip(row, names, strict=True)
    }
    assert len(numbers) == len({word for word, _ in numbers}) == len({n for _, n in numbers})


def test_many_odd_words_are_cut_with_all_others() -> None:
    lines = [f"w{number}\u3000x y" for number in range(100)]
    texts = Texts.from_segments(lines, lines)
    cut = cut_words(texts, blank_words, lowercase=False, changed=changed_words)
    assert cut.words_of(cut.references) == [line.split() for line in lines]


def test_words_without_white_space_are_not_cut_at_all() -> None:
    texts = Texts.from_segments(["a b\tc"], ["é \u4e00"])
    assert cut_words(texts, blank_words, lowercase=False, changed=changed_words) is texts


@pytest.mark.parametrize("long", ["", "x" * 100])
@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ((["a", "b\nc"], ["a", "b"]), "hypotheses, entry 2: .*a line break"),
        ((["a", "b"], ["a\n", "b"]), "references, entry 1: .*a line break"),
        ((["a", "b"], ["a", "b\ud800"]), "references, entry 2: .*a lone surrogate"),
        ((["a", "b"], ["a", 3]), "references, entry 2: .*3"),
    ],
)
def test_the_column_and_entry_of_a_bad_line_are_named(
    columns: tuple[list[Any], list[Any]], message: str, long: str
) -> None:
    given = [[long + line if line == "a" else line for line in column] for column in columns]
    refuses(InputError, message, Texts.from_segments, given[0], given[1])
