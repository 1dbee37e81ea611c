"""Why the best system is best: the tables of a difference in FRS, and the first findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wordorder.analysis.section import Finding, Group, Section, Value, points
from wordorder.analysis.translations.difference import (
    ONLY_ONE,
    SURE,
    Difference,
    Part,
    paired_p_values,
)
from wordorder.counts import joined
from wordorder.statistics.intervals import Drawn

# Kinds that have a finding of their own, and words that are named as missing.
KINDS_TOLD, WORDS_TOLD = 4, 3

_ADDING = (
    "FRS loses with each pair of neighbours of the reference that the output parts. On the words "
    "that both systems match, a lost pair is charged to the moved block that parts it, in equal "
    f"shares if there are several. The row '{ONLY_ONE}' is what other matches add. "
)
_TESTED = (
    "FRS points: hundredths of FRS by which the first system is better. p: paired bootstrap, "
    "corrected by Holm's method for the rows of {}. "
)


def difference_sections(found: Difference, signature: str, drawn: Drawn) -> list[Section]:
    """Make the tables of a difference, the first with the findings.

    Parameters
    ----------
    found : Difference
    signature : str
        Of FRS.
    drawn : Drawn
        How intervals were drawn.

    Returns
    -------
    list of Section
        ``frs-difference``, ``frs-difference-by``, ``frs-difference-by-word`` and
        ``frs-difference-checks``.
    """
    ours, theirs = found.names
    pair = f"{ours} and {theirs}"
    interval = f"Low, high: the {drawn}."
    adds = f"The rows add up to the difference, {found.total.points:+.2f} points. "
    by = [(name, part) for name, parts in found.groups.items() for part in parts if name != "word"]
    header = ("FRS points", "low", "high", "p")
    told = [*_findings(found)]
    return [
        Section(
            key="frs-difference",
            group=Group.SCORES,
            whole=True,
            title=f"Why {ours} has a higher FRS than {theirs}",
            reading=told[0].sentence,
            header=(
                *("moved blocks around", *header, "share"),
                *("Kendall points", "Kendall low", "Kendall high"),
                *(f"blocks of {ours}", f"blocks of {theirs}", f"right in {ours}"),
                f"right in {theirs}",
            ),
            rows=tuple(_row(part, found.total.points) for part in found.kinds),
            examples=tuple(part.examples for part in found.kinds),
            note=f"{_ADDING}{_TESTED.format('the table')}{interval} Kendall points: the same of "
            "Kendall's tau. Blocks: moved blocks of each system. Right: the share of the words of "
            f"this kind, among those that both match, that the system does not move. {adds}"
            "Blocks are named after their word nearest to the root of the tree, or after a word "
            "that belongs to it, if they pass that.",
            findings=tuple(told),
            signature=signature,
        ),
        Section(
            key="frs-difference-by",
            group=Group.SCORES,
            whole=True,
            title=f"The same difference by family of words, distance, length and tag: {pair}",
            reading=_largest_of(found),
            header=("by", "part", *header),
            rows=tuple((name, part.name, *_tested(part)) for name, part in by),
            note=f"{_TESTED.format('one division')}{interval} The rows of each division add up to "
            "the difference. Lengths: words of the reference. Tags: a lost pair is shared "
            "between its two words.",
            signature=signature,
        ),
        Section(
            key="frs-difference-by-word",
            group=Group.SCORES,
            whole=True,
            title=f"The same difference by word: {pair}",
            reading="Lost pairs are shared between their two words.",
            header=("word", *header),
            rows=tuple((part.name, *_tested(part)) for part in found.groups["word"]),
            note=f"{_TESTED.format('the table')}{interval} The commonest words of the references, "
            f"by themselves, and all others together. {adds}",
            signature=signature,
        ),
        Section(
            key="frs-difference-checks",
            group=Group.SCORES,
            whole=True,
            title=f"Is the difference still there? {pair}",
            reading=_checked(found),
            header=("compared", *header),
            rows=tuple((part.name, *_tested(part)) for part in (found.total, *found.checks)),
            note=f"{_TESTED.format('the table')}{interval} Where words are left out, FRS is that "
            "of the order of the others.",
            signature=signature,
        ),
    ]


def sure_findings(sections: Sequence[Section], drawn: Drawn) -> list[Section]:
    """Return the sections without the findings whose comparison of systems may be chance.

    Each is tested by paired bootstrap resampling, and the p-values are corrected by Holm's method
    for the number of findings. If no comparison at all is sure, all stay and say that.

    Parameters
    ----------
    sections : sequence of Section
    drawn : Drawn
        How tests are drawn.
    """
    columns = [
        each.compared for one in sections for each in one.findings if each.compared is not None
    ]
    if not columns:
        return list(sections)
    corrected = iter(paired_p_values(columns, drawn).tolist())
    tested = [
        [(each, None if each.compared is None else next(corrected)) for each in one.findings]
        for one in sections
    ]
    p_values = [p for row in tested for _, p in row if p is not None]
    nothing = min(p_values) > SURE and not any(
        each.level == 0 and each.sure for row in tested for each, _ in row
    )
    return [
        replace(
            section,
            findings=tuple(
                each if p is None or p <= SURE else _by_chance(each)
                for each, p in row
                if nothing or p is None or p <= SURE
            ),
        )
        for section, row in zip(sections, tested, strict=True)
    ]


def _by_chance(finding: Finding) -> Finding:
    chance = "This may be chance."
    return replace(finding, sentence=f"{finding.sentence} {chance}")


def _tested(part: Part) -> tuple[Value, ...]:
    return part.points, part.low, part.high, part.p_value


def _row(part: Part, total: float) -> tuple[Value, ...]:
    share = part.points / total if abs(total) > 1e-9 else None
    kendall = part.kendall or (None,) * 3
    return (
        *(part.name, *_tested(part), share, *kendall),
        *(*(part.moved or (None, None)), *(part.right or (None, None))),
    )


def _largest_of(found: Difference) -> str:
    """Name the largest sure part of each division."""
    said = []
    for name, parts in found.groups.items():
        sure = [part for part in parts if part.sure]
        if sure and name != "word":
            most = max(sure, key=lambda part: abs(part.points))
            said.append(f"by {name}: {most.name} ({points(most.points)} points)")
    return f"The largest sure part {'; '.join(said)}." if said else "No part is more than chance."


def _checked(found: Difference) -> str:
    """Say under which conditions the difference is still there."""
    sure = [part.name for part in found.checks if part.sure and part.points > 0]
    gone = [part.name for part in found.checks if not (part.sure and part.points > 0)]
    if not gone:
        return f"It is still there, and significant, {joined(sure)}."
    said = f"It is not sure {joined(gone)}"
    return f"{said}; it is sure {joined(sure)}." if sure else f"{said}."


def _findings(found: Difference) -> Iterator[Finding]:
    """Say why the first system is better, then where each sure kind shows it."""
    used: set[int] = set()
    yield _finding(_summary(found), found.total, 0, found, used)
    for part in found.sure:
        if part.right is not None or part.moved is not None:
            yield _finding(_of_kind(part, found), part, 1, found, used)
        if len(used) > KINDS_TOLD:
            return


def _finding(said: str, part: Part, level: int, found: Difference, used: set[int]) -> Finding:
    """Make a finding that is shown by a typical sentence that no other one has."""
    shown = next((each for each in part.examples if each not in used), None)
    if shown is not None:
        used.add(shown)
    examples = tuple(sorted(part.examples, key=lambda each: each != shown))
    return Finding(
        said,
        abs(part.points),
        examples,
        shown=shown,
        systems=found.names,
        level=level,
        sure=part.sure,
    )


def _summary(found: Difference) -> str:
    """Say in a few sentences what the difference consists of, and whether it lasts."""
    ours, theirs = found.names
    total = found.total
    limits = f"[{total.low:+.1f}, {total.high:+.1f}]"
    if total.sure:
        said = f"{ours} is better than {theirs} by {points(total.points)} points of FRS {limits}: "
    else:
        said = (
            f"{ours} has {points(total.points)} points of FRS more than {theirs} {limits}, which "
            "may be chance: "
        )
    families = found.groups["kinds of words"]
    sure = [part for part in families if part.sure]
    if sure:
        within: dict[str, list[Part]] = {name: [] for name in (part.name for part in sure)}
        for part in found.sure:
            if part.family in within and part.family != part.name:
                within[part.family].append(part)
        told = "; ".join(
            f"{points(part.points)} in {part.name}{_inside(within[part.name])}" for part in sure
        )
        rest = total.points - sum(part.points for part in sure)
        said += f"{told}; {points(rest)} in the rest, where nothing is sure."
    else:
        said += "no part of it is sure by itself."
    if found.dropped:
        said += " " + _dropped(found)
    return f"{said} {_checked(found)}" if total.sure else said


def _inside(parts: Sequence[Part]) -> str:
    """Name the sure kinds of a family."""
    if not parts:
        return ""
    return f" ({', '.join(f'{part.name} {points(part.points)}' for part in parts)})"


def _dropped(found: Difference) -> str:
    """Name common words that one system lacks."""
    told = []
    for each in found.dropped[:WORDS_TOLD]:
        less = found.names[each.ours > each.theirs]
        low, high = sorted((each.ours, each.theirs))
        told.append(f"{each.word!r} in {less} ({100 * low:.0f} % against {100 * high:.0f} %)")
    return f"Fewer matches: {', '.join(told)}."


def _of_kind(part: Part, found: Difference) -> str:
    """Say how often both systems order a kind of words right."""
    ours, theirs = found.names
    if part.right is not None:
        first, second = (100 * share for share in part.right)
        said = f"{ours} orders {part.name} right {first:.1f} % of the time, {theirs} {second:.1f} %"
    elif part.moved is not None:
        first, second = part.moved
        said = f"{ours} moves {first:,} blocks of the kind '{part.name}', {theirs} {second:,}"
    way = ""
    if part.early is not None and abs(part.early - 0.5) >= 0.1:
        loser = theirs if part.points > 0 else ours
        early = part.early > 0.5
        share = 100 * (part.early if early else 1 - part.early)
        way = f" {loser} puts {share:.0f} % of those it moves too {'early' if early else 'late'}."
    return (
        f"{said}: {points(part.points)} of the {points(found.total.points)} points "
        f"[{part.low:+.1f}, {part.high:+.1f}].{way}"
    )
