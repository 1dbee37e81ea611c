"""How many keys and clicks a full alignment takes, by doing it on ten sentences of the sample."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.browser.annotating import Annotator, Opened
from tests.browser.annotation_server import sentence

import wordorder.samples

Pair = tuple[int, int]

SAMPLE = Path(wordorder.samples.__file__).parent / "enja"
GUIDE = Path(__file__).parents[2] / "docs/how-to/collect.md"
SENTENCES = 10


def lines(name: str, count: int | None = SENTENCES) -> list[str]:
    return (SAMPLE / name).read_text("utf-8").splitlines()[:count]


def gold(count: int | None = SENTENCES) -> list[list[Pair]]:
    """Return the sample's links, read without the package: sources of each target word."""
    return [
        [(int(s), t) for t, sources in enumerate(line.split(",")) for s in sources.split("_") if s]
        for line in lines("alignments.talbot", count)
    ]


def link_by_keys(annotator: Annotator, links: list[Pair]) -> None:
    """Link each target word in turn: Space for the picked word, or else the digit that is shown."""
    for s, t in links:
        state = annotator.state()
        if state["cursor"][1] > t:
            annotator.keys("ArrowLeft")
            state = annotator.state()
        assert state["cursor"] == ["target", t]
        if state["picked"] == ["source", s]:
            annotator.keys("Space")
            continue
        while str(s) not in state["digits"]:
            annotator.keys("," if s < min(map(int, state["digits"])) else ".")
            state = annotator.state()
        annotator.keys(f"Digit{state['digits'][str(s)]}")


def link_by_clicks(annotator: Annotator, links: list[Pair]) -> None:
    """Click each source word once, and after it all its target words."""
    places = annotator.places()
    picked = None
    for s, t in sorted(links):
        if s != picked:
            annotator.page.mouse.click(*places["source"][s])
            annotator.actions += 1
            picked = s
        annotator.page.mouse.click(*places["target"][t])
        annotator.actions += 1


@pytest.mark.parametrize(("way", "link"), [("keyboard", link_by_keys), ("clicks", link_by_clicks)])
def test_actions_a_link(
    opened: Opened, way: str, link: Callable[[Annotator, list[Pair]], None]
) -> None:
    # No links are suggested.
    annotator = opened(*map(sentence, lines("source.en"), lines("target.ja")))
    all_links = gold()
    for task, links in enumerate(all_links):
        link(annotator, links)
        answer = annotator.save(str(task))
        assert answer["links"] == [[s, t, "sure"] for s, t in sorted(links)]
        assert "confirmed" not in answer
    number = sum(map(len, all_links))
    said = re.search(r"take ([\d.]+) keys per link, or ([\d.]+) clicks", GUIDE.read_text("utf-8"))
    assert said is not None
    assert said[["keyboard", "clicks"].index(way) + 1] == f"{annotator.actions / number:.2f}"
    if way == "keyboard":
        assert annotator.actions <= 1.3 * number
