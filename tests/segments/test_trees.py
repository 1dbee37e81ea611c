"""Treebanks side by side: the same words, or a message that names the first that differs."""

import pickle
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.refusing import refuses

import wordorder as wo
from wordorder.errors import InputError, UsageError
from wordorder.segments.trees import Trees, matching_trees, shared_codes
from wordorder.text.vocabulary import Vocabulary
from wordorder.treebank.treebank import Column, Margin, Treebank

GOLD = [["It", "rains"], [], ["Go", "home", "!"]]
HEADS = [[2, 0], [], [0, 1, 1]]


def treebank(form: Sequence[Sequence[str]] = GOLD, **columns: Sequence[Sequence[str]]) -> Treebank:
    heads = HEADS if form is GOLD else None
    return Treebank.from_words(form, heads=heads, **columns)


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ([*GOLD[:2], ["Go", "home", "."]], "sentence 3: word 3 is '.', but '!' in the gold trees"),
        ([*GOLD[:2], ["go", "Home", "!"]], "sentence 3: word 1 is 'go', but 'Go'"),
        ([["It"], [], ["x"]], "sentence 1: 1 word, but 2 in the gold trees"),
        ([["It", "rains", "!"], [], ["x"]], "sentence 1: 3 words, but 2 in the gold trees"),
        ([["He", "rains"], [], ["x"]], "sentence 1: word 1 is 'He', but 'It'"),
        ([["Go", "home", "!"], [], ["It", "rains"]], "sentence 1: word 1 is 'Go', but 'It'"),
        ([GOLD[0], ["x"], GOLD[2]], "sentence 2: 1 word, but 0 in the gold trees"),
        (GOLD[:1], "1 sentence, but 3 in the gold trees"),
        (GOLD[:2], "2 sentences, but 3 in the gold trees; expected as many in both"),
        ([], "0 sentences, but 3 in the gold trees; expected as many in both"),
    ],
)
def test_other_words(form: list[list[str]], message: str) -> None:
    refuses(InputError, message, wo.Segments.from_treebanks, treebank(form), treebank())


def test_messages_name_files_and_sentences() -> None:
    system = treebank([["It", "rains"], [], ["Go", "to", "!"]])
    margins = [*system.margins[:2], Margin(("# sent_id = a-7",))]
    named = Treebank(system.offsets, system.heads, system.columns, margins)
    with pytest.raises(
        InputError, match=r"^s: sentence 13 \(a-7\): word 2 is 'to', but 'home' in g; "
    ):
        matching_trees(named, treebank(), ("s", "g"), before=10)
    # Slices count on from the start of the whole.
    bare = treebank().replace(heads=np.array([2, 0, 0, 1, -1], np.int32))
    segments = wo.Segments.from_treebanks(treebank(), bare)[1:][1:]
    with pytest.raises(InputError, match="the gold trees: sentence 3: word 3 has no head"):
        wo.metric("uas").corpus_score(segments)


words = st.lists(st.sampled_from(["a", "b", "nsubj:pass", "nsubj"]), max_size=8)


@given(words, words)
def test_codes_are_equal_for_equal_strings(ours: list[str], theirs: list[str]) -> None:
    one, other, numbers = shared_codes(Column.of(ours), Column.of(theirs))
    assert one.tolist() == [numbers[word] for word in ours]
    assert other.tolist() == [numbers[word] for word in theirs]
    assert len(set(numbers.values())) == len(numbers)


def test_strings_that_stand_twice_in_a_vocabulary() -> None:
    twice = Column(np.array([0, 1, 2], np.int32), Vocabulary(["a", "b", "a"]))
    one, other, _ = shared_codes(twice, Column.of(["a", "b", "a"]))
    assert one.tolist() == other.tolist()


@pytest.mark.parametrize("first", range(4))
@pytest.mark.parametrize("last", range(4))
def test_parts_and_wholes(first: int, last: int) -> None:
    labels = [["nsubj", "root"], [], ["root", "obj", "punct"]]
    gold = treebank(label=labels)
    system = gold.replace(heads=np.array([2, 0, 2, 0, 1], np.int32))
    segments = wo.Segments.from_treebanks(system, gold)
    metric = wo.metric("las")
    expected = metric.segment_scores(segments)
    part = segments[first:last]
    assert metric.segment_scores(part).tolist() == expected[first:last].tolist()
    joined = wo.Segments.concatenate([part, segments])
    assert metric.segment_scores(joined).tolist() == [*expected[first:last], *expected]
    sent = pickle.loads(pickle.dumps(joined))
    assert metric.segment_scores(sent).tolist() == [*expected[first:last], *expected]


def test_what_they_are_called() -> None:
    segments = wo.Segments.from_treebanks(treebank(), treebank())
    assert repr(segments) == "Segments(3 of trees)"
    assert isinstance(segments.trees, Trees)
    with pytest.raises(UsageError, match="some of the parts have a column 'trees'"):
        wo.Segments.concatenate([segments, wo.Segments.from_permutations([[0]])])


def test_what_is_no_treebank() -> None:
    with pytest.raises(UsageError, match="the system: a Treebank or the path of one, not list"):
        wo.Segments.from_treebanks([[1, 0]], treebank())  # type: ignore[arg-type]
