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

# From this share of repeated sentences on, a note is logged.
MIN_NOTED_SHARE = 0.05

# Systems are nearly equal from this share of equal outputs on, or up to this distance.
MIN_EQUAL_SHARE, MAX_CLOSE_DISTANCE = 0.5, 0.1

MAX_EXAMPLES = 5

# The largest edit distance of near-duplicates, over the words of the longer sentence.
NEAR_THRESHOLD = 0.2

# Candidate pairs, and rows, in memory at a time.
SPAN_PAIRS = 1 << 20
SPAN_ROWS = 1 << 16

# At most this number of candidate pairs is compared, or of pairs per sentence if that is more.
MAX_PAIRS, MAX_PAIRS_PER_SENTENCE = 1 << 20, 64

# Of a multiplicative hash: 2**64 divided by the golden ratio, made odd; and half of the bits.
HASH_FACTOR, HASH_SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)


def duplicates_section(translations: Translations) -> Section | None:
    """List duplicate and near-duplicate sentences of source and references.

    Parameters
    ----------
    translations : Translations

    Returns
    -------
    Section or None
        ``near-duplicates``, a row per group of linked sentences; None if there are none.
    """
    rows: list[tuple[Value, ...]] = []
    examples: list[tuple[int, ...]] = []
    clauses = []
    # All words of a text are compared in one batch.
    free_memory()
    for side, texts, segments in _sides(translations):
        duplicates = near_duplicates(texts, len(translations.texts.vocabulary))
        groups = duplicates.groups()
        if duplicates.compared_share < 1:
            note(
                f"near-duplicates of {side}: {100 * duplicates.compared_share:.2g} % of the pairs "
                "that share rare words were compared, those of most similar lengths; others may be "
                "missing"
            )
        repeated = int(np.count_nonzero(groups != np.arange(len(groups))))
        clauses.append(f"{side}: {repeated} of {len(groups)} ({percent(repeated, len(groups))})")
        for cells, members in _group_rows(duplicates, groups):
            text = " ".join(translations.texts.words_of(texts.take(members[:1]))[0])
            rows.append((side, *cells, text))
            examples.append(tuple(segments[members[:MAX_EXAMPLES]].tolist()))
    if not rows:
        return None
    order = sorted(range(len(rows)), key=lambda index: -int(rows[index][1] or 0))
    return Section(
        key="near-duplicates",
        group=Group.SENTENCES,
        title="Duplicate and near-duplicate sentences",
        reading=f"Sentences that repeat an earlier one exactly or nearly: {'; '.join(clauses)}. "
        "Intervals and tests count each sentence as new evidence, so duplicates make "
        "intervals too narrow and tests too sure.",
        header=("side", "sentences", "different", "distance", "text"),
        rows=tuple(rows[index] for index in order),
        examples=tuple(examples[index] for index in order),
        note=f"Two sentences are near-duplicates if at most {100 * NEAR_THRESHOLD:g} % of the "
        "words of the longer one must be inserted, deleted or substituted. A row is a group of "
        "near-duplicates. Different: how many differ in some word. Distance: the largest "
        "between two near-duplicates of the group, in edits over words. Text: the first "
        "sentence. With several references, the first one counts.",
    )


def alike_systems_section(translations: Translations) -> Section | None:
    """Make the table ``alike-systems``: all pairs of systems; None for a single system.

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> translations = translations_of({"A": ["a b", "c"], "B": ["a b", "d"]}, ["a b", "c"])
    >>> section = alike_systems_section(translations)
    >>> section.header[2:], section.rows[0][2:]
    (('equal outputs', 'share', 'distance'), (1, 0.5, 0.3333333333333333))
    """
    if len(translations.systems) < 2:
        return None
    vocabulary_size, size = len(translations.texts.vocabulary), len(translations)
    segments = np.arange(size)
    pairs: list[tuple[float, int, str, str]] = []
    for first, second in combinations(translations.systems, 2):
        first_outputs, second_outputs = first.texts.hypothesis, second.texts.hypothesis
        distances = word_distances(
            first_outputs, second_outputs, segments, segments, vocabulary_size
        )
        words = max(int(np.maximum(first_outputs.lengths, second_outputs.lengths).sum()), 1)
        equal = int(np.count_nonzero(distances == 0))
        pairs.append((float(distances.sum()) / words, equal, first.name, second.name))
    pairs.sort(key=lambda pair: pair[0])
    rows = tuple(
        (first, second, equal, equal / max(size, 1), distance)
        for distance, equal, first, second in pairs
    )
    distance, equal, first_name, second_name = pairs[0]
    reading = (
        f"Closest: {first_name} and {second_name}, with {counted(equal, 'equal output')} of {size} "
        f"and {100 * distance:.1f} % of their words edited."
    )
    nearly_equal = [
        f"{first} and {second}"
        for distance, equal, first, second in pairs
        if size and (equal >= MIN_EQUAL_SHARE * size or distance <= MAX_CLOSE_DISTANCE)
    ]
    if nearly_equal:
        reading += f" Nearly equal systems are not independent evidence: {'; '.join(nearly_equal)}."
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
    """Return the share of segments whose source and references all repeat an earlier segment.

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
    keys: set[tuple[int, ...]] = set()
    offsets = texts.reference_offsets.tolist()
    for segment, (start, stop) in enumerate(pairwise(offsets)):
        key = tuple(same[start:stop].tolist())
        keys.add(key if sources is None else (sources[segment], *key))
    return 1 - len(keys) / len(texts) if len(texts) else 0.0


def repetition_note(translations: Translations) -> str:
    """Return a note about repeated segments; an empty string if they are few.

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
    if share < MIN_NOTED_SHARE:
        return ""
    return (
        f"{100 * share:.0f} % of the segments repeat an earlier one word for word, so intervals "
        "are too narrow (table near-duplicates)"
    )


def _sides(translations: Translations) -> list[tuple[str, Ragged, Int64]]:
    """Return the source and the first references, each with the segments of its rows."""
    texts = translations.texts
    segments = np.flatnonzero(np.diff(texts.reference_offsets))
    references = _take_rows(texts.references, texts.reference_offsets[:-1][segments])
    sides = [("references", references, segments)]
    if texts.source is not None:
        sides.insert(0, ("source", texts.source, np.arange(len(texts))))
    return sides


def _group_rows(
    duplicates: NearDuplicates, groups: Int64
) -> list[tuple[tuple[int, int, float], Int64]]:
    """Return for each group of at least two sentences the cells of its row, and its sentences."""
    sizes = np.bincount(groups, minlength=len(groups))
    is_first = duplicates.same_as == np.arange(len(groups))
    different = np.bincount(groups[is_first], minlength=len(groups))
    max_distance = np.zeros(len(groups))
    np.maximum.at(max_distance, groups[duplicates.first], duplicates.distances)
    order = np.argsort(groups, kind="stable")
    starts = np.cumsum(sizes) - sizes
    return [
        (
            (int(sizes[group]), int(different[group]), float(max_distance[group])),
            order[starts[group] : starts[group] + sizes[group]],
        )
        for group in np.flatnonzero(sizes > 1).tolist()
    ]


@dataclass(frozen=True, eq=False)
class NearDuplicates:
    """Equal and nearly equal sentences.

    Attributes
    ----------
    same_as : int64[S]
        For each sentence, the first sentence that is equal to it, possibly itself.
    first, second : int64[P]
        Pairs of different near-duplicates, each the first of its equals; ``first < second``,
        sorted.
    distances : float64[P]
        The edit distance of each pair in words, over the words of the longer sentence; above 0.
    compared_share : float
        The share of the candidate pairs that were compared: 1 unless there are too many.
    """

    same_as: Int64
    first: Int64
    second: Int64
    distances: Float64
    compared_share: float = 1.0

    def groups(self) -> Int64:
        """Return for each sentence the first sentence of its group, int64[S].

        A group contains all sentences that are linked by a chain of equal and nearly equal ones.
        """
        leads = np.arange(len(self.same_as))
        first, second = self.first, self.second
        # Each round passes the lowest index to both sentences of a pair, and then along chains.
        while True:
            lowest = np.minimum(leads[first], leads[second])
            changed = leads.copy()
            np.minimum.at(changed, first, lowest)
            np.minimum.at(changed, second, lowest)
            changed = changed[changed]
            if np.array_equal(changed, leads):
                return leads[self.same_as]
            leads = changed


def near_duplicates(
    rows: Ragged, vocabulary_size: int, *, threshold: float = NEAR_THRESHOLD
) -> NearDuplicates:
    """Find the near-duplicates among sentences.

    Two sentences are near-duplicates if their edit distance in words (insertions, deletions,
    substitutions) is at most `threshold` times the words of the longer one. All are found, unless
    there are too many candidates (see Notes).

    Parameters
    ----------
    rows : Ragged
        S sentences as word ids.
    vocabulary_size : int
        Larger than all word ids.
    threshold : float
        From 0 to below 1.

    Notes
    -----
    With d edits, a sentence of n words shares at least n - d words with the other. So if the words
    of both are sorted from the rarest on, their first ``floor(threshold * n) + 1`` words have one
    in common (Chaudhuri, Ganti and Kaushik 2006, "prefix filter"). Only such pairs of similar
    length are compared. Their number depends on the text: usually about one per sentence; if nearly
    all sentences consist of the same few words, almost all pairs. If there are more than 1,048,576
    and more than 64 per sentence, each sentence is compared only with those next to it in length,
    so that time is linear in the sentences, not quadratic.

    Examples
    --------
    >>> rows = Ragged.from_rows([[0, 1, 2, 3, 4], [5], [0, 1, 6, 3, 4], [5], [4, 3, 2, 1, 0]])
    >>> duplicates = near_duplicates(rows, 7)
    >>> duplicates.same_as.tolist(), duplicates.first.tolist(), duplicates.second.tolist()
    ([0, 1, 2, 1, 4], [0], [2])
    >>> duplicates.distances.tolist(), duplicates.groups().tolist()
    ([0.2], [0, 1, 0, 1, 4])
    """
    same_as = equal_rows(rows)
    distinct = np.flatnonzero(same_as == np.arange(len(rows)))
    unique_rows = _take_rows(rows, distinct)
    lengths = unique_rows.lengths
    parts = [(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))]
    candidates = _CandidatePairs(unique_rows, vocabulary_size, threshold)
    for first, second in candidates:
        distances = word_distances(unique_rows, unique_rows, first, second, vocabulary_size)
        longest = np.maximum(lengths[first], lengths[second])
        near = distances <= _max_edits(longest, threshold)
        parts.append((first[near], second[near], (distances / longest)[near]))
    first, second, shares = map(np.concatenate, zip(*parts, strict=True))
    # Pairs with several rare words in common may be in several spans.
    _, unique_pairs = np.unique(first * len(unique_rows) + second, return_index=True)
    pairs = distinct[first[unique_pairs]], distinct[second[unique_pairs]]
    return NearDuplicates(same_as, *pairs, shares[unique_pairs], candidates.compared_share)


def equal_rows(rows: Ragged) -> Int64:
    """Return for each row the first row that is equal to it, int64[S].

    Examples
    --------
    >>> equal_rows(Ragged.from_rows([[1, 2], [], [1, 2], []])).tolist()
    [0, 1, 0, 1]
    """
    hashes = np.concatenate([np.zeros(0, np.uint64), *map(_hashes, _row_spans(rows))])
    order = np.argsort(hashes, kind="stable")
    equal = np.flatnonzero(hashes[order[1:]] == hashes[order[:-1]])
    first, second = order[equal], order[equal + 1]
    spans = [slice(start, start + SPAN_ROWS) for start in range(0, len(equal), SPAN_ROWS)]
    if not np.array_equal(rows.lengths[first], rows.lengths[second]) or not all(
        np.array_equal(rows.take(first[span]).values, rows.take(second[span]).values)
        for span in spans
    ):
        # Different rows have the same hash.
        first_of_row: dict[bytes, int] = {}
        firsts = (first_of_row.setdefault(row.tobytes(), index) for index, row in enumerate(rows))
        return np.fromiter(firsts, np.int64, len(rows))
    is_first = np.ones(len(rows), np.bool_)
    is_first[equal + 1] = False
    same_as = np.empty(len(rows), np.int64)
    same_as[order] = order[is_first][np.cumsum(is_first) - 1]
    return same_as


def _hashes(rows: Ragged) -> UInt64:
    """Return a hash of each row, uint64[S]."""
    lengths = rows.lengths
    # A sum of products of word ids and positions, modulo 2**64.
    words = (rows.values.astype(np.uint64) + np.uint64(1)) * HASH_FACTOR
    factors = (
        concat_ranges(0, lengths).astype(np.uint64) * np.uint64(2) + np.uint64(1)
    ) * HASH_FACTOR
    ends = np.append(np.zeros(1, np.uint64), np.cumsum((words ^ (words >> HASH_SHIFT)) * factors))
    hashes: UInt64 = ends[rows.offsets[1:]] - ends[rows.offsets[:-1]]
    return hashes


def _row_spans(rows: Ragged) -> Iterator[Ragged]:
    """Divide rows into spans of at most `SPAN_PAIRS` words."""
    for start, end in piece_spans(rows.offsets, SPAN_PAIRS):
        yield rows[start:end]


def _take_rows(rows: Ragged, indices: Int64) -> Ragged:
    """Return some rows in the order of `indices`, without copying if these are all rows."""
    if np.array_equal(indices, np.arange(len(rows))):
        return rows
    starts = range(0, max(len(indices), 1), SPAN_ROWS)
    values = concatenate(rows.take(indices[start : start + SPAN_ROWS]).values for start in starts)
    return Ragged(values, row_offsets(rows.lengths[indices]))


def word_distances(
    first_rows: Ragged, second_rows: Ragged, first: Int64, second: Int64, vocabulary_size: int
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
    pairs = Pairs(first_rows, second_rows, offsets.astype(np.int64), second[order], vocabulary_size)
    distances = np.empty(len(first))
    distances[order] = pairs.bit_parallel_distances()
    return distances


class _CandidatePairs:
    """Pairs of rows with a rare word in common and similar lengths; iterates over spans of them."""

    def __init__(self, rows: Ragged, vocabulary_size: int, threshold: float) -> None:
        lengths = rows.lengths
        edits = _max_edits(lengths, threshold)
        row_of, tokens = _rarest_tokens(rows, vocabulary_size, edits + 1)
        keys = tokens * np.int64(lengths.max(initial=0) + 1) + lengths[row_of]
        del tokens
        order = np.lexsort((row_of, keys))
        keys, self.row_of = keys[order], row_of[order]
        del order, row_of
        # Partners are shorter rows with the same word that lack at most the allowed edits.
        start = np.searchsorted(keys, keys - edits[self.row_of])
        # Without an allowed edit, only equal rows would be near-duplicates.
        all_counts = np.where(edits[self.row_of] > 0, np.arange(len(keys)) - start, 0)
        del keys, start
        self.size = len(rows)
        limit = max(MAX_PAIRS, MAX_PAIRS_PER_SENTENCE * self.size)
        self.counts = _limit_counts(all_counts, limit)
        total = int(all_counts.sum())
        self.compared_share = int(self.counts.sum()) / total if total else 1.0

    def __iter__(self) -> Iterator[tuple[Int64, Int64]]:
        ends = np.cumsum(self.counts)
        total = int(ends[-1]) if len(ends) else 0
        cuts = np.searchsorted(ends, np.arange(0, total + SPAN_PAIRS, SPAN_PAIRS), side="right")
        for start, end in zip(cuts, np.append(cuts[1:], len(ends)), strict=True):
            counts = self.counts[start:end]
            if not counts.any():
                continue
            first = np.repeat(self.row_of[start:end], counts).astype(np.int64)
            partners = concat_ranges(np.arange(start, end) - counts, counts)
            second = self.row_of[partners].astype(np.int64)
            pairs = np.unique(np.minimum(first, second) * self.size + np.maximum(first, second))
            yield np.divmod(pairs, self.size)


def _limit_counts(counts: Int64, limit: int) -> Int64:
    """Cap all counts at the same value: the largest for which their sum is at most `limit`.

    Examples
    --------
    >>> _limit_counts(np.array([0, 1, 5, 9]), 9).tolist()
    [0, 1, 4, 4]
    """
    low, high = 0, int(counts.max(initial=0))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high) if np.minimum(counts, middle).sum() <= limit else (low, middle - 1)
        )
    return np.minimum(counts, low)


def _max_edits(lengths: Int64, threshold: float) -> Int64:
    """Return the largest number of edits of near-duplicates, by the length of the longer one."""
    # A product such as .29 * 100 is slightly below the integer.
    edits: Int64 = np.floor(threshold * lengths + 1e-9).astype(np.int64)
    return edits


def _rarest_tokens(rows: Ragged, vocabulary_size: int, counts: Int64) -> tuple[Int32, Int32]:
    """Return the row and the token of the rarest words of each row; `counts` has their numbers.

    The second "the" of a sentence is another token than its first.
    """
    keys, frequencies = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for part in _row_spans(rows):
        part_keys, counts_of_keys = np.unique(
            _token_keys(part, vocabulary_size), return_counts=True
        )
        keys, key_indices = np.unique(np.append(keys, part_keys), return_inverse=True)
        frequencies = np.bincount(
            key_indices, np.append(frequencies, counts_of_keys), len(keys)
        ).astype(np.int64)
    first, row_parts, parts = 0, [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
    for part in _row_spans(rows):
        tokens = np.searchsorted(keys, _token_keys(part, vocabulary_size)).astype(np.int32)
        row_of = np.repeat(np.arange(len(part), dtype=np.int32), part.lengths)
        order = np.lexsort((tokens, frequencies[tokens], row_of))
        rarest = order[concat_ranges(0, part.lengths) < counts[first + row_of]]
        row_parts.append(first + row_of[rarest])
        parts.append(tokens[rarest])
        first += len(part)
    return np.concatenate(row_parts), np.concatenate(parts)


def _token_keys(rows: Ragged, vocabulary_size: int) -> Int64:
    """Return a key of each word and the number of its earlier occurrences in the row, int64[N].

    The keys of a row are sorted by word id.
    """
    row_of = np.repeat(np.arange(len(rows)), rows.lengths)
    words = row_of * vocabulary_size + rows.values
    # A stable sort of row-wise increasing keys keeps rows together.
    order = np.argsort(words, kind="stable")
    words = words[order]
    is_first = np.ones(len(words), np.bool_)
    is_first[1:] = words[1:] != words[:-1]
    indices = np.arange(len(is_first))
    occurrence = indices - np.maximum.accumulate(np.where(is_first, indices, 0))
    keys: Int64 = occurrence * vocabulary_size + rows.values[order]
    return keys
