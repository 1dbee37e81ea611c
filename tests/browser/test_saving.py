"""No answer is lost between the browser and the server, and none is called saved too early."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from tests.browser.people_double import Double, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

# Loads the module and notes each state that it tells.
LOAD = """async () => {
  window.module = await import("/static/saving.js");
  window.saving = module.saving;
  window.states = [];
  saving.onState((state) => states.push(state.state));
}"""
# Saves in the background, and notes what comes of it.
SAVE = """([task, answer]) => {
  window.replies ??= [];
  saving.save(task, answer).then(
    (reply) => replies.push(reply.event), (error) => replies.push(error.message));
}"""


@pytest.fixture(scope="module")
def server() -> Iterator[Double]:
    with served(Double()) as made:
        yield made


@pytest.fixture(scope="module")
def window(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context()
    made.set_default_timeout(10_000)
    made.on("dialog", lambda dialog: dialog.accept())
    yield made
    made.close()


@pytest.fixture
def double(server: Double) -> Double:
    server.forget()
    return server


@pytest.fixture
def context(window: BrowserContext, double: Double) -> Iterator[BrowserContext]:
    yield window
    window.set_offline(False)
    double.faults = []
    for page in window.pages[1:]:
        page.close()
    window.pages[0].evaluate("localStorage.clear()")
    window.pages[0].close()


@pytest.fixture
def page(context: BrowserContext, double: Double) -> Page:
    return load(context.new_page(), double)


def load(page: Page, double: Double, token: str = "token") -> Page:
    page.goto(f"{double.url}#{token}")
    page.evaluate(LOAD)
    return page


def wait(page: Page, condition: str) -> None:
    # Not wait_for_function: it evaluates a string, which the page's policy forbids.
    page.evaluate(
        f"""async () => {{
          const end = Date.now() + 8000;
          while (!({condition}) && Date.now() < end)
            await new Promise((done) => setTimeout(done, 10));
          if (!({condition})) throw Error(`waited for: {condition.replace("`", "")}`);
        }}"""
    )


def state(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate(
        "() => { let now; saving.onState((state) => { now ??= state; }); return now; }"
    )
    return found


def test_an_answer_is_saved_once_and_its_draft_goes(page: Page, double: Double) -> None:
    page.evaluate("saving.keepDraft('17', [0, null])")
    assert page.evaluate("saving.draft('17').value") == [0, None]
    page.evaluate(SAVE, ["17", [0, 3]])
    wait(page, "replies.length")
    assert page.evaluate("replies") == [1]
    assert list(double.events.values()) == [("17", [0, 3])]
    assert page.evaluate("saving.draft('17')") is None
    assert page.evaluate("localStorage.length") == 0
    assert state(page)["state"] == "saved"
    assert page.evaluate("states[0]") == "saved"
    assert "saving" in page.evaluate("states")


def test_a_draft_that_was_changed_since_stays(page: Page) -> None:
    page.evaluate("saving.keepDraft('17', [0])")
    page.evaluate(SAVE, ["17", [0]])
    page.evaluate("saving.keepDraft('17', [5])")
    wait(page, "replies.length")
    assert page.evaluate("saving.draft('17').value") == [5]


@pytest.mark.parametrize("fault", ["lost", "proxy", 500, 503, 429])
def test_sent_again_until_it_is_saved_and_never_doubled(
    page: Page, double: Double, fault: str | int
) -> None:
    double.faults = [fault]
    page.evaluate(SAVE, ["17", [6]])
    wait(page, "states.at(-1) === 'unsaved' || replies.length")
    assert page.evaluate("states.includes('unsaved')")
    page.evaluate("saving.flush()")
    wait(page, "replies.length")
    assert double.posts == 2
    assert list(double.events.values()) == [("17", [6])]
    assert state(page)["state"] == "saved"


def test_retries_without_being_asked(page: Page, double: Double) -> None:
    double.faults = [500]
    page.evaluate(SAVE, ["17", [6]])
    wait(page, "replies.length")
    assert double.posts == 2


def test_offline_and_back(context: BrowserContext, page: Page, double: Double) -> None:
    context.set_offline(True)
    for rating in range(3):
        page.evaluate(SAVE, ["17", [rating]])
    wait(page, "states.at(-1) === 'unsaved'")
    told = state(page)
    assert told["unsaved"] == 3
    assert told["message"].startswith("3 answers are not saved yet. Kept in this browser.")
    assert double.events == {}
    context.set_offline(False)
    wait(page, "replies.length === 3")
    # In the order in which they were given: the last one counts.
    assert [answer for _, answer in double.events.values()] == [[0], [1], [2]]


def test_a_closed_tab_sends_its_answers_when_it_is_opened_again(
    context: BrowserContext, page: Page, double: Double
) -> None:
    double.faults = [500] * 50
    page.evaluate(SAVE, ["17", [0]])
    page.evaluate("saving.keepDraft('18', [null, 4])")
    wait(page, "states.at(-1) === 'unsaved'")
    page.close()
    double.faults = []
    again = load(context.new_page(), double)
    wait(again, "states.at(-1) === 'saved'")
    assert list(double.events.values()) == [("17", [0])]
    assert again.evaluate("saving.draft('18').value") == [None, 4]


def test_two_tabs_send_the_same_answers_once(
    context: BrowserContext, page: Page, double: Double
) -> None:
    double.faults = [500]
    page.evaluate(SAVE, ["17", [3]])
    wait(page, "states.at(-1) === 'unsaved'")
    other = load(context.new_page(), double)
    wait(other, "states.at(-1) === 'saved'")
    page.evaluate("saving.flush()")
    wait(page, "replies.length")
    assert len(double.events) == 1


def test_what_the_server_refuses_is_not_called_saved(page: Page, double: Double) -> None:
    double.faults = [422]
    page.evaluate(SAVE, ["17", [9]])
    wait(page, "replies.length")
    assert page.evaluate("replies") == ["This is fault 422."]
    told = state(page)
    assert (told["state"], told["message"]) == ("refused", "Not saved: This is fault 422.")
    # It becomes the draft, and does not hold up the next answer.
    assert page.evaluate("saving.draft('17').value") == [9]
    page.evaluate(SAVE, ["17", [6]])
    wait(page, "replies.length === 2")
    assert state(page)["state"] == "saved"


def test_an_answer_for_another_server_is_kept_for_the_right_one(
    context: BrowserContext, page: Page, double: Double
) -> None:
    double.faults = [403]
    page.evaluate(SAVE, ["17", [4]])
    page.evaluate(SAVE, ["18", [5]])
    wait(page, "replies.length === 2")
    assert list(double.events.values()) == [("18", [5])]
    again = load(context.new_page(), double)
    wait(again, "states.at(-1) === 'saved'")
    assert list(double.events.values()) == [("18", [5]), ("17", [4])]


def test_raters_who_share_a_browser_stay_apart(
    context: BrowserContext, page: Page, double: Double
) -> None:
    page.evaluate("saving.keepDraft('17', [1])")
    other = load(context.new_page(), double, "another")
    assert other.evaluate("saving.draft('17')") is None
    other.evaluate(SAVE, ["17", [1]])
    wait(other, "replies.length")
    assert other.evaluate("replies") == ["This is fault 403."]


def test_a_browser_that_keeps_nothing_says_so(page: Page, double: Double) -> None:
    page.evaluate("() => { Storage.prototype.setItem = () => { throw Error('full'); }; }")
    double.faults = [500]
    page.evaluate("saving.keepDraft('17', [1])")
    page.evaluate(SAVE, ["17", [1]])
    wait(page, "states.at(-1) === 'unsaved'")
    assert "Leave this tab open: the browser keeps nothing." in state(page)["message"]
    assert page.evaluate("saving.draft('17').value") == [1]
    page.evaluate("saving.flush()")
    wait(page, "replies.length")
    assert list(double.events.values()) == [("17", [1])]


def test_closing_with_an_unsaved_answer_is_asked_about(page: Page, double: Double) -> None:
    asked = "() => dispatchEvent(new Event('beforeunload', { cancelable: true }))"
    assert page.evaluate(asked)
    double.faults = [500]
    page.evaluate(SAVE, ["17", [1]])
    wait(page, "states.at(-1) === 'unsaved'")
    assert not page.evaluate(asked)


def test_keys_are_unique_where_the_browser_makes_none(page: Page, double: Double) -> None:
    page.evaluate("Object.defineProperty(crypto, 'randomUUID', { value: undefined })")
    for _ in range(2):
        page.evaluate(SAVE, ["17", [1]])
    wait(page, "replies.length === 2")
    shapes = {len(key) == 36 and key.count("-") == 4 and key[14] == "4" for key in double.events}
    assert shapes == {True}
    assert len(double.events) == 2


def test_another_link_in_the_same_tab_is_another_person(page: Page) -> None:
    assert page.evaluate("module.token") == "token"
    with page.expect_event("load"):
        page.evaluate("void (location.hash = '#another')")
    page.evaluate(LOAD)
    assert page.evaluate("module.token") == "another"
