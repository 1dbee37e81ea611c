import string

import pytest

from wordorder.analysis.triangle_reading import triangle_reading
from wordorder.errors import UsageError
from wordorder.messages import joined
from wordorder.report.scores import triangle_table


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
        ([["+**"]], "B is better than A (95 %)."),
        ([["-**"]], "A is better than B (95 %)."),
        ([["+*"]], "B is better than A (90 %)."),
        ([["0"]], "No significant difference between A and B."),
    ],
)
def test_two_systems(marks: list[list[str]], sentence: str) -> None:
    assert triangle_reading(["A", "B"], marks) == sentence


@pytest.mark.parametrize(
    ("marks", "sentence"),
    [
        (
            [["+**", "+**"], ["+**"]],
            "C is better than A and B, B than A (95 %).",
        ),
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
def test_three_systems(marks: list[list[str]], sentence: str) -> None:
    assert triangle_reading(["A", "B", "C"], marks) == sentence


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


def test_ten_systems_in_a_full_order_stay_short() -> None:
    names = [f"system-{letter}" for letter in string.ascii_uppercase[:10]]
    sentence = triangle_reading(names, triangle(10, "+**"))
    assert sentence.startswith(
        "system-J is better than all others, system-I than all others but system-J, "
        "system-H than 7 of the others, "
    )
    assert sentence.endswith("system-C than system-A and system-B, system-B than system-A (95 %).")
    assert len(sentence) < 400


def test_one_system() -> None:
    assert triangle_reading(["A"], []) == "There is only one system, so nothing is compared."


def test_strange_names() -> None:
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
