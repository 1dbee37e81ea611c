"""The columns of segments: access, slices, concatenation and display."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from wordorder.arrays import Float64, Int64, Ragged, concatenate_offsets
from wordorder.errors import InputError, UsageError
from wordorder.kernels import piece_spans
from wordorder.messages import counted, percent

if TYPE_CHECKING:
    from typing_extensions import Self

    from wordorder.alignment.alignments import Links
    from wordorder.alignment.monolingual import MonolingualAligner
    from wordorder.segments.trees import Trees
    from wordorder.text.texts import Texts


Provenance = tuple[tuple[str, str], ...]

Derived = TypeVar("Derived")


# The columns with one row per reference, by their attributes.
_BY_REFERENCE = (
    *("_permutation", "groups", "words", "_system_lengths", "_reference_lengths"),
    *("_system_matched", "reference_words"),
)

# Limits of the table in notebooks: segments, and characters per cell.
_MAX_SEGMENTS, _MAX_CHARACTERS = 5, 100


class Columns:
    """The columns that metrics read, from any origin; `Segments` describes them."""

    def __init__(
        self,
        permutation: Ragged | None = None,
        groups: Ragged | None = None,
        words: Ragged | None = None,
        system_lengths: Int64 | None = None,
        reference_lengths: Int64 | None = None,
        provenance: Provenance = (),
        *,
        reference_offsets: Int64 | None = None,
        texts: Texts | None = None,
        links: Links | None = None,
        trees: Trees | None = None,
        system_matched: Int64 | None = None,
        of_translations: bool = False,
        reference_words: Ragged | None = None,
        aligner: MonolingualAligner | None = None,
        _checked: bool = False,
    ) -> None:
        self._permutation = permutation
        self.groups = groups
        self.words = words
        self._system_lengths = system_lengths
        self._reference_lengths = reference_lengths
        self.provenance = provenance
        self._texts = texts
        self._links = links
        self._trees = trees
        self._system_matched = system_matched
        self.of_translations = of_translations
        self.reference_words = reference_words
        self.aligner = aligner
        self._derived: dict[object, object] = {}
        if reference_offsets is None and texts is not None:
            reference_offsets = texts.reference_offsets
        if reference_offsets is None:
            rows = 0 if permutation is None else len(permutation)
            if permutation is None and links is not None:
                rows = len(links.hypothesis)
            if permutation is None and trees is not None:
                rows = len(trees)
            reference_offsets = np.arange(rows + 1, dtype=np.int64)
        self.reference_offsets: Int64 = reference_offsets
        # The constructors of `Segments` check their inputs themselves.
        if not _checked:
            _check_columns(self)

    def __getstate__(self) -> dict[str, object]:
        # Derived arrays are not sent to other processes, which can compute them again.
        return self.__dict__ | {"_derived": {}}

    @property
    def permutation(self) -> Ragged:
        """The relative permutations, one row per reference."""
        if self._permutation is None:
            raise UsageError(
                "there are no word orders to compare: give reference orders, alignments "
                "(--source, --hypothesis-alignments and --reference-alignments; "
                "Segments.from_alignments) or an aligner (--aligner=exact; Segments.from_text)"
            )
        return self._permutation

    @property
    def system_lengths(self) -> Int64:
        """Number of words of the system's order, int64[R]."""
        return self._lengths_of(self._system_lengths)

    @property
    def reference_lengths(self) -> Int64:
        """Number of words of the reference order, int64[R]."""
        return self._lengths_of(self._reference_lengths)

    @property
    def texts(self) -> Texts:
        """Hypotheses and references as text."""
        if self._texts is None:
            how = "`wordorder score REF.txt -i SYS.txt`, or Segments.from_text"
            raise UsageError(f"there is no text: give references and systems as text ({how})")
        return self._texts

    @property
    def links(self) -> Links:
        """The word alignments."""
        if self._links is None:
            raise UsageError(
                "there are no word alignments: give them (--source and --hypothesis-alignments, "
                "Segments.from_alignments; to judge alignments themselves: `wordorder score "
                "GOLD.align -i SYS.align -m aer`, Segments.from_links)"
            )
        return self._links

    @property
    def trees(self) -> Trees:
        """The dependency trees."""
        if self._trees is None:
            raise UsageError(
                "there are no dependency trees: give treebanks (`wordorder score GOLD.conllu "
                "-i SYS.conllu -m uas,las`, or Segments.from_treebanks)"
            )
        return self._trees

    def __len__(self) -> int:
        return len(self.reference_offsets) - 1

    def __getitem__(self, rows: slice) -> Self:
        """Return a slice of the segments."""
        if not isinstance(rows, slice):
            raise TypeError("segments are taken by slices: segments[i : i + 1] is one of them")
        start, stop, step = rows.indices(len(self))
        if step != 1:
            raise IndexError("a slice of segments has step 1")
        stop = max(start, stop)
        first, last = int(self.reference_offsets[start]), int(self.reference_offsets[stop])
        segments, references = slice(start, stop), slice(first, last)
        columns = {name: getattr(self, name) for name in _BY_REFERENCE}
        return type(self)(
            **{
                _argument(name): column[references]
                for name, column in columns.items()
                if column is not None
            },
            provenance=self.provenance,
            of_translations=self.of_translations,
            aligner=self.aligner,
            reference_offsets=self.reference_offsets[start : stop + 1] - first,
            texts=None if self._texts is None else self._texts[segments],
            links=None if self._links is None else self._links.part(segments, references),
            trees=None if self._trees is None else self._trees.part(segments),
            _checked=True,
        )

    @property
    def available(self) -> list[str]:
        """The available ones of orders, text, links and trees."""
        columns = self._permutation, self._texts, self._links, self._trees
        names = ("orders", "text", "links", "trees")
        return [name for name, column in zip(names, columns, strict=True) if column is not None]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} of {', '.join(self.available) or 'nothing'})"

    def _repr_html_(self) -> str:
        return segments_html(self)

    @property
    def single(self) -> bool:
        """Whether each segment has exactly one reference."""
        rows = int(self.reference_offsets[-1])
        return rows == len(self) and bool(np.all(np.diff(self.reference_offsets) == 1))

    def pieces(self) -> list[Self]:
        """Return the segments in parts, each as large as one thread should process."""
        spans = self.derived("spans of pieces", self._spans)
        # A single part is the object itself, which must not refer to itself.
        if len(spans) < 2:
            return [self]
        return self.derived("pieces", lambda: [self[first:last] for first, last in spans])

    def _spans(self) -> list[tuple[int, int]]:
        size = np.zeros(len(self) + 1, np.int64)
        if self._permutation is not None:
            size = size + self._permutation.offsets[self.reference_offsets]
        if self._texts is not None:
            size = size + self._texts.token_offsets
        if self._links is not None:
            size = size + self._links.hypothesis.offsets
        if self._trees is not None:
            size = size + self._trees.offsets
        return piece_spans(size)

    @property
    def words_of_reference(self) -> Int64 | None:
        """Number of words of each segment's first reference, int64[S]; None if unknown.

        It is 0 for segments without a reference. For trees, the words of the sentence count; for
        orders without a text, the words of the reference order.
        """
        if self._texts is not None:
            rows = self._texts.references.lengths
        elif self._trees is not None:
            return np.diff(self._trees.offsets)
        elif self._permutation is not None:
            rows = self.reference_lengths
        else:
            return None
        lengths = np.zeros(len(self), np.int64)
        has_one = np.diff(self.reference_offsets) > 0
        lengths[has_one] = rows[self.reference_offsets[:-1][has_one]]
        return lengths

    @property
    def dropped(self) -> int:
        """Number of words that only the system or only the reference has, over all segments."""
        return self.dropped_words.total

    @property
    def dropped_words(self) -> DroppedWords:
        """Counts of these words, by side."""
        if self._permutation is None:
            return DroppedWords()
        system, reference = int(self.system_lengths.sum()), int(self.reference_lengths.sum())
        reference_matched = system_matched = int(self._permutation.offsets[-1])
        if self._system_matched is not None:
            system_matched = int(self._system_matched.sum())
        return DroppedWords(
            system - system_matched, system, reference - reference_matched, reference
        )

    @property
    def matched_f1(self) -> Float64:
        """F1 of the matched words: those of both sides over all words of both, float64[R]."""
        matched = self.permutation.lengths
        system_matched = matched if self._system_matched is None else self._system_matched
        words = self.system_lengths + self.reference_lengths
        shares: Float64 = (system_matched + matched) / np.maximum(words, 1)
        return shares

    @property
    def one_word(self) -> int:
        """Number of segments with one word to order, and not more for any reference."""
        if self._permutation is None:
            return 0
        max_lengths = np.zeros(len(self), np.int64)
        rows = np.repeat(np.arange(len(self)), np.diff(self.reference_offsets))
        np.maximum.at(max_lengths, rows, self._permutation.lengths)
        return int(np.count_nonzero(max_lengths == 1))

    @property
    def tokenizer(self) -> str:
        """The tokenizer option of the text; "auto" for the default and without text."""
        if self._texts is None or self.cut_by_default:
            return "auto"
        return self._texts.preparation.tokenizer

    @property
    def cut_by_default(self) -> str:
        """The default tokenizer that split the text, such as "13a"; "" if an option named one."""
        preparation = None if self._texts is None else self._texts.preparation
        return preparation.tokenizer if preparation is not None and preparation.is_default else ""

    def described(self, columns: Sequence[str]) -> Provenance:
        """Return the fields of signatures about the origin of columns.

        Parameters
        ----------
        columns : names among "permutation", "text", "lines", "links" and "trees"
            ``lines`` is the text before it is tokenised.
        """
        fields: dict[str, str] = {}
        if self._texts is not None and "text" in columns:
            fields |= dict(self._texts.preparation.fields)
        if self._texts is not None and "lines" in columns:
            fields |= dict(self._texts.preparation.line_fields)
        if "permutation" in columns:
            fields |= dict(self.provenance)
        return tuple(fields.items())

    def of_matched_words(self) -> Self:
        """Return the segments that order metrics score.

        If orders come from links of translations, these segments have only the source words that
        are linked on both sides, so that a translation does not gain by leaving words out. All
        other segments are returned unchanged.
        """
        if self._links is None or self._links.rule is None:
            return self
        return self.derived("linked words", lambda: self._of_linked_words(self.texts, self.links))

    def _of_linked_words(self, texts: Texts, links: Links) -> Self:
        from wordorder.segments.aligned import linked_columns

        columns = linked_columns(texts, links)
        field_count = len(columns["provenance"])
        # The fields of an aligner precede those of the orders.
        columns["provenance"] = (*self.provenance[:-field_count], *columns["provenance"])
        return type(self)(**columns, texts=texts, _checked=True)

    def matched(self, match: str) -> tuple[Ragged, Ragged | None]:
        """Return permutation and groups under a rule for repeated words.

        Parameters
        ----------
        match : "index" or "first-unmatched"
            Match words by source position, or each word with its first unmatched occurrence.

        Raises
        ------
        UsageError
            If the rule needs the words and the segments do not have them.
        """
        if match == "index":
            return self.permutation, self.groups
        words = self.words
        if words is None:
            remedy = "give the source sentences, --source"
            raise UsageError(f"match=first-unmatched needs the words: {remedy}")
        from wordorder.order.matching import match_first_unmatched

        rows = self.permutation, self.groups
        return self.derived("first-unmatched", lambda: match_first_unmatched(*rows, words))

    def derived(self, key: object, make: Callable[[], Derived]) -> Derived:
        """Return the result of `make`, computed once for all metrics that use the same key."""
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]  # type: ignore[return-value]  # each key has one type

    def forget_derived(self) -> None:
        """Free all results of `derived`, here and in the texts; they are computed when needed."""
        self._derived.clear()
        if self._texts is not None:
            self._texts.forget_derived()

    def with_texts(self, texts: Texts | None) -> Self:
        """Return a copy of the segments with other texts."""
        segments = copy(self)
        segments._texts, segments._derived = texts, {}
        return segments

    def _lengths_of(self, lengths: Int64 | None) -> Int64:
        return self.permutation.lengths if lengths is None else lengths


def _check_columns(segments: Columns) -> None:
    """Raise an InputError unless the rows are permutations, and the columns have the same rows."""
    from wordorder.order.orders import check_permutations

    permutation = segments.permutation
    check_permutations(permutation)
    if int(segments.reference_offsets[-1]) != len(permutation):
        raise InputError("Segments", "bad reference_offsets", f"{len(permutation)} rows at the end")
    for name, column in (("groups", segments.groups), ("words", segments.words)):
        if column is not None and not np.array_equal(column.offsets, permutation.offsets):
            raise InputError("Segments", f"{name} with rows of other lengths", "as permutation")
    if segments.groups is not None:
        groups = segments.groups.values
        lengths = np.repeat(permutation.lengths, permutation.lengths)
        if np.any((groups < 0) | (groups >= lengths)):
            raise InputError("Segments", "groups out of range", "dense ranks from 0")
    for name in ("system_lengths", "reference_lengths"):
        if np.shape(getattr(segments, name)) != (len(permutation),):
            raise InputError("Segments", f"bad {name}", "one length per row")


@dataclass(frozen=True)
class DroppedWords:
    """Counts of the words of a system and of its references without and with a counterpart.

    Attributes
    ----------
    system, reference : int
        Number of words without a counterpart.
    system_words, reference_words : int
        Number of all words; a system's words count once per reference.
    matched, matchable : int
        For translations: the number of words with a counterpart in the references that they match
        best, and of all words of these references. If orders come from links with the source: the
        number of source words linked on both sides, and of those linked by the reference.

    Examples
    --------
    >>> DroppedWords(1, 4, 0, 3, 3, 3) + DroppedWords(2, 6, 1, 2, 1, 2)
    DroppedWords(system=3, system_words=10, reference=1, reference_words=5, matched=4, matchable=5)
    >>> DroppedWords(3, 10, 1, 5).shares
    "30 % of the system's, 20 % of the references'"
    """

    system: int = 0
    system_words: int = 0
    reference: int = 0
    reference_words: int = 0
    matched: int = 0
    matchable: int = 0

    def __add__(self, other: DroppedWords) -> DroppedWords:
        return DroppedWords(*map(sum, zip(astuple(self), astuple(other), strict=True)))

    @property
    def total(self) -> int:
        """Number of words without a counterpart, on both sides."""
        return self.system + self.reference

    @property
    def matched_share(self) -> float | None:
        """The share of the references' words that are matched; None if unknown.

        Examples
        --------
        >>> DroppedWords(matched=3, matchable=4).matched_share
        0.75
        """
        return self.matched / self.matchable if self.matchable else None

    @property
    def shares(self) -> str:
        """The shares of words without a counterpart, as text."""
        system = percent(self.system, self.system_words)
        reference = percent(self.reference, self.reference_words)
        return f"{system} of the system's, {reference} of the references'"


def _argument(name: str) -> str:
    """Return the name of the argument of `Columns` for an attribute."""
    return name.removeprefix("_")


def concatenate_columns(parts: Sequence[Columns]) -> dict[str, Any]:
    """Return the arguments of `Columns` for the concatenated segments of all parts.

    Parameters
    ----------
    parts : sequence of Columns
        At least one part, each with at least one segment.

    Raises
    ------
    UsageError
        If only some of the parts have a column, or if the origins of their references differ: no
        signature could describe both.
    """
    arguments: dict[str, Any] = {}
    for name in ("_texts", "_links", "_trees", *_BY_REFERENCE):
        columns = [getattr(part, name) for part in parts]
        missing = sum(column is None for column in columns)
        if missing == len(columns):
            continue
        if name == "groups":
            # Without ties, the groups are the ranks.
            pairs = zip(parts, columns, strict=True)
            columns = [part.permutation if groups is None else groups for part, groups in pairs]
        elif missing:
            raise UsageError(
                f"some of the parts have a column {_argument(name)!r} and some have not"
            )
        is_array = isinstance(columns[0], np.ndarray)
        concatenate = np.concatenate if is_array else type(columns[0]).concatenate
        arguments[_argument(name)] = concatenate(columns)
    offsets = concatenate_offsets([part.reference_offsets for part in parts])
    provenance = common_provenance(part.provenance for part in parts)
    of_translations = {part.of_translations for part in parts}
    if len(of_translations) > 1:
        raise UsageError("orders and translations cannot be concatenated")
    arguments |= {"provenance": provenance, "of_translations": of_translations.pop()}
    # With the same provenance, all parts were matched by the same aligner.
    return arguments | {"reference_offsets": offsets, "aligner": parts[0].aligner}


def common_provenance(provenances: Iterable[Provenance]) -> Provenance:
    """Return the provenance that all parts share.

    Raises
    ------
    UsageError
        If it differs.
    """
    distinct = set(provenances)
    if len(distinct) > 1:
        tokenizers = sorted({value for part in distinct for key, value in part if key == "tok"})
        remedy = f": name one tokenizer, not {' and '.join(tokenizers)}" if tokenizers[1:] else ""
        raise UsageError(f"cannot concatenate references that were made in different ways{remedy}")
    return distinct.pop() if distinct else ()


def segments_html(segments: Columns) -> str:
    """Return a table of the columns of the first segments.

    Examples
    --------
    >>> from wordorder.segments import Segments
    >>> html = Segments.from_orders([[1, 0]] * 7, [[0, 1]] * 7)._repr_html_()
    >>> "<td>1 0</td>" in html, html.endswith("<p>… 2 more rows</p>")
    (True, True)
    """
    from wordorder.drawing.svg import table_html

    header, columns = ["segment"], list[list[str]]()
    rows = range(min(_MAX_SEGMENTS, len(segments)))
    offsets = segments.reference_offsets[: _MAX_SEGMENTS + 1].tolist()
    available = segments.available
    if "text" in available:
        texts = segments.texts
        header += ["hypothesis", "references"]
        columns.append([_sentence(texts, texts.hypothesis[row].tolist()) for row in rows])
        references = [texts.references[offsets[row] : offsets[row + 1]].to_lists() for row in rows]
        columns.append([" / ".join(_sentence(texts, line) for line in row) for row in references])
    if "orders" in available:
        header.append("places of the system's words in the reference")
        # Only the first reference is displayed; a segment may have no reference.
        ranks = [segments.permutation[offsets[row] : offsets[row + 1]][:1] for row in rows]
        columns.append([_shorten(" ".join(map(str, row.values.tolist()))) for row in ranks])
    if "links" in available:
        header.append("links with the source")
        columns.append([counted(len(segments.links.hypothesis[row].links), "link") for row in rows])
    if "trees" in available:
        header.append("words of the gold tree")
        gold = segments.trees.gold
        columns.append([_shorten(" ".join(gold[row].forms)) for row in rows])
    cells = [[str(row + 1), *(column[row] for column in columns)] for row in rows]
    table = table_html(repr(segments), header, cells)
    omitted = len(segments) - len(rows)
    return f"{table}\n<p>… {counted(omitted, 'more row')}</p>" if omitted else table


def _sentence(texts: Texts, word_ids: list[int]) -> str:
    words = texts.vocabulary.words
    return _shorten(" ".join(words[word_id] for word_id in word_ids))


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_CHARACTERS else f"{text[: _MAX_CHARACTERS - 1]}…"
