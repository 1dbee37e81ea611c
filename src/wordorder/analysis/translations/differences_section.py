"""The sentences on which two systems differ most."""

from __future__ import annotations

import numpy as np

from wordorder.analysis.mean_scores import NEAR
from wordorder.analysis.section import Section, Value
from wordorder.analysis.translations.marked_text import (
    NOTE_OF_TWO,
    marked_reference,
    marked_texts,
)
from wordorder.analysis.translations.tested_scores import TestedScores
from wordorder.analysis.translations.translations import Translations
from wordorder.counts import counted
from wordorder.drawing.marks import OTHER, Marked
from wordorder.metrics.called import called
from wordorder.types import Int64


def differences_section(
    translations: Translations,
    scores: TestedScores,
    pair: tuple[int, int],
    *,
    rows: int = 20,
    suffix: str = "",
) -> Section:
    """Make the table ``sentence-differences`` of two systems, under the first metric.

    Parameters
    ----------
    translations : Translations
    scores : TestedScores
        Of these.
    pair : two int
        The systems, by number.
    rows : int
        How many sentences.
    suffix : str
        What the key ends in.
    """
    first, second = (translations.systems[number] for number in pair)
    metric = translations.metrics[0]
    name = called(metric.name)
    ranked, gain = ranked_differences(translations, pair)
    chosen = ranked[:rows].tolist()
    table: list[tuple[Value, ...]] = []
    for sentence in chosen:
        ours, reference = marked_texts(first, sentence)
        theirs, other = marked_texts(second, sentence)
        values = float(first.scores[0][sentence]), float(second.scores[0][sentence])
        # Each has its own nearest reference where there are several.
        if first.rows[sentence] != second.rows[sentence]:
            reference = Marked(f"{reference} {OTHER} {other}")
        else:
            reference = marked_reference(first, sentence, second)
        table.append((sentence + 1, *values, values[0] - values[1], ours, theirs, reference))
    better, worse = int(np.count_nonzero(gain > 0)), int(np.count_nonzero(gain < 0))
    equal = int(np.count_nonzero(gain == 0))
    test = scores.comparisons[0].pair(pair[1], pair[0])
    between = ""
    if test.interval_95 is not None:
        low, high = test.interval_95
        between = f", with a 95 % interval from {low:+.4f} to {high:+.4f}"
    return Section(
        key=f"sentence-differences{suffix}",
        title=f"Sentences where systems differ most: {first.name} and {second.name}",
        reading=f"{first.name} scores better than {second.name} in {counted(better, 'sentence')}, "
        f"worse in {worse}, the same in {equal}. The difference on the whole corpus is "
        f"{test.difference:+.4f} {name}{between} (p = {max(test.p_value, 1e-4):.4f}, paired "
        "bootstrap resampling): "
        + ("more than chance." if test.mark.endswith("**") else "that may be chance."),
        header=(
            *("sentence", f"{name} of {first.name}", f"{name} of {second.name}", "difference"),
            *(f"translation of {first.name}", f"translation of {second.name}", "reference"),
        ),
        rows=tuple(table),
        examples=tuple((sentence,) for sentence in chosen),
        note=NOTE_OF_TWO,
        signature=translations.segment_signature(0),
    )


def ranked_differences(
    translations: Translations, pair: tuple[int, int]
) -> tuple[Int64, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """Return the sentences with a difference, the largest first, and who is better everywhere.

    Of equal differences the longer sentence comes first.

    Returns
    -------
    int64[D], float64[S]
        The gain of the first system; NaN where not both are scored.

    Examples
    --------
    >>> from wordorder.analysis.translations.given_translations import translations_of
    >>> lines = {"A": ["b a", "c a b"], "B": ["a b", "a b c"]}
    >>> found = translations_of(lines, ["a b", "a b c"], metrics="frs")
    >>> ranked, gain = ranked_differences(found, (0, 1))
    >>> ranked.tolist(), gain.tolist()
    ([0, 1], [-1.0, -0.5])
    """
    first, second = (translations.systems[number] for number in pair)
    gain = first.scores[0] - second.scores[0]
    gain[np.abs(gain) < NEAR] = 0.0
    if not translations.metrics[0].higher_is_better:
        gain = -gain
    differing = np.flatnonzero(~np.isnan(gain) & (gain != 0))
    size = np.round(np.abs(gain[differing]), 12)
    order = np.lexsort((differing, -first.references.lengths[differing], -size))
    return differing[order], gain
