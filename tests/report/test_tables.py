import pytest
from hypothesis import given, strategies as st

from wordorder.errors import UsageError
from wordorder.messages import number
from wordorder.report.document import Table
from wordorder.report.tables import Cell, p_number, table, tsv
from wordorder.text.shown import display_width, padded, printable


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("", 0),
        ("order", 5),
        ("語順", 4),
        ("ｶﾅ", 2),  # half-width katakana
        ("ＡＢ", 4),  # full-width Latin
        ("한국어", 6),
        ("\u1112\u1161\u11ab", 2),  # the syllable 한 in letters
        ("cafe\u0301", 4),
        ("שָׁלוֹם", 4),  # four letters, three points
        ("a\u200db", 2),
        ("co\xadop", 5),
        ("naïve", 5),
    ],
)
def test_display_width(text: str, width: int) -> None:
    assert display_width(text) == width


def test_padding_counts_columns() -> None:
    assert padded("語", 4) == "語  "
    assert padded("語", 4, right=True) == "  語"
    assert padded("too long", 3) == "too long"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain 語順 é", "plain 語順 é"),
        ("a\nb\r\tc", r"a\nb\r\tc"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("a\u2028b\u202eb", r"a\u2028b\u202eb"),
        ("\ud800", r"\ud800"),
        ("\x85\x7f", r"\x85\x7f"),
    ],
)
def test_printable(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text())
def test_whatever_is_printable_is_one_line(text: str) -> None:
    assert len(printable(text).splitlines()) <= 1


def test_numbers_and_p_which_is_never_0() -> None:
    values = [0.0, -0.0, -0.00004, -0.00006, 1.0, 2 / 3, -12.5]
    shown = "0.0000 0.0000 0.0000 -0.0001 1.0000 0.6667 -12.5000"
    assert " ".join(map(number, values)) == shown
    found = [p_number(p) for p in (1.0, 0.00005, 0.000049, 1e-9)]
    assert found == [*("1.0000", "0.0001", "<0.0001", "<0.0001")]


def test_a_table_of_all_kinds_of_cells() -> None:
    rows: list[list[Cell]] = [
        ["語順", 12, 0.5, "x"],
        ["unchanged", 3, None, "longer"],
        ["e\u0301", 100, -0.25, ""],
    ]
    assert table(rows, ["system", "n", "value", "note"]).split("\n") == [
        *("system       n    value  note", "---------  ---  -------  ------"),
        *("語順        12   0.5000  x", "unchanged    3           longer"),
        "e\u0301          100  -0.2500",
    ]


@pytest.mark.parametrize(
    ("shown", "wanted"),
    [
        # A column with any text stands on the left.
        (table([["a", 1], ["b", "none"]]), "a  1\nb  none"),
        (table([["a", None], ["b", None]], ["x", "wide"]).split("\n")[2], "a"),
        (table([[1 / 3]], decimals=2), "0.33"),
        (tsv([[1 / 3]], decimals=None), repr(1 / 3)),
        (tsv([["a", 1 / 3, 2, None]]), "a\t0.3333\t2\t"),
        (table([]), ""),
        (table([], ["system", "frs"]), "system  frs\n------  ---"),
        (tsv([]), ""),
        (tsv([], ["system", "frs"]), "system\tfrs"),
        # A strange name cannot break a row.
        (table([["a\nb", 1], ["\x1b[2J", 2]]), "a\\nb     1\n\\x1b[2J  2"),
        (tsv([["a\tb\n", 1]]), "a\\tb\\n\t1"),
        # Negative numbers get no apostrophe.
        (tsv([[-1, -0.25, -1e300]]), f"-1\t-0.2500\t{number(-1e300)}"),
    ],
)
def test_small_tables(shown: str, wanted: str) -> None:
    assert shown == wanted


def test_a_text_that_a_spreadsheet_would_compute_stays_text() -> None:
    for text in ("=1+1", "+a", "-LRB-", "@SUM(1)", "-", "=", "--1"):
        assert tsv([[text]], [text]) == f"'{text}\n'{text}"
        assert table([[text]]) == text
    for text in ("-0.5", "+3", "-1e-09", "a=b", "<0.0001", "", "'=1"):
        assert tsv([[text]]) == text


@given(
    st.integers(1, 4).flatmap(
        lambda size: st.lists(
            st.lists(
                st.one_of(st.text(), st.integers(), st.floats(-1e9, 1e9), st.none()),
                min_size=size,
                max_size=size,
            ),
            min_size=1,
        )
    )
)
def test_every_row_is_one_line(rows: list[list[str | int | float | None]]) -> None:
    assert len(table(rows, width=10**6).split("\n")) == len(rows)
    lines = tsv(rows).split("\n")
    assert [len(line.split("\t")) for line in lines] == [len(row) for row in rows]


@pytest.mark.parametrize("layout", [table, tsv])
def test_rows_of_unequal_length(layout: object) -> None:
    assert callable(layout)
    with pytest.raises(UsageError, match="has 1 cells, the first 2"):
        layout([["a", 1], ["b"]])
    with pytest.raises(UsageError, match="has 2 cells, the first 1"):
        layout([["a", 1]], ["system"])


def test_pairs_of_a_comparison_are_listed_up_to_a_limit() -> None:
    from wordorder.report.scores import PAIRS, pair_table
    from wordorder.statistics.measurement import Measurement
    from wordorder.statistics.paired_tests import approximate_randomization, paired_bootstrap

    matrices = [[[float(system), 1.0]] * 3 for system in range(7)]
    measurement = Measurement(matrices, lambda totals: totals[..., 0] / totals[..., 1])
    (bootstrap,) = paired_bootstrap([measurement], resamples=99)
    shown, more = pair_table(list("ABCDEFG"), bootstrap)
    assert isinstance(shown, Table)
    assert shown.rows[0] == ["B - A", "1.0000", "[1.0000, 1.0000]", "0.0100"]
    assert len(shown.rows) == PAIRS
    assert more == "... and 6 pairs more (--format tsv shows all)"
    (randomization,) = approximate_randomization([measurement], resamples=99)
    shown, _ = pair_table(list("ABCDEFG"), randomization)
    assert isinstance(shown, Table)
    assert {row[2] for row in shown.rows} == {""}
