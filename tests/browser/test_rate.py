"""Rating in a real browser, with the real server: each protocol, and what must not be lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.browser.axe import axe_script, violations
from tests.browser.page_work import press, seconds_until_painted
from tests.browser.people_site import SHOWN, Site, item, served_project
from tests.browser.test_hostile_text import PAYLOADS
from tests.browser.test_page import CONTRASTS

from wordorder.people.protocol import Protocol, Scale, rating_protocol

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

RATERS = 16
SENTENCES = [
    item(1, "昨日、委員会は予算を可決した。", "ref one", "one a", "one b", "one c"),
    item(2, "אתמול הוועדה אישרה תקציב.", "ref two", "two a", "", "two c"),
    item(3, "Drei.", "אתמול ref שלוש", "אחת a", "שתיים (2007).", "ثلاثة"),
]
PAIRS = [
    item(1, "Eins.", "ref one", "one a", "one b"),
    item(2, "Zwei.", "ref two", "two good", "two bad", control="Good is good."),
]
SLIDER = Scale("slider", 0, 100, 1, {"0": "nothing", "100": "all"})
STEPS = Scale("points", -1, 1, 0.5, {"-1": "worse", "1": "better"})
PROTOCOLS = {
    "talbot": (rating_protocol("talbot", ratings=RATERS, max_share=1), SENTENCES),
    "preference": (rating_protocol("preference", ratings=RATERS), PAIRS),
    "slider": (Protocol("scale", "all", RATERS, 1.0, SLIDER, "# Look\n\n- *one*"), SENTENCES[:2]),
    "steps": (Protocol("scale", "one", RATERS, 1.0, STEPS), [item(1, "Eins.", "ref", "one")]),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Site]]:
    """Serve a protocol; each is served once."""
    sites: dict[str, Site] = {}
    folder = tmp_path_factory.mktemp("projects")
    with ExitStack() as stack:

        def get(name: str) -> Site:
            if name not in sites:
                project = served_project(folder / f"{name}.db", *PROTOCOLS[name], RATERS)
                sites[name] = stack.enter_context(project)
            return sites[name]

        yield get


@pytest.fixture(scope="module")
def window(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 900, "height": 700})
    made.set_default_timeout(10_000)
    yield made
    made.close()


@pytest.fixture
def context(window: BrowserContext) -> Iterator[BrowserContext]:
    noted: list[str] = []
    offline = "ERR_INTERNET_DISCONNECTED"
    window.on("console", lambda message: noted.append(f"console: {message.text}"))
    window.on("weberror", lambda error: noted.append(f"error: {error.error}"))
    window.on("dialog", lambda dialog: dialog.accept())
    yield window
    window.set_offline(False)
    for page in window.pages:
        page.close()
    assert [each for each in noted if offline not in each] == []


Opens = Callable[[str], tuple[Site, str, "Page"]]


@pytest.fixture
def opens(site: Callable[[str], Site], context: BrowserContext) -> Opens:
    """Open the first page that a rater has of a protocol; give its site, his token and the page."""

    def first_page(name: str) -> tuple[Site, str, Page]:
        served = site(name)
        token = served.token()
        return served, token, served.open(context, token)

    return first_page


def place(page: Page, text: str) -> None:
    """Wait until a page is shown."""
    page.locator("#place", has_text=text).wait_for()


def end(page: Page) -> str:
    """Wait for the last page and return what it says."""
    page.wait_for_selector("#end:not([hidden])")
    return page.inner_text("#end")


def outputs(page: Page) -> list[str]:
    return page.locator("#answers .text").all_inner_texts()


def texts(page: Page) -> list[str]:
    """Return the source, the reference and the outputs that are shown."""
    return [page.inner_text("#source"), page.inner_text("#reference"), *outputs(page)]


def test_talbot_by_the_keyboard_alone(site: Callable[[str], Site], context: BrowserContext) -> None:
    talbot = site("talbot")
    token = talbot.token()
    received: list[str] = []
    page = context.new_page()
    page.on("response", lambda reply: received.append(f"{reply.headers} {reply.text()}"))
    page.goto(f"{talbot.url}#{token}")
    answers = {}
    for number, keys in enumerate(["603", "000", "514"], 1):
        place(page, f"Page {number} of 3")
        expected = next(each for each in SENTENCES if each.content["source"] == texts(page)[0])
        assert texts(page)[1] == expected.content["reference"]
        shown = [text if text != "(empty)" else "" for text in outputs(page)]
        assert sorted(shown) == sorted(each.text for each in expected.outputs)
        press(page, *keys)
        answers.update(dict(zip(shown, map(int, keys), strict=True)))
        press(page, "Enter")
    said = end(page)
    assert "You have rated 3 pages." in said
    assert "You can close this page." in said
    assert page.inner_text("#saved") == "All answers are saved."
    assert [value for _, value in talbot.events(token)] == [[6, 0, 3], [0, 0, 0], [5, 1, 4]]
    # Each rating is for the output that was above it.
    assert talbot.ratings(token) == answers
    # No name of a system came to the browser, neither then nor later.
    assert len(received) > 10
    assert not [each for each in received if "secret" in each]


def test_a_rating_is_changed_by_going_back_and_every_event_is_kept(opens: Opens) -> None:
    talbot, token, page = opens("talbot")
    assert page.locator("#before").is_disabled()
    press(page, "6", "6", "6", "Enter")
    place(page, "Page 2 of 3")
    # What is rated on a page stays when it is left without being complete.
    press(page, "0", "p")
    place(page, "Page 1 of 3")
    found = page.locator(":checked").evaluate_all("all => all.map((each) => each.value)")
    assert found == [*("6", "6", "6"), "on"]
    press(page, "ArrowDown", "ArrowLeft")
    page.locator("#done").focus()
    press(page, "Enter")
    place(page, "Page 2 of 3")
    assert [value for _, value in talbot.events(token)] == [[6, 6, 6], [6, 5, 6]]
    assert page.locator("fieldset").first.locator(":checked").input_value() == "0"
    # Without a change nothing is saved again.
    press(page, "p")
    place(page, "Page 1 of 3")
    press(page, "Enter")
    place(page, "Page 2 of 3")
    assert len(talbot.events(token)) == 2


def test_an_incomplete_page_is_not_saved(opens: Opens) -> None:
    talbot, token, page = opens("talbot")
    page.locator("fieldset").nth(1).get_by_role("radio", name="0: nonsense").check()
    page.click("#done")
    assert page.inner_text("#notice") == "Translation 1 has no rating yet."
    assert page.evaluate("document.activeElement.name") == "rating-0"
    press(page, "0")
    assert page.inner_text("#notice") == ""
    assert talbot.events(token) == []


def test_a_draft_survives_a_reload_and_a_closed_tab(opens: Opens, context: BrowserContext) -> None:
    talbot, token, page = opens("talbot")
    press(page, "0", "4")
    before = texts(page)
    page.reload()
    page.wait_for_selector(SHOWN)
    again = talbot.open(context, token)
    page.close()
    assert texts(again) == before
    values = "all => all.map((each) => each.value)"
    assert again.locator("fieldset :checked").evaluate_all(values) == ["0", "4"]
    press(again, "6", "Enter")
    place(again, "Page 2 of 3")
    assert [value for _, value in talbot.events(token)] == [[0, 4, 6]]


def test_offline_nothing_is_called_saved_and_nothing_is_lost(
    opens: Opens, context: BrowserContext
) -> None:
    talbot, token, page = opens("talbot")
    context.set_offline(True)
    press(page, "1", "2", "3", "Enter")
    page.locator("#saved", has_text="1 answer is not saved yet.").wait_for()
    place(page, "Page 1 of 3")
    assert page.evaluate("document.querySelector('#progress').value") == 0
    # The rater changes his mind meanwhile; both are sent, in this order.
    page.locator("fieldset").nth(2).get_by_role("radio", name="5", exact=True).check()
    press(page, "Enter")
    page.locator("#saved", has_text="2 answers are not saved yet.").wait_for()
    assert talbot.events(token) == []
    context.set_offline(False)
    place(page, "Page 2 of 3")
    assert [value for _, value in talbot.events(token)] == [[1, 2, 3], [1, 2, 5]]
    assert page.inner_text("#saved") == ""


def test_preferences_and_what_a_missed_check_shows(opens: Opens) -> None:
    preference, token, page = opens("preference")
    choices: dict[str, Any] = {}
    for _ in PAIRS:
        source = texts(page)[0]
        is_check = source == "Zwei."
        right = "AB"[outputs(page).index("two good")] if is_check else ""
        key = {"A": "b", "B": "1", "": "d"}[right]
        press(page, key)
        choices[source] = {"b": "B", "1": "A", "d": "unknown"}[key]
        press(page, "Enter")
        if is_check:
            page.wait_for_selector("#feedback:not([hidden])")
            assert page.inner_text("#right") == f"The right answer is {right}."
            assert page.inner_text("#explanation") == "Good is good."
            press(page, "Enter")
        if len(choices) == 1:
            place(page, "Page 2 of 2")
    end(page)
    assert dict(preference.events(token)) == choices


def test_no_side_is_marked_before_a_choice(opens: Opens) -> None:
    """Neither on load nor after a page was saved by a key."""
    _, _, page = opens("preference")
    has_ring = "document.querySelector('.point:has(:focus-visible)') !== null"
    question = "document.activeElement.className === 'choice'"
    for number in (1, 2):
        place(page, f"Page {number} of ")
        assert page.evaluate(question)
        assert not page.evaluate(has_ring)
        # By the Tab key the question as a whole is framed.
        page.keyboard.press("Tab")
        outline = "(where) => getComputedStyle(document.querySelector(where)).outlineStyle"
        assert page.evaluate(outline, ".choice") == "dashed"
        assert page.evaluate(outline, ".point") == "none"
        press(page, "b", "Enter")
        # A check that is missed explains itself first.
        page.wait_for_timeout(500)
        if page.locator("#feedback").is_visible():
            page.click("#seen")


def test_dots_lead_to_finished_pages_and_to_the_next(opens: Opens) -> None:
    _, _, page = opens("talbot")
    dots = page.locator("#dots button")
    names = [dot.get_attribute("aria-label") for dot in dots.all()]
    assert names == ["Page 1, not done", "Page 2, not done", "Page 3, not done"]
    assert [dot.is_enabled() for dot in dots.all()] == [True, False, False]
    press(page, "1", "2", "3", "Enter")
    place(page, "Page 2 of 3")
    assert dots.nth(0).get_attribute("aria-label") == "Page 1, done"
    dots.nth(0).click()
    place(page, "Page 1 of 3")
    assert dots.nth(0).get_attribute("aria-current") == "page"
    # One stop of the Tab key, and arrows from dot to dot.
    dots.nth(0).focus()
    press(page, "ArrowRight", "Enter")
    place(page, "Page 2 of 3")


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", ["talbot", "preference", "slider"])
def test_the_task_comes_first(
    site: Callable[[str], Site], browser: Browser, name: str, width: int
) -> None:
    """What is rated is on the first screen, and the buttons are in one line at its bottom."""
    window = browser.new_context(viewport={"width": width, "height": 800})
    page = site(name).open(window)
    place(page, "Page 1 of ")
    top = "(where) => document.querySelector(where).getBoundingClientRect().top"
    assert page.evaluate(top, "#given") < 150
    back, save = (page.locator(where).bounding_box() for where in ("#before", "#done"))
    assert back is not None
    assert save is not None
    assert back["y"] == save["y"] > 700
    assert back["x"] < width / 3 < save["x"]
    assert save["y"] + save["height"] <= 800
    window.close()


def test_sides_are_random(site: Callable[[str], Site]) -> None:
    sides = site("preference").rows("SELECT shown FROM task WHERE item = 0")
    assert len(sides) == RATERS
    assert len(set(sides)) == 2


def test_slider_by_keys_and_by_typing(opens: Opens) -> None:
    slider, token, page = opens("slider")
    assert page.inner_text("#instructions h2") == "Look"
    assert page.inner_html("#instructions ul") == "<li><em>one</em></li>"
    # A slider that nobody touched is no answer.
    page.click("#done")
    assert page.inner_text("#notice") == "Translation 1 has no rating yet."
    press(page, "Home", "Enter", "Space", "Enter")
    page.keyboard.type("175")
    press(page, "Enter")
    assert slider.events(token) == []
    press(page, "Backspace")
    assert page.locator("fieldset").nth(2).get_by_role("slider").input_value() == "17"
    press(page, "Enter")
    place(page, "Page 2 of 2")
    assert [value for _, value in slider.events(token)] == [[0, 50, 17]]


def test_points_with_steps_have_keys_by_their_place(opens: Opens) -> None:
    steps, token, page = opens("steps")
    assert page.inner_text("fieldset .points").split() == "-1 1 -0.5 2 0 3 0.5 4 1 5".split()
    press(page, "2", "Enter")
    assert "You have rated 1 page." in end(page)
    assert steps.events(token) == [("Eins.", [-0.5])]
    page.get_by_role("button", name="Back to the last page").click()
    place(page, "Page 1 of 1")
    press(page, "ArrowRight", "Enter")
    end(page)
    assert steps.events(token)[1:] == [("Eins.", [0])]


def test_two_raters_at_once(site: Callable[[str], Site], browser: Browser) -> None:
    talbot = site("talbot")
    tokens = talbot.token(), talbot.token()
    windows = [browser.new_context() for _ in tokens]
    pages = [talbot.open(window, token) for window, token in zip(windows, tokens, strict=True)]
    for number in range(1, 4):
        for page, key in zip(pages, "06", strict=True):
            place(page, f"Page {number} of 3")
            press(page, key, key, key, "Enter")
    for page, token, value in zip(pages, tokens, (0, 6), strict=True):
        end(page)
        assert [each for _, each in talbot.events(token)] == [[value] * 3] * 3
    for window in windows:
        window.close()


@pytest.mark.parametrize("name", ["talbot", "preference", "slider"])
def test_a_phone_with_touch(site: Callable[[str], Site], browser: Browser, name: str) -> None:
    window = browser.new_context(
        viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True
    )
    page = site(name).open(window)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    small = "all => all.filter((e) => e.offsetWidth < 40 || e.offsetHeight < 40).length"
    assert page.locator("button:visible, .point, .slider input").evaluate_all(small) == 0
    if name == "preference":
        page.locator(".point").first.tap()
    else:
        for box in page.locator("fieldset").all():
            box.locator("input").first.tap()
    page.locator("#done").tap()
    page.locator("#place", has_text="Page 2").or_(page.locator("#feedback")).first.wait_for()
    window.close()


def test_right_to_left_lines_and_languages(
    site: Callable[[str], Site], context: BrowserContext
) -> None:
    talbot = site("talbot")
    page = talbot.open(context)
    directions = {}
    for number in (1, 2, 3):
        place(page, f"Page {number} of 3")
        for box in page.locator(".text:visible").all():
            found = box.evaluate("(e) => [getComputedStyle(e).direction, e.lang]")
            directions[box.inner_text()] = found
        press(page, "1", "1", "1", "Enter")
    assert directions["昨日、委員会は予算を可決した。"] == ["ltr", "ja"]
    assert directions["אתמול הוועדה אישרה תקציב."] == ["rtl", "he"]
    assert directions["ثلاثة"][0] == directions["שתיים (2007)."][0] == "rtl"
    assert directions["one a"] == ["ltr", ""]


def test_the_list_of_keys_and_how_letters_are_switched_off(
    site: Callable[[str], Site], context: BrowserContext
) -> None:
    page = site("talbot").open(context)
    press(page, "?")
    assert "rate the translation and go to the next" in page.inner_text("#help")
    page.get_by_label("Letters and digits act as keys").uncheck()
    press(page, "Escape", "4")
    assert page.locator("fieldset :checked").count() == 0
    page.reload()
    page.wait_for_selector(SHOWN)
    press(page, "4")
    assert page.locator("fieldset :checked").count() == 0


def test_links_that_are_not_valid_or_not_complete(
    site: Callable[[str], Site], browser: Browser
) -> None:
    window = browser.new_context()
    page = window.new_page()
    page.goto(site("talbot").url)
    page.locator("#notice", has_text="Open your own link").wait_for()
    page.goto(f"{site('talbot').url}#wrong")
    page.locator("#notice", has_text="the link is not valid").wait_for()
    window.close()


def test_hostile_words_stay_words(browser: Browser, tmp_path: Path) -> None:
    payload = "\n\n".join(PAYLOADS)
    protocol = Protocol("preference", "pair", 2, 1.0, instructions=payload)
    window = browser.new_context()
    noted: list[str] = []
    window.on("console", lambda message: noted.append(message.text))
    window.on("dialog", lambda dialog: noted.append(dialog.message))
    window.on("request", lambda request: noted.append(request.url))
    hostile = item(1, payload, payload, payload, payload + "?", control=payload)
    with served_project(tmp_path / "hostile.db", protocol, [hostile, item(2, *"abcd")], 2) as site:
        page = site.open(window)
        if page.inner_text("#source") == "a":
            press(page, "a", "Enter")
            place(page, "Page 2 of 2")
        assert page.inner_text("#source").strip() == payload
        assert page.inner_text("#reference").strip() == payload
        assert page.evaluate("document.querySelectorAll('#work img, #work script, b').length") == 0
        assert "<script>alert(1)</script>" in str(page.text_content("#instructions"))
        press(page, "ba"[outputs(page).index(payload)], "Enter")
        page.wait_for_selector("#feedback:not([hidden])")
        assert page.inner_text("#explanation").strip() == payload
        assert page.locator(".text *").count() == 0
        assert [each for each in noted if not each.startswith(site.url)] == []
    window.close()


def test_contrast(site: Callable[[str], Site], context: BrowserContext) -> None:
    page = site("talbot").open(context)
    press(page, "6")
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        weak = [each for each in page.evaluate(CONTRASTS) if each[0] < 4.5]
        # A button that cannot be used is weaker.
        assert [each for each in weak if "disabled" not in each[1]] == []


def test_small_and_soon_there(site: Callable[[str], Site], browser: Browser) -> None:
    talbot = site("talbot")
    link = f"{talbot.url}#{talbot.token()}"

    window = browser.new_context()
    page = window.new_page()
    sizes: list[int] = []
    page.on("response", lambda reply: sizes.append(len(reply.body())))
    page.goto(link)
    page.wait_for_load_state("networkidle")
    window.close()
    assert 20_000 < sum(sizes) <= 200_000
    # A phone takes 4 times as long.
    assert 4 * seconds_until_painted(browser, link) <= 0.3


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("name", "width"), [("talbot", 900), ("preference", 390), ("slider", 390)])
def test_axe_core_finds_nothing(
    browser: Browser, tmp_path: Path, name: str, scheme: Any, width: int
) -> None:
    script = axe_script()
    window = browser.new_context(
        bypass_csp=True, color_scheme=scheme, viewport={"width": width, "height": 700}
    )
    with served_project(tmp_path / "p.db", *PROTOCOLS[name], 16) as site:
        page = site.open(window)
        assert violations(page, script) == []
        press(page, "?")
        assert violations(page, script) == []
        press(page, "Escape")
        while not page.locator("#end").is_visible():
            shown = page.inner_text("#place")
            if name == "preference":
                press(page, "a")
            press(page, *("444" if name == "talbot" else ""))
            for number in page.get_by_role("spinbutton").all():
                number.fill("4")
            page.click("#done")
            changed = f"#place:visible:not(:has-text('{shown}')), #end:not([hidden])"
            page.wait_for_selector(f"{changed}, #feedback:not([hidden])")
            if page.locator("#feedback").is_visible():
                assert violations(page, script) == []
                press(page, "Enter")
                page.wait_for_selector(changed)
        assert violations(page, script) == []
    window.close()
