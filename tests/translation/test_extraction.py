"""Phrase pairs, probabilities, lexical weights and orientations are those of the slow twin."""

from __future__ import annotations

import gzip
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles_phrases import SlowPhrases
from tests.translation.tables import entries, with_threads

import wordorder as wo
from wordorder.alignment.alignments import Alignments
from wordorder.ragged import Ragged
from wordorder.translation.extraction import Lexicon, PhrasePairs, phrase_pairs
from wordorder.translation.phrase_table import SMOOTHING, PhraseTable, phrase_table

Rows = Sequence[Sequence[int]]
LinkRows = Sequence[Sequence[tuple[int, int]]]
# Of real text: the slow twin takes a second for them.
SENTENCES = 150


@st.composite
def aligned_text(
    draw: st.DrawFn,
) -> tuple[list[list[int]], list[list[int]], list[list[tuple[int, int]]]]:
    """Draw a few sentence pairs over few words, with any links."""
    source, target, links = [], [], []
    for _ in range(draw(st.integers(0, 4))):
        source.append(draw(st.lists(st.integers(1, 3), max_size=7)))
        target.append(draw(st.lists(st.integers(3, 5), max_size=7)))
        cells = [(s, t) for s in range(len(source[-1])) for t in range(len(target[-1]))]
        some = st.lists(st.sampled_from(cells), unique=True, max_size=9) if cells else st.just([])
        links.append(draw(some))
    return source, target, links


def extracted(source: Rows, target: Rows, links: LinkRows, longest: int) -> PhrasePairs:
    sides = Ragged.from_rows(source), Ragged.from_rows(target)
    return phrase_pairs(*sides, Alignments.from_rows(links), longest)


def built(source: Rows, target: Rows, links: LinkRows, longest: int, limit: int) -> PhraseTable:
    pairs = extracted(source, target, links, longest)
    sides = Ragged.from_rows(source), Ragged.from_rows(target)
    return phrase_table(pairs, Lexicon.of(*sides, Alignments.from_rows(links)), limit=limit)


def spelled(pairs: PhrasePairs) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    sides = pairs.source_ngrams.spelled(pairs.source), pairs.target_ngrams.spelled(pairs.target)
    return [(tuple(f.tolist()), tuple(e.tolist())) for f, e in zip(*sides, strict=True)]


def check_pairs(slow: SlowPhrases, pairs: PhrasePairs) -> None:
    """Counts, links and orientations of all pairs."""
    names = spelled(pairs)
    assert len(set(names)) == len(names) == len(slow.counts)
    for name, count, mask, directions in zip(
        names, pairs.counts.tolist(), pairs.masks.tolist(), pairs.directions.tolist(), strict=True
    ):
        assert count == slow.counts[name]
        assert mask == sum(1 << (8 * s + t) for s, t in slow.best_links(name))
        assert directions[:3] == [slow.previous[name][kind] for kind in range(3)]
        assert directions[3:] == [slow.next[name][kind] for kind in range(3)]


def check_table(slow: SlowPhrases, table: PhraseTable, limit: int) -> None:
    """Scores, orientations and links of all entries; each group is as long as it may be."""
    groups: dict[tuple[int, ...], dict[tuple[int, ...], int]] = {}
    for (f, e), row in entries(table).items():
        groups.setdefault(f, {})[e] = row
    assert [*groups] == sorted({f for f, _ in slow.counts})
    for f, found in groups.items():
        known = {e: n for (x, e), n in slow.counts.items() if x == f}
        assert len(found) == min(limit, len(known))
        counts = [known[e] for e in found]
        assert sorted(known.values(), reverse=True)[:limit] == counts
        for e, row in found.items():
            lexical = slow.lexical((f, e))
            expected = [slow.inverse((f, e)), lexical[0], slow.direct((f, e)), lexical[1]]
            assert np.exp(table.scores[row]) == pytest.approx(expected, rel=1e-5)
            reordering = slow.reordering((f, e), SMOOTHING)
            assert table.reordering[row] == pytest.approx(reordering, rel=1e-4, abs=1e-5)
            links = table.links[table.link_offsets[row] : table.link_offsets[row + 1]]
            assert list(map(tuple, links.tolist())) == sorted(slow.best_links((f, e)))
        equal = [
            (count, table.scores[row, 3]) for count, row in zip(counts, found.values(), strict=True)
        ]
        assert equal == sorted(equal, reverse=True)


@settings(max_examples=120, deadline=None)
@given(aligned_text(), st.integers(1, 8), st.integers(1, 4))
def test_any_links(text: tuple[Rows, Rows, LinkRows], longest: int, limit: int) -> None:
    slow = SlowPhrases(*text, longest)
    check_pairs(slow, extracted(*text, longest))
    check_table(slow, built(*text, longest, limit), limit)


@pytest.fixture(scope="module")
def real() -> tuple[Rows, Rows, LinkRows]:
    """Real sentence pairs: of the data where they are, else of the sample of the package."""
    folder = os.environ.get("WORDORDER_DATA")
    if folder:
        paths = [Path(folder, "small_parallel_enja", f"dev.{side}.gz") for side in ("en", "ja")]
        sides = [gzip.decompress(path.read_bytes()).decode().splitlines() for path in paths]
    else:
        sample = Path(str(wo.__file__)).parent / "samples" / "enja"
        names = ("source.en", "target.ja")
        sides = [(sample / name).read_text("utf-8").splitlines() for name in names]
    links = [list(row.links) for row in wo.align(*sides)]
    words: dict[str, int] = {}
    numbers = [
        [[words.setdefault(word, len(words) + 3) for word in line.split()] for line in side]
        for side in sides
    ]
    return numbers[0][:SENTENCES], numbers[1][:SENTENCES], links[:SENTENCES]


def test_real_links(real: tuple[Rows, Rows, LinkRows]) -> None:
    slow = SlowPhrases(*real, 5)
    pairs = extracted(*real, 5)
    assert len(pairs) > 1000
    check_pairs(slow, pairs)


def test_the_table_of_real_links(real: tuple[Rows, Rows, LinkRows]) -> None:
    few = real[0][:12], real[1][:12], real[2][:12]
    slow = SlowPhrases(*few, 4)
    check_table(slow, built(*few, 4, 3), 3)


def test_probabilities_sum_to_one(real: tuple[Rows, Rows, LinkRows]) -> None:
    table = built(*real, 5, 10**6)
    direct, inverse = (
        np.exp(table.scores[:, 2], dtype=float),
        np.exp(table.scores[:, 0], dtype=float),
    )
    assert np.add.reduceat(direct, table.entry_offsets[:-1]) == pytest.approx(1, abs=1e-6)
    by_target: dict[tuple[int, ...], float] = {}
    for words, share in zip(Ragged(table.target_words, table.target_offsets), inverse, strict=True):
        by_target[tuple(words.tolist())] = by_target.get(tuple(words.tolist()), 0) + share
    assert list(by_target.values()) == pytest.approx([1] * len(by_target), abs=1e-5)
    shares = np.exp(table.reordering, dtype=float).reshape(-1, 3).sum(axis=1)
    assert shares == pytest.approx(1, abs=1e-6)


def test_the_same_with_any_number_of_threads(real: tuple[Rows, Rows, LinkRows]) -> None:
    # So many that they are cut into pieces.
    many = list(real[0]) * 80, list(real[1]) * 80, list(real[2]) * 80
    tables = with_threads(lambda: built(*many, 5, 20))
    for name in PhraseTable.__dataclass_fields__:
        one, other = (getattr(table, name) for table in tables)
        assert one.tobytes() == other.tobytes(), name
