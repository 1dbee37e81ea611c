"""What notebooks show: small tables and pictures, quickly however many rows there are."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import wordorder as wo
from tests.clocks import within
from wordorder.arrays import Ragged
from wordorder.order.orders import Orders
from wordorder.parsing import open_parser
from wordorder.training.tuning.weights_file import Tuned
from wordorder.treebank.treebank import Treebank

BANK = Treebank.from_words([["It", "<rains>"]] * 9, heads=[[2, 0]] * 9)


def parsed(html: str) -> ElementTree.Element:
    """Read HTML as XML: it is well formed, and nothing in it is left unescaped."""
    return ElementTree.fromstring(f"<div>{html}</div>")


def texts(html: str, tag: str) -> list[str]:
    return ["".join(each.itertext()).strip() for each in parsed(html).iter(tag)]


def test_scores() -> None:
    score = wo.metric("frs").corpus_score(wo.Segments.from_orders([[0, 1, 2]], [[0, 2, 1]]))
    html = score._repr_html_()
    assert texts(html, "tbody") == [f"frs{score.value:.4f}10{score.signature}"]


def test_segments_of_text_and_orders() -> None:
    segments = wo.Segments.from_text(["a <b> c"] * 7, [["a c <b>", "c"]] * 7, aligner="exact")
    html = segments._repr_html_()
    assert "Segments(7 of orders, text)" in html
    assert texts(html, "tr")[1] == "1a < b > ca c < b > / c0 2 3 4 1"
    assert len(texts(html, "tr")) == 6
    assert texts(html, "p") == ["… 2 more rows"]
    long = wo.Segments.from_text(["word " * 99], ["word " * 99])._repr_html_()
    assert max(map(len, texts(long, "td"))) == 100


def test_segments_of_links_trees_and_nothing() -> None:
    links = wo.Alignments.from_rows([[(0, 1), (1, 0)]])
    html = wo.Segments.from_alignments(["a b"], ["x y"], [["y"]], links)._repr_html_()
    assert texts(html, "td")[-1] == "2 links"
    html = wo.Segments.from_treebanks(BANK, BANK)._repr_html_()
    assert texts(html, "td")[0] == "It <rains>"
    assert len(texts(wo.Segments.from_orders([], [])._repr_html_(), "tr")) == 1


def test_treebanks_and_lists() -> None:
    html = BANK._repr_html_()
    assert html.count("<svg ") == 5
    assert texts(html, "p") == ["Treebank(9 sentences, 18 words)", "… 4 more rows"]
    lists = open_parser("en").kbest(["It rains ."], 3)
    assert lists._repr_html_().count("<svg ") == 3


def test_parsers() -> None:
    opened = open_parser("en")
    assert repr(opened).startswith("ParsingPipeline(model: en, parser: ")
    assert "0x" not in repr(opened)
    cells = texts(opened._repr_html_(), "td")
    assert cells[0] == "en"
    assert cells[-1] == "given tags are kept, others predicted"
    assert "all tags are predicted" in repr(open_parser("en", tags="predict"))


@pytest.mark.parametrize("spread", [None, np.array([[0.1, 0.3], [0.7, 0.9]])])
def test_tuned(spread: np.ndarray | None) -> None:
    tuned = Tuned(
        "bleu", 0.25, np.array([0.2, 0.8]), ("d_0", "lm_0"), 0.2, (0.25,), 9, 99, spread=spread
    )
    assert repr(tuned) == "Tuned(bleu: 0.2000 -> 0.2500, 2 weights, 9 sentences)"
    rows = texts(tuned._repr_html_(), "tr")
    assert rows[1] == ("d_00.2000" if spread is None else "d_00.20000.10000.3000")


def test_many_rows_are_not_looked_at() -> None:
    rows = 1_000_000
    offsets = np.arange(0, 2 * rows + 1, 2, dtype=np.int64)
    orders = Orders(Ragged(np.tile(np.array([1, 0], np.int32), rows), offsets))
    segments = wo.Segments.from_orders(orders, orders)
    with within(1):
        assert segments._repr_html_().endswith("999995 more rows</p>")
