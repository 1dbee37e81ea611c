"""The annotation page for every reader: scripts, screens, colours, spoken names, slow machines."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.browser.annotating import Opened
from tests.browser.annotation_server import sentence
from tests.browser.axe import axe_script, violations
from tests.browser.page_work import box_of, seconds_until_painted

import wordorder.people
from wordorder.drawing import (
    alignments as alignment_svg,
    alignments as word_grid,
    orders as order_svg,
    svg as svg_boxes,
    svg as svg_words,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser

STATIC = Path(wordorder.people.__file__).parent / "static"

SOUP = sentence("the soup was cold", "スープ は 冷たかった")
HEBREW = sentence(
    "I read big books today", "היום קראתי ספרים BIG גדולים", direction={"target": "rtl"}
)
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


def test_arrows_point_where_the_words_are(opened: Opened) -> None:
    page = opened(HEBREW)
    places = [x for x, _ in page.places()["target"]]
    assert places == sorted(places, reverse=True)
    page.keys("ArrowLeft", "ArrowLeft", "3")
    assert page.links() == ["2-2 sure"]
    page.keys("ArrowRight", "ArrowRight", "ArrowRight", "5")
    assert page.links() == ["2-2 sure", "4-0 sure"]
    page.keys("m")
    cells = page.page.locator("#matrix tbody tr").first.locator("td")
    assert box_of(cells.nth(1))["x"] < box_of(cells.nth(0))["x"]


def test_a_phone(opened: Opened) -> None:
    long = " ".join(f"word{at}" for at in range(30))
    page = opened(sentence(long, long), **PHONE)
    for side, at in (("source", 1), ("target", 0), ("target", 2), ("source", 3), ("target", 3)):
        page.word(side, at).tap()
    assert page.links() == ["1-0 sure", "1-2 sure", "3-3 sure"]
    # Words are below each other, and nothing is wider than the screen.
    assert len({round(y) for _, y in page.places()["source"]}) == 30
    assert page.page.evaluate("document.documentElement.scrollWidth") == 360
    for name in ("Undo", "Matrix", "Matrix", "Columns"):
        page.page.get_by_role("button", name=name).tap()
    assert page.links() == ["1-0 sure", "1-2 sure"]
    assert page.page.evaluate("document.documentElement.scrollWidth") == 360
    page.page.get_by_role("button", name="Save and go on").tap()
    page.page.get_by_role("button", name="Save as it is").tap()
    page.shows("All sentences are done")
    assert len(page.server.answers["0"]["links"]) == 2


def test_a_finger_draws_a_link_between_columns(opened: Opened) -> None:
    page = opened(SOUP, **PHONE)
    places = page.places()
    fingers = page.page.context.new_cdp_session(page.page)
    ends = [places["source"][1], places["target"][0]]
    for kind, points in (
        ("touchStart", ends[:1]),
        ("touchMove", [(ends[0][0] + 40, ends[0][1])]),
        ("touchMove", ends[1:]),
        ("touchEnd", []),
    ):
        touches = [{"x": x, "y": y} for x, y in points]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})
    page.until(lambda: page.links() == ["1-0 sure"])


def test_names_for_screen_readers(opened: Opened) -> None:
    page = opened({**SOUP, "suggestions": [[3, 2, "possible"]]})
    page.keys("2")
    names = [
        "soup; source word 2 of 4; linked with スープ (sure); picked; digit 2",
        "は; target word 2 of 3; no link; The target word “は” has no source word.",
        "冷たかった; target word 3 of 3; linked with cold (possible, suggested)",
    ]
    for name in names:
        page.page.get_by_role("button", name=name, exact=True).wait_for()
    assert page.page.locator("#told").text_content() == "soup and スープ linked, sure"
    assert page.page.evaluate("document.activeElement.textContent") == "は"


def test_an_alignment_through_the_tree_of_a_screen_reader(opened: Opened) -> None:
    page = opened(SOUP).page
    tree = page.locator("body").aria_snapshot()
    for part in (
        'heading "Align words" [level=1]',
        'progressbar "sentences done"',
        'group "source words"',
        'img "the soup was cold, スープ は 冷たかった',
        'button "Save and go on"',
    ):
        assert part in tree, part
    # By names alone, as they are heard.
    for source, target in (("soup", "スープ"), ("soup", "は"), ("cold", "冷たかった")):
        page.get_by_role("button", name=f"{source}; source word").press("Space")
        page.get_by_role("button", name=f"{target}; target word").press("Space")
        page.get_by_role("status").get_by_text(f"{source} and {target} linked, sure").wait_for()
        page.keyboard.press("Escape")
    page.get_by_role("button", name="Save and go on").press("Enter")
    page.get_by_role("heading", name="All sentences are done").wait_for()


@pytest.mark.parametrize(
    "options",
    [{}, {"color_scheme": "dark"}, {"forced_colors": "active"}, {**PHONE, "color_scheme": "dark"}],
    ids=["desktop", "dark", "high contrast", "phone"],
)
def test_axe_finds_nothing(opened: Opened, options: dict[str, object]) -> None:
    script = axe_script()
    task = {**HEBREW, "suggestions": [[0, 1, "possible"], [0, 0, "sure", 0.4]]}
    page = opened(task, sentence("so", None), bypass_csp=True, **options)
    page.keys("5")
    page.shows("(target word 3)")
    assert violations(page.page, script) == []
    for key in ("m", "?"):
        page.keys(key)
        assert violations(page.page, script) == []
    page.page.keyboard.press("Escape")
    page.save("0")
    assert violations(page.page, script) == []
    page.page.get_by_label("Translation").fill("so")
    page.keys("Enter", "Enter")
    page.shows("Nothing to align?")
    assert violations(page.page, script) == []
    page.keys("Escape", "1")
    page.save("1")
    assert violations(page.page, script) == []


def test_every_button_has_a_key(opened: Opened) -> None:
    page = opened(SOUP)
    page.keys("?")
    actions = page.page.locator("#keys tr[data-action]").evaluate_all(
        "rows => rows.map((row) => row.dataset.action)"
    )
    buttons = page.page.locator("button[data-action]").evaluate_all(
        "buttons => buttons.map((button) => button.dataset.action)"
    )
    assert set(buttons) <= set(actions)


def test_the_page_shares_its_sizes_with_the_pictures() -> None:
    text = (STATIC / "geometry.js").read_text()
    table = text[text.index("GEOMETRY = {") : text.index("};")]
    shown = dict(re.findall(r"(\w+): \"?([^\",]+)", table))
    drawn = {
        "margin": svg_words.MARGIN,
        "gap": svg_words.GAP,
        "box": svg_words.BOX_HEIGHT,
        "font": svg_boxes.FONT_SIZE,
        "cell": word_grid.CELL,
        "mark": alignment_svg._MARK_RADIUS,
        "tilt": word_grid._TILT,
        "nearest": order_svg._MIN_ROW_STEP,
        "farthest": order_svg._MAX_ROW_STEP,
        "perWord": order_svg._STEP_PER_WORD,
    }
    assert shown == {name: str(value) for name, value in drawn.items()}


def test_the_page_is_small_and_soon_there(opened: Opened, browser: Browser) -> None:
    files = ["annotate.html", "annotate.css", "saving.js"]
    files += re.findall(r'from "\./(\w+\.js)"', "".join(map(_text, STATIC.glob("*.js"))))
    assert sum((STATIC / name).stat().st_size for name in {*files, "annotate.js"}) < 200_000
    # A phone takes 4 times as long.
    assert 4 * seconds_until_painted(browser, opened(SOUP).server.url) < 0.3


def _text(path: Path) -> str:
    return path.read_text("utf-8")
