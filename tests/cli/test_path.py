"""``wordorder path``: one table, three forms and a picture."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from tests.cli.running import call

PAIR = ("on tuesday we met at six", "we met at six on tuesday")


def test_text_and_forms() -> None:
    assert call("path", *PAIR).good().text.endswith("\n3 jumps, 6 matches: cost 3\n")
    found = call("path", *PAIR, "--format", "json").good().json["path"]
    assert found["cost"] == 3.0
    assert found["steps"][:2] == [
        {
            "operation": "jump",
            "hypothesis": 0,
            "hypothesis_end": 2,
            "reference": 0,
            "reference_end": 0,
            "hypothesis_word": "",
            "reference_word": "",
            "cost": 1.0,
        },
        {
            "operation": "match",
            "hypothesis": 2,
            "hypothesis_end": 3,
            "reference": 0,
            "reference_end": 1,
            "hypothesis_word": "we",
            "reference_word": "we",
            "cost": 0.0,
        },
    ]
    lines = call("path", *PAIR, "--format", "tsv").good().text.splitlines()
    assert lines[0].split("\t") == list(found["steps"][0])
    assert lines[1].split("\t")[:5] == ["jump", "0", "2", "0", "0"]
    assert len(lines) == 1 + len(found["steps"])
    assert call("path", "", "", "--format", "tsv").good().text == lines[0] + "\n"


def test_choices() -> None:
    twice = ("we met we met him", "we met him")
    assert "cost 1\n" in call("path", *twice).good().text
    assert "2 deletions, 3 matches" in call("path", *twice, "--metric", "long-jump").good().text
    turned = call("path", *twice, "--direction", "candidate").good().text
    assert "1 jump, 5 matches: cost 1\n" in turned
    assert "2 to 0" in turned
    assert (
        "cost 0.2\n" in call("path", "talks", "talk", "--substitution", "levenshtein").good().text
    )


def test_a_picture(tmp_path: Path) -> None:
    path = tmp_path / "path.svg"
    assert "語" in call("path", "a 語", "語 <b>", "--svg", path).good().text
    texts = ["".join(each.itertext()) for each in ElementTree.parse(path).iter()]
    assert "<b>" in "".join(texts)
    picture = call("path", "a 語", "語 <b>", "--svg", "-").good()
    assert picture.stdout == path.read_bytes()


def test_hostile_words_stay_on_their_line() -> None:
    text = call("path", "a\x1b[2J b", "b").good().text
    assert "\x1b" not in text
