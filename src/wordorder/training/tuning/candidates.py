"""Statistics of a metric for the candidates of n-best lists."""

import re
from contextlib import ExitStack
from itertools import pairwise
from typing import Any

import numpy as np

from wordorder.arrays import Float64, Int64
from wordorder.errors import InputError, UsageError
from wordorder.messages import counted, joined, percent
from wordorder.metrics.contract import BaseMetric, left_out_segments, statistics_in_pieces
from wordorder.notes import note
from wordorder.scoring.files import FileKind, Files
from wordorder.scoring.kind_detection import kind_of
from wordorder.scoring.text_files import TextFiles, open_words
from wordorder.segments import Segments
from wordorder.text.blocks import quoted
from wordorder.text.lines import tokens
from wordorder.text.lockstep import read_parallel
from wordorder.text.raw_lines import RawLines
from wordorder.training.tuning.nbest import ESCAPED, SEPARATOR, NBest
from wordorder.training.tuning.problem import Problem

# Candidates whose segments are in memory at the same time.
CANDIDATES_PER_BATCH = 1 << 14
_WORD_LINK = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_PHRASE_LINK = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?=([0-9]{1,9})(?:-([0-9]{1,9}))?")
_ORDER_GROUP = re.compile(r"[0-9]{1,8}(?:,[0-9]{1,8})*")

Links = list[tuple[int, int]]


class TranslationLists(TextFiles):
    """N-best lists of translations against reference translations."""

    def check(self) -> None:
        """Raise a UsageError for options that do not apply to n-best lists."""
        super().check()
        if self.bilingual:
            raise UsageError(
                f"--aligner={self.files.aligner} is for score, compare and correlate; n-best lists "
                "are matched by exact+stem, or come with their alignments"
            )

    def explain_missing(self, missing: set[str]) -> str:
        """Return the message on the options that would provide the missing columns."""
        if missing <= {"permutation", "links"}:
            return (
                "needs word orders: give --aligner=exact+stem, which matches the words of "
                "candidates and references; or, where the lists have alignments, --source and "
                "--reference-alignments"
            )
        return super().explain_missing(missing)


def list_kind(files: Files, metric: BaseMetric) -> FileKind:
    """Return the format of n-best lists and references, after checking the options.

    Raises
    ------
    UsageError
        If options contradict each other, or the metric reads other columns.
    """
    kind = kind_of(files, set(metric.columns))
    if isinstance(kind, TextFiles):
        kind = TranslationLists(kind.files)
    elif kind.name != "orders":
        raise UsageError(
            f"{metric.name} reads {joined(metric.columns)}: n-best lists have translations or "
            "orders as candidates"
        )
    kind.check()
    kind.check_metrics([metric])
    return kind


class CandidateStatistics:
    """Computes a metric's statistics of candidates; counts equal candidates of all calls once.

    Parameters
    ----------
    metric : BaseMetric
    kind : FileKind
        The references, and how texts become words and orders.

    Raises
    ------
    InputError
        If a reference is malformed.
    """

    def __init__(self, metric: BaseMetric, kind: FileKind) -> None:
        self._metric = metric
        self._prepared = not metric.needs_preparation
        self._made = (
            _TextCandidates(kind) if isinstance(kind, TextFiles) else _OrderCandidates(kind.files)
        )
        # The row of statistics of each distinct candidate.
        self._known: dict[tuple[int, str, str], int] = {}
        self._parts: list[Float64] = []

    def problem(self, nbest: NBest) -> Problem:
        """Return the input of tuning: the features and statistics of the candidates.

        Raises
        ------
        InputError
            If a candidate has no reference, or the input of the metric is malformed.
        """
        self._made.check(nbest)
        if not self._prepared:
            # One candidate per sentence, so that each reference is seen once.
            firsts = self._made.segments(nbest, nbest.offsets[:-1])
            self._metric, self._prepared = self._metric.prepare(firsts), True
        metric = self._metric
        statistics = self._statistics(nbest)
        missing = left_out_segments(statistics)
        if missing.any():
            share = percent(int(missing.sum()), len(missing))
            note(
                f"{metric.name} leaves out {counted(int(missing.sum()), 'candidate')} ({share}): "
                "they count for nothing, good or bad"
            )
        return Problem(
            nbest.features,
            statistics,
            nbest.offsets,
            metric.score,
            metric.higher_is_better,
            str(metric.signature()),
        )

    def _statistics(self, nbest: NBest) -> Float64:
        """Return the statistics of each candidate, float64[N, k]."""
        rows: list[int] = []
        statistics_row = np.empty(len(nbest), np.int64)
        keys = zip(nbest.sentence.tolist(), nbest.text, nbest.alignments, strict=True)
        for row, key in enumerate(keys):
            if key not in self._known:
                self._known[key] = len(self._known)
                rows.append(row)
            statistics_row[row] = self._known[key]
        for first in range(0, len(rows), CANDIDATES_PER_BATCH):
            batch = np.array(rows[first : first + CANDIDATES_PER_BATCH], np.int64)
            counts = statistics_in_pieces(self._metric, self._made.segments(nbest, batch))
            finite = np.isfinite(counts).all(axis=1)
            if not finite.all():
                faulty = int(np.argmin(finite))
                problem = f"{self._metric.name} counts {counts[faulty].tolist()}"
                raise InputError(nbest.location_of(int(batch[faulty])), problem, "finite numbers")
            self._parts.append(counts)
        self._parts = [np.concatenate(self._parts)]
        return np.asarray(self._parts[0][statistics_row], np.float64)


class _OrderCandidates:
    """Compares orders with reference orders."""

    def __init__(self, files: Files) -> None:
        from wordorder.order.reading import read_orders

        self._name = files.reference
        self._references = read_orders(files.reference)

    def check(self, nbest: NBest) -> None:
        """Refuse a list that goes with other sentences."""
        _check_sentences(nbest, len(self._references), self._name)
        _check_positions(nbest)

    def segments(self, nbest: NBest, rows: Int64) -> Segments:
        """Return the segments of some candidates."""
        from wordorder.order.orders import Orders

        read = [_order(nbest.text[row], nbest.location_of(row)) for row in rows.tolist()]
        segments = Segments.from_orders(
            Orders.from_rows(read), self._references.take(nbest.sentence[rows])
        )
        words = int(segments.permutation.lengths.sum()) + segments.dropped_words.total
        if dropped_count := segments.dropped_words.total:
            note(
                f"{percent(dropped_count, words)} of the words are only in the candidates or only "
                "in the reference order, and are left out"
            )
        return segments


def _check_positions(nbest: NBest) -> None:
    """Raise an InputError if orders of a sentence have different positions, or repeat one."""
    for first, last in pairwise(nbest.offsets.tolist()):
        first_positions: list[int] = []
        for row in range(first, last):
            groups = _order(nbest.text[row], nbest.location_of(row))
            positions = sorted(position for group in groups for position in group)
            if repeated := [p for p, q in pairwise(positions) if p == q]:
                problem = f"position {repeated[0]} is listed twice"
                raise InputError(nbest.location_of(row), problem, "each position once")
            if row == first:
                first_positions = positions
            elif positions != first_positions:
                raise InputError(
                    nbest.location_of(row),
                    "other positions than the order before it has",
                    f"those of {nbest.location_of(first)}, since both order sentence "
                    f"{nbest.sentence[row]}",
                )


def _order(text: str, file_position: str) -> list[tuple[int, ...]]:
    """Read an order, ``2 0 3,4 1``."""
    groups = []
    for token in tokens(text):
        if not _ORDER_GROUP.fullmatch(token):
            raise InputError(file_position, quoted(token.encode()), "an order: 2 0 3,4 1")
        groups.append(tuple(map(int, token.split(","))))
    return groups


class _TextCandidates:
    """Compares translations with references."""

    def __init__(self, kind: TextFiles) -> None:
        from wordorder.scoring.file_formats import alignment_rows

        self._kind = kind
        self._files = files = kind.files
        paths = [files.reference, *files.references, *([files.source] if files.source else [])]
        with ExitStack() as stack:
            readers: list[Any] = [stack.enter_context(open_words(files, path)) for path in paths]
            readers += alignment_rows(files.reference_alignments, files, stack, gold=True)
            rows = read_parallel(readers)
        self._texts: list[RawLines] = rows[: len(paths)]
        self._links = rows[len(paths) :]
        self._maker = kind.segments_function()
        references = self._texts[: 1 + len(files.references)]
        self._escaped = any(ESCAPED.encode() in text.data.tobytes() for text in references)

    def check(self, nbest: NBest) -> None:
        """Refuse a list that goes with other sentences."""
        _check_sentences(nbest, len(self._texts[0]), self._files.reference)

    def segments(self, nbest: NBest, rows: Int64) -> Segments:
        """Return the segments of some candidates."""

        sentences = nbest.sentence[rows]
        texts = [nbest.text[row] for row in rows.tolist()]
        if not self._escaped:
            # References that contain the escaped form of ||| are compared with it.
            texts = [text.replace(ESCAPED, SEPARATOR) for text in texts]
        hypotheses = RawLines.from_strings(texts)
        parts: list[Any] = [*(text.take(sentences) for text in self._texts), hypotheses]
        if self._links:
            is_tokenized = self._kind.preparation.tokenizer != "none"
            words = None if is_tokenized else self._texts[-1].take(sentences).strings()
            parts.append(_candidate_links(nbest, rows, words))
            parts += [column.take(sentences) for column in self._links]
        return self._maker(parts, 0)[0]()


def _candidate_links(nbest: NBest, rows: Int64, sources: list[str] | None) -> Any:
    """Return the alignments of candidates, checked against their lengths if these are known."""
    from wordorder.alignment.alignments import Alignments

    links_read: list[Links] = []
    for index, row in enumerate(rows.tolist()):
        # Empty translations need no links.
        links = read_links(nbest.alignments[row], nbest.location_of(row)) if nbest.text[row] else []
        if sources is not None:
            lengths = len(tokens(sources[index])), len(tokens(nbest.text[row]))
            for link in links:
                for side, position, length in zip(
                    ("source", "candidate"), link, lengths, strict=True
                ):
                    if position >= length:
                        raise InputError(
                            nbest.location_of(row),
                            f"link {link[0]}-{link[1]} points past the {side} "
                            f"({counted(length, 'word')})",
                        )
        links_read.append(links)
    return Alignments.from_rows(links_read, path=joined(nbest.paths))


def read_links(text: str, file_position: str) -> Links:
    """Read the alignment of a candidate in Moses' notation.

    Parameters
    ----------
    text : str
        Word links, ``0-0 1-2``; or phrases, ``0-1=0-2 2=3``, whose words are all linked with each
        other; if there are both, the word links are used.
    file_position : str

    Examples
    --------
    >>> read_links("0=0 1-2=1 ||| 0-0 2-1", "list.txt:1")
    [(0, 0), (2, 1)]
    >>> read_links("0=0 1-2=1", "list.txt:1")
    [(0, 0), (1, 1), (2, 1)]
    """
    if not text:
        raise InputError(file_position, "no alignment behind the score", f"{SEPARATOR} 0-0 1-2")
    links: Links = []
    for token in tokens(text.rpartition(SEPARATOR)[2]):
        if word_link := _WORD_LINK.fullmatch(token):
            links.append((int(word_link[1]), int(word_link[2])))
        elif phrase_link := _PHRASE_LINK.fullmatch(token):
            source = range(int(phrase_link[1]), int(phrase_link[2] or phrase_link[1]) + 1)
            target = range(int(phrase_link[3]), int(phrase_link[4] or phrase_link[3]) + 1)
            if len(source) * len(target) > 1 << 16:
                raise InputError(file_position, quoted(token.encode()), "phrases of some words")
            links += [(s, t) for s in source for t in target]
        else:
            raise InputError(file_position, quoted(token.encode()), "links: 0-0 1-2, or 0-1=0-2")
    return sorted(set(links))


def _check_sentences(nbest: NBest, sentences: int, name: str) -> None:
    """Raise an InputError for a candidate without a reference; note unused references."""
    missing_reference = np.flatnonzero(nbest.sentence >= sentences)
    if len(missing_reference):
        row = int(missing_reference[0])
        file_position = nbest.location_of(row)
        problem = f"sentence {nbest.sentence[row]}, but {name} has {counted(sentences, 'line')}"
        raise InputError(
            file_position, problem, "sentences numbered from 0, one per line of the reference"
        )
    unused_count = sentences - len(np.unique(nbest.sentence))
    if unused_count:
        share = percent(unused_count, sentences)
        note(f"{unused_count} of {counted(sentences, 'sentence')} ({share}) have no candidates")
