"""The recipes and what contradicts them."""

from __future__ import annotations

from typing import Any

import pytest

from wordorder.errors import UsageError
from wordorder.parsing.training.training import RECIPES, Recipe, choose_recipe


def test_recipes_of_the_papers() -> None:
    assert choose_recipe("P1") == Recipe("transition", "katz-brown", 1, "early", "tnt")
    assert choose_recipe("P2", beam=8, tagger="tnt") == Recipe(
        "transition", "katz-brown", 8, "early", "tnt"
    )
    assert set(RECIPES) == {"P1", "P2"}
    assert choose_recipe() == Recipe()


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("P6", {}, "legal names: P1, P2"),
        ("P3", {}, "recipe P3 is trained by self-training: `wordorder train parser"),
        ("P1", {"beam": 8}, "recipe P1 has beam 1, not 8"),
        ("P2", {"algorithm": "graph"}, "recipe P2 has algorithm transition, not graph"),
        (None, {"algorithm": "graphs"}, "did you mean 'graph'"),
        (None, {"features": "zn"}, "legal names: hall, katz-brown, zhang-nivre"),
        (None, {"update": "late"}, "legal names: early, max-violation"),
        (None, {"tagger": "TnT"}, "did you mean 'tnt'"),
        (None, {"beam": 0}, "at least 1, not 0"),
        (None, {"beam": True}, "at least 1, not True"),
        (None, {"algorithm": "graph", "beam": 4}, "beam is for transition parsers"),
        (None, {"algorithm": "graph", "features": "zhang-nivre"}, "legal names: hall, rich"),
        (None, {"features": "rich"}, "legal names: hall, katz-brown, zhang-nivre"),
        (None, {"algorithm": "graph", "update": "early"}, "update is for transition parsers"),
    ],
)
def test_refusals(name: str | None, given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        choose_recipe(name, **given)
