"""The annotation page in a browser: every way to work on an alignment, and nothing lost."""

from pathlib import Path

import pytest
from tests.browser.annotating import Opened
from tests.browser.annotation_server import sentence
from tests.browser.test_hostile_text import PAYLOADS
from tests.people.serving import Running

from wordorder.people.project import Project

SOUP = sentence("the soup was cold", "スープ は 冷たかった")


def test_arrows_and_space(opened: Opened) -> None:
    page = opened(SOUP, SOUP)
    page.keys("ArrowUp", "ArrowRight", "Space")
    assert page.state()["picked"] == ["source", 1]
    page.keys("ArrowDown", "Home", "Space", "Space")
    assert page.links() == ["1-0 sure", "1-1 sure"]
    # The cursor went on; Space on the same pair takes the link away.
    page.keys("ArrowLeft", "Space", "Escape", "p", "3", "t")
    assert page.links() == ["1-0 sure", "2-1 possible"]
    page.keys("ArrowLeft", "ArrowLeft", "Delete")
    assert page.save("0")["links"] == [[2, 1, "possible"]]


def test_a_digit_links_unlinks_and_several_words_have_one_partner(opened: Opened) -> None:
    page = opened(SOUP)
    page.keys("2", "2", "3")
    # The cursor does not leave the last word, which gets a second partner.
    assert page.state()["cursor"] == ["target", 2]
    page.keys("4", "4", "4")
    assert page.links() == ["1-0 sure", "1-1 sure", "2-2 sure", "3-2 sure"]
    page.keys("9")
    assert page.page.locator("#told").text_content() == "no word has the digit 9"


def test_clicks_and_drags(opened: Opened) -> None:
    page = opened(SOUP)
    page.word("source", 1).click()
    page.word("target", 0).click()
    page.word("target", 1).click()
    page.word("target", 2).drag_to(page.word("source", 3))
    page.word("source", 2).drag_to(page.word("target", 2))
    assert page.links() == ["1-0 sure", "1-1 sure", "2-2 sure", "3-2 sure"]
    # Nothing happens to what is dropped beside the words, nor to a link that is there already.
    page.word("source", 0).drag_to(page.page.locator("#why"))
    page.word("source", 2).drag_to(page.word("target", 2))
    assert len(page.links()) == 4
    page.page.get_by_role("button", name="Unlink").click()
    assert page.links() == ["1-0 sure", "1-1 sure"]


def test_undo_and_redo_without_end(opened: Opened) -> None:
    page = opened(SOUP)
    seen = [page.links()]
    for key in ("2", "2", "4", "ArrowUp", "x"):
        page.keys(key)
        if key.isdigit():
            seen.append(page.links())
    page.page.get_by_label("Put blanks").fill("co ld")
    page.keys("Enter", "j")
    page.keys(*["Digit1", "Digit3"] * 20)
    words, links = page.words("source"), page.links()
    page.keys(*["u"] * 20, *["Control+z"] * 22)
    assert page.links() == seen[-1]
    assert page.words("source") == ["the", "soup", "was", "cold"]
    page.keys("u", "u", "u", "u")
    assert page.links() == seen[0]
    page.keys(*["r"] * 40, *["Control+y"] * 9)
    assert (page.words("source"), page.links()) == (words, links)


def test_links_follow_split_and_joined_words(opened: Opened) -> None:
    page = opened(sentence("ice cream now", "アイスクリーム を 今"))
    page.keys("1", "2", "3", "Home", "x")
    # The browser proposes parts; others can be typed, with the same letters only.
    field = page.page.get_by_label("Put blanks")
    assert field.input_value().replace(" ", "") == "アイスクリーム"
    field.fill("アイス クリム")
    page.keys("Enter")
    page.shows("The parts must make up “アイスクリーム”.")
    field.fill("アイス クリーム")
    page.keys("Enter")
    assert page.words("target") == ["アイス", "クリーム", "を", "今"]
    assert page.links() == ["0-0 sure", "0-1 sure", "1-2 sure", "2-3 sure"]
    page.keys("ArrowRight", "j")
    assert page.words("target") == ["アイス", "クリームを", "今"]
    assert page.links() == ["0-0 sure", "0-1 sure", "1-1 sure", "2-2 sure"]
    page.keys("ArrowUp", "Home", "j")
    assert page.save("0") == {
        "source": ["icecream", "now"],
        "target": ["アイス", "クリームを", "今"],
        "links": [[0, 0, "sure"], [0, 1, "sure"], [1, 2, "sure"]],
    }


def test_a_translation_is_typed_and_edited(opened: Opened) -> None:
    page = opened(sentence("the soup was cold", None))
    page.keys("Enter")
    page.shows("Type the translation first.")
    page.page.get_by_label("Translation").fill("スープ は\u3000冷たい ")
    page.keys("Enter", "2", "2", "4", "e")
    page.page.get_by_label("Translation").fill("この スープ は とても 冷たい")
    page.keys("Enter")
    # Links stay with the words that stay.
    assert page.links() == ["1-1 sure", "1-2 sure", "3-4 sure"]
    assert page.save("0")["target"] == ["この", "スープ", "は", "とても", "冷たい"]


def test_both_views_have_the_same_links(opened: Opened) -> None:
    page = opened(SOUP)
    page.keys("2", "m")
    cell = page.page.get_by_role("gridcell", name="soup – スープ: sure")
    assert cell.get_attribute("aria-selected") == "true"
    page.keys("Home", "ArrowDown", "ArrowDown", "ArrowDown", "Space")
    page.page.get_by_role("gridcell", name="cold – 冷たかった: no link").click()
    page.keys("m")
    assert page.links() == ["1-0 sure", "3-0 sure", "3-2 sure"]


def test_suggestions_are_confirmed(opened: Opened) -> None:
    suggested = [[1, 0, "sure"], [1, 1, "possible"], [3, 2, "sure"]]
    task = {**SOUP, "suggestions": suggested}
    page = opened(task, task)
    page.shows("3 of 3 links are suggestions that are not confirmed.")
    page.keys("y", "ArrowRight", "2")
    page.shows("1 of 3 links are suggestions that are not confirmed.")
    assert page.save("0")["confirmed"] == [True, True, False]
    page.keys("a")
    found = page.save("1")
    assert found == {"source": SOUP["source"], "target": SOUP["target"], "links": suggested}


ASKED = "This sentence has no link. Is there nothing in it to align?"


def test_enter_on_an_untouched_sentence_asks_first(opened: Opened) -> None:
    page = opened(SOUP, SOUP)
    focused = "document.activeElement.textContent"
    # However often Enter is pressed.
    for leave in ("Enter", "Escape"):
        page.keys("Enter")
        page.shows(ASKED)
        assert page.page.evaluate(focused) == "Back to the words"
        page.keys(leave)
        page.page.get_by_text(ASKED).wait_for(state="hidden")
        assert page.page.evaluate(focused) == "スープ"
    assert page.server.answers == {}
    page.keys("Enter", "y")
    page.shows("Sentence 2 of 2")
    assert page.server.answers["0"] == {
        "source": SOUP["source"],
        "target": SOUP["target"],
        "links": [],
        "nothing": True,
    }
    page.keys("Enter", "Tab")
    assert page.page.evaluate(focused) == "Nothing to align (y)"
    page.keys("Enter")
    page.shows("All sentences are done")


def test_nothing_to_align_is_shown_and_unsaid_by_a_link(opened: Opened) -> None:
    page = opened(SOUP, SOUP)
    page.page.get_by_role("button", name="Save and go on").click()
    page.page.get_by_role("button", name="Nothing to align").click()
    page.shows("Sentence 2 of 2")
    page.keys("PageUp")
    page.shows("Sentence 1 of 2")
    page.shows("You have confirmed that there is nothing to align.")
    # Who has confirmed it is not asked again, until he links a word.
    page.keys("Enter")
    page.shows("Sentence 2 of 2")
    page.keys("PageUp")
    page.shows("Sentence 1 of 2")
    page.keys("2", "ArrowLeft", "Delete", "Enter")
    page.shows(ASKED)
    page.keys("Escape", "2", "Enter")
    page.shows("Sentence 2 of 2")
    assert page.server.answers["0"]["links"] == [[1, 0, "sure"]]
    assert "nothing" not in page.server.answers["0"]


def test_suggestions_that_nobody_confirmed_are_asked_about(opened: Opened) -> None:
    page = opened({**SOUP, "suggestions": [[1, 0, "sure"], [3, 2, "sure"]]})
    page.keys("Enter")
    why = "No link of this sentence is confirmed. Its 2 suggested links are left out"
    page.shows(why)
    page.keys("Escape", "a", "Enter")
    page.shows("All sentences are done")
    assert len(page.server.answers["0"]["links"]) == 2


def test_an_unfinished_sentence_is_asked_about_once(opened: Opened) -> None:
    page = opened({**SOUP, "suggestions": [[3, 2, "sure"]]}, SOUP)
    page.keys("2", "Enter")
    page.shows("1 suggested link is not confirmed and will be left out. 1 word has a mark")
    assert page.server.answers == {}
    page.keys("Enter", "n")
    assert page.state()["cursor"] == ["target", 1]
    page.keys("Enter")
    page.shows("Sentence 2 of 2")
    page.shows("1 of 2 done")
    page.keys("1", "2", "4", "Enter")
    page.shows("All sentences are done")


def test_undo_survives_a_reload(opened: Opened) -> None:
    page = opened(SOUP, SOUP)
    page.keys("2", "2", "4", "u")
    page.shows("Not saved yet")
    page.open()
    assert page.links() == ["1-0 sure", "1-1 sure"]
    page.keys("r")
    assert page.links() == ["1-0 sure", "1-1 sure", "3-2 sure"]
    page.page.reload()
    page.shows("Sentence 1 of 2")
    page.keys("u", "u", "u", "u")
    assert page.links() == []
    page.keys("r", "r", "r")
    page.save("0")
    # What is saved is no draft any more, nor are its steps.
    names = page.page.evaluate("Object.keys(localStorage)")
    assert [name for name in names if "steps" in name or "draft" in name] == []


def test_sure_and_possible_links_differ_in_form(opened: Opened) -> None:
    page = opened({**SOUP, "suggestions": [[0, 0, "sure"], [2, 2, "possible"]]})
    page.keys("2", "p", "2")
    looks = page.page.evaluate("""() => [...document.querySelectorAll("#lines .links path")].map(
      (path, at) => {
        const { strokeWidth, strokeDasharray } = getComputedStyle(path);
        const end = document.querySelectorAll("#lines .links circle")[2 * at];
        const { fill, stroke } = getComputedStyle(end);
        return [path.dataset.pair, strokeWidth, strokeDasharray, fill === stroke];
      })""")
    kinds = {pair.partition(" ")[2]: tuple(look) for pair, *look in looks}
    assert set(kinds) == {"sure", "possible", "sure, suggested", "possible, suggested"}
    assert len(set(kinds.values())) == 4
    assert [full for _, _, full in (kinds["sure"], kinds["possible"])] == [True, False]


def test_doubtful_suggestions_are_marked(opened: Opened) -> None:
    """By colour and form, in both views, with a key; they stay doubtful after a reload."""
    scored = [[1, 0, "sure", 0.98], [1, 1, "sure", 0.31], [3, 2, "possible", 0.74]]
    page = opened({**SOUP, "suggestions": scored})
    page.shows("3 of 3 links are suggestions that are not confirmed. 2 of them are doubtful.")
    page.shows("suggested, doubtful: a score below .75")
    looks = """() => [...document.querySelectorAll("#lines .links path")].map((path) => {
      const { stroke } = getComputedStyle(path);
      return [path.dataset.pair, stroke, path.hasAttribute("data-doubtful")]; })"""
    pairs, colours, doubtful = zip(*page.page.evaluate(looks), strict=True)
    assert pairs[1:] == (
        "1-1 sure, suggested, doubtful: 31 %",
        "3-2 possible, suggested, doubtful: 74 %",
    )
    assert doubtful == (False, True, True)
    assert colours[1] == colours[2] != colours[0]
    marks = "() => [...document.querySelectorAll('#lines .links text')].map((it) => it.textContent)"
    assert page.page.evaluate(marks) == ["?", "?"]
    # The key of marks goes to them: to "は", whose suggestion is then confirmed.
    page.keys("n", "y")
    page.shows("2 of 3 links are suggestions that are not confirmed. 1 of them is doubtful.")
    page.page.reload()
    page.shows("2 of 3 links are suggestions that are not confirmed. 1 of them is doubtful.")
    page.keys("m")
    named = "cold – 冷たかった: possible, suggested, doubtful"
    cell = page.page.get_by_role("gridcell", name=named)
    look = "(cell) => getComputedStyle(cell, '::before').content"
    assert cell.evaluate(look) == '"?"'
    page.keys("m", "n", "y")
    assert not page.page.locator("#key-doubtful").is_visible()
    answer = page.save("0")
    assert answer["links"] == [[1, 0, "sure"], [1, 1, "sure"], [3, 2, "possible"]]
    assert answer["confirmed"] == [False, True, True]


def test_a_sentence_whose_translation_is_empty(opened: Opened) -> None:
    page = opened(sentence("so", ""))
    assert not page.page.get_by_label("Translation").is_visible()
    page.keys("Enter", "y")
    page.shows("All sentences are done")
    assert page.server.answers["0"]["nothing"] is True


def test_marks_and_drawings_follow(opened: Opened) -> None:
    page = opened(SOUP)
    with page.page.expect_response("**/api/check"):
        page.page.reload()
    page.shows("Sentence 1 of 1")
    # Nothing is marked or drawn before the first link.
    assert page.page.locator("[data-fault]").count() == 0
    assert not page.page.get_by_text("Marks", exact=True).is_visible()
    assert not page.page.get_by_text("Reference order", exact=True).is_visible()
    page.keys("2")
    page.shows("は (target word 2): The target word “は” has no source word.")
    assert page.page.locator("#why").text_content() == "The target word “は” has no source word."
    page.keys("n")
    assert page.state()["cursor"] == ["target", 2]
    page.keys("1", "n", "3")
    page.page.get_by_alt_text("Reference order: soup was the cold", exact=True).wait_for()
    width = "() => document.getElementById('order').naturalWidth"
    assert page.page.evaluate(width) > 100
    page.keys("d")
    assert not page.page.locator("#drawings").is_visible()


def test_hostile_words_are_literal(opened: Opened) -> None:
    words = ["".join(payload.split()) for payload in PAYLOADS]
    hostile = sentence(" ".join(words), " ".join(words))
    page = opened({**hostile, "suggestions": [[at, at, "sure"] for at in range(len(words))]})
    assert page.words("source") == words
    page.page.locator("#order").wait_for()
    page.keys("m", "m", "a", "x")
    page.page.keyboard.press("Escape")
    assert page.save("0")["target"] == words


def test_nothing_is_lost_while_the_server_is_down(opened: Opened) -> None:
    page = opened(SOUP, SOUP)
    page.server.down = True
    page.keys("2", "2", "Enter")
    page.shows("1 answer is not saved yet.")
    assert page.server.answers == {}
    page.server.down = False
    page.shows("Sentence 2 of 2")
    page.shows("All answers are saved.")
    assert page.server.answers["0"]["links"] == [[1, 0, "sure"], [1, 1, "sure"]]
    assert len(page.server.keys) == 1


def test_a_draft_survives_a_closed_page(opened: Opened) -> None:
    page = opened(SOUP, sentence("so", None))
    page.keys("2", "2")
    page.shows("Not saved yet, kept in this browser.")
    page.open()
    assert page.links() == ["1-0 sure", "1-1 sure"]
    page.save("0")
    page.page.get_by_label("Translation").fill("so ein")
    page.open()
    assert page.page.get_by_label("Translation").input_value() == "so ein"


def test_back_to_an_answer_and_to_the_end(opened: Opened) -> None:
    page = opened(SOUP, SOUP)
    page.keys("2")
    page.save("0")
    page.keys("2", "PageUp")
    page.shows("Sentence 1 of 2")
    assert page.links() == ["1-0 sure"]
    # What was not done is a draft on the server; a changed answer is an answer.
    page.until(lambda: "1" in page.server.answers)
    assert page.server.answers["1"]["draft"] is True
    page.keys("ArrowRight", "2", "PageDown")
    page.shows("Sentence 2 of 2")
    assert page.links() == ["1-0 sure"]
    page.until(lambda: len(page.server.answers["0"]["links"]) == 2)
    assert "draft" not in page.server.answers["0"]
    page.save("1")
    assert "draft" not in page.server.answers["1"]
    page.shows("All sentences are done")
    page.page.get_by_role("button", name="Back to the last sentence").click()
    page.shows("Sentence 2 of 2")


@pytest.mark.parametrize("width", [1280, 390])
def test_words_come_first_and_instructions_fold_after_the_first_answer(
    opened: Opened, width: int
) -> None:
    page = opened(SOUP, SOUP, SOUP, viewport={"width": width, "height": 800})
    top = "document.querySelector('.word').getBoundingClientRect().top"
    assert page.page.evaluate(top) < 170
    is_open = "document.querySelector('#instructions').open"
    assert page.page.evaluate(is_open) == (width == 1280)
    page.page.get_by_role("button", name="What to do").click()
    assert page.page.evaluate(is_open)
    page.keys("2")
    page.save("0")
    page.shows("Sentence 2 of 3")
    assert not page.page.evaluate(is_open)
    dots = page.page.locator("#dots button")
    assert dots.nth(0).get_attribute("aria-label") == "Sentence 1, done"
    # A sentence that comes later can be opened, too.
    dots.nth(2).click()
    page.shows("Sentence 3 of 3")


def test_the_program_itself(opened: Opened, tmp_path: Path) -> None:
    source, project = tmp_path / "source.en", tmp_path / "links.db"
    source.write_text("the soup was cold\nso\n", "utf-8")
    with Running("annotate", source, "-o", project, "--port", "0", links=1) as running:
        page = opened(SOUP)
        page.page.goto(running.links["rater1"])
        page.page.get_by_label("Translation").fill("スープ は 冷たかった")
        page.keys("Enter", "2", "2")
        page.shows("“cold” has no link: every word but articles and punctuation needs one")
        page.keys("4", "t")
        page.page.locator("#tree").wait_for()
        page.keys("Enter")
        page.shows("1 word has a mark")
        page.keys("y")
        page.shows("Sentence 2 of 2")
    with Project.open(project) as kept:
        rater = kept.raters()[0]
        task = kept.task(rater, kept.tasks(rater)[0])
    assert task.answer == {
        "source": ["the", "soup", "was", "cold"],
        "target": ["スープ", "は", "冷たかった"],
        "links": [[1, 0, "sure"], [1, 1, "sure"], [3, 2, "possible"]],
    }
