"""The phrase table finds what is in it, and nothing else."""

from __future__ import annotations

import random

import pytest
from tests.translation.tables import random_table

from wordorder.ragged import Ragged


@pytest.mark.parametrize("seed", range(20))
def test_the_options_are_those_of_a_dictionary(seed: int) -> None:
    rng = random.Random(seed)
    kinds = rng.choice([1, 2, 5, 30])
    table = random_table(rng, kinds)
    source = Ragged(table.source_words, table.source_offsets)
    entries = table.entry_offsets.tolist()
    known = {tuple(row.tolist()): entries[p : p + 2] for p, row in enumerate(source)}
    lengths = [0, 1, 2, 3, 9, 20]
    rows = [[rng.randint(-1, kinds + 2) for _ in range(length)] for length in lengths]
    # A phrase of the table between two words that it may not know.
    rows.append([kinds + 1, *source[0].tolist(), 0])
    first, last = table.options(Ragged.from_rows(rows))
    at, found = 0, 0
    for row in rows:
        for i in range(len(row)):
            for k in range(1, table.longest + 1):
                phrase = tuple(row[i : i + k]) if i + k <= len(row) else ()
                given = [first[at], last[at]]
                if phrase in known:
                    assert given == known[phrase]
                    found += 1
                else:
                    assert given[0] == given[1]
                at += 1
    assert at == len(first) == len(last)
    assert found
