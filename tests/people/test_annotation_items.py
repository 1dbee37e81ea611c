"""Sentences to annotate, with the links that an aligner suggests."""

from __future__ import annotations

from pathlib import Path

import pytest

from wordorder.errors import InputError, UsageError
from wordorder.people.items import InputText, annotation_items, direction


def text(name: str, *lines: str) -> InputText:
    return InputText(name, name, list(lines))


def test_suggestions_are_read_in_any_notation(tmp_path: Path) -> None:
    links = tmp_path / "start.align"
    links.write_text("0-1 1p0\n\n")
    items = annotation_items(text("s", "a b", "c"), text("t", "B A", ""), links)
    assert items[0].content["suggestions"] == [[0, 1, "sure"], [1, 0, "possible"]]
    assert items[1].content == {
        "source": ["c"],
        "target": [],
        "direction": {"source": "ltr", "target": "ltr"},
        "suggestions": [],
    }


def test_scores_of_links_come_along(tmp_path: Path) -> None:
    links = tmp_path / "start.align"
    links.write_text("0-1:0.91234 1p0:0.4\n0-0:1\n")
    items = annotation_items(text("s", "a b", "c"), text("t", "B A", "C"), links)
    assert [item.content["suggestions"] for item in items] == [
        [[0, 1, "sure", 0.9123], [1, 0, "possible", 0.4]],
        [[0, 0, "sure", 1.0]],
    ]


def test_files_out_of_step_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="s: 2 lines, but t"):
        annotation_items(text("s", "a", "b"), text("t", "A"))
    links = tmp_path / "start.align"
    links.write_text("0-0\n")
    with pytest.raises(InputError, match="start.align"):
        annotation_items(text("s", "a", "b"), text("t", "A", "B"), links)
    links.write_text("0-0\n0-7\n")
    with pytest.raises(InputError, match="start.align:2"):
        annotation_items(text("s", "a", "b"), text("t", "A", "B"), links)
    with pytest.raises(UsageError, match="links need a TARGET"):
        annotation_items(text("s", "a"), None, links)


def test_directions_of_scripts() -> None:
    assert direction(["مرحبا بالعالم"]) == "rtl"
    assert direction(["語順 123"]) == direction(["नमस्ते"]) == "ltr"
    assert direction(["12 ... 3"]) == "ltr"
