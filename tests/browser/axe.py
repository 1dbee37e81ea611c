"""What axe-core finds wrong with a page for people who cannot see it or use a mouse.

axe-core is no part of the project. ``.ci/run`` installs it; by hand, ``npm install axe-core`` in
the project's folder puts it where it is looked for. WORDORDER_AXE may name another
``axe.min.js``.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

PLACE = Path(__file__).parents[2] / "node_modules/axe-core/axe.min.js"
RUN = """async () => {
  const { violations, passes } = await axe.run(document, { resultTypes: ["violations"] });
  return [passes.length, violations.map((each) =>
    [each.impact, each.id, each.nodes.map((node) => node.html)])];
}"""


def axe_script() -> str:
    """Return axe-core, or skip the test."""
    path = Path(os.environ.get("WORDORDER_AXE", PLACE))
    if not path.is_file():
        pytest.skip(f"no axe-core at {path}: npm install axe-core, or set WORDORDER_AXE")
    return path.read_text("utf-8")


def violations(page: Page, script: str) -> list[Any]:
    """Return what is wrong: its impact, the rule, and where.

    The context of the page must bypass its Content-Security-Policy.
    """
    page.evaluate(f"() => {{ {script} }}")
    passed, found = page.evaluate(RUN)
    assert passed > 10
    return list(found)
