"""What fills the templates of pages: text is escaped, one style and one script are allowed."""

from __future__ import annotations

import re
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING
from unicodedata import bidirectional

from wordorder.analysis.section import Section, Value
from wordorder.counts import counted, number
from wordorder.drawing.marks import Marked
from wordorder.drawing.tree_labels import drawable
from wordorder.report.headings import heading
from wordorder.report.marks import key_html, marked_html
from wordorder.report.page.policy import policy
from wordorder.report.symbols import ARROWS

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_SHARED = "wordorder.report.page"
# Longer tables get a field to filter them.
_FILTERED = 10
_QUOTED = re.compile(r"('[^']+')")


@cache
def templates(package: str = _SHARED, *, style: str = "") -> Environment:
    """Return what fills the templates of a page.

    Parameters
    ----------
    package : str
        Where the page's templates are; those of the report can be included too.
    style : str
        A file of this package with style that the page needs besides the report's.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in dict.fromkeys((package, _SHARED))]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
        # No look at the files each time that a template uses another.
        auto_reload=False,
    )
    shared = files(_SHARED)
    sheet = (shared / "style.css").read_text("utf-8")
    if style:
        sheet += (files(package) / style).read_text("utf-8")
    sheet, script = sheet.strip(), (shared / "script.js").read_text("utf-8").strip()
    environment.globals.update(
        style=Markup(sheet),
        script=Markup(script),
        policy=policy(sheet, script),
        filtered=_FILTERED,
    )
    # Drawings and blocks are markup already; they escape what they contain themselves.
    environment.filters.update(
        markup=Markup,
        cell=_cell,
        counted=counted,
        heading=partial(heading, arrows=ARROWS.__getitem__),
        isolated=_isolated,
        key=key_html,
        numeric=_numeric_columns,
    )
    return environment


def _shown(value: object) -> object:
    """Replace what would break a line or turn it around, in all strings that are no markup."""
    return drawable(value) if type(value) is str else value


def _isolated(text: str) -> Markup:
    """Let words in quotes that run from right to left leave the numbers beside them in place."""
    from markupsafe import Markup

    def shown(part: str) -> Markup:
        leftwards = any(bidirectional(character) in ("R", "AL") for character in part)
        return Markup("<bdi>{}</bdi>" if leftwards else "{}").format(part)

    # Every other part is in quotes.
    parts = _QUOTED.split(drawable(text))
    return Markup("").join(shown(p) if n % 2 else p for n, p in enumerate(parts))


def _cell(value: Value) -> str:
    """Write a cell of a table, or a sentence."""
    if value is None:
        return ""
    if isinstance(value, Marked):
        return marked_html(value)
    return number(value) if isinstance(value, float) else str(value)


def _numeric_columns(section: Section) -> list[bool]:
    """Say which columns of a table hold numbers alone."""
    return [
        any(row[c] is not None for row in section.rows)
        and all(row[c] is None or isinstance(row[c], (int, float)) for row in section.rows)
        for c in range(len(section.header))
    ]
