"""What fills the templates of pages: text is escaped, one style and one script are allowed."""

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


_SHARED = "wordorder.report.page"

# Longer tables get a field to filter them.
_FILTERED = 10

# What the marks in outputs mean; the page shows each as it is in the sentences.
KEY = (
    f"{OPEN}Dotted words{CLOSE} match no word of the reference. Words in a box belong to a block "
    f"that has moved. A bar {BREAK} stands where the order breaks: the words beside it match words "
    "that do not follow each other in the reference."
)

# What a table is ranked by, and numbers of which a bar would say nothing.
_COST = re.compile(r"points$|^points|\blost\b")
_WITHOUT_BARS = re.compile(r"(.* )?(low|high)|p|p \(.*\)|sentence|line|rank|value|reference words")

# The interval of a value that is not the first of its table.
_SECOND = re.compile(r".+ (low|high)")

# Between parts of names that are words by themselves.
_SEPARATOR = re.compile(r"(?<=\w)[-_./](?=\w)")

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
    # Colours, the base of all pages, and what the reports need besides.
    sheet = look.style_sheet()
    sheet += "".join((shared / name).read_text("utf-8") for name in ("base.css", "style.css"))
    if style:
        sheet += (files(package) / style).read_text("utf-8")
    sheet, script = sheet.strip(), (shared / "script.js").read_text("utf-8").strip()
    environment.globals.update(
        style=Markup(sheet), script=Markup(script), policy=policy(sheet, script), filtered=_FILTERED
    )
    # Drawings and blocks are markup already; they escape what they contain themselves.
    environment.filters.update(
        markup=Markup,
        cell=_cell,
        cells=_cells,
        counted=counted,
        heading=partial(heading, arrows=ARROWS.__getitem__),
        isolated=_isolated,
        key=key_html,
        columns=shown_columns,
        breakable=_breakable,
    )
    return environment


def _shown(value: object) -> object:
    """Replace what would break a line or turn it around, in all strings that are no markup."""
    return drawable(value) if type(value) is str else value


def _isolated(text: str) -> Markup:
    """Isolate right-to-left words in quotes, so that numbers next to them stay in place."""
    from markupsafe import Markup

    def shown(part: str) -> Markup:
        leftwards = any(bidirectional(character) in ("R", "AL") for character in part)
        return Markup("<bdi>{}</bdi>" if leftwards else "{}").format(part)

    # Every other part is in quotes.
    parts = _QUOTED.split(drawable(text))
    return Markup("").join(shown(p) if n % 2 else p for n, p in enumerate(parts))


def _breakable(text: str) -> Markup:
    """Let long names in a head break behind their separators."""
    from markupsafe import Markup, escape

    return Markup(_SEPARATOR.sub("\\g<0><wbr>", str(escape(drawable(text)))))


def _cell(value: Value) -> str:
    """Write a cell of a table, or a sentence."""
    if value is None:
        return ""
    if isinstance(value, Marked):
        return marked_html(value)
    return number(value) if isinstance(value, float) else str(value)


def _cells(row: Sequence[Value], columns: Sequence[ShownColumn]) -> Markup:
    """Write the cells of a row: a page has thousands, which are slow in a template."""
    from markupsafe import Markup, escape

    written: list[str] = []
    for column in columns:
        value = row[column.place]
        if column.numeric:
            written.append(f'<td class="n{column.bar(value)}">{_cell(value)}</td>')
            continue
        text = f"<bdi>{escape(_shown(_cell(value)))}</bdi>"
        written.append(f"<td>{text}</td>" if written else f'<th scope="row">{text}</th>')
    return Markup("".join(written))


@dataclass(frozen=True)
class ShownColumn:
    """A column of a table.

    Attributes
    ----------
    place : int
        Of its values in the rows.
    name : str
    numeric : bool
        Whether it holds numbers alone.
    most : float
        Its largest number, whose bar fills the cell; 0 if it has no bars.
    """

    place: int
    name: str
    numeric: bool
    most: float

    def bar(self, value: Value) -> str:
        """Return the class of a cell with a bar, in twentieths of the largest."""
        if not self.most or not isinstance(value, (int, float)) or isnan(value):
            return ""
        return f" b{max(1, round(20 * value / self.most))}" if value > 0 else ""


def shown_columns(section: Section, systems: Sequence[str] = ()) -> list[ShownColumn]:
    """Return the columns of a table: what names the rows, then the costs by which they are ranked.

    Columns of numbers that can be compared within the column have bars. So that tables are no wider
    than windows, names of systems are shortened in heads, as in figures, and the interval of a
    second value is left to other formats.

    Examples
    --------
    >>> rows = (("of", 3, 0.5), ("to", 1, 0.25))
    >>> section = Section("words", "Words", "", ("word", "times", "CDER points"), rows)
    >>> [(each.name, each.most) for each in shown_columns(section)]
    [('word', 0.0), ('CDER points', 0.5), ('times', 3.0)]
    """
    columns = []
    short = dict(zip(systems, short_names(systems), strict=True))
    for place, head in enumerate(section.header):
        if _SECOND.fullmatch(head):
            continue
        system = next((each for each in short if head.endswith(f" {each}")), "")
        name = head.removesuffix(system) + short[system] if system else short.get(head, head)
        values = [row[place] for row in section.rows if row[place] is not None]
        numbers = [float(value) for value in values if isinstance(value, (int, float))]
        numeric = bool(values) and len(numbers) == len(values)
        known_numbers = [each for each in numbers if not isnan(each)]
        comparable = numeric and not _WITHOUT_BARS.fullmatch(name) and len(set(known_numbers)) > 1
        # What a table is ranked by has bars where it is above 0.
        barred = comparable and (min(known_numbers) >= 0 or bool(_COST.search(name)))
        maximum = max(known_numbers) if barred else 0.0
        columns.append(ShownColumn(place, name, numeric, maximum))
    names = list(takewhile(lambda each: not each.numeric, columns))
    if columns[len(names) :] and _COST.search(columns[len(names)].name):
        # The interval stays next to its value.
        return columns
    # Stable: what costs most comes right after the names, and is seen on a narrow screen too.
    other_columns = sorted(columns[len(names) :], key=lambda each: not _COST.search(each.name))
    return names + other_columns


@dataclass(frozen=True)
class Picture:
    """A drawing with its caption, and whether it is read from right to left."""

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
        As papers call it, with its direction.
    svg, narrow : str
        The second is for phones.
    direction : str
        Whether higher values are better, or lower ones.
    signature : str
    """

    metric: str
    svg: str
    narrow: str
    direction: str
    signature: str


def score_picture(scores: ScoreIntervals) -> ScorePicture:
    """Draw the systems of a metric, the best first."""
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
    """Put sections under headings, in the order in which these come.

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
    """Write a content security policy that allows one block of style and one of script.

    Everything else is forbidden: whatever text the page contains, it can load and run nothing.

    Parameters
    ----------
    style, script : str
        The text between the tags, to the letter.

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
