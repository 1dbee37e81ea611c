"""Why the best system is best: the tables of a difference in FRS, and the first findings."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from wordorder.analysis.section import Finding, Group, Section, Value, format_p, points
from wordorder.analysis.translations import difference
from wordorder.analysis.translations.kinds import subject_of
from wordorder.messages import joined
from wordorder.statistics.intervals import ResamplingPlan
from wordorder.statistics.paired_tests import holm

# How p-values of rows that are not sure by themselves are read.
TOGETHER = f"{difference.STRICT} times as large where the whole difference may be chance"

# Kinds that have a finding of their own, and words that are named as missing.
KINDS_TOLD, WORDS_TOLD = 4, 3

_ADDING = {
    "frs": "All is counted on the words that both systems match. FRS loses with each pair of "
    "neighbours of the reference that the output parts; a lost pair is charged to the moved block "
    "that parts it, in equal shares if there are several. ",
    "kendall": "All is counted on the words that both systems match. Kendall's tau loses with each "
    "pair of words that the output puts in the other order; a lost pair is charged to the moved "
    "block that has one of its words, in equal shares if both have moved. ",
}


def _rest(found: difference.Difference) -> str:
    """Explain what only the difference on own words contains: words that one system matches."""
    if all(part.name != difference.ONLY_ONE for part in found.kinds):
        return ""
    return (
        f"The row '{difference.ONLY_ONE}' is what the scores on each system's own words add to the "
        "difference on common words. "
    )


_SHARED = "Tags: a lost pair is shared between its two words."

# How the metrics are called in texts and in the heads of columns.
SAID = {"frs": "FRS", "kendall": "Kendall's tau"}
HEADS = {"frs": "FRS", "kendall": "Kendall"}


def difference_sections(
    found: difference.Difference,
    signature: str,
    drawn: ResamplingPlan,
    between: Sequence[str] = (),
    place: int = 0,
) -> list[Section]:
    """Make the tables of a difference, the first with the findings.

    Parameters
    ----------
    found : Difference
    signature : str
        Of its metric.
    drawn : Drawn
        How intervals were drawn.
    between : sequence of str
        Systems that score between the two.
    place : int
        How many pairs of systems come first: of later pairs only the whole is a finding.

    Returns
    -------
    list of Section
        For FRS ``frs-difference``, ``frs-difference-by``, ``frs-difference-by-word`` and
        ``frs-difference-checks``; for Kendall's tau ``kendall-difference`` and so on, but none by
        word.
    """
    ours, theirs = found.names
    pair = f"{ours} and {theirs}"
    score, other = SAID[found.metric], next(each for each in SAID if each != found.metric)
    head, beside = HEADS[found.metric], HEADS[other]
    tested = (
        f"{head} points: hundredths of {score} by which the first system is better. p: "
        f"{found.test}, of the row alone; p (Holm): corrected by Holm's method for {{}}. "
    )
    told = tested.format(f"all kinds of words, their families and common words: {TOGETHER}")
    untold = tested.format(f"all rows of the divisions that are not by kind: {TOGETHER}")
    interval = f"Low, high: the {drawn}."
    adds = f"The rows add up to the difference, {found.total.points:+.2f} points. "
    by = [(name, part) for name, parts in found.groups.items() for part in parts if name != "word"]
    header = (f"{head} points", "low", "high", "p", "p (Holm)")
    findings = [*_findings(found, between)]
    if place:
        named = findings[1 : 1 + len(found.hypotheses)]
        findings = [replace(each, level=1, place=place) for each in (findings[0], *named)]
    if found.hypotheses:
        listed = joined([part.name for part in found.hypotheses])
        told += f"Named in advance, and corrected for each other alone: {listed}. "
    # Where no block has moved, the whole is shown, with the words that one system lacks.
    kinds = found.kinds or (found.total,)
    key = f"{found.metric}-difference"
    table = partial(Section, group=Group.SCORES, whole=True, signature=signature)
    sections = [
        table(
            key=key,
            title=f"Why {ours} has a higher {score} than {theirs}",
            reading=findings[0].sentence,
            header=(
                *("moved blocks around", *header, "share"),
                *(f"{beside} {each}" for each in ("points", "low", "high")),
                *(f"blocks of {ours}", f"blocks of {theirs}", f"right in {ours}"),
                f"right in {theirs}",
            ),
            rows=tuple(_row(part, kinds) for part in kinds),
            examples=tuple(part.examples for part in kinds),
            note=f"{_ADDING[found.metric]}{_rest(found)}{told}{interval} {beside} points: the same "
            f"of {SAID[other]}. Blocks: moved blocks of each system. Right: the share of the words "
            "of this kind, among those that both match, that the system does not move. Share: of "
            f"the points of all rows with the same sign. {adds}Blocks are named after their word "
            "nearest to the root of the tree, or after a word that belongs to it, if they pass "
            "that.",
            findings=tuple(findings),
        ),
        table(
            key=f"{key}-by",
            title=f"The same difference by family of words, distance, length and tag: {pair}",
            reading=_largest_of(found),
            header=("by", "part", *header),
            rows=tuple((name, part.name, *_tested(part)) for name, part in by),
            note=f"{untold}{interval} The rows of each division add up to the difference. Lengths: "
            f"words of the reference. {_SHARED if found.metric == 'frs' else ''}".rstrip(),
        ),
        table(
            key=f"{key}-by-word",
            title=f"The same difference by word: {pair}",
            reading="Lost pairs are shared between their two words.",
            header=("word", *header),
            rows=tuple((part.name, *_tested(part)) for part in found.groups.get("word", ())),
            note=f"{untold}{interval} The commonest words of the references, "
            f"by themselves, all punctuation, and all others together. {adds}",
        ),
        table(
            key=f"{key}-checks",
            title=f"Is the difference still there? {pair}",
            reading=_checked(found),
            header=("compared", *header),
            rows=tuple((part.name, *_tested(part)) for part in (found.total, *found.checks)),
            note=f"{tested.format('the checks')}{interval} Where words are left out, {score} is "
            "that of the order of the others.",
        ),
    ]
    return [each for each in sections if each.rows]


def sure_findings(sections: Sequence[Section], drawn: ResamplingPlan) -> list[Section]:
    """Return the sections without the findings whose comparison of systems may be chance.

    Each is tested as `paired_p_values` says, and the p-values are corrected by Holm's method for
    the number of findings. If no comparison at all is sure, all stay and say that.

    Parameters
    ----------
    sections : sequence of Section
    drawn : Drawn
        How tests are drawn.
    """
    told = [each for one in sections for each in one.findings]
    columns = [each.compared for each in told if each.compared is not None]
    tested = iter(difference.paired_p_values(columns, drawn).tolist())
    # A finding that is the largest of its table is corrected for that already; one about the worst
    # of several systems could have been about another.
    p_values = np.array(
        [
            each.p_value if each.compared is None else min(next(tested) * each.candidates, 1)
            for each in told
        ],
        np.float64,
    )
    whole = [each.sure for each in told if each.level == 0]
    corrected = np.minimum(holm(p_values) * (1 if all(whole) else difference.STRICT), 1)
    # Comparisons with nan are false: what is not tested stays.
    chance = corrected > difference.SURE
    nothing = not (corrected <= difference.SURE).any() and not any(whole)
    if nothing and not chance.any():
        return list(sections)
    by_chance = iter(chance.tolist())
    return [
        replace(
            section,
            findings=tuple(
                replace(each, sentence=f"{each.sentence} This may be chance.") if doubtful else each
                for each, doubtful in zip(section.findings, by_chance, strict=False)
                if nothing or not doubtful
            ),
        )
        for section in sections
    ]


def _tested(part: difference.Part) -> tuple[Value, ...]:
    return part.points, part.low, part.high, part.uncorrected, part.p_value


def _row(part: difference.Part, parts: Sequence[difference.Part]) -> tuple[Value, ...]:
    # Gains and losses do not balance each other: no share is above 1.
    total = sum(each.points for each in parts if each.points * part.points > 0)
    share = part.points / total if abs(total) > 1e-9 else None
    other = part.other or (None,) * 3
    return (
        *(part.name, *_tested(part), share, *other),
        *(*(part.moved or (None, None)), *(part.right or (None, None))),
    )


def _largest_of(found: difference.Difference) -> str:
    """Name the largest sure part of each division."""
    said = []
    for name, parts in found.groups.items():
        sure = [part for part in parts if part.sure]
        if sure and name != "word":
            most = max(sure, key=lambda part: abs(part.points))
            said.append(f"by {name}: {most.name} ({points(most.points)} points)")
    return f"The largest sure part {'; '.join(said)}." if said else "No part is more than chance."


def _checked(found: difference.Difference) -> str:
    """Say under which conditions the difference is still there."""
    sure = [part.name for part in found.checks if part.sure and part.points > 0]
    turned = [part.name for part in found.checks if part.sure and part.points < 0]
    gone = [part.name for part in found.checks if part.name not in (*sure, *turned)]
    if not gone and not turned:
        return f"It is still there, and significant, {joined(sure)}."
    said = [f"it is not significant {joined(gone, 'or')}"] if gone else []
    if sure:
        said.append(f"it is significant {joined(sure)}")
    if turned:
        said.append(f"it is the other way round, and significant, {joined(turned)}")
    listed = "; ".join(said)
    return f"{listed[0].upper()}{listed[1:]}."


def _findings(found: difference.Difference, between: Sequence[str]) -> Iterator[Finding]:
    """Say why the first system is better, then where each sure kind shows it."""
    used: set[int] = set()
    summary = _summary(found, between)
    whole = _finding(summary, found.total, 0, found, used, caption=_caption(found))
    yield replace(whole, subject=_lacking(found))
    for part in found.hypotheses:
        yield replace(_finding(_hypothesis(part, found), part, 1, found, used), place=-1)
    told = {part.name for part in found.hypotheses}
    for part in (each for each in found.sure if each.name not in told):
        if part.name in found.unclear:
            continue
        if part.right is not None or part.moved is not None:
            yield _finding(_of_kind(part, found), part, 1, found, used)
        if len(used) > KINDS_TOLD:
            return


def _finding(
    said: str,
    part: difference.Part,
    level: int,
    found: difference.Difference,
    used: set[int],
    caption: str = "",
) -> Finding:
    """Make a finding that is shown by a typical sentence that no other one has."""
    shown = next((each for each in part.examples if each not in used), None)
    if shown is not None:
        used.add(shown)
    examples = tuple(sorted(part.examples, key=lambda each: each != shown))
    words = dict(zip(part.examples, part.places, strict=True))
    return Finding(
        said,
        abs(part.points),
        examples,
        shown=shown,
        systems=found.names,
        level=level,
        sure=part.sure,
        words=tuple(map(words.__getitem__, examples)),
        caption=caption or said,
        direction=part.direction,
    )


def _summary(found: difference.Difference, between: Sequence[str]) -> str:
    """Say in a few sentences what the difference consists of, and whether it lasts."""
    total, sure = found.total, _sure_parts(found)
    said = f"{_difference(found)}: "
    if sure:
        kinds = {
            name: [part for part in found.sure if name == part.family != part.name] for name in sure
        }
        signed = _has_signs(found)
        told = "; ".join(
            f"{_written(part, signed)} in {name}{_inside(kinds[name], signed)}"
            for name, part in sure.items()
        )
        # Of the numbers as they are shown, so that they add up.
        rest = _shown(total) - sum(map(_shown, sure.values()))
        remaining = _sign(rest) if signed else points(rest)
        said += f"{told}; {remaining} in the rest, where no part is significant."
    else:
        said += "no part of it is significant by itself."
    if between:
        verb = "is" if len(between) == 1 else "are"
        said += f" {joined(between)} {verb} between the two, and not surely worse."
    if found.dropped:
        said += " " + _dropped(found)
    return f"{said} {_checked(found)}" if total.sure else said


def _has_signs(found: difference.Difference) -> bool:
    """Return whether the sure parts are gains and losses, or more than what they are parts of."""
    sure = _sure_parts(found)
    wholes = [(part, found.total) for part in (*sure.values(), *found.sure)]
    wholes += [(part, sure[part.family]) for part in found.sure if part.family in sure]
    return any(not 0 <= _shown(part) <= _shown(whole) for part, whole in wholes)


def _sign(value: float) -> str:
    """Write points with their sign, + for a gain of the first system."""
    return f"{'+' if value > 0 else ''}{points(value)}"


def _written(part: difference.Part, signed: bool) -> str:
    return _sign(part.points) if signed else points(part.points)


def _p_values(part: difference.Part) -> str:
    return f"p {format_p(part.uncorrected)}; after Holm's correction p {format_p(part.p_value)}"


def _hypothesis(part: difference.Part, found: difference.Difference) -> str:
    """Describe the result for a kind of words that was named in advance."""
    ours, theirs = found.names
    if part.moved == (0, 0):
        return f"Named in advance: neither {ours} nor {theirs} moves a block of {part.name}."
    several = len(found.hypotheses)
    tested = "tested alone" if several == 1 else f"corrected for the {several} that were named"
    return (
        f"Named in advance: {_sign(part.points)} points for {ours} against {theirs} in "
        f"{part.name} [{part.low:+.2f}, {part.high:+.2f}], p {format_p(part.p_value)}, {tested}: "
        f"{'significant' if part.sure else 'not significant'} at 95 %."
    )


def _shown(part: difference.Part) -> float:
    """Return the points of a part as they are written."""
    return float(points(part.points))


def _difference(found: difference.Difference) -> str:
    """Say by how much the first system is better."""
    ours, theirs = found.names
    total = found.total
    limits = f"[{total.low:+.1f}, {total.high:+.1f}]"
    more = f"{points(total.points)} points of {SAID[found.metric]}"
    if total.sure:
        return f"{ours} is better than {theirs} by {more} {limits}"
    if not _shown(total):
        return f"{ours} and {theirs} differ by {more} {limits}"
    return f"{ours} has {more} more than {theirs} {limits}, which may be chance"


def _sure_parts(found: difference.Difference) -> dict[str, difference.Part]:
    """Return the sure families, and the sure kinds of the others, the largest first."""
    families = {part.name: part for part in found.groups["kinds of words"] if part.sure}
    alone = {part.name: part for part in found.sure if (part.family or part.name) not in families}
    parts = {**families, **alone}
    return dict(sorted(parts.items(), key=lambda item: -abs(item[1].points)))


def _caption(found: difference.Difference) -> str:
    """Say under a picture what the difference consists of: its moved blocks can be seen there."""
    signed = _has_signs(found)
    told = [f"{_written(part, signed)} in {name}" for name, part in _sure_parts(found).items()]
    return f"{': '.join(filter(None, [_difference(found), ', '.join(told)]))}."


def _inside(parts: Sequence[difference.Part], signed: bool) -> str:
    """Name the sure kinds of a family."""
    if not parts:
        return ""
    return f" ({', '.join(f'{part.name} {_written(part, signed)}' for part in parts)})"


def _dropped(found: difference.Difference) -> str:
    """Name common words that one system lacks."""
    told: list[str] = []
    for each in found.dropped[:WORDS_TOLD]:
        shares = zip((each.ours, each.theirs), found.names, strict=True)
        (low, less), (high, more) = sorted(shares)
        start = f"of {each.word!r} {less}"
        if not told:
            start = f"Of {each.word!r} in the references {less} matches"
        told.append(f"{start} {100 * low:.0f} %, {more} {100 * high:.0f} %")
    return f"{'; '.join(told)}."


def _lacking(found: difference.Difference) -> frozenset[tuple[str, str]]:
    """Return the words that `_dropped` names, each with the system that lacks it."""
    ours, theirs = found.names
    words = found.dropped[:WORDS_TOLD]
    lacking = (subject_of(ours if word.ours < word.theirs else theirs, word.word) for word in words)
    return frozenset().union(*lacking)


def _of_kind(part: difference.Part, found: difference.Difference) -> str:
    """Say how often both systems order a kind of words right."""
    ours, theirs = found.names
    if part.right is not None:
        first, second = (100 * share for share in part.right)
        said = f"{ours} orders {part.name} right {first:.1f} % of the time, {theirs} {second:.1f} %"
    elif part.moved is not None:
        first, second = part.moved
        said = f"{ours} moves {first:,} blocks of the kind '{part.name}', {theirs} {second:,}"
    way = ""
    if part.early is not None and part.direction:
        loser = theirs if part.points > 0 else ours
        share = 100 * max(part.early, 1 - part.early)
        way = f" Of those that {loser} moves, {share:.0f} % are too {part.direction}."
    gain = f"{_sign(part.points)} points"
    if not _has_signs(found):
        gain = f"{points(part.points)} of the {points(found.total.points)} points"
    limits = f"[{part.low:+.1f}, {part.high:+.1f}]"
    return f"{said}: {gain} {limits} ({_p_values(part)}).{way}"
