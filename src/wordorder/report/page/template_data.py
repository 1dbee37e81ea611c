"""Environment and values for the templates of pages; text is escaped, scripts are restricted."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from itertools import takewhile
from math import isnan
from typing import TYPE_CHECKING
from unicodedata import bidirectional

from wordorder.analysis.answer import ScoreIntervals
from wordorder.analysis.section import Group, Section, Value
from wordorder.drawing import look
from wordorder.drawing.figure import short_names
from wordorder.drawing.plots import interval_svg
from wordorder.drawing.trees import drawable
from wordorder.messages import counted, number
from wordorder.metrics.registry import called
from wordorder.report.marks import heading, key_html, marked_html
from wordorder.statistics.gains import gains
from wordorder.statistics.paired_tests import Comparison
from wordorder.text.display import ARROWS, BREAK, CLOSE, OPEN, Marked

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


_SHARED_PACKAGE = "wordorder.report.page"

# Tables with at least this number of rows get a filter field.
_MIN_FILTERED_ROWS = 10

# The explanation of the marks in outputs.
KEY = (
    f"{OPEN}Dotted words{CLOSE} match no word of the reference. Words in a box belong to a block "
    f"that has moved. A bar {BREAK} stands where the order breaks: the words beside it match words "
    "that do not follow each other in the reference."
)

# Columns by which tables are ranked, and columns of numbers without bars.
_COST_COLUMN = re.compile(r"points$|^points|\blost\b")
_WITHOUT_BARS = re.compile(r"(.* )?(low|high)|p|p \(.*\)|sentence|line|rank|value|reference words")

# Headings of the interval of a second value.
_SECOND_INTERVAL = re.compile(r".+ (low|high)")

# A separator between words of a name.
_SEPARATOR = re.compile(r"(?<=\w)[-_./](?=\w)")

_QUOTED = re.compile(r"('[^']+')")


@cache
def templates(package: str = _SHARED_PACKAGE, *, style: str = "") -> Environment:
    """Return the environment of templates of a package.

    Parameters
    ----------
    package : str
        The package with the templates, which may include those of the report.
    style : str
        A style sheet of this package, in addition to that of the report.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=ChoiceLoader(
            [PackageLoader(name) for name in dict.fromkeys((package, _SHARED_PACKAGE))]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_printable_text,
        # Do not check the files of templates for changes.
        auto_reload=False,
    )
    shared = files(_SHARED_PACKAGE)
    # Colours, the base of all pages, and what the reports need besides.
    sheet = look.style_sheet()
    sheet += "".join((shared / name).read_text("utf-8") for name in ("base.css", "style.css"))
    if style:
        sheet += (files(package) / style).read_text("utf-8")
    sheet, script = sheet.strip(), (shared / "script.js").read_text("utf-8").strip()
    environment.globals.update(
        style=Markup(sheet),
        script=Markup(script),
        policy=policy(sheet, script),
        filtered=_MIN_FILTERED_ROWS,
    )
    # Drawings and blocks are markup already, with their texts escaped.
    environment.filters.update(
        markup=Markup,
        cell=_cell_text,
        cells=_row_html,
        counted=counted,
        heading=partial(heading, arrows=ARROWS.__getitem__),
        isolated=_isolate_quotes,
        key=key_html,
        columns=shown_columns,
        breakable=_breakable_name,
    )
    return environment


def _printable_text(value: object) -> object:
    """Replace line breaks and direction marks in strings that are not markup."""
    return drawable(value) if type(value) is str else value


def _isolate_quotes(text: str) -> Markup:
    """Isolate right-to-left words in quotes, so that numbers next to them stay in place."""
    from markupsafe import Markup

    def isolate(part: str) -> Markup:
        leftwards = any(bidirectional(character) in ("R", "AL") for character in part)
        return Markup("<bdi>{}</bdi>" if leftwards else "{}").format(part)

    # Parts with odd indices are in quotes.
    parts = _QUOTED.split(drawable(text))
    return Markup("").join(isolate(p) if n % 2 else p for n, p in enumerate(parts))


def _breakable_name(text: str) -> Markup:
    """Return a heading with possible line breaks after the separators of long names."""
    from markupsafe import Markup, escape

    return Markup(_SEPARATOR.sub("\\g<0><wbr>", str(escape(drawable(text)))))


def _cell_text(value: Value) -> str:
    """Return the text of a cell or sentence."""
    if value is None:
        return ""
    if isinstance(value, Marked):
        return marked_html(value)
    return number(value) if isinstance(value, float) else str(value)


def _row_html(row: Sequence[Value], columns: Sequence[ShownColumn]) -> Markup:
    """Return the cells of a row as HTML; templates are too slow for the thousands of a page."""
    from markupsafe import Markup, escape

    cells: list[str] = []
    for column in columns:
        value = row[column.place]
        if column.numeric:
            cells.append(f'<td class="n{column.bar(value)}">{_cell_text(value)}</td>')
            continue
        text = f"<bdi>{escape(_printable_text(_cell_text(value)))}</bdi>"
        cells.append(f"<td>{text}</td>" if cells else f'<th scope="row">{text}</th>')
    return Markup("".join(cells))


@dataclass(frozen=True)
class ShownColumn:
    """A column of a table.

    Attributes
    ----------
    place : int
        The index of its values in the rows.
    name : str
    numeric : bool
        Whether it has only numbers.
    most : float
        Its largest number, whose bar fills the cell; 0 for a column without bars.
    """

    place: int
    name: str
    numeric: bool
    most: float

    def bar(self, value: Value) -> str:
        """Return the CSS class of a cell with a bar, in twentieths of the largest."""
        if not self.most or not isinstance(value, (int, float)) or isnan(value):
            return ""
        return f" b{max(1, round(20 * value / self.most))}" if value > 0 else ""


def shown_columns(section: Section, systems: Sequence[str] = ()) -> list[ShownColumn]:
    """Return the columns of a table: first the names of rows, then the costs that rank them.

    Columns of comparable numbers have bars. To keep tables narrow, names of systems are shortened
    in headings, as in figures, and the interval of a second value is omitted.

    Examples
    --------
    >>> rows = (("of", 3, 0.5), ("to", 1, 0.25))
    >>> section = Section("words", "Words", "", ("word", "times", "CDER points"), rows)
    >>> [(each.name, each.most) for each in shown_columns(section)]
    [('word', 0.0), ('CDER points', 0.5), ('times', 3.0)]
    """
    columns = []
    short_name_of = dict(zip(systems, short_names(systems), strict=True))
    for index, head in enumerate(section.header):
        if _SECOND_INTERVAL.fullmatch(head):
            continue
        system = next(
            (name_suffix for name_suffix in short_name_of if head.endswith(f" {name_suffix}")), ""
        )
        name = (
            head.removesuffix(system) + short_name_of[system]
            if system
            else short_name_of.get(head, head)
        )
        values = [row[index] for row in section.rows if row[index] is not None]
        numbers = [float(value) for value in values if isinstance(value, (int, float))]
        numeric = bool(values) and len(numbers) == len(values)
        known_numbers = [each for each in numbers if not isnan(each)]
        comparable = numeric and not _WITHOUT_BARS.fullmatch(name) and len(set(known_numbers)) > 1
        # Columns that rank a table have bars for values above 0.
        has_bars = comparable and (min(known_numbers) >= 0 or bool(_COST_COLUMN.search(name)))
        maximum = max(known_numbers) if has_bars else 0.0
        columns.append(ShownColumn(index, name, numeric, maximum))
    names = list(takewhile(lambda each: not each.numeric, columns))
    if columns[len(names) :] and _COST_COLUMN.search(columns[len(names)].name):
        # The interval stays next to its value.
        return columns
    # The sort is stable: costs come right after the names, visible on narrow screens too.
    other_columns = sorted(
        columns[len(names) :], key=lambda each: not _COST_COLUMN.search(each.name)
    )
    return names + other_columns


@dataclass(frozen=True)
class Picture:
    """A drawing with its caption, and whether its text runs from right to left."""

    caption: str
    svg: str
    leftwards: bool = False


@dataclass(frozen=True)
class PictureRow:
    """Drawings of one type, displayed side by side."""

    title: str
    note: str
    pictures: tuple[Picture, ...]


@dataclass(frozen=True)
class ScorePicture:
    """The intervals of the systems under one metric.

    Attributes
    ----------
    metric : str
        The metric's name in papers, with its direction.
    svg, narrow : str
        The drawing, and a narrow one for phones.
    direction : str
        A sentence on whether higher or lower values are better.
    signature : str
    """

    metric: str
    svg: str
    narrow: str
    direction: str
    signature: str


def score_picture(scores: ScoreIntervals) -> ScorePicture:
    """Draw the intervals of the systems under a metric, best first."""
    ranked = scores.ranked()
    metric = called(scores.metric)
    names = [scores.names[number] for number in ranked]
    estimates = [scores.estimates[number] for number in ranked]
    title = f"{metric} of each system, with its interval"
    return ScorePicture(
        f"{metric} {ARROWS[scores.higher_is_better]}",
        interval_svg(names, estimates, title=title),
        interval_svg(names, estimates, title=title, narrow=True),
        "Higher is better." if scores.higher_is_better else "Lower is better.",
        scores.signature,
    )


@dataclass(frozen=True)
class DifferencePicture:
    """How much the best system is better than the next best, a row for each metric.

    Attributes
    ----------
    best, other : str
        The names of the systems.
    svg, narrow : str
        The second is for phones.
    has_open : bool
        Whether a difference may be chance.
    """

    best: str
    other: str
    svg: str
    narrow: str
    has_open: bool


def difference_picture(
    scores: Sequence[ScoreIntervals], comparisons: Sequence[Comparison]
) -> DifferencePicture | None:
    """Draw the differences of the two best systems under the first metric, under all metrics."""
    if not comparisons or len(scores[0].names) < 2:
        return None
    best, other = scores[0].ranked()[:2]
    tested = zip((each.metric for each in scores), comparisons, strict=False)
    rows = gains(tested, best, other)
    if not rows:
        return None
    names = scores[0].names[best], scores[0].names[other]
    labels = [f"{called(row.metric)}{', reversed' if row.is_reversed else ''}" for row in rows]
    wide, narrow = (
        interval_svg(
            labels,
            rows,
            title=f"Points that {names[0]} is better than {names[1]}, by metric",
            full=[row.is_significant for row in rows],
            with_zero=True,
            decimals=2,
            narrow=is_narrow,
        )
        for is_narrow in (False, True)
    )
    return DifferencePicture(*names, wide, narrow, not all(row.is_significant for row in rows))


def table_groups(sections: Sequence[Section]) -> dict[str, list[Section]]:
    """Group sections by heading, in the order of the headings.

    Examples
    --------
    >>> words = [Section(key, key, "", (), (), group=Group.WORDS) for key in ("a", "b")]
    >>> rules = Section("rules", "rules", "", (), (), group=Group.RULES)
    >>> found = table_groups([words[0], rules, words[1]])
    >>> [(title, len(listed)) for title, listed in found.items()]
    [('Words', 2), ('Rules', 1)]
    """
    groups: dict[str, list[Section]] = {group.value: [] for group in Group}
    for section in sections:
        groups[section.group.value].append(section)
    return {title: tables for title, tables in groups.items() if tables}


def policy(style: str, script: str) -> str:
    """Return a content security policy that allows one block of style and one of script.

    Everything else is forbidden: no text on the page can load or run anything.

    Parameters
    ----------
    style, script : str
        The exact text between the tags.

    Examples
    --------
    >>> policy("", "").split("; ")[:2]
    ["default-src 'none'", "style-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"]
    """
    rules = [
        "default-src 'none'",
        f"style-src {_hash(style)}",
        f"script-src {_hash(script)}",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    return "; ".join(rules)


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
