"""Tables: cells, widths, triangles, ranks, and an analysis as text, JSON and TSV."""

import json
import string

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.flat import flat
from tests.report.page_analyses import order_analysis

from wordorder.analysis.analysed import Analysis
from wordorder.analysis.corpus import AnalysedOrders, AnalysedSystem, Corpus
from wordorder.analysis.section import Section
from wordorder.errors import UsageError
from wordorder.messages import joined, number
from wordorder.order.orders import Orders
from wordorder.report.document import Table
from wordorder.report.scores import cluster_reading, rank_table, triangle_table
from wordorder.report.sections import analysis_json, analysis_text, analysis_tsv, sections_text
from wordorder.report.tables import Cell, p_number, table, tsv
from wordorder.scoring.significance_summary import triangle_reading
from wordorder.text.display import display_width, padded, printable
from wordorder.treebank.treebank import Treebank


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


@pytest.mark.parametrize("text", ["=1+1", "+bpe", "-LRB-", "@SUM(1)", "--1", "+**", "-0.5", "'=1"])
def test_cells_are_read_back_as_they_are(text: str) -> None:
    """Other commands read what is written, whatever a spreadsheet would take it for."""
    assert tsv([[text]], [text]) == f"{text}\n{text}"
    assert table([[text]]) == text


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
    from wordorder.report.scores import MAX_LISTED_PAIRS, pair_table
    from wordorder.statistics.measurement import Measurement
    from wordorder.statistics.paired_tests import approximate_randomization, paired_bootstrap

    matrices = [[[float(system), 1.0]] * 3 for system in range(7)]
    measurement = Measurement(matrices, lambda totals: totals[..., 0] / totals[..., 1])
    (bootstrap,) = paired_bootstrap([measurement], resamples=99)
    shown, more = pair_table(list("ABCDEFG"), bootstrap)
    assert isinstance(shown, Table)
    assert shown.rows[0] == ["B - A", "1.0000", "[1.0000, 1.0000]", "0.0100"]
    assert len(shown.rows) == MAX_LISTED_PAIRS
    assert more == "... and 6 pairs more (--format tsv shows all)"
    (randomization,) = approximate_randomization([measurement], resamples=99)
    shown, _ = pair_table(list("ABCDEFG"), randomization)
    assert isinstance(shown, Table)
    assert {row[2] for row in shown.rows} == {""}


# -- Triangles of marks, and their readings.


def triangle(size: int, mark: str) -> list[list[str]]:
    return [[mark] * (size - 1 - row) for row in range(size - 1)]


def test_a_triangle_as_talbot_prints_it() -> None:
    marks = [["+**", "0", "+*"], ["-**", "-*"], ["0"]]
    assert triangle_table(["none", "語順", "rules", "tree"], marks).split("\n") == [
        *("       語順  rules  tree", "-----  ----  -----  ----", "none   +**   0      +*"),
        *("語順         -**    -*", "rules               0"),
    ]


@pytest.mark.parametrize(
    ("marks", "sentence"),
    [
        ([], "There is only one system, so nothing is compared."),
        ([["+**"]], "B is better than A (95 %)."),
        ([["-**"]], "A is better than B (95 %)."),
        ([["+*"]], "B is better than A (90 %)."),
        ([["0"]], "No significant difference between A and B."),
        ([["+**", "+**"], ["+**"]], "C is better than A and B, B than A (95 %)."),
        (
            [["+**", "+**"], ["0"]],
            "B and C are better than A (95 %); no significant difference between B and C.",
        ),
        (
            [["0", "+**"], ["+*"]],
            "C is better than A (95 %); C is better than B (90 %); no significant difference "
            "between A and B.",
        ),
        (
            [["0", "-*"], ["0"]],
            "A is better than C (90 %); no significant difference between A and B or between B "
            "and C.",
        ),
        ([["0", "0"], ["0"]], "No significant difference between any two of the 3 systems."),
    ],
)
def test_few_systems(marks: list[list[str]], sentence: str) -> None:
    assert triangle_reading(list("ABC"[: len(marks) + 1]), marks) == sentence


def test_many_names_and_pairs_are_counted() -> None:
    names = list(string.ascii_uppercase[:6])
    marks = triangle(6, "0")
    marks[0] = ["0", "0", "0", "0", "+**"]
    for row in range(1, 4):
        marks[row][-1] = "+**"
    # F beats A, B, C and D; E is like all.
    assert triangle_reading(names, marks) == (
        "F is better than all others but E (95 %); no significant difference in the other 11 pairs."
    )
    marks[4][0] = "+**"
    assert triangle_reading(names, marks) == (
        "F is better than all others (95 %); no significant difference in the other 10 pairs."
    )
    names = [f"system-{letter}" for letter in string.ascii_uppercase[:10]]
    sentence = triangle_reading(names, triangle(10, "+**"))
    assert sentence.startswith(
        "system-J is better than all others, system-I than all others but system-J, "
        "system-H than 7 of the others, "
    )
    assert sentence.endswith("system-C than system-A and system-B, system-B than system-A (95 %).")
    assert len(sentence) < 400
    assert triangle_reading(["a\n", "b"], [["+**"]]) == r"b is better than a\n (95 %)."


@pytest.mark.parametrize("function", [triangle_table, triangle_reading])
def test_what_is_no_triangle(function: object) -> None:
    assert callable(function)
    with pytest.raises(UsageError, match=r"\[1, 1\] cells, which is no triangle over 3 systems"):
        function(["A", "B", "C"], [["0"], ["0"]])
    with pytest.raises(UsageError, match=r"not a mark: '\+'"):
        function(["A", "B"], [["+"]])


def test_joined() -> None:
    found = [joined(list("ABCD")[:size]) for size in range(5)]
    assert found == ["", "A", "A and B", "A, B and C", "A, B, C and D"]


# -- Ranks and clusters.


NAMES = ["none", "rules", "tree", "reversed"]
RANGES = [(2, 3), (1, 1), (2, 3), (4, 4)]
VALUES = [0.61, 0.8, 0.62, 0.1]


def test_clusters_stand_apart() -> None:
    assert rank_table(NAMES, VALUES, RANGES, [(1,), (2, 0), (3,)]).split("\n") == [
        *("rank  system     value", "----  --------  ------", "1     rules     0.8000", ""),
        *("2-3   tree      0.6200", "2-3   none      0.6100", "", "4     reversed  0.1000"),
    ]
    lines = rank_table(["a", "b"], [50.0, 49.5], [(1, 2), (1, 2)], [(0, 1)], decimals=1).split("\n")
    assert lines == [
        "rank  system  value",
        "----  ------  -----",
        "1-2   a        50.0",
        "1-2   b        49.5",
    ]


def test_readings() -> None:
    assert cluster_reading(NAMES, [(1,), (2, 0), (3,)]) == (
        "The test tells 3 groups apart (95 %), best first: rules; tree and none; reversed."
    )
    assert cluster_reading(["a", "b"], [(1, 0)]) == (
        "The test does not tell groups apart (95 %): b and a stay together."
    )
    assert cluster_reading(["a"], [(0,)]) == "There is only one system to rank."


# -- An analysis as text, JSON and TSV.


HOSTILE = "\x1b[2J<b>\n\t\u202e猫"


@pytest.fixture
def analysis() -> Analysis[AnalysedOrders]:
    """Two sections: numbers with examples, and sentences with long texts of strangers."""
    long = f"{HOSTILE} {'very ' * 20}long"
    sections = (
        Section(
            *("words", "Words", "The worst is 'a'."),
            ("form", "occurs", "lost"),
            (("a", 3, 0.1), (HOSTILE, None, 1 / 3)),
            ((0, 1, 0, 1), ()),
            "A first note. A second one.",
        ),
        Section(
            *("worst", "Worst 猫", "One sentence."),
            ("sentence", "frs", "source", "result"),
            ((2, 0.5, long, "short"),),
            ((1,),),
            "A second one. A third.",
        ),
        Section("none", "Nothing", "There is nothing.", ("x",), ()),
    )
    words = Treebank.from_words([["a"], ["b"]])
    orders = Orders.from_rows([[0], [0]])
    system = AnalysedSystem("A", orders, np.array([1.0, 0]), np.array([False, True]))
    return order_analysis(Corpus(words, orders), [system], sections)


def test_text_has_all_cells_and_no_control_characters(analysis: Analysis[AnalysedOrders]) -> None:
    text = analysis_text(analysis)
    assert "\x1b" not in text
    assert "\t" not in text
    assert "\u202e" not in text
    assert text.endswith("2 sentences, 1 system\nfrs|v:1\n")
    lines = text.split("\n")
    assert lines[:3] == ["Words", "=====", "The worst is 'a'."]
    found = [line.split()[:4] for line in lines if line.startswith("a ")]
    assert found == [["a", "3", "0.1000", "1"]]
    assert next(line for line in lines if line.startswith("a ")).endswith("1 2 1")
    # A second time only what is new.
    assert text.count("A second one.") == 1
    assert "\n\nA third.\n" in text
    title = lines.index("Worst 猫")
    assert len(lines[title + 1]) == display_width("Worst 猫")


def test_long_texts_stand_below_their_row(analysis: Analysis[AnalysedOrders]) -> None:
    lines = sections_text(analysis.sections[1:2]).split("\n")
    row = next(number for number, line in enumerate(lines) if line.lstrip().startswith("2 "))
    assert lines[row].split() == ["2", "0.5000", "short"]
    assert lines[row + 1].startswith("    source  ")
    assert lines[row + 2].startswith(f"{12 * ' '}very ")
    assert flat(" ".join(lines[row + 1 :])).count("very") == 20
    # A table of sentences has no column that names them once more.
    assert "examples" not in lines[row - 2]


def test_json_is_plain_and_counts_from_one(analysis: Analysis[AnalysedOrders]) -> None:
    found = json.loads(json.dumps(analysis_json(analysis), allow_nan=False))
    assert found["sentences"] == 2
    assert found["systems"] == [{"name": "A", "scores": {"frs": [1.0, None]}, "skipped": [2]}]
    assert found["sections"][0]["rows"][0] == {"form": "a", "occurs": 3, "lost": 0.1}
    assert found["sections"][0]["rows"][1]["form"] == HOSTILE
    assert found["sections"][0]["examples"] == [[1, 2, 1, 2], []]
    assert "grid" not in found


def test_tsv_has_a_line_for_each_cell_in_full(analysis: Analysis[AnalysedOrders]) -> None:
    lines = analysis_tsv(analysis).split("\n")
    assert lines[0] == "section\trow\tcolumn\tvalue"
    assert lines[-1] == ""
    cells = [line.split("\t") for line in lines[1:-1]]
    assert all(len(cell) == 4 for cell in cells)
    assert ["words", "1", "examples", "1 2 1 2"] in cells
    assert ["words", "2", "occurs", ""] in cells
    value = next(cell[3] for cell in cells if cell[:3] == ["words", "2", "lost"])
    assert float(value) == 1 / 3
    assert len(cells) == 6 + 1 + 4 + 1
