"""A page that was opened before, in another tab or on another device, undoes no finished work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.browser.page_work import press
from tests.browser.people_site import SHOWN, Site, item, served_project

from wordorder.people.items import InputText, annotation_items
from wordorder.people.protocol import ANNOTATE, Protocol, Scale, rating_protocol

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

SOURCE = InputText("SOURCE", "s", ["she slept well", "so it was"])
TARGET = InputText("TARGET", "t", ["sie schlief gut", "so war es"])
PAIRS = [item(line, f"s{line}", f"r{line}", f"one {line}", f"two {line}") for line in (1, 2)]
RATERS = 6
PROTOCOLS: dict[str, tuple[Protocol, Any, str]] = {
    "annotate": (ANNOTATE, annotation_items(SOURCE, TARGET), "annotate.html"),
    "talbot": (rating_protocol("talbot", ratings=RATERS, max_share=1), PAIRS, "rate.html"),
    "preference": (rating_protocol("preference", ratings=RATERS), PAIRS, "rate.html"),
    "slider": (
        Protocol("scale", "all", RATERS, 1.0, Scale("slider", 0, 100, 1)),
        PAIRS,
        "rate.html",
    ),
}
REFUSED = "answered elsewhere: reload"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Site]]:
    """Serve a protocol; each is served once."""
    sites: dict[str, Site] = {}
    folder = tmp_path_factory.mktemp("projects")
    with ExitStack() as stack:

        def get(name: str) -> Site:
            if name not in sites:
                protocol, items, page = PROTOCOLS[name]
                made = served_project(folder / f"{name}.db", protocol, items, RATERS, page)
                sites[name] = stack.enter_context(made)
            return sites[name]

        yield get


@pytest.fixture
def contexts(browser: Browser) -> Iterator[list[BrowserContext]]:
    """Return two devices."""
    made = [browser.new_context(), browser.new_context()]
    for context in made:
        context.set_default_timeout(10_000)
        context.on("dialog", lambda dialog: dialog.accept())
    yield made
    for context in made:
        context.close()


def answer(page: Page, name: str, much: bool) -> Any:
    """Answer the page in one of two ways; return what the server is to keep."""
    if name == "annotate":
        press(page, *(("1", "2", "3") if much else ("3",)))
        return [[0, 0, "sure"], [1, 1, "sure"], [2, 2, "sure"]] if much else [[2, 0, "sure"]]
    if name == "talbot":
        press(page, *("65" if much else "00"))
        return [6, 5] if much else [0, 0]
    if name == "preference":
        press(page, "a" if much else "b")
        return "A" if much else "B"
    for number in page.get_by_role("spinbutton").all():
        number.fill("70" if much else "0")
    return [70, 70] if much else [0, 0]


def save(page: Page, name: str) -> None:
    if name == "annotate":
        press(page, "Enter")
        page.wait_for_timeout(300)
        if page.locator("#asking[open]").count():
            press(page, "y")
    else:
        page.click("#done")


def place(page: Page, text: str) -> None:
    page.locator("#place", has_text=text).wait_for()


def values(site: Site, token: str) -> list[Any]:
    """Return what was answered, in the order in which it came."""
    found = [value for _, value in site.events(token)]
    return [value["links"] if isinstance(value, dict) else value for value in found]


@pytest.mark.parametrize("devices", [1, 2], ids=["tabs", "devices"])
@pytest.mark.parametrize("name", list(PROTOCOLS))
def test_a_page_opened_before_is_told_to_reload(
    site: Callable[[str], Site], contexts: list[BrowserContext], name: str, devices: int
) -> None:
    served = site(name)
    token = served.token()
    first, stale = (served.open(contexts[n % devices], token) for n in range(2))
    finished = answer(first, name, much=True)
    save(first, name)
    place(first, " 2 of 2")
    answer(stale, name, much=False)
    save(stale, name)
    stale.locator("#notice", has_text=REFUSED).wait_for()
    stale.locator("#saved", has_text=f"Not saved: {REFUSED}").wait_for()
    assert values(served, token) == [finished]
    stale.reload()
    stale.wait_for_selector(SHOWN)
    place(stale, " 2 of 2")
    press(stale, "PageUp" if name == "annotate" else "p")
    place(stale, " 1 of 2")
    stale.locator("#notice", has_text="Answered elsewhere since").wait_for()
    if name == "annotate":
        assert stale.locator(".links path").count() == 3
        # What was done in the tab is not lost: it is one step ahead, and can be saved now.
        press(stale, "r")
        assert stale.locator(".links path").count() == 1
    changed = answer(stale, name, much=False) if name != "annotate" else [[2, 0, "sure"]]
    save(stale, name)
    place(stale, " 2 of 2")
    assert values(served, token) == [finished, changed]


@pytest.mark.parametrize("name", list(PROTOCOLS))
def test_a_queue_of_a_device_without_a_network_replaces_nothing(
    site: Callable[[str], Site], contexts: list[BrowserContext], name: str
) -> None:
    served = site(name)
    token = served.token()
    here, away = (served.open(context, token) for context in contexts)
    contexts[1].set_offline(True)
    answer(away, name, much=False)
    save(away, name)
    away.locator("#saved", has_text="1 answer is not saved yet.").wait_for()
    finished = answer(here, name, much=True)
    save(here, name)
    place(here, " 2 of 2")
    contexts[1].set_offline(False)
    away.locator("#saved", has_text=f"Not saved: {REFUSED}").wait_for()
    assert values(served, token) == [finished]


def test_going_on_from_a_page_opened_before_changes_nothing(
    site: Callable[[str], Site], contexts: list[BrowserContext]
) -> None:
    """PageDown saves too: as a draft, since the page knows nothing of the finished answer."""
    served = site("annotate")
    token = served.token()
    first, stale = (served.open(contexts[0], token) for _ in range(2))
    finished = answer(first, "annotate", much=True)
    save(first, "annotate")
    place(first, "2 of 2")
    answer(stale, "annotate", much=False)
    press(stale, "PageDown")
    stale.locator("#notice", has_text=REFUSED).wait_for()
    assert stale.inner_text("#place") == "Sentence 1 of 2"
    assert values(served, token) == [finished]
    # A finished sentence whose links are all removed stays finished until it is saved again.
    press(first, "PageUp")
    place(first, "1 of 2")
    for _ in range(3):
        press(first, "Delete", "ArrowRight")
    press(first, "PageDown")
    place(first, "2 of 2")
    assert values(served, token) == [finished]
    press(first, "PageUp")
    first.get_by_text("Not saved yet, kept in this browser.").wait_for()
    assert first.locator(".links path").count() == 0


def test_drafts_and_steps_are_those_of_the_tab(
    site: Callable[[str], Site], contexts: list[BrowserContext]
) -> None:
    served = site("annotate")
    token = served.token()
    one, two = (served.open(contexts[0], token) for _ in range(2))
    press(one, "1", "2")
    press(two, "3")
    for page, links in ((one, 2), (two, 1)):
        page.reload()
        page.wait_for_selector(SHOWN)
        assert page.locator(".links path").count() == links
        press(page, *["u"] * links)
        assert page.locator(".links path").count() == 0
        press(page, *["r"] * links)
    # A tab that is new takes the newest, also of a tab that is closed, and leaves it there.
    two.close()
    three = served.open(contexts[0], token)
    assert three.locator(".links path").count() == 1
    press(three, "u")
    one.reload()
    one.wait_for_selector(SHOWN)
    assert one.locator(".links path").count() == 2


@pytest.mark.parametrize("name", ["annotate", "talbot"])
def test_whoever_is_done_can_go_back_after_a_reload(
    site: Callable[[str], Site], contexts: list[BrowserContext], name: str
) -> None:
    served = site(name)
    token = served.token()
    page = served.open(contexts[0], token)
    for number in (1, 2):
        place(page, f" {number} of 2")
        answer(page, name, much=True)
        save(page, name)
    page.wait_for_selector("#end:not([hidden])")
    before = values(served, token)
    for _ in range(2):
        page.reload()
        page.wait_for_selector("#end:not([hidden])")
        # Keys of the words do nothing where there are none.
        press(page, "3", "Delete", "Enter", "PageDown")
        if name == "annotate":
            press(page, "PageUp")
        else:
            page.get_by_role("button", name="Back to the last page").click()
        place(page, " 2 of 2")
    assert values(served, token) == before
    page.reload()
    page.get_by_role("button", name="Back to the last").click()
    place(page, " 2 of 2")


@pytest.mark.parametrize("control", ["", "The object follows."])
def test_checks_are_spoken_of_where_there_are_some(
    browser: Browser, tmp_path: Path, control: str
) -> None:
    pairs = [*PAIRS, item(3, "s3", "r3", "right", "wrong", control=control)]
    window = browser.new_context()
    with served_project(
        tmp_path / "p.db", rating_protocol("preference", ratings=1), pairs, 1
    ) as it:
        said = it.open(window).text_content("#instructions") or ""
    assert "The sides are random." in said
    assert ("checks" in said) == bool(control)
    window.close()
