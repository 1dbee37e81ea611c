"""From the command to the exported links, with the server killed in between."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.browser.page_work import press
from tests.cli.running import call, write
from tests.people.serving import Running

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_annotate_is_killed_served_again_and_exported(browser: Browser, tmp_path: Path) -> None:
    source = write(tmp_path, "s.en", "the soup was cold\n<b>cold</b> soup\n")
    target = write(tmp_path, "t.ja", "スープ は 冷たかった\n冷たい スープ\n")
    guideline = write(tmp_path, "g.md", "# Ours\n\n- *articles* stay open\n- <img src=x>\n")
    path = str(tmp_path / "p.db")
    context = browser.new_context()
    page = context.new_page()
    noted: list[str] = []
    page.on("pageerror", lambda error: noted.append(str(error)))
    page.on("console", lambda message: noted.append(message.text))
    command = ("annotate", source, target, "-o", path, "--instructions", guideline)
    with Running(*command, "--port", "0", links=1) as server:
        link = server.links["rater1"]
        page.goto(link)
        page.get_by_text("Sentence 1 of 2").wait_for()
        assert page.inner_text("#guideline h2") == "Ours"
        found = page.locator("#guideline li").all_inner_texts()
        assert found == ["articles stay open", "<img src=x>"]
        # "was" has no link: the page asks.
        press(page, "2", "2", "4", "Enter")
        page.get_by_text("1 word has a mark").wait_for()
        press(page, "y")
        page.get_by_text("Sentence 2 of 2").wait_for()
        page.get_by_text("All answers are saved.").wait_for()
        assert noted == []
        server.process.kill()
        server.process.wait()
        press(page, "1", "2", "Enter")
        page.get_by_text("not saved yet").first.wait_for()
    assert call("export", path).good().text == "1-0 1-1 3-2\n\n"
    port = link.split(":")[2].partition("/")[0]
    with Running("serve", path, "--port", port, links=1) as server:
        assert server.links["rater1"] == link
        page.get_by_text("All sentences are done").wait_for(timeout=60_000)
    assert call("export", path).good().text == "1-0 1-1 3-2\n0-0 1-1\n"
    assert call("export", path, "--what", "events").good().text.count("\n") == 3
    context.close()
