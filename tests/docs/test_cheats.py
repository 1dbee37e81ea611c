"""What a cheat gains: the kept table, what the pages say of it, and the order metrics again."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import python
from tests.docs.test_experiment_figures import number, site_hooks
from tests.docs.test_papers_page import kept

ROOT = Path(__file__).parents[2]
PAGES = ("order", "permutation-trees", "edits", "n-grams", "matching", "mixes", "links")
# Fewer words, or words of another language, or a reference that matches worse.
SILENCE = ("empty", "half of the lines blank", "one word", "half another language")
UNRELATED = "an unrelated reference"


@cache
def scored_now() -> dict[str, Any]:
    """Score the order metrics under all cheats, as the experiment does."""
    code = (
        "import json; from papers.metrics import cheats;"
        "s = cheats.text_segments();"
        "found = {name: cheats.scored(name, s) for name in cheats.ORDER_METRICS};"
        "print(json.dumps(found))"
    )
    found: dict[str, Any] = python("-c", code, cwd=ROOT).good().json
    return found


def test_the_kept_table_has_the_values_of_the_order_metrics() -> None:
    of = kept("cheats")["texts"]
    for name, found in scored_now().items():
        assert found["values"] == pytest.approx(of[name]["values"], abs=1e-6), name
        assert found["gains"] == of[name]["gains"], name


@pytest.mark.parametrize("cheat", [*SILENCE, UNRELATED])
def test_order_metrics_give_nothing_for_silence(cheat: str) -> None:
    gained = [name for name, found in scored_now().items() if cheat in found["gains"]]
    assert gained == []
    values = {name: found["values"][cheat] for name, found in scored_now().items()}
    honest = {name: found["values"]["honest"] for name, found in scored_now().items()}
    assert cheat != UNRELATED or values == honest


def test_no_cheat_of_silence_wins_on_the_words_that_both_match() -> None:
    common = kept("cheats")["common words"]
    for cheat in (*SILENCE, "first words", "one word repeated"):
        assert not any(difference for difference, _ in common[cheat].values()), cheat
    assert [mark for of in common.values() for _, mark in of.values() if "+*" in mark] == []


def test_random_outputs_do_not_win_by_saying_less() -> None:
    found = kept("cheats")["random"]
    assert (found["corpora"], found["worse reference"]) == (400, 0)
    counts = found["counts"]
    assert len(counts) == 9
    for name, of in counts.items():
        assert [counted for metric in of.values() for counted in metric] == [0] * 6, name


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_the_metrics_that_a_cheat_raises(page: str) -> None:
    text = (ROOT / f"docs/metrics/{page}.md").read_text("utf-8")
    section = text.partition("## What a cheat gains\n")[2]
    assert f"::: kept cheats of {page}\n" in section
    heads = re.findall(r"^- (`.*?`):", section, re.MULTILINE)
    named = {name for head in heads for name in re.findall("`([^`]+)`", head)}
    part, *names = site_hooks().CHEATS[page]
    table = kept("cheats")[part]
    assert named == {name for name in names if table[name]["gains"]}


@pytest.mark.parametrize("page", PAGES)
def test_the_printed_table_of_a_page_is_the_kept_one(page: str) -> None:
    part, *names = site_hooks().CHEATS[page]
    rows = site_hooks().cheats(page).splitlines()[2:]
    assert len(rows) == len(names)
    for name, row in zip(names, rows, strict=True):
        of = kept("cheats")[part][name]
        gains = [cheat for cheat in of["values"] if cheat in of["gains"]]
        better = "; ".join(f"{cheat} {number(of['values'][cheat])}" for cheat in gains) or "–"
        arrow = "↑" if of["higher is better"] else "↓"
        assert row == f"| `{name}` {arrow} | {number(of['values']['honest'])} | {better} |"
