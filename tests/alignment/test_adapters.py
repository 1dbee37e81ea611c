"""Links as other aligners return them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from wordorder.alignment.align import from_links
from wordorder.errors import InputError, UsageError

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
        ("0-0\n1-1\n", "links:2: several lines; expected one line a sentence pair"),
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
