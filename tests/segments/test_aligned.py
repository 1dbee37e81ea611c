"""Orders of source words from the alignments of two translations."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from tests.refusing import refuses

import wordorder as wo
from wordorder.errors import InputError, UsageError

LINKS = st.sets(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=6).map(sorted)


@given(
    st.lists(st.tuples(LINKS, LINKS, LINKS), min_size=1, max_size=6),
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


def test_the_worked_example_of_lrscore() -> None:
    gold = wo.Alignments.from_rows([[(0, 0), (1, 3), (2, 4), (3, 1), (4, 2)]] * 2)
    ours = wo.Alignments.from_rows([[(i, i) for i in range(5)], [(0, 0), (1, 2), (3, 1), (4, 3)]])
    segments = wo.Segments.from_alignments(
        ["a b c d e"] * 2, ["v w x y z", "v w x y"], ["v w x y z"] * 2, ours, gold
    )
    assert wo.metric("hamming").segment_scores(segments).tolist() == [0.2, 0.4]
    found = wo.metric("kendall-sqrt").segment_scores(segments)
    assert found == pytest.approx([1 - 0.4**0.5, 1 - 0.2**0.5])
    assert "rule:lrscore" in str(wo.metric("kendall").corpus_score(segments))


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
