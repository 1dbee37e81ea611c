"""Tables of near-duplicate sentences and of nearly equal systems."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np

from wordorder.analysis.section import Section, Value
from wordorder.analysis.translations.near_duplicates import (
    THRESHOLD,
    NearDuplicates,
    equal_rows,
    near_duplicates,
    word_distances,
)
from wordorder.analysis.translations.translations import Translations
from wordorder.counts import counted, percent
from wordorder.notes import note
from wordorder.ragged import Ragged
from wordorder.types import Int64

# From this share of repeated sentences on a user should be told.
MANY = 0.05
# Systems are almost equal from this share of equal outputs on, or below this distance.
ALIKE, CLOSE = 0.5, 0.1
EXAMPLES = 5


def duplicates_section(translations: Translations) -> Section | None:
    """List duplicate and near-duplicate sentences of source and references.

    Parameters
    ----------
    translations : Translations

    Returns
    -------
    Section or None
        ``near-duplicates``, a row for each group of sentences that are linked; None without any.
    """
    rows: list[tuple[Value, ...]] = []
    examples: list[tuple[int, ...]] = []
    said = []
    for side, texts, segments in _sides(translations):
        found = near_duplicates(texts, len(translations.texts.vocabulary))
        groups = found.groups()
        if found.looked_at < 1:
            note(_few_compared(side, found.looked_at))
        repeated = int(np.count_nonzero(groups != np.arange(len(groups))))
        said.append(f"{side}: {repeated} of {len(groups)} ({percent(repeated, len(groups))})")
        for cells, members in _listed(found, groups):
            text = " ".join(translations.texts.words_of(texts.take(members[:1]))[0])
            rows.append((side, *cells, text))
            examples.append(tuple(segments[members[:EXAMPLES]].tolist()))
    if not rows:
        return None
    order = sorted(range(len(rows)), key=lambda at: -int(rows[at][1] or 0))
    return Section(
        key="near-duplicates",
        title="Duplicate and near-duplicate sentences",
        reading=f"Sentences that repeat an earlier one exactly or nearly: {'; '.join(said)}. "
        "Intervals and tests count each sentence as new evidence, so duplicates make "
        "intervals too narrow and tests too sure.",
        header=("side", "sentences", "different", "distance", "text"),
        rows=tuple(rows[at] for at in order),
        examples=tuple(examples[at] for at in order),
        note=f"Two sentences are near-duplicates if at most {100 * THRESHOLD:g} % of the words of "
        "the longer one must be inserted, deleted or substituted. A row is a group of "
        "near-duplicates. Different: how many differ in some word. Distance: the largest "
        "between two near-duplicates of the group, in edits over words. Text: the first "
        "sentence. With several references, the first one counts.",
    )


def alike_systems_section(translations: Translations) -> Section | None:
    """Compare the outputs of all pairs of systems; None for one system.

    Examples
    --------
    >>> from wordorder.analysis.translations.given_translations import translations_of
    >>> found = translations_of({"A": ["a b", "c"], "B": ["a b", "d"]}, ["a b", "c"])
    >>> section = alike_systems_section(found)
    >>> section.header[2:], section.rows[0][2:]
    (('equal outputs', 'share', 'distance'), (1, 0.5, 0.3333333333333333))
    """
    if len(translations.systems) < 2:
        return None
    numbers, size = len(translations.texts.vocabulary), len(translations)
    each = np.arange(size)
    found: list[tuple[float, int, str, str]] = []
    for one, other in combinations(translations.systems, 2):
        ours, theirs = one.texts.hypothesis, other.texts.hypothesis
        distances = word_distances(ours, theirs, each, each, numbers)
        words = max(int(np.maximum(ours.lengths, theirs.lengths).sum()), 1)
        equal = int(np.count_nonzero(distances == 0))
        found.append((float(distances.sum()) / words, equal, one.name, other.name))
    found.sort(key=lambda pair: pair[0])
    rows = tuple(
        (one, other, equal, equal / max(size, 1), distance) for distance, equal, one, other in found
    )
    distance, equal, first, second = found[0]
    reading = (
        f"Closest: {first} and {second}, with {counted(equal, 'equal output')} of {size} and "
        f"{100 * distance:.1f} % of their words edited."
    )
    alike = [
        f"{one} and {other}"
        for distance, equal, one, other in found
        if size and (equal >= ALIKE * size or distance <= CLOSE)
    ]
    if alike:
        reading += f" Nearly equal systems are not independent evidence: {'; '.join(alike)}."
    return Section(
        key="alike-systems",
        title="How similar the systems' outputs are",
        reading=reading,
        header=("system", "other system", "equal outputs", "share", "distance"),
        rows=rows,
        note="Equal outputs: sentences that both systems translate with exactly the same words. "
        "Distance: insertions, deletions and substitutions between the two outputs, over "
        "the words of the longer output of each sentence.",
    )


def repeated_share(translations: Translations) -> float:
    """Return the share of segments whose source and references repeat those of an earlier one.

    Word by word; of several references all must be the same.

    Examples
    --------
    >>> from wordorder.analysis.translations.given_translations import translations_of
    >>> repeated_share(translations_of({"A": ["a", "a", "b", "c"]}, ["a", "a", "b", "a"]))
    0.5
    """
    texts = translations.texts
    same = equal_rows(texts.references)
    sources = None if texts.source is None else equal_rows(texts.source).tolist()
    seen: set[tuple[int, ...]] = set()
    offsets = texts.reference_offsets.tolist()
    for segment, (start, stop) in enumerate(pairwise(offsets)):
        key = tuple(same[start:stop].tolist())
        seen.add(key if sources is None else (sources[segment], *key))
    return 1 - len(seen) / len(texts) if len(texts) else 0.0


def repetition_note(translations: Translations) -> str:
    """Say that many segments repeat others; an empty string if there are not many.

    Examples
    --------
    >>> from wordorder.analysis.translations.given_translations import translations_of
    >>> repetition_note(translations_of({"A": ["a", "a", "b", "c"]}, ["a", "a", "b", "a"]))
    '50 % of the segments repeat an earlier one word for word, so intervals are too narrow \
(table near-duplicates)'
    >>> repetition_note(translations_of({"A": ["a", "b"]}, ["a", "b"]))
    ''
    """
    share = repeated_share(translations)
    if share < MANY:
        return ""
    return (
        f"{100 * share:.0f} % of the segments repeat an earlier one word for word, so intervals "
        "are too narrow (table near-duplicates)"
    )


def _few_compared(side: str, share: float) -> str:
    """Say that near-duplicates may be missing."""
    return (
        f"near-duplicates of {side}: {100 * share:.2g} % of the pairs that share rare words were "
        "compared, those of most similar lengths; others may be missing"
    )


def _sides(translations: Translations) -> list[tuple[str, Ragged, Int64]]:
    """Return the texts that may repeat themselves, each with the segments of its rows."""
    texts = translations.texts
    segments = np.flatnonzero(np.diff(texts.reference_offsets))
    references = texts.references.take(texts.reference_offsets[:-1][segments])
    sides = [("references", references, segments)]
    if texts.source is not None:
        sides.insert(0, ("source", texts.source, np.arange(len(texts))))
    return sides


def _listed(found: NearDuplicates, groups: Int64) -> list[tuple[tuple[int, int, float], Int64]]:
    """Return for each group of at least two what the table says of it, and its sentences."""
    sizes = np.bincount(groups, minlength=len(groups))
    originals = found.same_as == np.arange(len(groups))
    different = np.bincount(groups[originals], minlength=len(groups))
    farthest = np.zeros(len(groups))
    np.maximum.at(farthest, groups[found.first], found.distances)
    order = np.argsort(groups, kind="stable")
    starts = np.cumsum(sizes) - sizes
    return [
        (
            (int(sizes[lead]), int(different[lead]), float(farthest[lead])),
            order[starts[lead] : starts[lead] + sizes[lead]],
        )
        for lead in np.flatnonzero(sizes > 1).tolist()
    ]
