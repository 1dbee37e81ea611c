"""Links of a text: by our aligners, by those of others, in two directions, and their scores."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.alignment.notations import lengths_of, rows_of
from tests.cli.running import call
from tests.files import written
from tests.notes import UnexpectedNote, noted
from tests.oracles_aligners import Link, symmetrized
from tests.refusing import complains, refuses
from tests.threads import with_threads

import wordorder as wo
from wordorder import notes
from wordorder.alignment.alignments import Alignments
from wordorder.alignment.external_links import from_links
from wordorder.alignment.reading import read_alignments, write_alignments
from wordorder.alignment.statistical import aligner, parallel_text, training
from wordorder.alignment.statistical.align import ALIGNERS, align, align_files
from wordorder.alignment.statistical.parallel_text import ParallelText
from wordorder.alignment.symmetrization import SYMMETRIZATION_METHODS, symmetrize
from wordorder.errors import InputError, UsageError
from wordorder.text import lockstep

SOURCE = ["the house", "", "the book", "x", "a book", ""]
TARGET = ["das haus", "y", "das buch", "", "ein buch", ""]


@pytest.mark.parametrize("model", ALIGNERS.built_in)
@pytest.mark.parametrize("symmetrize", SYMMETRIZATION_METHODS)
def test_empty_lines_have_no_links(model: str, symmetrize: str) -> None:
    found = align(SOURCE, TARGET, model=model, symmetrize=symmetrize)
    assert [len(row.links) > 0 for row in found] == [True, False] * 3
    assert lengths_of(found) == ([2, 0, 2, 1, 2, 0], [2, 1, 2, 0, 2, 0])


@pytest.mark.parametrize("model", ALIGNERS.built_in)
@pytest.mark.parametrize("text", [[], [""], ["", ""], ["a"]])
def test_hardly_any_text(model: str, text: list[str]) -> None:
    found = align(text, text, model=model)
    assert rows_of(found) == ["0-0" if line else "" for line in text]


@pytest.mark.parametrize("model", ALIGNERS.built_in)
def test_kinds_of_input_agree(model: str) -> None:
    lines = rows_of(align(SOURCE, TARGET, model=model))
    tokens = [[line.split() for line in side] for side in (SOURCE, TARGET)]
    assert rows_of(align(*tokens, model=model)) == lines
    words = {word: number for number, word in enumerate("the house book x a".split())}
    others = {word: 70 - number for number, word in enumerate("das haus buch y ein".split())}
    numbers = [
        wo.Ragged.from_rows([[names[word] for word in line.split()] for line in side])
        for side, names in ((SOURCE, words), (TARGET, others))
    ]
    assert rows_of(align(*numbers, model=model)) == lines


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

    def work() -> tuple[bytes, ...]:
        trained = ALIGNERS.load(model).train(*sides, iterations=2)
        found, counts = trained.align(*sides), trained.forward
        arrays = (found.source, found.target, counts.pairs, counts.null, counts.jumps)
        return tuple(array.tobytes() for array in arrays)

    one, two, eight = with_threads(work, 1, 2, 8)
    assert one == two == eight


def test_blocks_change_next_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(2)
    sides = [[" ".join(rng.choices("abcdefg", k=5)) for _ in range(99)] for _ in range(2)]
    model = ALIGNERS.load("agreement")
    whole = model.train(*sides)
    monkeypatch.setattr(parallel_text, "BLOCK_CELLS", 100)
    parts = model.train(*sides)
    np.testing.assert_allclose(whole.forward.totals, parts.forward.totals, rtol=1e-10)
    np.testing.assert_allclose(whole.forward.jumps, parts.forward.jumps, rtol=1e-10)


@pytest.mark.parametrize("large", [True, False])
def test_a_large_text_says_what_memory_it_needs(
    large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the pairs of words that meet: 2 * 3 + 1 * 1."""
    monkeypatch.setattr(notes, "NOTED_BYTES", 7 * training.CELL_BYTES + (not large))
    with notes.held_notes() as held:
        align(["a b", "c"], ["x y z", "w"])
    told = "2 sentence pairs with 7 pairs of words need about 0.0 GB of memory here"
    assert any(told in each for each in held) == large


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


@pytest.mark.parametrize(("model", "length"), [("hmm", 620), ("agreement", 640), ("ibm1", 1900)])
def test_long_pairs_are_named_before_the_work(
    model: str, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aligner, "train_counts", lambda *_: pytest.fail("the work began first"))
    long = " ".join(["x"] * length)
    with pytest.raises(UnexpectedNote, match=f"pair 2: {length} and {length} words; trai"):
        align(["a", long], ["b", long], model=model)


def test_a_trained_model_names_long_pairs_too() -> None:
    model = ALIGNERS.load("hmm").train(["a"], ["b"])
    long = " ".join(["x"] * 1500)
    with pytest.raises(UnexpectedNote, match=r"1: 1500 and 1500 words; link.*2 such pairs"):
        model.align([long, long], [long, long])
    # Pairs of some hundred words are nothing to speak of.
    long = " ".join(["x"] * 400)
    assert len(align([long], [long], iterations=1, model="hmm")) == 1


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
    assert rows_of(from_links([row])) == [expected]


def test_methods() -> None:
    rows = from_links(SIMALIGN, method="itermax", source_lengths=[2, 3], target_lengths=[2, 2])
    assert (rows_of(rows), lengths_of(rows)) == (["0-0 1-0", "2-1"], ([2, 3], [2, 2]))
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
    complains(UsageError, what, from_links, rows, method=method)


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
    complains(InputError, what, from_links, [[], row], target_lengths=[0, 2])


def test_an_entry_without_methods() -> None:
    with pytest.raises(InputError, match="links:2: no methods; expected the links of 'inter'"):
        from_links([{"inter": []}, {}], method="inter")


# -- Symmetrisation against the published pseudo-code. ---------------------------------------------


Rows = list[list[Link]]


def check(forward: Rows, backward: Rows) -> None:
    one, other = (wo.Alignments.from_rows(rows) for rows in (forward, backward))
    for method in SYMMETRIZATION_METHODS:
        found = symmetrize(one, other, method)
        assert len(found) == len(forward)
        for row, f, b in zip(found, forward, backward, strict=True):
            assert list(row.links) == sorted(symmetrized(set(f), set(b), method)), method


def functions(rng: random.Random, source: int, target: int, near: int) -> tuple[list[Link], ...]:
    """Link every target word, then every source word, at most once, near the diagonal."""

    def close(place: int, length: int) -> int:
        return min(max(place + rng.randint(-near, near), 0), length - 1)

    forward = [(close(t, source), t) for t in range(target) if source and rng.random() < 0.8]
    backward = [(s, close(s, target)) for s in range(source) if target and rng.random() < 0.8]
    return forward, backward


@pytest.mark.parametrize("near", [1, 2, 5])
def test_alignments_of_two_directions(near: int) -> None:
    rng = random.Random(near)
    rows = [functions(rng, rng.randint(0, 9), rng.randint(0, 9), near) for _ in range(300)]
    check([row[0] for row in rows], [row[1] for row in rows])


@pytest.mark.parametrize("length", [0, 1, 2, 63, 64, 65, 127, 128, 129])
def test_lengths(length: int) -> None:
    rng = random.Random(length)
    rows = [functions(rng, length, other, 2) for other in (0, 1, 2, length, length + 1)]
    check([row[0] for row in rows], [row[1] for row in rows])


links = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)))


@given(st.lists(st.tuples(links, links), max_size=4))
@settings(max_examples=60, deadline=None)
def test_any_links(rows: list[tuple[set[Link], set[Link]]]) -> None:
    check([sorted(row[0]) for row in rows], [sorted(row[1]) for row in rows])


def test_known_lengths_stay() -> None:
    known = wo.Alignments.from_rows([[(0, 0)]], source_lengths=[3], target_lengths=[2])
    bare = wo.Alignments.from_rows([[(1, 0)]])
    for found in (symmetrize(known, bare, "union"), symmetrize(bare, known, "union")):
        assert found[0].source_length == 3
        assert found[0].target_length == 2
        assert found[0].links == ((0, 0), (1, 0))
    assert symmetrize(bare, bare)[0].source_length is None


@pytest.mark.parametrize("lengths", [[2], [1]])
def test_contradicting_lengths(lengths: list[int]) -> None:
    one = wo.Alignments.from_rows([[(0, 0)]], source_lengths=lengths)
    other = wo.Alignments.from_rows([[(2, 0)]], source_lengths=[3])
    refuses(wo.InputError, "a source of", symmetrize, one, other)
    bare = wo.Alignments.from_rows([[(2, 0)]])
    refuses(wo.InputError, "a source of", symmetrize, one, bare)


def test_what_is_not_symmetrized() -> None:
    one, two = (wo.Alignments.from_rows([[]] * rows) for rows in (1, 2))
    refuses(wo.InputError, "1 line, but", symmetrize, one, two)
    refuses(wo.WordOrderError, "did you mean 'union'", symmetrize, one, one, "onion")
    long = wo.Alignments.from_rows([[(1 << 20, 1 << 20)]])
    refuses(wo.InputError, "a product of at most", symmetrize, long, long)


@pytest.mark.parametrize(
    ("forward", "backward", "what"),
    [
        (None, None, "forward is an object of type NoneType"),
        ([[(0, 0)]], [[(0, 0)]], "forward is an object of type list"),
        (wo.Alignments.from_rows([[]]), "0-0", "backward is an object of type str"),
    ],
)
def test_what_is_no_alignments(forward: Any, backward: Any, what: str) -> None:
    refuses(UsageError, f"{what}; expected Alignments, which", symmetrize, forward, backward)


# -- Scores of links, and how often they are right. ------------------------------------------------


LINES = ["the house", "", "the book", "x", "a book", "the old house"] * 7
ZEILEN = ["das haus", "y", "das buch", "", "ein buch", "das alte haus"] * 7


def read(folder: Path, text: str) -> Alignments:
    return read_alignments(written(folder, text))


def scores_of(a: Alignments) -> list[float]:
    assert a.scores is not None
    found: list[float] = a.scores.tolist()
    return found


@pytest.mark.parametrize(
    ("text", "links", "scores"),
    [
        ("0-0:0.93 1p2:1\n\n2?1:0\r\n", ["0-0 1p2", "", "2p1"], [0.93, 1, 0]),
        ("0-0:.5\t1-1:5e-1", ["0-0 1-1"], [0.5, 0.5]),
        # SimAlign's align_files.py --add-probs: number, tab, mean and highest without their 0.
        ("0\t0-1-.93-.95 1-0-.0-.0\n1\t\n2\t0-0-.3-.4\n", ["0-1 1-0", "", "0-0"], [0.93, 1, 0.3]),
    ],
)
def test_scores_are_read(tmp_path: Path, text: str, links: list[str], scores: list[float]) -> None:
    found = read(tmp_path, text)
    assert (rows_of(found), scores_of(found)) == (links, scores)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("0-0:0.9 1-1:1.2\n", ":1:9: .*'1-1:1.2' is no link"),
        ("0-0:0.9\n1-1:-.1\n", r":2:1: .*in \[0, 1\]"),
        ("0-0:0.9\n1-1:nan\n", ":2:1: .*is no link"),
        ("0-0:0.9 1-1:\n", ":1:9: .*is no link"),
        ("0-0:0.9\n\n1-1\n", ":3: .*'1-1' has no score, others have one"),
        ("0-0\n1-1\n2-2:1\n", ":1: .*'0-0' has no score, others have one"),
    ],
)
def test_scores_that_are_none(tmp_path: Path, text: str, what: str) -> None:
    refuses(InputError, f"a.txt{what}", read, tmp_path, text)


def test_mixed_in_later_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wordorder.alignment.reading.CHUNK_LINES", 2)
    for text, what in (("0-0\n" * 4 + "1-1:1\n", "has a score"), ("0-0:1\n" * 4 + "1-1\n", "no")):
        refuses(InputError, rf"a\.txt:5: '1-1.*{what}", read, tmp_path, text)


def test_links_keep_their_scores(tmp_path: Path) -> None:
    with noted("listed twice"):
        found = read(tmp_path, "0-0:.1 1p2:.2\n0-0:.3\n1-0:.4 1-0:.5 2-1:.6\n")
    assert scores_of(found) == [0.1, 0.2, 0.3, 0.4, 0.6]
    for part, scores in (
        (found[1:], [0.3, 0.4, 0.6]),
        (found.take(np.array([1, 0])), [0.3, 0.1, 0.2]),
        (found.sure(), [0.1, 0.3, 0.4, 0.6]),
        (found.at_least(0.4), [0.4, 0.6]),
        (found.transpose(), [0.1, 0.2, 0.3, 0.4, 0.6]),
        (Alignments.concatenate([found[2:], found[:1]]), [0.4, 0.6, 0.1, 0.2]),
    ):
        assert scores_of(part) == scores
    write_alignments(found, tmp_path / "b")
    shown = (tmp_path / "b").read_text()
    assert shown == "0-0:0.1000 1p2:0.2000\n0-0:0.3000\n1-0:0.4000 2-1:0.6000\n"


@pytest.mark.parametrize("model", ALIGNERS.built_in)
def test_links_are_the_same(model: str) -> None:
    trained = ALIGNERS.load(model).train(LINES, ZEILEN)
    plain, scored = (trained.align(LINES, ZEILEN, scores=scores) for scores in (False, True))
    assert plain == scored
    assert plain.scores is None
    assert scored.scores.shape == scored.source.shape
    assert np.all((scored.scores > 0) & (scored.scores < 1))


@pytest.mark.parametrize("chunk", [1, 5, 41, 42, 43])
def test_a_kept_model_in_parts(tmp_path: Path, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    source = written(tmp_path, "\n".join(LINES) + "\n", "s")
    target = written(tmp_path, "\n".join(ZEILEN) + "\n", "t")
    kept = tmp_path / "m"
    whole = align_files(source, target, tmp_path / "a", save=kept, scores=True)
    monkeypatch.setattr(lockstep, "CHUNK_LINES", chunk)
    assert align_files(source, target, tmp_path / "b", load=kept, scores=True) == whole
    assert (tmp_path / "b").read_bytes() == (tmp_path / "a").read_bytes()
    target.write_text("das haus\n")
    refuses(InputError, "42 lines", align_files, source, target, tmp_path / "c", load=kept)
    assert not (tmp_path / "c").exists()


SCORED = "0-0:0.9 1-1:0.4\n0-0:0.3\n0-1:0.5 1-0:0.8\n"
KEPT = "0-0\n\n0-1 1-0\n"


@pytest.fixture
def three(tmp_path: Path) -> Path:
    texts = {"s": "a b\nc\nd e\n", "t": "A B\nC\nE D\n", "scored": SCORED, "kept": KEPT}
    for name, text in texts.items():
        written(tmp_path, text, name)
    return tmp_path


def test_orders_and_phrases_of_links_with_high_scores(three: Path) -> None:
    """``-O links=0.5`` is the same as a file without the other links."""
    made = {}
    texts = [str(three / name) for name in "st"]
    for name, more in (("scored", ["-O", "links=0.5"]), ("kept", [])):
        links, orders, model = (str(three / f"{name}{end}") for end in ("", ".orders", ".model"))
        done = call("reference", links, "--source", texts[0], "-o", orders, *more).good()
        given = ["--alignments", links, *more]
        done = call("train", "translation", *texts, "-o", model, *given).good()
        phrases = done.stderr.splitlines()[-2:]
        checked = call("reference", links, "--source", texts[0], "--check", *more)
        made[name] = Path(orders).read_text(), phrases, checked.text.replace(name, "")
    assert made["scored"] == made["kept"]


def test_scores_that_are_not_used_are_named(three: Path) -> None:
    done = call("reference", str(three / "scored"), "--source", str(three / "s")).good()
    assert "the links have scores, and all count: -O links=0.5 leaves out" in done.stderr
    links = wo.read_alignments(three / "scored")
    with noted("all count: links=0.5 leaves out"):
        every = wo.reference_orders(links, [2, 1, 2])
    found = wo.reference_orders(links, [2, 1, 2], links=0.5)
    assert found == wo.reference_orders(wo.read_alignments(three / "kept"), [2, 1, 2])
    assert len(every) == 3


@pytest.mark.parametrize(
    ("links", "value", "message"),
    [
        ("kept", "0.5", "the links have no scores"),
        ("scored", "2", "-O links=2: expected all, sure, or the lowest score"),
        ("scored", "1.5", "a score is a number in [0, 1], not 1.5"),
        ("scored", "nan", "-O links=nan: expected all, sure"),
    ],
)
def test_bad_lowest_scores(three: Path, links: str, value: str, message: str) -> None:
    output = three / "o"
    given = [str(three / links), "--source", str(three / "s"), "-o", str(output)]
    done = call("reference", *given, "-O", f"links={value}")
    assert done.status in (1, 2)
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not output.exists()


def test_refused_options(tmp_path: Path) -> None:
    files = [tmp_path / name for name in "sta"]
    refuses(UsageError, "pharaoh", align_files, *files, scores=True, format="naacl")
    refuses(UsageError, "0, 1", align_files, *files, min_score=2)
    refuses(UsageError, "no scores", wo.align(LINES, ZEILEN).at_least, 0.5)
