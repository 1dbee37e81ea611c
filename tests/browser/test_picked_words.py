"""Links made by two words after each other: what is exported is what people linked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.browser.annotating import _PLACES, _STATE
from tests.browser.page_work import press
from tests.browser.people_site import Site, served_project
from tests.browser.test_annotation_actions import Pair, gold, lines

from wordorder.people.exports import export
from wordorder.people.items import InputText, annotation_items
from wordorder.people.protocol import ANNOTATE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Word = tuple[str, int]
WORDS = ("she slept well", "sie hat gut geschlafen")
# she–sie, slept–hat, slept–geschlafen, well–gut.
LINKS = [(0, 0), (1, 1), (1, 3), (2, 2)]
PHONE = {"viewport": {"width": 390, "height": 800}, "has_touch": True, "is_mobile": True}


def by_mouse(page: Page, word: Word) -> None:
    side, position = word
    page.mouse.click(*page.evaluate(_PLACES)[side][position])


def by_touch(page: Page, word: Word) -> None:
    side, position = word
    page.locator(f".{side} .word").nth(position).tap()


def by_keyboard(page: Page, word: Word) -> None:
    """Go to the word by arrows and press Space."""
    side, position = word
    if page.evaluate(_STATE)["cursor"][0] != side:
        press(page, "ArrowUp" if side == "source" else "ArrowDown")
    steps = position - page.evaluate(_STATE)["cursor"][1]
    press(page, *["ArrowRight" if steps > 0 else "ArrowLeft"] * abs(steps), "Space")


WAYS: dict[str, tuple[Callable[[Page, Word], None], dict[str, Any]]] = {
    "mouse": (by_mouse, {"viewport": {"width": 1280, "height": 900}}),
    "keyboard": (by_keyboard, {"viewport": {"width": 1280, "height": 900}}),
    "touch": (by_touch, PHONE),
}


def words_of(links: list[Pair], first: str) -> list[Word]:
    """Return the words in the order in which they are pressed: two for each link."""
    words: list[Word] = []
    for s, t in links:
        pair: list[Word] = [("source", s), ("target", t)]
        words += pair if first == "source" else pair[::-1]
    return words


def served(folder: Path, source: list[str], target: list[str]) -> Any:
    items = annotation_items(InputText("SOURCE", "s", source), InputText("TARGET", "t", target))
    return served_project(folder / "p.db", ANNOTATE, items, 1, "annotate.html")


def save(page: Page, number: int, count: int) -> None:
    """Save a sentence, as it is if that is asked, and wait for the next one."""
    press(page, "Enter")
    after = page.locator("#place", has_text=f"Sentence {number + 1} of {count}")
    after = after.or_(page.locator("#end:not([hidden])"))
    asked = page.locator("#asking[open]")
    after.or_(asked).first.wait_for()
    if asked.count():
        press(page, "y")
        after.first.wait_for()


def exported(site: Site, folder: Path) -> list[str]:
    export(site.path, folder / "links.align", format="pharaoh")
    return (folder / "links.align").read_text("utf-8").splitlines()


@pytest.mark.parametrize("way", list(WAYS))
def test_twenty_sentences_are_exported_as_they_were_linked(
    browser: Browser, tmp_path: Path, way: str
) -> None:
    texts = lines("source.en", None), lines("target.ja", None)
    pairs_of = gold(None)
    lengths = [len(s.split()) + len(t.split()) for s, t in zip(*texts, strict=True)]
    shortest = sorted(range(len(lengths)), key=lengths.__getitem__)[:19]
    source, target = ([WORDS[n], *(texts[n][at] for at in shortest)] for n in (0, 1))
    links = [LINKS, *(pairs_of[at] for at in shortest)]
    use, options = WAYS[way]
    window = browser.new_context(**options)
    with served(tmp_path, source, target) as site:
        page = site.open(window)
        for number, pairs in enumerate(links, 1):
            first = "target" if number % 2 == 0 else "source"
            pairs.sort(key=lambda pair: pair[first == "target"])
            for word in words_of(pairs, first):
                use(page, word)
            save(page, number, len(source))
        found = exported(site, tmp_path)
    assert found[0] == "0-0 1-1 1-3 2-2"
    assert found == [" ".join(f"{s}-{t}" for s, t in sorted(pairs)) for pairs in links]
    window.close()


@pytest.mark.parametrize("way", list(WAYS))
def test_a_picked_word_is_dropped_by_escape_or_beside_the_words(
    browser: Browser, tmp_path: Path, way: str
) -> None:
    use, options = WAYS[way]
    window = browser.new_context(**options)
    with served(tmp_path, *([text] for text in WORDS)) as site:
        page = site.open(window)

        def picked() -> Any:
            return page.evaluate(_STATE)["picked"]

        for drop in (
            lambda: press(page, "Escape"),
            lambda: page.locator("h1").click(),
            lambda: page.locator("#area").click(position={"x": 2, "y": 2}),
        ):
            use(page, ("source", 1))
            use(page, ("source", 1))
            assert picked() == ["source", 1]
            # Buttons are for the picked word too.
            page.get_by_role("button", name="Possible", exact=True).click()
            page.get_by_role("button", name="Possible", exact=True).click()
            assert picked() == ["source", 1]
            drop()
            assert picked() is None
            use(page, ("target", 1))
            assert picked() == ["target", 1]
            press(page, "Escape")
        assert page.evaluate(_STATE)["links"] == []
        # Words with other numbers than before are not mistaken for the picked one.
        use(page, ("source", 2))
        use(page, ("source", 0))
        use(page, ("source", 2))
        press(page, "Home", "j")
        assert page.locator(".source .word").all_inner_texts() == ["sheslept", "well"]
        assert picked() is None
    window.close()
