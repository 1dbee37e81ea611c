"""Why the best system is best: the tables of a difference in FRS, and the first findings."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from wordorder.analysis.answer import format_p
from wordorder.analysis.findings import format_points
from wordorder.analysis.section import Finding, Group, Section, Value
from wordorder.analysis.translations.difference import (
    ALPHA,
    CHANCE_FACTOR,
    UNSHARED_WORDS,
    Difference,
    Part,
)
from wordorder.analysis.translations.part_table import paired_p_values
from wordorder.analysis.translations.word_classes import subject_of
from wordorder.messages import joined
from wordorder.statistics.intervals import ResamplingPlan
from wordorder.statistics.paired_tests import holm

# How p-values are corrected if the whole difference is not significant.
CORRECTION = f"{CHANCE_FACTOR} times as large where the whole difference may be chance"

# At most this number of word classes has a finding, and of unequal words is named.
MAX_CLASS_FINDINGS, MAX_UNEQUAL_WORDS = 4, 3

# Names of the metrics in sentences and in headings of columns.
METRIC_NAMES = {"frs": "FRS", "kendall": "Kendall's tau"}
METRIC_HEADINGS = {"frs": "FRS", "kendall": "Kendall"}

CHARGING_NOTES = {
    "frs": "All is counted on the words that both systems match. FRS loses with each pair of "
    "neighbours of the reference that the output parts; a lost pair is charged to the moved block "
    "that parts it, in equal shares if there are several. ",
    "kendall": "All is counted on the words that both systems match. Kendall's tau loses with each "
    "pair of words that the output puts in the other order; a lost pair is charged to the moved "
    "block that has one of its words, in equal shares if both have moved. ",
}
TAG_NOTE = "Tags: a lost pair is shared between its two words."

# The columns of `_part_cells`.
PART_HEADINGS = ("low", "high", "p", "p (Holm)")


def difference_sections(
    result: Difference,
    signature: str,
    plan: ResamplingPlan,
    between: Sequence[str] = (),
    place: int = 0,
) -> list[Section]:
    """Make the tables of a difference, the first with the findings.

    Parameters
    ----------
    result : Difference
    signature : str
        The signature of its metric.
    plan : ResamplingPlan
        How intervals were computed.
    between : sequence of str
        Systems that score between the two.
    place : int
        The number of pairs of systems before this one: later pairs have findings about the total
        and hypotheses only.

    Returns
    -------
    list of Section
        For FRS ``frs-difference``, ``frs-difference-by``, ``frs-difference-by-word`` and
        ``frs-difference-checks``; for Kendall's tau ``kendall-difference`` and so on, but none by
        word.
    """
    findings = [*_findings(result, between)]
    if place:
        in_advance = findings[1 : 1 + len(result.hypotheses)]
        findings = [
            replace(finding, level=1, place=place) for finding in (findings[0], *in_advance)
        ]
    table = partial(Section, group=Group.SCORES, whole=True, signature=signature)
    interval = f"Low, high: the {plan}."
    sections = [
        _class_section(table, result, findings, interval),
        *_division_sections(table, result, interval),
        table(
            key=f"{result.metric}-difference-checks",
            title=f"Is the difference still there? {' and '.join(result.names)}",
            reading=_summarize_checks(result),
            header=("compared", *_part_header(result)),
            rows=tuple((part.name, *_part_cells(part)) for part in (result.total, *result.checks)),
            note=f"{_test_note(result, 'the checks')}{interval} Where words are left out, "
            f"{METRIC_NAMES[result.metric]} is that of the order of the others.",
        ),
    ]
    return [section for section in sections if section.rows]


def _part_header(result: Difference) -> tuple[str, ...]:
    return (f"{METRIC_HEADINGS[result.metric]} points", *PART_HEADINGS)


def _test_note(result: Difference, tests: str) -> str:
    """Explain points and p-values; `tests` names the tests that are corrected together."""
    return (
        f"{METRIC_HEADINGS[result.metric]} points: hundredths of {METRIC_NAMES[result.metric]} by "
        f"which the first system is better. p: {result.test}, of the row alone; p (Holm): "
        f"corrected by Holm's method for {tests}. "
    )


def _class_section(
    table: Callable[..., Section],
    result: Difference,
    findings: Sequence[Finding],
    interval: str,
) -> Section:
    """Make the table by word class; if no block has moved, it has the total alone."""
    first, second = result.names
    other_metric = next(name for name in METRIC_NAMES if name != result.metric)
    other_heading = METRIC_HEADINGS[other_metric]
    note = _test_note(result, f"all kinds of words, their families and common words: {CORRECTION}")
    if result.hypotheses:
        names = joined([part.name for part in result.hypotheses])
        note += f"Named in advance, and corrected for each other alone: {names}. "
    unshared = ""
    if any(part.name == UNSHARED_WORDS for part in result.classes):
        unshared = (
            f"The row '{UNSHARED_WORDS}' is what the scores on each system's own words add to the "
            "difference on common words. "
        )
    parts = result.classes or (result.total,)
    return table(
        key=f"{result.metric}-difference",
        title=f"Why {first} has a higher {METRIC_NAMES[result.metric]} than {second}",
        reading=findings[0].sentence,
        header=(
            *("moved blocks around", *_part_header(result), "share"),
            *(f"{other_heading} {heading}" for heading in ("points", "low", "high")),
            *(f"blocks of {first}", f"blocks of {second}"),
            *(f"right in {first}", f"right in {second}"),
        ),
        rows=tuple(_class_row(part, parts) for part in parts),
        examples=tuple(part.examples for part in parts),
        note=f"{CHARGING_NOTES[result.metric]}{unshared}{note}{interval} {other_heading} points: "
        f"the same of {METRIC_NAMES[other_metric]}. Blocks: moved blocks of each system. Right: "
        "the share of the words of this kind, among those that both match, that the system does "
        "not move. "
        f"Share: of the points of all rows with the same sign. {_sum_note(result)}Blocks are named "
        "after their word nearest to the root of the tree, or after a word that belongs to it, if "
        "they pass that.",
        findings=tuple(findings),
    )


def _division_sections(
    table: Callable[..., Section], result: Difference, interval: str
) -> Iterator[Section]:
    """Make the table of the divisions by family, distance, length and tag, and that by word."""
    pair = " and ".join(result.names)
    note = _test_note(result, f"all rows of the divisions that are not by kind: {CORRECTION}")
    yield table(
        key=f"{result.metric}-difference-by",
        title=f"The same difference by family of words, distance, length and tag: {pair}",
        reading=_summarize_divisions(result),
        header=("by", "part", *_part_header(result)),
        rows=tuple(
            (name, part.name, *_part_cells(part))
            for name, parts in result.divisions.items()
            for part in parts
            if name != "word"
        ),
        note=f"{note}{interval} The rows of each division add up to the difference. Lengths: "
        f"words of the reference. {TAG_NOTE if result.metric == 'frs' else ''}".rstrip(),
    )
    yield table(
        key=f"{result.metric}-difference-by-word",
        title=f"The same difference by word: {pair}",
        reading="Lost pairs are shared between their two words.",
        header=("word", *_part_header(result)),
        rows=tuple((part.name, *_part_cells(part)) for part in result.divisions.get("word", ())),
        note=f"{note}{interval} The commonest words of the references, "
        f"by themselves, all punctuation, and all others together. {_sum_note(result)}",
    )


def _sum_note(result: Difference) -> str:
    return f"The rows add up to the difference, {result.total.points:+.2f} points. "


def keep_significant_findings(sections: Sequence[Section], plan: ResamplingPlan) -> list[Section]:
    """Return the sections without findings whose comparison of systems is not significant.

    Comparisons are tested as `paired_p_values` describes, and corrected by Holm's method for the
    number of findings. If no comparison is significant, all findings stay and mention that.

    Parameters
    ----------
    sections : sequence of Section
    plan : ResamplingPlan
        Of the tests.
    """
    findings = [finding for section in sections for finding in section.findings]
    columns = [finding.compared for finding in findings if finding.compared is not None]
    raw_p_values = iter(paired_p_values(columns, plan).tolist())
    # A finding with a p-value is already corrected for the rows of its table. A finding about the
    # worst of several systems is one of several possible tests.
    p_values = np.array(
        [
            finding.p_value
            if finding.compared is None
            else min(next(raw_p_values) * finding.candidates, 1)
            for finding in findings
        ],
        np.float64,
    )
    totals = [finding.sure for finding in findings if finding.level == 0]
    corrected = np.minimum(holm(p_values) * (1 if all(totals) else CHANCE_FACTOR), 1)
    # NaN compares as False, so findings that are not tested stay.
    may_be_chance = corrected > ALPHA
    none_significant = not (corrected <= ALPHA).any() and not any(totals)
    if none_significant and not may_be_chance.any():
        return list(sections)
    doubts = iter(may_be_chance.tolist())
    return [
        replace(
            section,
            findings=tuple(
                replace(finding, sentence=f"{finding.sentence} This may be chance.")
                if doubtful
                else finding
                for finding, doubtful in zip(section.findings, doubts, strict=False)
                if none_significant or not doubtful
            ),
        )
        for section in sections
    ]


def _part_cells(part: Part) -> tuple[Value, ...]:
    return part.points, part.low, part.high, part.raw_p_value, part.p_value


def _class_row(part: Part, parts: Sequence[Part]) -> tuple[Value, ...]:
    # Gains and losses are separate totals, so that no share is above 1.
    total = sum(row.points for row in parts if row.points * part.points > 0)
    share = part.points / total if abs(total) > 1e-9 else None
    other_values = part.other_metric or (None,) * 3
    return (
        *(part.name, *_part_cells(part), share, *other_values),
        *(*(part.moved_blocks or (None, None)), *(part.unmoved_share or (None, None))),
    )


def _summarize_divisions(result: Difference) -> str:
    """Name the largest significant part of each division."""
    clauses = []
    for name, parts in result.divisions.items():
        significant = [part for part in parts if part.significant]
        if significant and name != "word":
            largest = max(significant, key=lambda part: abs(part.points))
            clauses.append(f"by {name}: {largest.name} ({format_points(largest.points)} points)")
    if not clauses:
        return "No part is more than chance."
    return f"The largest sure part {'; '.join(clauses)}."


def _summarize_checks(result: Difference) -> str:
    """Describe under which conditions the difference remains significant."""
    significant = [part.name for part in result.checks if part.significant and part.points > 0]
    reversed_ = [part.name for part in result.checks if part.significant and part.points < 0]
    gone = [part.name for part in result.checks if part.name not in (*significant, *reversed_)]
    if not gone and not reversed_:
        return f"It is still there, and significant, {joined(significant)}."
    clauses = [f"it is not significant {joined(gone, 'or')}"] if gone else []
    if significant:
        clauses.append(f"it is significant {joined(significant)}")
    if reversed_:
        clauses.append(f"it is the other way round, and significant, {joined(reversed_)}")
    sentence = "; ".join(clauses)
    return f"{sentence[0].upper()}{sentence[1:]}."


def _findings(result: Difference, between: Sequence[str]) -> Iterator[Finding]:
    """Yield findings about the total, the hypotheses, and each significant word class."""
    used: set[int] = set()
    summary = _summarize(result, between)
    total = _finding(summary, result.total, 0, result, used, caption=_caption(result))
    yield replace(total, subject=_unequal_subject(result))
    for part in result.hypotheses:
        yield replace(_finding(_describe_hypothesis(part, result), part, 1, result, used), place=-1)
    in_advance = {part.name for part in result.hypotheses}
    for part in (part for part in result.significant if part.name not in in_advance):
        if part.name in result.indistinct:
            continue
        if part.unmoved_share is not None or part.moved_blocks is not None:
            yield _finding(_describe_class(part, result), part, 1, result, used)
        if len(used) > MAX_CLASS_FINDINGS:
            return


def _finding(
    sentence: str,
    part: Part,
    level: int,
    result: Difference,
    used: set[int],
    caption: str = "",
) -> Finding:
    """Make a finding; it shows the first example that is not in `used`, and adds it there."""
    shown_example = next((example for example in part.examples if example not in used), None)
    if shown_example is not None:
        used.add(shown_example)
    examples = tuple(sorted(part.examples, key=lambda example: example != shown_example))
    words = dict(zip(part.examples, part.example_words, strict=True))
    return Finding(
        sentence,
        abs(part.points),
        examples,
        shown=shown_example,
        systems=result.names,
        level=level,
        sure=part.significant,
        words=tuple(map(words.__getitem__, examples)),
        caption=caption or sentence,
        direction=part.direction,
    )


def _summarize(result: Difference, between: Sequence[str]) -> str:
    """Describe the parts of the difference, and whether it stays under other conditions."""
    total, significant = result.total, _significant_parts(result)
    text = f"{_describe_total(result)}: "
    if significant:
        signed = _has_signs(result)
        parts = "; ".join(
            f"{_format_part(part, signed)} in {name}{_list_classes(name, result, signed)}"
            for name, part in significant.items()
        )
        # Computed from rounded points, so that the numbers of the sentence add up.
        rest_points = _rounded(total) - sum(map(_rounded, significant.values()))
        remaining = _format_signed(rest_points) if signed else format_points(rest_points)
        text += f"{parts}; {remaining} in the rest, where no part is significant."
    else:
        text += "no part of it is significant by itself."
    if between:
        verb = "is" if len(between) == 1 else "are"
        text += f" {joined(between)} {verb} between the two, and not surely worse."
    if result.unequal_words:
        text += " " + _describe_unequal_words(result)
    return f"{text} {_summarize_checks(result)}" if total.significant else text


def _has_signs(result: Difference) -> bool:
    """Return whether a significant part has another sign than its whole, or exceeds it."""
    significant = _significant_parts(result)
    wholes = [(part, result.total) for part in (*significant.values(), *result.significant)]
    wholes += [
        (part, significant[part.family])
        for part in result.significant
        if part.family in significant
    ]
    return any(not 0 <= _rounded(part) <= _rounded(whole_part) for part, whole_part in wholes)


def _format_signed(value: float) -> str:
    """Format points with their sign, + for a gain of the first system."""
    return f"{'+' if value > 0 else ''}{format_points(value)}"


def _format_part(part: Part, signed: bool) -> str:
    return _format_signed(part.points) if signed else format_points(part.points)


def _describe_hypothesis(part: Part, result: Difference) -> str:
    """Describe the result for a word class that was named in advance."""
    first, second = result.names
    if part.moved_blocks == (0, 0):
        return f"Named in advance: neither {first} nor {second} moves a block of {part.name}."
    count = len(result.hypotheses)
    tested = "tested alone" if count == 1 else f"corrected for the {count} that were named"
    return (
        f"Named in advance: {_format_signed(part.points)} points for {first} against {second} in "
        f"{part.name} [{part.low:+.2f}, {part.high:+.2f}], p {format_p(part.p_value)}, {tested}: "
        f"{'significant' if part.significant else 'not significant'} at 95 %."
    )


def _rounded(part: Part) -> float:
    """Return the points of a part as they are displayed."""
    return float(format_points(part.points))


def _describe_total(result: Difference) -> str:
    """Describe by how much the first system is better."""
    first, second = result.names
    total = result.total
    limits = f"[{total.low:+.1f}, {total.high:+.1f}]"
    gain = f"{format_points(total.points)} points of {METRIC_NAMES[result.metric]}"
    if total.significant:
        return f"{first} is better than {second} by {gain} {limits}"
    if not _rounded(total):
        return f"{first} and {second} differ by {gain} {limits}"
    return f"{first} has {gain} more than {second} {limits}, which may be chance"


def _significant_parts(result: Difference) -> dict[str, Part]:
    """Return the significant families, and classes of other families, the largest first."""
    families = {part.name: part for part in result.divisions["kinds of words"] if part.significant}
    classes = {
        part.name: part for part in result.significant if (part.family or part.name) not in families
    }
    parts = {**families, **classes}
    return dict(sorted(parts.items(), key=lambda item: -abs(item[1].points)))


def _caption(result: Difference) -> str:
    """Describe the difference for the caption of a picture, which shows the moved blocks."""
    signed = _has_signs(result)
    parts = [
        f"{_format_part(part, signed)} in {name}"
        for name, part in _significant_parts(result).items()
    ]
    return f"{': '.join(filter(None, [_describe_total(result), ', '.join(parts)]))}."


def _list_classes(family: str, result: Difference, signed: bool) -> str:
    """List the significant classes of a family in parentheses."""
    classes = [
        f"{part.name} {_format_part(part, signed)}"
        for part in result.significant
        if family == part.family != part.name
    ]
    return f" ({', '.join(classes)})" if classes else ""


def _describe_unequal_words(result: Difference) -> str:
    """Name the words with the most unequal matches."""
    clauses: list[str] = []
    for unequal in result.unequal_words[:MAX_UNEQUAL_WORDS]:
        (low, worse), (high, better) = sorted(zip(unequal.shares, result.names, strict=True))
        start = f"of {unequal.word!r} {worse}"
        if not clauses:
            start = f"Of {unequal.word!r} in the references {worse} matches"
        clauses.append(f"{start} {100 * low:.0f} %, {better} {100 * high:.0f} %")
    return f"{'; '.join(clauses)}."


def _unequal_subject(result: Difference) -> frozenset[tuple[str, str]]:
    """Return the words of `_describe_unequal_words`, each with the system that matches fewer."""
    first, second = result.names
    subjects = (
        subject_of(first if unequal.shares[0] < unequal.shares[1] else second, unequal.word)
        for unequal in result.unequal_words[:MAX_UNEQUAL_WORDS]
    )
    return frozenset().union(*subjects)


def _describe_class(part: Part, result: Difference) -> str:
    """Describe how often both systems order a word class right."""
    first, second = result.names
    if part.unmoved_share is not None:
        first_value, second_value = (100 * share for share in part.unmoved_share)
        text = (
            f"{first} orders {part.name} right {first_value:.1f} % of the time, {second} "
            f"{second_value:.1f} %"
        )
    elif part.moved_blocks is not None:
        first_value, second_value = part.moved_blocks
        text = (
            f"{first} moves {first_value:,} blocks of the kind '{part.name}', {second} "
            f"{second_value:,}"
        )
    direction = ""
    if part.early_share is not None and part.direction:
        loser = second if part.points > 0 else first
        share = 100 * max(part.early_share, 1 - part.early_share)
        direction = f" Of those that {loser} moves, {share:.0f} % are too {part.direction}."
    gain = f"{_format_signed(part.points)} points"
    if not _has_signs(result):
        gain = f"{format_points(part.points)} of the {format_points(result.total.points)} points"
    limits = f"[{part.low:+.1f}, {part.high:+.1f}]"
    p_values = f"p {format_p(part.raw_p_value)}; after Holm's correction p {format_p(part.p_value)}"
    return f"{text}: {gain} {limits} ({p_values}).{direction}"
