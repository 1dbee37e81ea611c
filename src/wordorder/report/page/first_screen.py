"""What a page shows first: the answer, the picture of intervals, the findings that explain most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wordorder.analysis.findings import top_findings
from wordorder.analysis.score_intervals import ScoreIntervals
from wordorder.analysis.section import Section
from wordorder.drawing.interval_svg import interval_svg
from wordorder.metrics.called import called
from wordorder.report.symbols import ARROWS


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


@dataclass(frozen=True)
class FirstFinding:
    """A finding with what it leads to.

    Attributes
    ----------
    sentence : str
    key, title : str
        Of its table.
    examples : tuple of int
        Sentences, counted from 1.
    """

    sentence: str
    key: str
    title: str
    examples: tuple[int, ...]


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


def first_findings(sections: Sequence[Section]) -> list[FirstFinding]:
    """Return the findings that explain most, with their tables and examples."""
    titles = {section.key: section.title for section in sections}
    return [
        FirstFinding(
            finding.sentence,
            key,
            titles[key],
            tuple(sentence + 1 for sentence in finding.examples),
        )
        for finding, key in top_findings(sections)
    ]
