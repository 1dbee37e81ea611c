"""axe-core finds nothing wrong with the page of ratings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.browser.axe import axe_script, violations
from tests.browser.people_site import served_project
from tests.browser.test_rate import PROTOCOLS

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("name", "width"), [("talbot", 900), ("preference", 390), ("slider", 390)])
def test_nothing_is_wrong(
    browser: Browser, tmp_path: Path, name: str, scheme: Any, width: int
) -> None:
    script = axe_script()
    window = browser.new_context(
        bypass_csp=True, color_scheme=scheme, viewport={"width": width, "height": 700}
    )
    with served_project(tmp_path / "p.db", *PROTOCOLS[name], 16) as site:
        page = site.open(window)
        assert violations(page, script) == []
        page.keyboard.press("?")
        assert violations(page, script) == []
        page.keyboard.press("Escape")
        while not page.locator("#end").is_visible():
            shown = page.inner_text("#place")
            if name == "preference":
                page.keyboard.press("a")
            for _ in range(3 if name == "talbot" else 0):
                page.keyboard.press("4")
            for number in page.get_by_role("spinbutton").all():
                number.fill("4")
            page.click("#done")
            changed = f"#place:visible:not(:has-text('{shown}')), #end:not([hidden])"
            page.wait_for_selector(f"{changed}, #feedback:not([hidden])")
            if page.locator("#feedback").is_visible():
                assert violations(page, script) == []
                page.keyboard.press("Enter")
                page.wait_for_selector(changed)
        assert violations(page, script) == []
    window.close()
