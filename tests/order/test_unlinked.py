"""Words without a link beside reference orders: what is made of the file is what links make."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import call
from tests.notes import noted

from wordorder.alignment.alignments import Alignments
from wordorder.options import UNALIGNED
from wordorder.order.orders import Orders
from wordorder.order.reading import OrderReader, read_orders
from wordorder.order.reference import linked_words, reference_orders
from wordorder.order.reference_files import convert_alignments
from wordorder.order.unlinked import MovedOrderReader, UnlinkedWords, moved_orders, unlinked_rows


def drawn_alignments(sentences: int, seed: int) -> tuple[Alignments, list[int]]:
    """Draw links of sentences of 0 to 9 words, some without any link."""
    random = np.random.default_rng(seed)
    lengths = random.integers(0, 10, sentences).tolist()
    rows = [
        sorted({(int(random.integers(n)), int(random.integers(6))) for _ in range(n)})
        if n and random.random() < 0.9
        else []
        for n in lengths
    ]
    return Alignments.from_rows(rows), lengths


@pytest.mark.parametrize("rule", ["talbot", "lrscore"])
@pytest.mark.parametrize("asked", UNALIGNED)
def test_other_treatments_are_those_of_the_links(rule: str, asked: str) -> None:
    links, lengths = drawn_alignments(300, seed=7)
    unlinked = unlinked_rows(linked_words(links, lengths), np.array(lengths))
    orders = reference_orders(links, lengths, rule=rule, unaligned=asked)
    for unaligned in UNALIGNED:
        expected = reference_orders(links, lengths, rule=rule, unaligned=unaligned)
        assert moved_orders(orders, unlinked, rule, unaligned) == expected


def test_the_file_beside_the_orders(tmp_path: Path) -> None:
    source, links = tmp_path / "a.txt", tmp_path / "a.align"
    source.write_text("a b c d\n\ne f\n")
    links.write_text("1-1 3-0\n\n0-0\n")
    orders, beside = tmp_path / "a.orders.gz", tmp_path / "a.orders.unlinked"
    convert_alignments(links, source, orders, unlinked=beside)
    lines = beside.read_text().splitlines()
    assert lines[:3] == ["0 2", "", "1"]
    assert (
        "rule=talbot unaligned=next links=all sentences=3 words=6 unlinked=3 orders-crc32="
        in lines[3]
    )
    found = UnlinkedWords.read_for(orders)
    assert found is not None
    assert (found.share, found.other_treatments) == (0.5, ("previous", "drop"))
    with OrderReader(orders) as one, OrderReader(beside) as other:
        dropped = MovedOrderReader(one, other, "talbot", "drop").take(9)
    assert dropped == Orders.from_rows([[3, 1], [], [0]])
    assert read_orders(orders) == Orders.from_rows([[2, 3, 0, 1], [], [0, 1]])
    whole = beside.read_text()
    # A position that was changed, a line too many, one too few, no last line.
    for damaged in ("0 3" + whole[3:], "\n" + whole, whole[4:], "damaged\n", ""):
        beside.write_text(damaged)
        with noted("was changed, or is of other orders than"):
            assert UnlinkedWords.read_for(orders) is None


def test_compressed_orders_have_a_list_of_their_own(tmp_path: Path) -> None:
    source, links = tmp_path / "a.txt", tmp_path / "a.align"
    source.write_text("a b c d\n")
    links.write_text("1-1 3-0\n")
    plain, packed = tmp_path / "a.orders", tmp_path / "a.orders.gz"
    for orders, unaligned in ((plain, "next"), (packed, "drop")):
        form = ["reference", str(links), "--source", str(source), "-o", str(orders)]
        call(*form, "-O", f"unaligned={unaligned}").good()
    for orders, unaligned in ((plain, "next"), (packed, "drop")):
        found = UnlinkedWords.read_for(orders)
        assert found is not None
        assert found.unaligned == unaligned
    # Decompressed over the other ones, they still have their list.
    plain.write_bytes(gzip.decompress(packed.read_bytes()))
    found = UnlinkedWords.read_for(plain)
    assert found is not None
    assert found.unaligned == "drop"
