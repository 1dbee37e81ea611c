"""A translation above its reference, with lines between the words that match."""

import re

import pytest

from wordorder.drawing.orders import crossing_svg
from wordorder.errors import InputError


def boxes(drawing: str) -> list[str]:
    """Return the texts of the picture."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", drawing)


def lines(drawing: str) -> int:
    """Count the lines between the rows."""
    return sum(
        path.count("M") for path in re.findall(r'<path d="((?:M[-\d. ]+L[-\d. ]+)+)"', drawing)
    )


def test_each_row_writes_its_own_words() -> None:
    drawing = crossing_svg(["cats", "the", "<b>"], ["the", "cat", "sat"], [1, 0, -1])
    texts = boxes(drawing)
    assert {"cats", "cat", "&lt;b&gt;", "sat"} <= set(texts)
    assert texts.count("the") == 2
    assert lines(drawing) == 2
    assert "2 chunks of 2 words" in drawing
    assert "not in translation" in drawing
    assert "not in reference" in drawing
    assert "translation: cats | the &lt;b&gt;" in drawing
    assert "reference: the cat sat" in drawing


def test_of_several_words_for_one_the_first_is_joined() -> None:
    drawing = crossing_svg(["a", "b", "c"], ["x", "y"], [1, 1, 0])
    assert lines(drawing) == 2
    assert "1 chunk" not in drawing
    assert "2 chunks of 2 words" in drawing


def test_words_that_move_are_drawn_so() -> None:
    drawing = crossing_svg(["a", "b"], ["b", "a"], [1, 0], moved=frozenset({1}))
    assert "stroke-dasharray" in drawing
    assert "stroke-dasharray" not in crossing_svg(["a", "b"], ["a", "b"], [0, 1])


@pytest.mark.parametrize("partners", [[0], [0, 2], [-2, 0]])
def test_partners_that_do_not_fit(partners: list[int]) -> None:
    with pytest.raises(InputError, match="partners"):
        crossing_svg(["a", "b"], ["a", "b"], partners)


def test_nothing_matches_and_nothing_is_there() -> None:
    assert lines(crossing_svg(["a"], ["b"], [-1])) == 0
    assert crossing_svg(["a"], [], [-1]).startswith("<svg ")
