"""The columns that metrics read: what makes them, what they refuse, copies and pickles."""

import copy
import gc
import multiprocessing
import pickle
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.refusing import refuses

import wordorder as wo
from wordorder.alignment.alignments import Alignments
from wordorder.alignment.monolingual import MonolingualAligner
from wordorder.errors import InputError, UsageError
from wordorder.kernels import _run
from wordorder.metrics.order.common_words import CommonWords
from wordorder.metrics.registry import metrics_for
from wordorder.order.orders import Orders
from wordorder.samples import sample_path
from wordorder.segments import Segments
from wordorder.segments.columns import DroppedWords
from wordorder.segments.trees import Trees, matching_trees, shared_codes
from wordorder.text.vocabulary import Vocabulary
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import Column, Margin, Treebank

TALBOT = (("rule", "talbot"), ("null", "next"))
LRSCORE = (("rule", "lrscore"), ("null", "previous"))


def with_provenance(provenance: tuple[tuple[str, str], ...]) -> wo.Segments:
    reference = wo.Orders.from_rows([[0, 1]], provenance=provenance)
    return wo.Segments.from_orders([[1, 0]], reference)


def test_paths_orders_and_rows_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "s.orders").write_text("0 2 1\n1 0\n")
    (tmp_path / "r.orders").write_text("0 1,2\n0 1\n")
    (tmp_path / "source").write_text("a b a\nc c\n")
    rows = wo.Segments.from_orders(
        [[0, 2, 1], [1, 0]], [[0, [1, 2]], [0, 1]], source=[["a", "b", "a"], ["c", "c"]]
    )
    files = wo.Segments.from_orders(
        tmp_path / "s.orders", tmp_path / "r.orders", source=tmp_path / "source"
    )
    for name in ("permutation", "groups", "words"):
        assert getattr(rows, name) == getattr(files, name)
    path = tmp_path / "p"
    path.write_text("1 0\n\n0 2 1\n")
    assert wo.Segments.from_permutations(path).permutation.to_lists() == [[1, 0], [], [0, 2, 1]]
    path.write_text("0,1\n")
    refuses(wo.InputError, "tied positions", wo.Segments.from_permutations, path)


def test_dropped_words_and_single_segments() -> None:
    segments = wo.Segments.from_orders([[5, 0, 9]], [[9, 7, 5, 3]])
    assert segments.permutation.to_lists() == [[1, 0]]
    assert (segments.dropped, segments.reference_lengths.tolist()) == (3, [4])
    segments = wo.Segments.from_permutations([[0, 1], [1, 0]])
    assert segments[1:].permutation.to_lists() == [[1, 0]]
    with pytest.raises(TypeError, match="slices"):
        segments[0]  # type: ignore[index]


@pytest.mark.parametrize(
    ("system", "reference", "message"),
    [
        ([[0, 1]], [[0, 0]], "reference, row 1, entry 2: position 0 is listed twice"),
        ([[0, -1]], [[0, 1]], "system, row 1, entry 2: position -1"),
        ([[0.0, 1.0]], [[0, 1]], "system, row 1: 0.0; expected a position, or a sequence"),
        ([[0]], [[0], [0]], "system, reference: 1 against 2 rows"),
        ([0, 1], [[0]], "system, row 1: 0; expected a sequence of integers"),
    ],
)
def test_messages_say_which_argument_is_wrong(system: Any, reference: Any, message: str) -> None:
    refuses(wo.InputError, f"^{message}", wo.Segments.from_orders, system, reference)


@pytest.mark.parametrize("rows", [[0, 1], [np.array(3)], [[0, 0]], [[1, 2]], [[-1, 0]], [[0, "1"]]])
def test_what_is_no_permutation(rows: Any) -> None:
    refuses(wo.InputError, "^row 1", wo.Segments.from_permutations, rows)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (["the cat sat"], "source, row 1: 'the cat sat'; expected a sequence of words"),
        ([["the", "cat"]], "position 2 in a source of 2 words"),
        ([], "source: 0 sentences for 1 orders"),
    ],
)
def test_a_source_that_does_not_fit(source: Any, message: str) -> None:
    with pytest.raises(wo.InputError, match=message):
        wo.Segments.from_orders([[0, 1, 2]], [[0, 1, 2]], source=source)


def test_columns_of_ones_own_are_checked() -> None:
    good = wo.Ragged.from_rows([[1, 0], [0]])
    bad = wo.Ragged.from_rows([[5_000_000, -70_000], [0]])
    other = wo.Ragged.from_rows([[0], [1, 0]])
    n = good.lengths
    assert len(wo.Segments(good, None, None, n, n)) == 2
    for columns in (
        (bad, None, None, n, n),
        (good, bad, None, n, n),
        (good, other, None, n, n),
        (good, None, other, n, n),
        (good, None, None, n[:1], n),
        (good, None, None, n, np.zeros((2, 2), np.int64)),
    ):
        with pytest.raises(wo.InputError):
            wo.Segments(*columns)


def test_provenance_must_be_one() -> None:
    talbot, lrscore = with_provenance(TALBOT), with_provenance(LRSCORE)
    empty = wo.Segments.empty()
    assert wo.Segments.concatenate([empty, talbot, talbot]).provenance == TALBOT
    refuses(UsageError, "different ways", wo.Segments.concatenate, [talbot, lrscore])
    running = wo.Accumulator(wo.metric("frs"))
    running.update(empty)
    running.update(talbot)
    refuses(UsageError, "different ways", running.update, lrscore)
    assert running.compute().segments == 1
    refuses(UsageError, "references already", running.update, talbot, [[0, 1]])


def test_pickles_leave_out_what_can_be_computed_again() -> None:
    segments = wo.Segments.from_orders([[1, 0, 2]], [[0, [1, 2]]], source=[["a", "b", "a"]])
    before = len(pickle.dumps(segments))
    score = wo.metric("kendall").corpus_score(segments)
    assert len(pickle.dumps(segments)) == before
    again = pickle.loads(pickle.dumps(segments))
    assert wo.metric("kendall").corpus_score(again) == score
    assert again.words == segments.words
    segments = everything()
    segments.texts.local()
    np.testing.assert_array_equal(scores(pickle.loads(pickle.dumps(segments))), scores(segments))


def test_pickles_keep_the_aligner(tmp_path: Path) -> None:
    (tmp_path / "sets").write_text("big large huge\n")
    aligner = MonolingualAligner("en", synonyms=tmp_path / "sets")
    texts = ["a large tree of ours huge", "a big tree"], ["a big tree of ours"] * 2
    copied, other = (
        wo.Segments.from_text(texts[0][n : n + 1], texts[1][:1], aligner=aligner) for n in (0, 1)
    )
    again = pickle.loads(pickle.dumps(copied))
    assert CommonWords.of(again, other).words == CommonWords.of(copied, other).words == 2


def fail(_: int) -> None:
    raise wo.InputError("a.orders:3", "7", "something else")


def test_errors_come_back_from_other_processes() -> None:
    error = wo.InputError("a.orders:3", "7", "something else")
    assert str(copy.deepcopy(error)) == str(error)
    with (
        multiprocessing.get_context("spawn").Pool(1) as pool,
        pytest.raises(wo.InputError, match="a.orders:3: 7; expected something else"),
    ):
        pool.map_async(fail, [1]).get(timeout=60)


def test_full_orders_do_not_fit_a_renumbered_reference() -> None:
    # Source a b c d with the links d-0 and b-1: d before b, which are words 1 and 0 of two.
    alignments = wo.Alignments.from_rows([[(3, 0), (1, 1)]])
    aligned = wo.reference_orders(alignments, [4], rule="aligned")
    with pytest.raises(UsageError, match="row 1: the system has words .* unaligned='drop' keeps"):
        wo.Segments.from_orders([[0, 3, 1, 2]], aligned)
    assert wo.Segments.from_orders([[1, 0]], aligned).permutation.to_lists() == [[0, 1]]
    dropped = wo.reference_orders(alignments, [4], unaligned="drop")
    segments = wo.Segments.from_orders([[0, 3, 1, 2]], dropped)
    assert segments.permutation.to_lists() == [[0, 1]]


def test_words_without_a_match_are_counted_by_side(tmp_path: Path) -> None:
    """Phrases that match may differ in length: what is missing on one side is not on the other."""
    table = tmp_path / "paraphrases"
    table.write_text("1.0\na lot of\nmany\n")
    aligner = MonolingualAligner(modules=["exact", "paraphrase"], paraphrases=table)
    hypotheses = ["many cats sleep here", "x", "many"]
    references = [["a lot of cats sleep"], ["a lot of"], ["a lot of", "few"]]
    segments = wo.Segments.from_text(hypotheses, references, aligner=aligner)
    # Of the system "here", "x", and "many" against "few"; of the references "a lot of" and "few".
    wanted = DroppedWords(3, 7, 4, 12)
    assert segments.dropped_words == wanted
    assert segments.dropped == wanted.total == 7
    parts = [segments[:1], segments[1:]]
    assert sum((part.dropped_words for part in parts), DroppedWords()) == wanted
    assert wo.Segments.concatenate(parts).dropped_words == wanted


# -- Columns that segments may lack; parts and wholes of all of them.


def everything() -> wo.Segments:
    links = wo.Alignments.from_rows([[(0, 0), (1, 1)], [], [(0, 1), (1, 0)], [(1, 1)]])
    return wo.Segments.from_alignments(
        ["a b"] * 4,
        ["x y", "y x", "x", "y y"],
        [["x y", "y x"], ["x y", "y"], ["x x", "y z"], ["x y", "y x"]],
        links.take(np.array([0, 1, 1, 3])),
        [links, wo.Alignments.from_rows([[], [], [], [(0, 0)]])],
    )


def scores(segments: wo.Segments) -> list[float]:
    metrics = [wo.metric("kendall"), wo.metric("f1"), wo.metric("unaligned")]
    return [value for metric in metrics for value in metric.segment_scores(segments).tolist()]


@pytest.mark.parametrize("first", range(5))
@pytest.mark.parametrize("last", range(5))
def test_parts_and_wholes(first: int, last: int) -> None:
    segments = everything()
    part = segments[first:last]
    expected = np.array(scores(segments)).reshape(3, -1)[:, first:last]
    np.testing.assert_array_equal(np.array(scores(part)).reshape(3, -1), expected)
    joined = wo.Segments.concatenate([part, segments])
    assert len(joined) == len(part) + 4
    both = np.concatenate([expected, np.array(scores(segments)).reshape(3, -1)], axis=1)
    np.testing.assert_array_equal(np.array(scores(joined)).reshape(3, -1), both)


def test_a_missing_column_is_named_with_the_way_to_get_it() -> None:
    orders = wo.Segments.from_permutations([[0, 1]])
    texts = wo.Segments.from_text(["a"], ["a"])
    gold = wo.Segments.from_links(wo.Alignments.from_rows([[]]), wo.Alignments.from_rows([[]]))
    for segments, metric, what in (
        (orders, "f1", "no text"),
        (orders, "unaligned", "no word alignments"),
        (texts, "kendall", "no word orders"),
        (texts, "synchrony", "no word alignments"),
        (gold, "frs", "no word orders"),
        (gold, "cder", "no text"),
    ):
        refuses(UsageError, f"there (are|is) {what}", wo.metric(metric).corpus_score, segments)


def test_the_best_of_several_references_counts() -> None:
    offsets = np.array([0, 2, 2, 3])
    rows = wo.Ragged.from_rows([[1, 0, 2], [0, 1, 2], [2, 1, 0]])
    lengths = rows.lengths
    segments = wo.Segments(rows, None, None, lengths, lengths, reference_offsets=offsets)
    for average in ("segment", "micro", "length"):
        metric = wo.metric("kendall", average=average)
        np.testing.assert_array_equal(metric.segment_scores(segments), [1.0, np.nan, 0.0])
        score = metric.corpus_score(segments)
        assert (score.value, score.segments, score.skipped) == (0.5, 3, 1)


def test_alignments_against_gold_ones() -> None:
    one, two = (wo.Alignments.from_rows([[]] * n) for n in (1, 2))
    refuses(InputError, "1 against 2 rows", wo.Segments.from_links, one, two)
    assert repr(wo.Segments.from_links(two, two)) == "Segments(2 of links)"
    rows = wo.Ragged.from_rows([[0], [0]])
    with pytest.raises(InputError, match="reference_offsets"):
        wo.Segments(
            rows, None, None, rows.lengths, rows.lengths, reference_offsets=np.array([0, 1])
        )


# -- What is read and scored batch by batch is freed without the cyclic collector.


TEXT = ["the cat sat", "on the mat", ""] * 5
LINKS = [[(0, 0), (1, 2), (2, 1)], [(0, 0), (2, 2)], []] * 5


def from_text() -> Segments:
    return Segments.from_text(TEXT, [[line[::-1], line] for line in TEXT], aligner="exact")


def from_alignments() -> Segments:
    links = Alignments.from_rows(LINKS)
    return Segments.from_alignments(TEXT, TEXT, TEXT, links, links)


def from_links() -> Segments:
    return Segments.from_links(Alignments.from_rows(LINKS), Alignments.from_rows(LINKS))


def from_orders() -> Segments:
    orders = Orders.from_rows([[2, 1, 0], [0, (1, 2)], []] * 5)
    return Segments.from_orders(orders, orders, source=[line.split() for line in TEXT])


def from_treebanks() -> Segments:
    bank = read_treebank(sample_path("trees.conllu"))[:10]
    return Segments.from_treebanks(bank, bank)


COLUMNS = {
    from_text: {"text", "lines", "permutation"},
    from_alignments: {"text", "lines", "permutation", "links"},
    from_links: {"gold"},
    from_orders: {"permutation"},
    from_treebanks: {"trees"},
}


@pytest.fixture
def without_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("piece", [1, 10**9])
@pytest.mark.parametrize("make", COLUMNS)
def test_segments_die_with_their_last_name(
    make: Callable[[], Segments],
    piece: int,
    without_collector: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_run, "PIECE_NUMBERS", piece)
    segments = make()
    for name in metrics_for(COLUMNS[make]):
        wo.metric(name).corpus_score(segments)
        wo.metric(name).segment_scores(segments)
    kept: list[Any] = [segments, *segments.pieces()]
    kept += [column for column in vars(segments).values() if hasattr(column, "__weakref__")]
    watched = [weakref.ref(each) for each in kept]
    del kept, segments
    assert [ref() for ref in watched if ref() is not None] == []


def test_what_segments_are_made_of_dies_with_its_last_name(without_collector: None) -> None:
    bank = read_treebank(sample_path("trees.conllu"))
    orders = wo.read_orders(sample_path("reference.orders"))
    links = Alignments.from_rows(LINKS)
    tree = wo.PermutationTree([1, 3, 0, 2, 4])
    forest = wo.PermutationForest([0, 1, 2, 4, 3])
    texts = from_text().texts
    repr([bank, bank[0], orders, orders[0], links, links[0], tree, forest, texts])
    drawn = [
        bank[0].to_svg(),
        orders[0].to_svg(),
        links[0].to_svg(),
        tree.to_svg(),
        forest.to_svg(),
    ]
    counted = [tree.node_count, forest.tree_count, texts.local(), texts[:2].hypothesis_lines]
    held = [links.with_lengths([3] * 15, [3] * 15), links.sure(), bank[:3], orders[:3]]
    watched = [weakref.ref(each) for each in (bank, orders, tree, forest, texts)]
    del bank, orders, links, tree, forest, texts, drawn, counted, held
    assert [ref() for ref in watched if ref() is not None] == []


# -- Orders of source words from the alignments of two translations.


DRAWN_LINKS = st.sets(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=6).map(sorted)


@given(
    st.lists(st.tuples(DRAWN_LINKS, DRAWN_LINKS, DRAWN_LINKS), min_size=1, max_size=6),
    st.sampled_from(["lrscore", "talbot", "aligned"]),
)
def test_several_references_are_each_compared_with_the_hypothesis(
    rows: list[tuple[list[tuple[int, int]], ...]], rule: str
) -> None:
    n = len(rows)
    columns = [wo.Alignments.from_rows([row[i] for row in rows]) for i in range(3)]
    together = wo.Segments.from_alignments(
        ["a b c d"] * n, ["x y z"] * n, [["x y z", "u v w"]] * n, columns[0], columns[1:], rule=rule
    )
    assert len(together) == n
    assert len(together.permutation) == 2 * n
    for r in range(2):
        # Of the aligned words alone those count that both translations have.
        how = {"rule": "lrscore", "unaligned": "drop"} if rule == "aligned" else {"rule": rule}
        pair = (columns[0], columns[1 + r])
        orders = [wo.reference_orders(column, [4] * n, **how) for column in pair]
        alone = wo.Segments.from_orders(wo.Orders.from_rows(orders[0].positions), orders[1])
        for s in range(n):
            assert together.permutation[2 * s + r].tolist() == alone.permutation[s].tolist()


def test_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.align"
    path.write_text("0-0 1-1\n0-1 1-0\n")
    segments = wo.Segments.from_alignments(["a b"] * 2, ["x y"] * 2, ["x y"] * 2, path, path)
    assert segments.links.hypothesis == wo.read_alignments(path)
    assert segments.links.source_lengths is not None
    assert segments.links.source_lengths.tolist() == [2, 2]
    path.write_text("0-0\n0-2\n")
    with pytest.raises(InputError, match=r"a\.align:2:1: link 0-2 points past"):
        wo.Segments.from_alignments(["a b"] * 2, ["x y"] * 2, ["x y"] * 2, path, path)


def test_what_does_not_fit_is_refused() -> None:
    one = wo.Alignments.from_rows([[(0, 0)]])
    with pytest.raises(UsageError, match="2 references, but there are 1 column"):
        wo.Segments.from_alignments(["a"], ["x"], [["x", "y"]], one, one)
    with pytest.raises(InputError, match="1 rows for 2 segments"):
        wo.Segments.from_alignments(["a"] * 2, ["x"] * 2, ["x"] * 2, one, one)
    with pytest.raises(InputError, match="link 0-0 points past the target"):
        wo.Segments.from_alignments(["a"], [""], ["x"], one, one)


def test_without_reference_alignments_there_are_links_and_no_orders() -> None:
    one = wo.Alignments.from_rows([[(0, 0)]])
    segments = wo.Segments.from_alignments(["a"], ["x"], ["x"], one)
    assert segments.links.references is None
    refuses(UsageError, "no word orders", wo.metric("frs").corpus_score, segments)


def test_rows_of_links_serve_too_and_nothing_else_does() -> None:
    rows = [[(0, 1), (1, 0)]]
    segments = wo.Segments.from_alignments(["a b"], ["x y"], ["x y"], rows, rows)
    assert str(segments.links.hypothesis[0]) == "0-1 1-0"
    assert len(wo.Segments.from_links(rows, rows)) == 1
    for bad in (None, 3, iter(rows)):
        with pytest.raises(UsageError, match="Alignments, a path or rows of links"):
            wo.Segments.from_links(bad, rows)  # type: ignore[arg-type]
        with pytest.raises(UsageError, match="Alignments, a path or rows of links"):
            wo.Segments.from_alignments(["a b"], ["x y"], ["x y"], bad)  # type: ignore[arg-type]
    refuses(InputError, "no link", wo.Segments.from_links, [[(0,)]], rows)


# -- Treebanks side by side: the same words, or a message that names the first that differs.


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
def test_parts_and_wholes_of_trees(first: int, last: int) -> None:
    labels = [["nsubj", "root"], [], ["root", "obj", "punct"]]
    gold = treebank(label=labels)
    system = gold.replace(heads=np.array([2, 0, 2, 0, 1], np.int32))
    segments = wo.Segments.from_treebanks(system, gold)
    metric = wo.metric("las")
    expected = metric.segment_scores(segments)
    part = segments[first:last]
    np.testing.assert_array_equal(metric.segment_scores(part), expected[first:last])
    joined = wo.Segments.concatenate([part, segments])
    both = [*expected[first:last], *expected]
    np.testing.assert_array_equal(metric.segment_scores(joined), both)
    sent = pickle.loads(pickle.dumps(joined))
    np.testing.assert_array_equal(metric.segment_scores(sent), both)


def test_trees_what_they_are_called_and_what_is_none() -> None:
    segments = wo.Segments.from_treebanks(treebank(), treebank())
    assert repr(segments) == "Segments(3 of trees)"
    assert isinstance(segments.trees, Trees)
    with pytest.raises(UsageError, match="some of the parts have a column 'trees'"):
        wo.Segments.concatenate([segments, wo.Segments.from_permutations([[0]])])
    with pytest.raises(UsageError, match="the system: a Treebank or the path of one, not list"):
        wo.Segments.from_treebanks([[1, 0]], treebank())  # type: ignore[arg-type]
