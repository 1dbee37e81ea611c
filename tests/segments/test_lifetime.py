"""What is read and scored batch by batch is freed without the cyclic collector."""

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import wordorder as wo
from wordorder.alignment.alignments import Alignments
from wordorder.kernels import _run
from wordorder.metrics import metrics_for
from wordorder.order.orders import Orders
from wordorder.samples import sample_path
from wordorder.segments import Segments
from wordorder.treebank.reading import read_treebank

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
    monkeypatch.setattr(_run, "PIECE", piece)
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
