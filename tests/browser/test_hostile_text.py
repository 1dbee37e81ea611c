"""Whatever text stands in an analysis, in the browser it is text and does nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.browser.conftest import Tab
from tests.report.page_analyses import hostile_analysis, sections
from tests.report.page_translations import page_translations

from wordorder.report.page.page import report_page
from wordorder.report.page.sentence_list import LISTED_SENTENCES

if TYPE_CHECKING:
    from playwright.sync_api import Page

PAYLOADS = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</svg></td></table><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><img src=x onerror=alert(1)>',
    "' onfocus='alert(1)' autofocus='",
    '" onfocus="alert(1)" autofocus="',
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><use href='data:image/svg+xml,x#x'/></svg>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<details open ontoggle=alert(1)>",
    "<a href='javascript:alert(1)'>x</a>",
    "javascript:alert(1)",
    "<meta http-equiv=refresh content='0;url=data:text/html,x'>",
    "<base href='https://example.invalid/'>",
    "<link rel=stylesheet href='https://example.invalid/x.css'>",
    "<style>@import 'https://example.invalid/x.css'</style>",
    "<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>",
    "<template><script>alert(1)</script></template>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<textarea><!--",
    "-->",
    "]]>",
    "<![CDATA[<script>alert(1)</script>]]>",
    "{{ 7 * 7 }}{% raw %}",
    "${alert(1)}`",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;alert(1)&#60;/script&#62;",
    "<plaintext>",
    "<b dir=rtl>",
    "\\u003cscript\\u003ealert(1)\\u003c/script\\u003e",
]

# All elements with the names of their attributes: the page's structure. Where names may be broken
# in heads of tables, after a separator, it may have a bare <wbr> more.
STRUCTURE = """() => [...document.querySelectorAll("*")].filter(
  (each) => each.localName != "wbr" || each.attributes.length
).map(
  (each) => [each.localName, ...each.getAttributeNames()].join(" ")
).join("\\n")"""
# Where the text stands as it is, and is not cut to fit a drawing.
FIELDS = {
    "title": "title",
    "h1": "title",
    ".lead": "answer",
    ".findings li": "finding",
    "dl.facts dd": "rule sets",
    ".grid thead bdi": "rules",
    ".grid tbody th bdi": "parser",
    ".triangle th": "systems",
    ".finding > summary": "section title",
    ".finding p": "section reading",
    ".finding .signature": "section signature",
    "table.sortable thead th": "section header",
    "table.sortable tbody th": "section cell",
    ".finding .note": "section note",
    "summary .text": "text",
    "#sentence-sort option": "systems to sort by",
    "table.view tbody th": "systems of a result",
    "table.view tbody td": "words, sent_id, translation",
    "figcaption": "picture",
}


# Likewise of translations.
TRANSLATIONS = {
    "title": "title",
    ".lead": "answer",
    ".findings li": "finding",
    "dl.facts dd": "systems, notes",
    ".finding > summary": "section title",
    "summary .text": "source",
    "#sentence-sort option": "systems to sort by",
    ".translations tr:nth-child(1) td": "source beside translations",
    ".translations tr:nth-child(2) td": "reference",
    ".translations tr:nth-child(3) th": "system",
    ".translations tr:nth-child(3) td": "translation",
}

# What stands in each field.
TEXTS = """(places) => places.map(
  (place) => [...document.querySelectorAll(place)].map((each) => each.textContent)
)"""


def unseen(page: Page, payload: str, fields: dict[str, str] = FIELDS) -> list[str]:
    """Return the fields in which the payload cannot be read."""
    texts = page.evaluate(TEXTS, list(fields))
    return [
        what
        for what, found in zip(fields.values(), texts, strict=True)
        if not any(payload in text for text in found)
    ]


def hostile(payload: str) -> str:
    return report_page(
        hostile_analysis(payload), title=payload, source_language=payload, target_language=payload
    )


def hostile_translations(payload: str) -> str:
    # The same in both, so that nothing is between marks; one sentence is packed.
    size = LISTED_SENTENCES + 1
    analysis = page_translations(
        {payload: [payload] * size, f"{payload} 2": ["other"] * size},
        [payload] * size,
        [payload] * size,
        sections(1, payload),
        (payload,),
    )
    return report_page(
        analysis, title=payload, pictures=0, source_language=payload, target_language=payload
    )


@pytest.fixture(scope="module")
def harmless() -> str:
    return hostile("harmless")


def test_payloads_stay_text(tab: Tab, harmless: str) -> None:
    page = tab.open(harmless)
    expected = page.evaluate(STRUCTURE)
    assert unseen(page, "harmless") == []
    for payload in PAYLOADS:
        tab.show(page, hostile(payload))
        assert page.evaluate(STRUCTURE) == expected, payload
        assert unseen(page, payload) == [], payload
        assert tab.noted == [], payload


def test_payloads_stay_text_in_translations(tab: Tab) -> None:
    page = tab.open(hostile_translations("harmless"))
    assert unseen(page, "harmless", TRANSLATIONS) == []
    # The same templates, of which the test above has tried all.
    for payload in PAYLOADS[::4]:
        # Words are what stands between blanks, and each has a place of its own in drawings.
        tab.show(page, hostile_translations(re.sub(r"\S+", "harmless", payload)))
        page.locator("#sentence-all").click()
        page.locator(f"#s{LISTED_SENTENCES + 1}").wait_for(state="attached")
        expected = page.evaluate(STRUCTURE)
        tab.show(page, hostile_translations(payload))
        assert unseen(page, payload, TRANSLATIONS) == [], payload
        page.locator("#sentence-all").click()
        page.locator(f"#s{LISTED_SENTENCES + 1}").wait_for(state="attached")
        assert page.evaluate(STRUCTURE) == expected, payload
        assert payload in (page.locator(f"#s{LISTED_SENTENCES + 1} td").first.text_content() or "")
        assert tab.noted == [], payload


def test_an_element_more_is_found(tab: Tab, harmless: str) -> None:
    """The test above can fail, and the policy stops a script that got into a page."""
    script = "<script>document.title = 'changed'</script>"
    page = tab.open(harmless.replace("<h1", f"{script}<img src=x onerror=alert(1)><h1"))
    assert page.evaluate(STRUCTURE) != tab.open(harmless).evaluate(STRUCTURE)
    assert page.title() == "harmless"
    assert sum("Content Security Policy" in note for note in tab.noted) >= 3
    assert not any(note.startswith("dialog") for note in tab.noted)
    # A request is noted also where the policy stops it.
    assert sum(note.startswith("request") for note in tab.noted) == 1
    tab.noted.clear()
