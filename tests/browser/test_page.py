"""The page of an analysis in a real browser: as it looks, and as it is used."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.browser.axe import axe_script, violations
from tests.browser.conftest import Tab
from tests.browser.page_work import box_of, press
from tests.notes import noted
from tests.report.page_analyses import large_analysis, order_analysis, sample_analysis, sections
from tests.report.page_translations import page_translations

from wordorder.analysis.corpus import AnalysedSystem, Corpus
from wordorder.analysis.files import analyze_files
from wordorder.analysis.section import Group, Section, Value
from wordorder.report.page.page import report_page
from wordorder.samples import sample_path
from wordorder.treebank.treebank import Treebank

if TYPE_CHECKING:
    from playwright.sync_api import Page

TABLE = "#section-words-by-form table"

# The contrast of each visible text in HTML with what is behind it (WCAG 2, 1.4.3).
CONTRASTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d");
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = numbers(colour).map((c) => {
      c /= 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const back = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (numbers(colour)[3] !== 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const found = [];
  for (const element of document.querySelectorAll("body *:not(svg, svg *, script, noscript)")) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || !element.checkVisibility()) continue;
    const [a, b] = [light(getComputedStyle(element).color), light(back(element))];
    found.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), element.outerHTML]);
  }
  return found;
}"""


@pytest.fixture(scope="module")
def sample() -> str:
    return report_page(sample_analysis(), pictures=4, source_language="en", target_language="ja")


def open_finding(page: Page) -> None:
    """Follow the link of the first finding."""
    page.locator("#findings a[href='#section-words-by-form']").first.click()
    page.locator(TABLE).wait_for(state="visible")


def column(page: Page, table: str, number: int) -> list[str]:
    """Return the cells of a column of the rows that are seen."""
    rows = page.locator(f"{table} tbody tr:visible > :nth-child({number})")
    return rows.all_text_contents()


def width(page: Page) -> tuple[int, int]:
    """Return the width of the whole page and that of the window."""
    wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    return wide[0], wide[1]


def list_all(page: Page) -> None:
    """List the sentences that are packed too."""
    page.locator("#sentence-all").click()
    page.locator("#sentence-all").wait_for(state="detached")


def open_all(page: Page) -> None:
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")


def test_the_page_opens_without_a_word(tab: Tab, sample: str) -> None:
    page = tab.open(sample)
    assert page.title() == "Word order report"
    assert page.locator(".grid td").count() == 6
    assert page.locator("details.sentence").count() == 30
    list_all(page)
    assert page.locator("details.sentence").count() == 72
    numbers = page.locator("details.sentence b").all_text_contents()
    assert sorted(set(numbers), key=int) == [str(n) for n in range(1, 73)]
    open_all(page)
    assert page.locator("details.sentence svg:visible").count() >= 8
    # Every drawing has its place: none is drawn over what follows.
    for drawing in page.locator("svg:visible").all()[:8]:
        assert box_of(drawing)["height"] > 50


def test_a_table_is_sorted_with_the_keyboard(tab: Tab, sample: str) -> None:
    page = tab.open(sample)
    open_finding(page)
    before = column(page, TABLE, 2)
    head = page.locator(f"{TABLE} th").nth(1)
    assert head.get_attribute("aria-sort") is None
    head.get_by_role("button").focus()
    press(page, "Enter")
    assert head.get_attribute("aria-sort") == "descending"
    assert column(page, TABLE, 2) == sorted(before, key=int, reverse=True)
    press(page, "Space")
    assert head.get_attribute("aria-sort") == "ascending"
    assert column(page, TABLE, 2) == sorted(before, key=int)
    # The next column's button is the next stop, and takes the sorting over.
    press(page, "Tab", "Enter")
    assert head.get_attribute("aria-sort") is None
    assert column(page, TABLE, 3) == sorted(column(page, TABLE, 3), key=float, reverse=True)
    # Text begins with the alphabet, and numbers in it count as numbers.
    page.get_by_role("button", name="form of words").press("Enter")
    assert column(page, TABLE, 1) == [f"words {number}" for number in range(20)]


def test_a_table_is_filtered_by_typing(tab: Tab, sample: str) -> None:
    page = tab.open(sample)
    open_finding(page)
    field = page.locator("#section-words-by-form").get_by_label("Filter the rows")
    field.focus()
    page.keyboard.type("WORDS 1")
    assert len(column(page, TABLE, 1)) == 11
    assert page.locator("#section-words-by-form output").inner_text() == "11 of 20 shown"
    field.fill("")
    assert len(column(page, TABLE, 1)) == 20


def test_a_sentence_is_folded_with_the_keyboard(tab: Tab, sample: str) -> None:
    page = tab.open(sample)
    sentence = page.locator("details.sentence").nth(1)
    body = sentence.locator("table.view")
    assert not body.is_visible()
    sentence.locator("summary").focus()
    press(page, "Enter")
    assert body.is_visible()
    press(page, "Space")
    assert not body.is_visible()


def test_the_first_stop_leads_to_the_content(tab: Tab, sample: str) -> None:
    page = tab.open(sample)
    press(page, "Tab")
    skip = page.locator(".skip")
    assert skip.evaluate("each => each === document.activeElement")
    assert box_of(skip)["x"] >= 0
    press(page, "Enter")
    assert page.evaluate("document.activeElement.id") == "content"


def test_what_has_the_focus_is_seen(tab: Tab, sample: str) -> None:
    page = tab.open(sample)
    for _ in range(12):
        press(page, "Tab")
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineWidth")
        assert float(outline.removesuffix("px")) >= 2


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize("wide", [390, 1280])
def test_an_example_leads_into_its_sentence(
    tab: Tab, sample: str, scripts: bool, wide: int
) -> None:
    """Its heading is seen too, and so is that of a table."""
    page = tab.open(sample, java_script_enabled=scripts, viewport={"width": wide, "height": 720})
    open_finding(page)
    summary = page.locator("details:has(> #section-words-by-form) > summary")
    assert 0 <= box_of(summary)["y"] < 720
    # Without scripts only those can be opened that are listed.
    links = page.locator(f"{TABLE} a").all()
    link = next(e for e in links if page.locator(str(e.get_attribute("href"))).count())
    shown = str(link.get_attribute("href"))
    assert not page.locator(shown).is_visible()
    link.click()
    page.locator(shown).wait_for(state="visible")
    assert 0 <= box_of(page.locator(f"details:has(> {shown}) > summary"))["y"] < 720


def test_a_link_leads_to_a_packed_sentence(tab: Tab, sample: str) -> None:
    page = tab.open(sample)
    listed = page.locator(".sentence > div").evaluate_all("a => a.map(e => `#${e.id}`)")
    (packed, *_) = sorted({f"#s{n}" for n in range(1, 73)} - set(listed))
    page.evaluate("place => { location.hash = place }", packed)
    page.locator(packed).wait_for(state="visible")
    assert page.locator("details.sentence").count() == 72
    page.evaluate("scrollTo(0, 0)")
    # Where the address names it already, a click leads there again.
    page.evaluate(
        "place => { const a = document.createElement('a'); a.href = place; a.id = 'again';"
        " a.textContent = 'again'; document.querySelector('header').append(a) }",
        packed,
    )
    page.locator("#again").click()
    page.wait_for_function("scrollY > 300")


def test_sentences_are_sorted_and_filtered(tab: Tab, sample: str) -> None:
    page = tab.open(sample)
    numbers = page.locator("details.sentence:visible > summary > b")
    # The order of the text needs no others than those that are listed.
    listed = numbers.count()
    page.get_by_label("Sort by").select_option("number")
    page.get_by_label("highest first").uncheck()
    found = list(map(int, numbers.all_text_contents()))
    assert found == sorted(found)
    assert len(found) == listed < 72
    page.get_by_label("Sort by").select_option("lowest score")
    page.locator("details.sentence").nth(71).wait_for(state="attached")
    scores = page.locator("details.sentence .score").all_text_contents()
    lowest = [float(text.split("–")[0]) for text in scores]
    assert lowest == sorted(lowest)
    page.get_by_label("Sort by").select_option("length")
    page.get_by_label("highest first").check()
    lengths = page.locator("details.sentence").evaluate_all(
        "all => all.map((each) => Number(each.dataset.keys.split(' ')[0]))"
    )
    assert lengths == sorted(lengths, reverse=True)
    page.get_by_label("Filter by text").fill("enja-003")
    assert numbers.all_text_contents() == ["3"]
    assert page.locator("#sentence-count").inner_text() == "1 of 72 shown"
    page.get_by_label("Filter by text").fill("")
    keys = page.locator("details.sentence").evaluate_all(
        "all => all.map((each) => each.dataset.keys.split(' ').map(Number))"
    )
    page.locator("#sentence-short").fill("5")
    assert numbers.count() == sum(key[0] <= 5 for key in keys)
    page.locator("#sentence-short").fill("")
    page.get_by_label("Best is").select_option("P2R5")
    best = 4 + 5
    assert numbers.count() == sum(key[best] == max(key[4:]) for key in keys)
    page.get_by_label("Best is").select_option("any system")
    page.get_by_label("only with pictures").check()
    assert numbers.count() == 4
    page.get_by_label("Sort by").select_option("number")
    page.get_by_label("highest first").uncheck()
    shown = [int(text) for text in numbers.all_text_contents()]
    assert shown == sorted(int(text) for text in numbers.all_text_contents())


def test_all_can_be_read_without_scripts(tab: Tab, sample: str) -> None:
    page = tab.open(sample, java_script_enabled=False)
    open_finding(page)
    assert page.locator("noscript p").is_visible()
    assert page.locator(".controls:visible").count() == 0
    assert page.get_by_role("button").count() == 0
    assert len(column(page, TABLE, 1)) == 20
    sentence = page.locator("details.sentence").first
    sentence.locator("summary").focus()
    press(page, "Enter")
    assert sentence.locator("table.view").is_visible()


@pytest.mark.parametrize(("scheme", "wide"), [("light", 1280), ("dark", 390)])
def test_text_stands_out_from_its_background(tab: Tab, sample: str, scheme: Any, wide: int) -> None:
    page = tab.open(sample, color_scheme=scheme, viewport={"width": wide, "height": 800})
    open_all(page)
    found = page.evaluate(CONTRASTS)
    assert len(found) > 1000
    assert [text[:200] for contrast, text in found if contrast < 4.5] == []
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(21, 24, 28)"
    assert dark == (scheme == "dark")


def test_on_paper_there_is_no_menu_and_nothing_is_cut(tab: Tab, sample: str) -> None:
    page = tab.open(sample, color_scheme="dark", viewport={"width": 700, "height": 900})
    for sentence in page.locator("details.sentence").all()[:3]:
        sentence.evaluate("each => { each.open = true }")
    page.emulate_media(media="print")
    # Tables are printed, folded or not; of the sentences those that are open.
    assert page.locator(TABLE).is_visible()
    assert page.locator("table.view:visible").count() == 3
    assert not page.locator("nav").is_visible()
    assert page.locator(".controls:visible").count() == 0
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert [text[:200] for contrast, text in page.evaluate(CONTRASTS) if contrast < 4.5] == []
    assert width(page) == (700, 700)


def test_a_table_of_many_columns_fits_on_paper(tab: Tab) -> None:
    header = (
        "label in gold,head in gold,head in parser,words,sentences,order changed,better,worse,"
        "distance in gold,distance in parser,with others,frs lost x100"
    )
    names = ("obl:unmarked", "VERB before", "PUNCT after")
    row: tuple[Value, ...] = (*names, 30, 30, 26, 17, 3, 14.5, 2.25, 30, 0.2631)
    title, reading = "Heads that a parser has otherwise", "One head."
    examples = ((160, 667, 217, 491, 112),)
    wide = Section("heads", title, reading, tuple(header.split(",")), (row,), examples)
    analysis = replace(large_analysis(700, 1, 1), sections=(wide,))
    # A sheet of A4 with margins of 1 cm.
    page = tab.open(
        report_page(analysis, pictures=0), viewport={"width": 718, "height": 1000}, bypass_csp=True
    )
    page.emulate_media(media="print")
    # Whatever fonts a machine has: the widest are those whose letters are all of one width.
    for family in ("sans-serif", "serif", "monospace"):
        page.add_style_tag(content=f"* {{ font-family: {family} !important }}")
        assert width(page)[0] <= 718


@pytest.mark.parametrize("wide", [320, 1600])
def test_the_page_is_as_wide_as_the_window(tab: Tab, sample: str, wide: int) -> None:
    page = tab.open(sample, viewport={"width": wide, "height": 700})
    open_all(page)
    assert width(page) == (wide, wide)


def test_nothing_of_a_triangle_is_cut(tab: Tab) -> None:
    page = tab.open(report_page(large_analysis(5, 1, 6)), viewport={"width": 1280, "height": 700})
    page.evaluate(
        """() => document.querySelectorAll(".triangle th bdi").forEach(
            (each) => { each.textContent = "parser/head-final" })"""
    )
    cut = "each => each.scrollWidth > each.clientWidth"
    assert not any(each.evaluate(cut) for each in page.locator(".triangle").all())


def test_the_answer_is_seen_first(tab: Tab, sample: str) -> None:
    """The answer and three sentences, below them the findings; on a phone a sentence."""
    page = tab.open(sample, viewport={"width": 1280, "height": 720})
    assert page.locator(".first svg").count() == 3
    for place in (".lead", *(f".first figure:nth-child({n}) svg" for n in (1, 2, 3))):
        box = box_of(page.locator(place))
        assert box["y"] + box["height"] < 720, place
    assert page.locator("details[open]").count() == 0
    page = tab.open(sample, viewport={"width": 360, "height": 740})
    for drawing in (*page.locator(".first svg").all(), page.locator("#scores .narrow svg")):
        box = box_of(drawing)
        assert box["x"] + box["width"] <= 360
    assert page.locator(".first svg").first.evaluate("e => e.getBoundingClientRect().top") < 740
    assert not page.locator("#scores .wide").is_visible()


@pytest.mark.parametrize("wide", [390, 768, 1280])
def test_no_cell_of_a_table_is_out_of_sight(tab: Tab, sample: str, wide: int) -> None:
    """What a table is ranked by is seen first; a table that is too wide becomes cards."""
    header = tuple(f"column number {n}" for n in range(12))
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (f"word {r}", *(1000 * r + n for n in range(11)), 0.5 * r) for r in range(1, 4)
    )
    table = Section("wide", "Wide", "Read.", (*header, "CDER points"), rows, group=Group.BLOCKS)
    analysis = replace(sample_analysis(), sections=(table,))
    page = tab.open(report_page(analysis), viewport={"width": wide, "height": 720})
    open_all(page)
    page.locator("#section-wide table").wait_for(state="visible")
    page.wait_for_timeout(100)
    for cell in page.locator("#section-wide tbody :is(th, td)").all():
        box = box_of(cell)
        if wide < 1000 or "b" in (cell.get_attribute("class") or ""):
            assert box["x"] + box["width"] <= wide, cell.text_content()
    first = page.locator("#section-wide tbody tr").first.locator("td").first
    assert first.text_content() == "0.5000"
    assert "b7" in (first.get_attribute("class") or "")


def test_the_picture_of_the_docs_can_be_made(tab: Tab) -> None:
    """By docs/screenshots.py the first screen of docs/how-to/report.md is made."""
    names = ("head-final", "unchanged", "reversed")
    with noted("no trees of the systems"):
        analysis = analyze_files(
            str(sample_path("reference.orders")),
            systems=tuple(str(sample_path(f"{name}.orders")) for name in names),
            source=str(sample_path("source.en")),
        )
    page = tab.open(report_page(analysis, pictures=0), viewport={"width": 1100, "height": 760})
    assert page.locator(".lead").inner_text() == analysis.answer
    assert page.locator(".findings li").count() >= 8
    if folder := os.environ.get("WORDORDER_PICTURES"):
        page.screenshot(path=str(Path(folder, "report.png")))


@pytest.mark.parametrize(("scheme", "wide"), [("light", 390), ("dark", 1280)])
def test_axe_core_finds_nothing(tab: Tab, sample: str, scheme: Any, wide: int) -> None:
    """The contrasts of the other two are in `test_text_stands_out_from_its_background`."""
    page = tab.open(
        sample, color_scheme=scheme, viewport={"width": wide, "height": 800}, bypass_csp=True
    )
    script = axe_script()
    assert violations(page, script) == []
    open_all(page)
    assert violations(page, script) == []


def test_everything_is_searched_at_once(tab: Tab, sample: str) -> None:
    """Tables with a match open and show the rows that have it; they close again."""
    page = tab.open(sample)
    tables = page.locator("#tables > details:visible")
    sentences = page.locator("details.sentence:visible")
    said = page.locator("#search-count")
    list_all(page)
    assert (tables.count(), sentences.count()) == (2, 72)
    field = page.get_by_label("Search tables and sentences")
    field.fill("WORDS 19")
    assert (tables.count(), sentences.count()) == (1, 0)
    assert said.inner_text() == "found in 1 table (1 row) and 0 sentences"
    # The link leads to the table, not to the first of all.
    table = page.locator("details.finding:visible > div:has(table)").get_attribute("id")
    assert said.get_by_role("link").first.get_attribute("href") == f"#{table}"
    assert column(page, TABLE, 1) == ["words 19"]
    assert page.evaluate("[...CSS.highlights.get('found')].map(String)") == ["words 19"]
    # What is searched in the table is searched besides.
    own = page.locator("#section-words-by-form").get_by_label("Filter the rows")
    own.fill("words 18")
    assert column(page, TABLE, 1) == []
    own.fill("")
    field.fill("enja-003")
    assert (tables.count(), sentences.count()) == (0, 1)
    page.get_by_label("Filter by text").fill("enja-004")
    assert sentences.count() == 0
    assert said.inner_text() == "found in 0 tables (0 rows) and 1 sentence"
    page.get_by_label("Filter by text").fill("")
    # No table has the words of its own field.
    for nowhere in ("in no line at all", "Filter the rows"):
        field.fill(nowhere)
        assert (tables.count(), sentences.count()) == (0, 0)
        assert said.inner_text() == "no match"
    field.fill("")
    assert (tables.count(), sentences.count()) == (2, 72)
    assert said.inner_text() == ""
    assert page.locator("details[open]").count() == 0
    assert page.evaluate("CSS.highlights.get('found').size") == 0
    page.locator(TABLE).evaluate("each => { each.closest('details').open = true }")
    assert len(column(page, TABLE, 1)) == 20


def test_words_from_right_to_left(tab: Tab) -> None:
    analysis = sample_analysis()
    words = Treebank.from_words([["הוא", "אכל", "(", "אורז", ")"]])
    made = Corpus(words, analysis.analysed.corpus.reference[:0].concatenate([]))
    reference = type(analysis.analysed.corpus.reference).from_rows([[1, 0, 2, 3, 4]])
    corpus = replace(made, reference=reference)
    shown = order_analysis(corpus, ())
    page = tab.open(report_page(shown, source_language="he"))
    open_all(page)
    cell = page.locator("table.view td[lang=he]").first
    assert cell.evaluate("each => getComputedStyle(each).direction") == "rtl"
    assert page.locator("summary .text").evaluate("e => getComputedStyle(e).direction") == "rtl"
    assert page.evaluate("getComputedStyle(document.body).direction") == "ltr"


def test_all_orders_of_a_sentence_run_in_its_direction(tab: Tab) -> None:
    analysis = sample_analysis()
    words = Treebank.from_words([["כתב", "הילד", "URL"]])
    orders = type(analysis.analysed.corpus.reference).from_rows([[2, 1, 0]])
    system = AnalysedSystem("R2", orders, np.ones(1), np.zeros(1, bool))
    corpus = Corpus(words, orders)
    page = tab.open(report_page(order_analysis(corpus, [system])))
    open_all(page)
    # The result and the reference begin with a word that runs the other way.
    for cell in page.locator("table.view tbody td[dir]").all():
        assert cell.evaluate("each => getComputedStyle(each).direction") == "rtl"
    assert page.locator("table.view tbody td[dir]").count() == 3


def test_a_thousand_sentences_can_be_used(tab: Tab) -> None:
    page = tab.open(report_page(large_analysis(1000, 2, 3), pictures=5))
    list_all(page)
    assert page.locator("details.sentence").count() == 1000
    page.get_by_label("Sort by").select_option("difference × words")
    page.get_by_label("Filter by text").fill("a")
    page.evaluate("location.hash = '#s500'")
    page.locator("#s500").wait_for(state="visible")


def test_translations_are_drawn_and_fit_on_a_phone(tab: Tab) -> None:
    """References and translations run as their language does; lines cross; nothing is cut off."""
    analysis = page_translations(
        {"A": ["אתמול כתב הילד את המכתב", "עולם שלום"], "B": ["הילד כתב", "שלום עולם"]},
        ["הילד כתב את המכתב אתמול", "שלום עולם"],
        ["the boy wrote the letter yesterday", "hello world"],
        sections(2),
    )
    page = tab.open(
        report_page(analysis, source_language="en", target_language="he"),
        viewport={"width": 360, "height": 740},
    )
    open_all(page)
    assert width(page) == (360, 360)
    cells = page.locator(".translations td[lang=he]")
    assert cells.count() == 6
    assert {each.evaluate("e => getComputedStyle(e).direction") for each in cells.all()} == {"rtl"}
    english = page.locator(".translations td[lang=en]").first
    assert english.evaluate("e => getComputedStyle(e).direction") == "ltr"
    assert page.locator("#s1 svg").count() == 2
    page.get_by_label("Search tables and sentences").fill("letter")
    assert page.locator("details.sentence:visible").count() == 1
