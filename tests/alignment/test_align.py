"""The public function: kinds of input, degenerate input, refusals, threads."""

import random
from typing import Any

import numpy as np
import pytest
from tests.refusing import refuses
from tests.threads import with_threads

import wordorder as wo
from wordorder.alignment.align import ALIGNERS, align, from_links
from wordorder.alignment.statistical import aligner, parallel_text
from wordorder.alignment.statistical.parallel_text import ParallelText
from wordorder.alignment.symmetrization import METHODS
from wordorder.errors import InputError, UsageError
from wordorder.messages import WordOrderWarning

SOURCE = ["the house", "", "the book", "x", "a book", ""]
TARGET = ["das haus", "y", "das buch", "", "ein buch", ""]


NOTES_STOP = "error::wordorder.errors.WordOrderWarning"


def rows(alignments: wo.Alignments) -> list[str]:
    return [str(row) for row in alignments]


@pytest.mark.parametrize("model", ALIGNERS.built_in)
@pytest.mark.parametrize("symmetrize", METHODS)
def test_empty_lines_have_no_links(model: str, symmetrize: str) -> None:
    found = align(SOURCE, TARGET, model=model, symmetrize=symmetrize)
    assert [len(row.links) for row in found][1::2] == [0, 0, 0]
    assert found.source_lengths is not None
    assert found.source_lengths.tolist() == [2, 0, 2, 1, 2, 0]
    assert found.target_lengths is not None
    assert found.target_lengths.tolist() == [2, 1, 2, 0, 2, 0]
    assert len(found[0].links) > 0


@pytest.mark.parametrize("model", ALIGNERS.built_in)
@pytest.mark.parametrize("text", [[], [""], ["", ""], ["a"]])
def test_hardly_any_text(model: str, text: list[str]) -> None:
    found = align(text, text, model=model)
    assert rows(found) == ["0-0" if line else "" for line in text]


@pytest.mark.parametrize("model", ALIGNERS.built_in)
def test_kinds_of_input_agree(model: str) -> None:
    lines = rows(align(SOURCE, TARGET, model=model))
    tokens = [[line.split() for line in side] for side in (SOURCE, TARGET)]
    assert rows(align(*tokens, model=model)) == lines
    words = {word: number for number, word in enumerate("the house book x a".split())}
    others = {word: 70 - number for number, word in enumerate("das haus buch y ein".split())}
    numbers = [
        wo.Ragged.from_rows([[names[word] for word in line.split()] for line in side])
        for side, names in ((SOURCE, words), (TARGET, others))
    ]
    assert rows(align(*numbers, model=model)) == lines


@pytest.mark.parametrize("model", ALIGNERS.built_in)
def test_threads_and_blocks(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several pieces of work and several blocks: the same links with any number of threads."""
    rng = random.Random(1)
    sides: list[list[str]] = [
        [" ".join(f"{name}{rng.randint(1, 99)}" for _ in range(150)) for _ in range(12)]
        for name in "st"
    ]
    monkeypatch.setattr(parallel_text, "BLOCK_CELLS", 150_000)
    assert len(list(ParallelText.from_rows(*sides).blocks())) == 2
    answers = with_threads(lambda: align(*sides, model=model, iterations=2), 1, 2, 8)
    assert len({(found.source.tobytes(), found.target.tobytes()) for found in answers}) == 1


def test_blocks_change_next_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(2)
    sides = [[" ".join(rng.choices("abcdefg", k=5)) for _ in range(99)] for _ in range(2)]
    model = ALIGNERS.load("agreement")
    whole = model.train(*sides)
    monkeypatch.setattr(parallel_text, "BLOCK_CELLS", 100)
    parts = model.train(*sides)
    np.testing.assert_allclose(whole.forward.totals, parts.forward.totals, rtol=1e-10)
    np.testing.assert_allclose(whole.forward.jumps, parts.forward.jumps, rtol=1e-10)


def test_progress_counts_all_passes() -> None:
    told: list[int] = []
    align(SOURCE, TARGET, model="hmm", iterations=2, progress=told.append)
    assert told[-1] == (5 + 2) * len(SOURCE)
    assert told == sorted(told)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((["a"], []), {}, "source: 1 line, but target has 0"),
        ((["a"], [["a"]]), {}, "differ in kind"),
        ((["a", ["a"]], ["a", "b"]), {}, "expected a string"),
        (([["a"], "b"], [["a"], ["b"]]), {}, "source, entry 2: 'b'; expected a list of tokens"),
        (([["a"], 3], [["a"], ["b"]]), {}, "source, entry 2: 3; expected a list of tokens"),
        (([["a"]], [[1]]), {}, "target, entry 1: 1; expected tokens that are strings"),
        (([[b"a"]], [["a"]]), {}, "source, entry 1: b'a'; expected tokens that are strings"),
        (([[["a"]]], [["a"]]), {}, r"source, entry 1: \['a'\]; expected tokens that are strings"),
        (([{"a"}], [["a"]]), {}, "source, entry 1: {'a'}; expected a list of tokens"),
        ((None, None), {}, "source: NoneType; expected a list"),
        (({"a": 1}, ["a"]), {}, "source: dict; expected a list"),
        ((["a"], {"a"}), {}, "target: set; expected a list"),
        ((np.array("a"), ["a"]), {}, "source: ndarray; expected a list"),
        (([None], [None]), {}, "source, entry 1: None; expected a list of tokens"),
        ((["a"], ["a"]), {"model": None}, "unknown aligner 'None'"),
        ((["a"], ["a"]), {"model": []}, "unknown aligner"),
        ((["a"], ["a"]), {"symmetrize": []}, "unknown value for symmetrize"),
        ((["a"], ["a"]), {"iterations": True}, "whole number of at least 1"),
        ((["a"], ["a"]), {"progress": 3}, "progress is a function"),
        (("ab", "ab"), {}, "source: str; expected a list"),
        ((["a"], iter(["a"])), {}, "target: .*; expected a list"),
        ((["a"], ["a"]), {"model": "agreemnt"}, "did you mean 'agreement'"),
        ((["a"], ["a"]), {"symmetrize": "grow-diag-and"}, "legal names: backward"),
        ((["a"], ["a"]), {"iterations": 0}, "whole number of at least 1"),
        ((["a"], ["a"]), {"iterations": 1.5}, "whole number of at least 1"),
        ((["b", "a " * 5000], ["b", "a " * 5000]), {}, "sentence pair 2: 5000 and 5000 words"),
    ],
)
def test_refusals(arguments: Any, options: dict[str, Any], message: str) -> None:
    refuses(wo.WordOrderError, message, align, *arguments, **options)


@pytest.mark.filterwarnings(NOTES_STOP)
@pytest.mark.parametrize(("model", "length"), [("hmm", 620), ("agreement", 640), ("ibm1", 1900)])
def test_long_pairs_are_named_before_the_work(
    model: str, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aligner, "train", lambda *_: pytest.fail("the work began first"))
    long = " ".join(["x"] * length)
    with pytest.raises(WordOrderWarning, match=f"pair 2: {length} and {length} words; trai"):
        align(["a", long], ["b", long], model=model)


@pytest.mark.filterwarnings(NOTES_STOP)
def test_pairs_of_some_hundred_words_are_nothing_to_speak_of() -> None:
    long = " ".join(["x"] * 400)
    assert len(align([long], [long], iterations=1, model="hmm")) == 1


@pytest.mark.filterwarnings(NOTES_STOP)
def test_a_trained_model_names_long_pairs_too() -> None:
    model = ALIGNERS.load("hmm").train(["a"], ["b"])
    long = " ".join(["x"] * 1500)
    with pytest.raises(WordOrderWarning, match=r"1: 1500 and 1500 words; link.*2 pairs are as"):
        model.align([long, long], [long, long])


def test_registry() -> None:
    assert ALIGNERS.names()[:3] == ["agreement", "hmm", "ibm1"]
    assert [ALIGNERS.load(name).name for name in ALIGNERS.built_in] == list(ALIGNERS.built_in)
    refuses(UsageError, "unknown aligner", ALIGNERS.load, "giza")


# -- Links as other aligners return them.


# The shape of simalign's SentenceAligner.get_word_aligns.
SIMALIGN = [
    {"mwmf": [(0, 0), (1, 1)], "inter": [(0, 0)], "itermax": [(0, 0), (1, 0)]},
    {"mwmf": [], "inter": [], "itermax": [(2, 1)]},
]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ([(1, 0), (0, 1)], "1-0 0-1"),
        ([[1, 0], [0, 1]], "1-0 0-1"),
        ({(1, 0), (0, 1)}, "0-1 1-0"),
        (frozenset({(1, 0)}), "1-0"),
        ((), ""),
        ([], ""),
        ({}, ""),
        ({(1, 0): 0.9, (0, 2): 0.5}, "1-0 0-2"),
        (iter([(0, 3)]), "0-3"),
        ([(0, 0, False), (1, 1, True)], "0-0 1p1"),
        ([(np.int64(2), np.int32(1))], "2-1"),
        (np.array([[3, 4], [1, 2]]), "3-4 1-2"),
        (np.zeros((0, 2), np.int32), ""),
        ("0-0 1p2\t3?4 \n", "0-0 1p2 3p4"),
        ("0-0\r\n", "0-0"),
        ("\n", ""),
        ("", ""),
        ({"inter": [(1, 1)]}, "1-1"),
        ({"inter": "0-0 1-1"}, "0-0 1-1"),
    ],
)
def test_one_entry(row: Any, expected: str) -> None:
    assert [str(found) for found in from_links([row])] == [expected]


def test_methods() -> None:
    rows = from_links(SIMALIGN, method="itermax", source_lengths=[2, 3], target_lengths=[2, 2])
    assert [str(row) for row in rows] == ["0-0 1-0", "2-1"]
    assert rows.source_lengths is not None
    assert len(from_links([])) == 0
    assert len(from_links([], method="inter")) == 0


@pytest.mark.parametrize(
    ("rows", "method", "what"),
    [
        (SIMALIGN, None, "links:1: several methods; say which (method=): inter, itermax, mwmf"),
        (SIMALIGN, "mwnf", "unknown method 'mwnf' (did you mean 'mwmf'?)"),
        (SIMALIGN[0], "inter", "a single dict is no list with an entry a sentence pair"),
        ("0-0", None, "a single str is no list"),
        (None, None, "a single NoneType is no list"),
        (3, None, "a single int is no list"),
        ([[(0, 0)]], "inter", "method='inter', but the entries are not told apart by methods"),
    ],
)
def test_wrong_calls(rows: Any, method: str | None, what: str) -> None:
    with pytest.raises(UsageError) as error:
        from_links(rows, method=method)
    assert str(error.value).startswith(what)


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ([(0,)], "links:2: (0,) is no link; expected (source, target) positions"),
        ([(0, 1, 0.7)], "links:2: (0, 1, 0.7) is no link"),
        ([(0, 1, 1)], "links:2: (0, 1, 1) is no link"),
        ([(0, 1.0)], "links:2: (0, 1.0) is no link"),
        ([(True, 1)], "links:2: (True, 1) is no link"),
        ([("0", "1")], "links:2: ('0', '1') is no link"),
        ([0, 1], "links:2: 0 is no link"),
        (["0-1"], "links:2: '0-1' is no link"),
        ([(0, 1), (0, 1)], "links:2: link 0-1 is listed twice"),
        ([(0, -1)], "links:2: link 0--1 has an index below 0"),
        ([(0, 9)], "links:2: link 0-9 points past the target (2 tokens)"),
        (5, "links:2: 5; expected links: pairs"),
        (None, "links:2: None; expected links"),
        (b"0-0", "links:2: b'0-0'; expected links"),
        ("0-0 1_0-2", "links:2: '1_0-2' is no link; expected i-j (sure)"),
        ("0-0 \ud800", "links:2: '?' is no link"),
        ("0-0\n1-1\n", "links:2: several lines; expected one line per sentence pair"),
        (np.zeros((2, 3), np.int64), "links:2: an array of shape (2, 3) and type int64"),
        (np.zeros((1, 2)), "links:2: an array of shape (1, 2) and type float64"),
        ({"inter": [], (0, 1): 1}, "links:2: names and links as keys"),
    ],
)
def test_entries_that_do_not_fit(row: Any, what: str) -> None:
    with pytest.raises(InputError) as error:
        from_links([[], row], target_lengths=[0, 2])
    assert str(error.value).startswith(what)


def test_an_entry_without_methods() -> None:
    with pytest.raises(InputError, match="links:2: no methods; expected the links of 'inter'"):
        from_links([{"inter": []}, {}], method="inter")
