"""The page of a meta-evaluation in a real browser."""

from typing import Any

import pytest
from tests.browser.axe import axe_script, violations
from tests.browser.conftest import Tab
from tests.browser.page_work import box_of, press
from tests.browser.test_hostile_text import PAYLOADS, STRUCTURE, unseen
from tests.browser.test_page import CONTRASTS, column, open_all, width
from tests.report.meta_evaluations import hostile_meta, large_meta, small_meta

from wordorder.report.judgement_page.page import judgement_page

# A cell of each part that has a name or a sentence, and what is on it.
FIELDS = {
    "title": "title",
    "h1": "title",
    "nav a": "set",
    "header .note": "reading",
    ".matrix thead bdi": "set",
    ".matrix tbody th": "metric",
    ".lead": "reading",
    ".remark": "remark",
    ".facts dd": "people, test, interval",
    ".results tbody th": "metric",
    ".results tbody td": "reason",
    ".tests th": "metric",
    "figcaption": "metric",
    "#notes li": "note",
    "#signatures dd": "signature",
}


@pytest.fixture(scope="module")
def large() -> str:
    return judgement_page(large_meta(30), notes=["A note."])


def test_payloads_stay_text(tab: Tab) -> None:
    def hostile(payload: str) -> str:
        return judgement_page(hostile_meta(payload), title=payload, notes=[payload])

    page = tab.open(hostile("harmless"))
    expected = page.evaluate(STRUCTURE)
    for payload in PAYLOADS[::2]:
        tab.show(page, hostile(payload))
        # A long name moves from its dot into a list, so drawings may differ.
        assert without_drawings(page.evaluate(STRUCTURE)) == without_drawings(expected), payload
        assert not page.evaluate(
            "document.querySelectorAll('svg :is(script, image, a, use)').length"
        )
        assert unseen(page, payload[:29], FIELDS) == [], payload
        assert tab.noted == [], payload


def without_drawings(structure: str) -> list[str]:
    drawn = ("svg", "g", "path", "text", "circle", "rect", "desc", "title")
    return [line for line in structure.split("\n") if line.split(" ")[0] not in drawn]


def test_tables_are_sorted_and_filtered_with_the_keyboard(tab: Tab, large: str) -> None:
    page = tab.open(large)
    table = page.locator("#overview table").first
    head = table.locator("thead th").nth(2)
    head.get_by_role("button").focus()
    press(page, "Enter")
    assert head.get_attribute("aria-sort") == "descending"
    press(page, "Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    cells = table.locator("tbody tr > :nth-child(3)")
    values = cells.evaluate_all("all => all.map((each) => each.dataset.value)")
    numbers = [float(value) for value in values if value]
    assert numbers == sorted(numbers)
    # The metric without a number stays at the end.
    assert [value == "" for value in values] == [False] * 19 + [True]
    field = page.locator("#overview").get_by_label("Filter the rows").first
    field.focus()
    page.keyboard.type("METRIC-1")
    assert len(column(page, "#overview .scroll:first-of-type .matrix", 1)) == 7
    assert page.locator("#overview output").first.inner_text() == "7 of 20 shown"


def test_all_can_be_read_without_scripts(tab: Tab, large: str) -> None:
    page = tab.open(large, java_script_enabled=False)
    assert page.locator("noscript p").is_visible()
    assert page.locator(".controls:visible").count() == 0
    page.locator("#set-1 details summary").first.click()
    assert page.locator("#set-1 .tests").is_visible()
    page.get_by_role("link", name="wmt13 fr-en: acc-eq of segments").first.click()
    assert 0 <= box_of(page.locator("#set-4"))["y"] < 720


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_background(tab: Tab, scheme: Any) -> None:
    page = tab.open(judgement_page(small_meta(), notes=["A note."]), color_scheme=scheme)
    open_all(page)
    found = page.evaluate(CONTRASTS)
    assert len(found) > 100
    assert [text[:200] for contrast, text in found if contrast < 4.5] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_core_finds_nothing(tab: Tab, scheme: Any) -> None:
    page = tab.open(
        judgement_page(small_meta(), notes=["A note."]), color_scheme=scheme, bypass_csp=True
    )
    open_all(page)
    assert violations(page, axe_script()) == []


@pytest.mark.parametrize("wide", [320, 1600])
def test_the_page_is_as_wide_as_the_window(tab: Tab, large: str, wide: int) -> None:
    page = tab.open(large, viewport={"width": wide, "height": 700})
    open_all(page)
    assert width(page) == (wide, wide)


def test_on_paper_tests_are_printed_and_nothing_is_cut(tab: Tab) -> None:
    page = tab.open(
        judgement_page(small_meta()), color_scheme="dark", viewport={"width": 718, "height": 1000}
    )
    page.emulate_media(media="print")
    assert page.locator(".tests").first.is_visible()
    assert not page.locator("nav").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert width(page) == (718, 718)
