"""Tables of single sentences, of orders and of translations, and the sentences to list in them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from wordorder.analysis.analysed import Analysed, Analysis, AnyAnalysed
from wordorder.analysis.section import Group, Section, numbered_sections
from wordorder.analysis.tally import NEAR, largest_first
from wordorder.arrays import Float64, Int64


def worst_sentences(analysed: Analysed, system: int = 0) -> Int64:
    """Return the indices of the scored sentences of a system, the worst first.

    Of equal scores longer sentences come first, of equally long ones the earlier.

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> translations = translations_of({"A": ["b a", "a b", "c b a"]}, ["a b", "a b", "a b c"])
    >>> worst_sentences(translations).tolist()
    [2, 0, 1]
    """
    scores = analysed.system_scores(system)
    scored = np.flatnonzero(~np.isnan(scores))
    badness = -scores[scored] if analysed.metrics[0].higher_is_better else scores[scored]
    return scored[largest_first(badness, analysed.sentence_lengths(system)[scored])]


def ranked_differences(analysed: Analysed, pair: tuple[int, int]) -> tuple[Int64, Float64]:
    """Return the sentences on which two systems differ, the largest difference first.

    Of equal differences the longer sentence comes first.

    Returns
    -------
    int64[D], float64[S]
        The indices of these sentences, and how much better the first system is on each sentence;
        NaN where not both are scored.

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> lines = {"A": ["b a", "c a b"], "B": ["a b", "a b c"]}
    >>> translations = translations_of(lines, ["a b", "a b c"], metrics="frs")
    >>> ranked, gain = ranked_differences(translations, (0, 1))
    >>> ranked.tolist(), gain.tolist()
    ([0, 1], [-1.0, -0.5])
    """
    first, second = pair
    gain = analysed.system_scores(first) - analysed.system_scores(second)
    gain[np.abs(gain) < NEAR] = 0.0
    if not analysed.metrics[0].higher_is_better:
        gain = -gain
    differing = np.flatnonzero(~np.isnan(gain) & (gain != 0))
    lengths = analysed.sentence_lengths(first)[differing]
    return differing[largest_first(np.abs(gain[differing]), lengths)], gain


def sentence_section(
    analysed: Analysed, system: int, sentences: Sequence[int], **options: Any
) -> Section:
    """Make a table of some sentences of a system; `options` are further fields of the section."""
    return Section.of_columns(
        {
            "sentence": [sentence + 1 for sentence in sentences],
            **analysed.sentence_columns(system, sentences),
        },
        group=Group.SENTENCES,
        examples=tuple((sentence,) for sentence in sentences),
        signature=analysed.segment_signature(),
        **options,
    )


def with_sentences(
    analysis: Analysis[AnyAnalysed], sentences: Sequence[int]
) -> Analysis[AnyAnalysed]:
    """Return an analysis with a table ``chosen-sentences`` of each system before its tables.

    Parameters
    ----------
    analysis : Analysis
    sentences : sequence of int
        The sentences in the tables, counted from 0; without any, there are no tables.
    """
    if not sentences:
        return analysis
    tables = (
        sentence_section(
            analysis.analysed,
            number,
            sentences,
            key="chosen-sentences",
            title=f"Chosen sentences: {name}",
            reading=f"The output of {name} for the sentences that were asked for.",
            note=analysis.analysed.marks_note,
        )
        for number, name in enumerate(analysis.names)
    )
    chosen = numbered_sections([table] for table in tables)
    return replace(analysis, sections=(*chosen, *analysis.sections))
