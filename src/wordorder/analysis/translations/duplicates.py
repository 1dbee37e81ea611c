"""Tables of near-duplicate sentences and of nearly equal systems."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from wordorder.analysis.section import Group, Section, Value
from wordorder.analysis.translations.stored import concatenate, free_memory
from wordorder.analysis.translations.translations import Translations
from wordorder.arrays import Float64, Int32, Int64, Ragged, UInt64, concat_ranges, row_offsets
from wordorder.kernels import piece_spans
from wordorder.messages import counted, percent
from wordorder.metrics.text.text_metric import Pairs
from wordorder.notes import note

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
    # It looks at all words of a text at once.
    free_memory()
    for side, texts, segments in _sides(translations):
        found = near_duplicates(texts, len(translations.texts.vocabulary))
        groups = found.groups()
        if found.looked_at < 1:
            note(
                f"near-duplicates of {side}: {100 * found.looked_at:.2g} % of the pairs that share "
                "rare words were compared, those of most similar lengths; others may be missing"
            )
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
        group=Group.SENTENCES,
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
    >>> from wordorder.analysis.translations.files import translations_of
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
        group=Group.SENTENCES,
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
    >>> from wordorder.analysis.translations.files import translations_of
    >>> repeated_share(translations_of({"A": ["a", "a", "b", "c"]}, ["a", "a", "b", "a"]))
    0.5
    """
    texts = translations.texts
    same = equal_rows(texts.references)
    if texts.source is None and np.array_equal(texts.reference_offsets, np.arange(len(same) + 1)):
        return 1 - len(np.unique(same)) / len(texts) if len(texts) else 0.0
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
    >>> from wordorder.analysis.translations.files import translations_of
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


def _sides(translations: Translations) -> list[tuple[str, Ragged, Int64]]:
    """Return the texts that may repeat themselves, each with the segments of its rows."""
    texts = translations.texts
    segments = np.flatnonzero(np.diff(texts.reference_offsets))
    references = _taken(texts.references, texts.reference_offsets[:-1][segments])
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


# Word edits over the words of the longer sentence: up to here two sentences are almost the same.
THRESHOLD = 0.2

# Candidates that are looked at together.
PIECE = 1 << 20

# Rows that are copied together.
ROWS = 1 << 16

# So many are looked at in all, or so many a sentence if that is more.
MOST, MOST_EACH = 1 << 20, 64


@dataclass(frozen=True, eq=False)
class NearDuplicates:
    """Sentences that are the same or almost the same.

    Attributes
    ----------
    same_as : int64[S]
        For each sentence the first one that is equal to it: itself, if there is none before.
    first, second : int64[P]
        Pairs of different sentences that are almost the same, each the first of its equals;
        ``first < second``, sorted.
    distances : float64[P]
        The edit distance of each pair in words, over the words of the longer sentence; above 0.
    looked_at : float
        The share of the candidates that are looked at: 1 unless there are too many.
    """

    same_as: Int64
    first: Int64
    second: Int64
    distances: Float64
    looked_at: float = 1.0

    def groups(self) -> Int64:
        """Return for each sentence the first one that it is linked with, int64[S].

        Sentences are linked if they are equal or almost the same, or if there are others between
        them that are.
        """
        lead = np.arange(len(self.same_as))
        first, second = self.first, self.second
        # Each round hands the smallest number to all neighbours and then along the chains.
        while True:
            smallest = np.minimum(lead[first], lead[second])
            changed = lead.copy()
            np.minimum.at(changed, first, smallest)
            np.minimum.at(changed, second, smallest)
            changed = changed[changed]
            if np.array_equal(changed, lead):
                return lead[self.same_as]
            lead = changed


def near_duplicates(rows: Ragged, numbers: int, *, threshold: float = THRESHOLD) -> NearDuplicates:
    """Find the sentences that are almost the same.

    Two sentences are almost the same if their edit distance in words (insertions, deletions,
    substitutions) is at most `threshold` times the words of the longer one. None is missed unless
    there are too many candidates, as the notes say.

    Parameters
    ----------
    rows : Ragged
        S sentences as word numbers.
    numbers : int
        Larger than all of them.
    threshold : float
        From 0 to below 1.

    Notes
    -----
    With d edits, a sentence of n words shares at least n - d words with the other. So if both list
    their words from the rarest on, their first ``floor(threshold * n) + 1`` have one in common
    (Chaudhuri, Ganti and Kaushik 2006, "prefix filter"). Only such pairs of fitting lengths are
    compared. How many there are depends on the text: for sentences of everyday length about as
    many as sentences. Where nearly all sentences have the same few words there are about as many as
    pairs. If they are more than 1,048,576 and more than 64 a sentence, each is compared only with
    those next to it in length, so that time grows with the sentences and not with their square.

    Examples
    --------
    >>> rows = Ragged.from_rows([[0, 1, 2, 3, 4], [5], [0, 1, 6, 3, 4], [5], [4, 3, 2, 1, 0]])
    >>> found = near_duplicates(rows, 7)
    >>> found.same_as.tolist(), found.first.tolist(), found.second.tolist()
    ([0, 1, 2, 1, 4], [0], [2])
    >>> found.distances.tolist(), found.groups().tolist()
    ([0.2], [0, 1, 0, 1, 4])
    """
    same_as = equal_rows(rows)
    distinct = np.flatnonzero(same_as == np.arange(len(rows)))
    kept = _taken(rows, distinct)
    lengths = kept.lengths
    found = [(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))]
    lists = _Candidates(kept, numbers, threshold)
    for first, second in lists:
        distances = word_distances(kept, kept, first, second, numbers)
        longest = np.maximum(lengths[first], lengths[second])
        near = distances <= _edits(longest, threshold)
        found.append((first[near], second[near], (distances / longest)[near]))
    first, second, shares = map(np.concatenate, zip(*found, strict=True))
    # Pairs with several rare words in common may be in several pieces.
    _, once = np.unique(first * len(kept) + second, return_index=True)
    pairs = distinct[first[once]], distinct[second[once]]
    return NearDuplicates(same_as, *pairs, shares[once], lists.looked_at)


def equal_rows(rows: Ragged) -> Int64:
    """Return for each row the first one that is equal to it, int64[S].

    Examples
    --------
    >>> equal_rows(Ragged.from_rows([[1, 2], [], [1, 2], []])).tolist()
    [0, 1, 0, 1]
    """
    hashes = np.concatenate([np.zeros(0, np.uint64), *map(_hashes, _parts_of(rows))])
    order = np.argsort(hashes, kind="stable")
    alike = np.flatnonzero(hashes[order[1:]] == hashes[order[:-1]])
    first, second = order[alike], order[alike + 1]
    spans = [slice(begin, begin + ROWS) for begin in range(0, len(alike), ROWS)]
    if not np.array_equal(rows.lengths[first], rows.lengths[second]) or not all(
        np.array_equal(rows.take(first[span]).values, rows.take(second[span]).values)
        for span in spans
    ):
        # Two rows have one hash by chance.
        seen: dict[bytes, int] = {}
        firsts = (seen.setdefault(row.tobytes(), at) for at, row in enumerate(rows))
        return np.fromiter(firsts, np.int64, len(rows))
    begins = np.ones(len(rows), np.bool_)
    begins[alike + 1] = False
    same_as = np.empty(len(rows), np.int64)
    same_as[order] = order[begins][np.cumsum(begins) - 1]
    return same_as


def _hashes(rows: Ragged) -> UInt64:
    """Return a hash of each row, uint64[S]."""
    lengths = rows.lengths
    # Sums of products that wrap around, of a word's number and its place.
    words = (rows.values.astype(np.uint64) + np.uint64(1)) * _ODD
    places = (concat_ranges(0, lengths).astype(np.uint64) * np.uint64(2) + np.uint64(1)) * _ODD
    ends = np.append(np.zeros(1, np.uint64), np.cumsum((words ^ (words >> _HALF)) * places))
    hashes: UInt64 = ends[rows.offsets[1:]] - ends[rows.offsets[:-1]]
    return hashes


_ODD, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)


def _parts_of(rows: Ragged) -> Iterator[Ragged]:
    """Cut rows into parts that are not much at once."""
    for first, last in piece_spans(rows.offsets, PIECE):
        yield rows[first:last]


def _taken(rows: Ragged, chosen: Int64) -> Ragged:
    """Return some rows, in their order; all rows as they are."""
    if np.array_equal(chosen, np.arange(len(rows))):
        return rows
    begins = range(0, max(len(chosen), 1), ROWS)
    values = concatenate(rows.take(chosen[begin : begin + ROWS]).values for begin in begins)
    return Ragged(values, row_offsets(rows.lengths[chosen]))


def word_distances(
    first_rows: Ragged, second_rows: Ragged, first: Int64, second: Int64, numbers: int
) -> Float64:
    """Return the edit distances in words of pairs of rows, float64[P].

    Examples
    --------
    >>> rows = Ragged.from_rows([[0, 1], [0], [2, 0]])
    >>> word_distances(rows, rows, np.array([0, 1]), np.array([2, 0]), 3).tolist()
    [2.0, 1.0]
    """
    order = np.argsort(first, kind="stable")
    offsets = np.searchsorted(first[order], np.arange(len(first_rows) + 1))
    pairs = Pairs(first_rows, second_rows, offsets.astype(np.int64), second[order], numbers)
    distances = np.empty(len(first))
    distances[order] = pairs.bit_parallel_distances()
    return distances


class _Candidates:
    """Pairs of rows that have a rare word in common and are about as long, in pieces."""

    def __init__(self, rows: Ragged, numbers: int, threshold: float) -> None:
        lengths = rows.lengths
        edits = _edits(lengths, threshold)
        row_of, tokens = _rarest_tokens(rows, numbers, edits + 1)
        keys = tokens * np.int64(lengths.max(initial=0) + 1) + lengths[row_of]
        del tokens
        order = np.lexsort((row_of, keys))
        keys, self.row_of = keys[order], row_of[order]
        del order, row_of
        # Shorter ones with the same word, that lack no more words than there may be edits.
        start = np.searchsorted(keys, keys - edits[self.row_of])
        # Where there may not be a single edit, only equal rows would do.
        all_counts = np.where(edits[self.row_of] > 0, np.arange(len(keys)) - start, 0)
        del keys, start
        self.size = len(rows)
        self.counts = _at_most(all_counts, max(MOST, MOST_EACH * self.size))
        every = int(all_counts.sum())
        self.looked_at = int(self.counts.sum()) / every if every else 1.0

    def __iter__(self) -> Iterator[tuple[Int64, Int64]]:
        ends = np.cumsum(self.counts)
        most = int(ends[-1]) if len(ends) else 0
        cuts = np.searchsorted(ends, np.arange(0, most + PIECE, PIECE), side="right")
        for begin, end in zip(cuts, np.append(cuts[1:], len(ends)), strict=True):
            taken = self.counts[begin:end]
            if not taken.any():
                continue
            one = np.repeat(self.row_of[begin:end], taken).astype(np.int64)
            shorter = concat_ranges(np.arange(begin, end) - taken, taken)
            other = self.row_of[shorter].astype(np.int64)
            pairs = np.unique(np.minimum(one, other) * self.size + np.maximum(one, other))
            yield np.divmod(pairs, self.size)


def _at_most(counts: Int64, most: int) -> Int64:
    """Cut all counts off at the same height, the largest at which they sum up to `most` at most.

    Examples
    --------
    >>> _at_most(np.array([0, 1, 5, 9]), 9).tolist()
    [0, 1, 4, 4]
    """
    low, high = 0, int(counts.max(initial=0))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high) if np.minimum(counts, middle).sum() <= most else (low, middle - 1)
        )
    return np.minimum(counts, low)


def _edits(lengths: Int64, threshold: float) -> Int64:
    """Return how many edits two sentences may be apart if the longer one has so many words."""
    # A product such as .29 * 100 is a little below the whole number.
    edits: Int64 = np.floor(threshold * lengths + 1e-9).astype(np.int64)
    return edits


def _rarest_tokens(rows: Ragged, numbers: int, counts: Int64) -> tuple[Int32, Int32]:
    """Return the rarest words of each row, so many as `counts` says: rows and tokens.

    The second "the" of a sentence is another token than its first.
    """
    known, occurs = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for part in _parts_of(rows):
        found, times = np.unique(_token_keys(part, numbers), return_counts=True)
        known, places = np.unique(np.append(known, found), return_inverse=True)
        occurs = np.bincount(places, np.append(occurs, times), len(known)).astype(np.int64)
    first, row_parts, parts = 0, [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
    for part in _parts_of(rows):
        tokens = np.searchsorted(known, _token_keys(part, numbers)).astype(np.int32)
        row_of = np.repeat(np.arange(len(part), dtype=np.int32), part.lengths)
        order = np.lexsort((tokens, occurs[tokens], row_of))
        kept = order[concat_ranges(0, part.lengths) < counts[first + row_of]]
        row_parts.append(first + row_of[kept])
        parts.append(tokens[kept])
        first += len(part)
    return np.concatenate(row_parts), np.concatenate(parts)


def _token_keys(rows: Ragged, numbers: int) -> Int64:
    """Return a number for each word of some rows and how often its row has it before, int64[N].

    Those of a row are in the order of its words' numbers.
    """
    row_of = np.repeat(np.arange(len(rows)), rows.lengths)
    words = row_of * numbers + rows.values
    # Rows stay together.
    order = np.argsort(words, kind="stable")
    words = words[order]
    begins = np.ones(len(words), np.bool_)
    begins[1:] = words[1:] != words[:-1]
    at = np.arange(len(begins))
    times = at - np.maximum.accumulate(np.where(begins, at, 0))
    keys: Int64 = times * numbers + rows.values[order]
    return keys
