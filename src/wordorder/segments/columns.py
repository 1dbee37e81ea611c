"""The columns of segments: how they are kept, cut, joined and shown."""

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


class Columns:
    """The columns that metrics read, with what makes no difference where they came from.

    `wordorder.segments.Segments` says what they are.
    """

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
        # The makers below check what they are given; only a caller of his own is checked here.
        if not _checked:
            _check_columns(self)

    def __getstate__(self) -> dict[str, object]:
        # What can be computed again is not sent to other processes.
        return self.__dict__ | {"_derived": {}}

    @property
    def permutation(self) -> Ragged:
        """The relative permutations, R rows."""
        if self._permutation is None:
            raise UsageError(
                "there are no word orders to compare: give reference orders, alignments "
                "(--source, --hypothesis-alignments and --reference-alignments; "
                "Segments.from_alignments) or an aligner (--aligner=exact; Segments.from_text)"
            )
        return self._permutation

    @property
    def system_lengths(self) -> Int64:
        """Words of the system's order, int64[R]."""
        return self._lengths_of(self._system_lengths)

    @property
    def reference_lengths(self) -> Int64:
        """Words of the reference's order, int64[R]."""
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
        """Return some of the segments."""
        if not isinstance(rows, slice):
            raise TypeError("segments are taken by slices: segments[i : i + 1] is one of them")
        start, stop, step = rows.indices(len(self))
        if step != 1:
            raise IndexError("a slice of segments has step 1")
        stop = max(start, stop)
        begin, end = int(self.reference_offsets[start]), int(self.reference_offsets[stop])
        own, theirs = slice(start, stop), slice(begin, end)
        found = {name: getattr(self, name) for name in _BY_REFERENCE}
        parts = {
            _argument(name): column[theirs] for name, column in found.items() if column is not None
        }
        return type(self)(
            **parts,
            provenance=self.provenance,
            of_translations=self.of_translations,
            aligner=self.aligner,
            reference_offsets=self.reference_offsets[start : stop + 1] - begin,
            texts=None if self._texts is None else self._texts[own],
            links=None if self._links is None else self._links.part(own, theirs),
            trees=None if self._trees is None else self._trees.part(own),
            _checked=True,
        )

    @property
    def held(self) -> list[str]:
        """Which of orders, text, links and trees there are."""
        columns = self._permutation, self._texts, self._links, self._trees
        names = ("orders", "text", "links", "trees")
        return [name for name, column in zip(names, columns, strict=True) if column is not None]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} of {', '.join(self.held) or 'nothing'})"

    def _repr_html_(self) -> str:
        return segments_html(self)

    @property
    def single(self) -> bool:
        """Whether each segment has exactly one reference."""
        rows = int(self.reference_offsets[-1])
        return rows == len(self) and bool(np.all(np.diff(self.reference_offsets) == 1))

    def pieces(self) -> list[Self]:
        """Return the segments in parts of a size for one thread, the same ones at every call."""
        spans = self.derived("spans of pieces", self._spans)
        # Kept beside what it holds, one piece would hold itself: only gc could free that.
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
        """Words of each segment's first reference, int64[S]; 0 without one, None if not known.

        Of texts those of the reference, of trees those of the sentence, otherwise those of the
        reference order.
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
        """How many words only one of system and reference has, over all segments."""
        return self.dropped_words.total

    @property
    def dropped_words(self) -> DroppedWords:
        """The same words, by side."""
        if self._permutation is None:
            return DroppedWords()
        system, reference = int(self.system_lengths.sum()), int(self.reference_lengths.sum())
        theirs = ours = int(self._permutation.offsets[-1])
        if self._system_matched is not None:
            ours = int(self._system_matched.sum())
        return DroppedWords(system - ours, system, reference - theirs, reference)

    @property
    def matched_f1(self) -> Float64:
        """F1 of the words that match: twice their number over all words of both, float64[R]."""
        theirs = self.permutation.lengths
        ours = theirs if self._system_matched is None else self._system_matched
        words = self.system_lengths + self.reference_lengths
        shares: Float64 = (ours + theirs) / np.maximum(words, 1)
        return shares

    @property
    def one_word(self) -> int:
        """How many segments have a single word to order, whatever the reference."""
        if self._permutation is None:
            return 0
        longest = np.zeros(len(self), np.int64)
        rows = np.repeat(np.arange(len(self)), np.diff(self.reference_offsets))
        np.maximum.at(longest, rows, self._permutation.lengths)
        return int(np.count_nonzero(longest == 1))

    @property
    def tokenizer(self) -> str:
        """The tokenizer that was chosen for the text; "auto" where it is the default."""
        if self._texts is None or self.cut_by_default:
            return "auto"
        return self._texts.preparation.tokenizer

    @property
    def cut_by_default(self) -> str:
        """The tokenizer of text for which none was chosen, as "13a"; "" of any other segments."""
        prepared = None if self._texts is None else self._texts.preparation
        return prepared.tokenizer if prepared is not None and prepared.is_default else ""

    def described(self, columns: Sequence[str]) -> Provenance:
        """Return the signature's fields that tell how columns came about.

        Parameters
        ----------
        columns : names among "permutation", "text", "lines", "links" and "trees"
            ``lines``: the text before it is cut into words.
        """
        found: dict[str, str] = {}
        if self._texts is not None and "text" in columns:
            found |= dict(self._texts.preparation.fields)
        if self._texts is not None and "lines" in columns:
            found |= dict(self._texts.preparation.line_fields)
        if "permutation" in columns:
            found |= dict(self.provenance)
        return tuple(found.items())

    def of_matched_words(self) -> Self:
        """Return the segments as order metrics see them.

        Where orders come from links of translations, they see the source words that both sides
        link: a translation gains nothing by leaving words out. All other segments are returned as
        they are.
        """
        if self._links is None or self._links.rule is None:
            return self
        return self.derived("linked words", lambda: self._of_linked_words(self.texts, self.links))

    def _of_linked_words(self, texts: Texts, links: Links) -> Self:
        from wordorder.segments.aligned import linked_columns

        made = linked_columns(texts, links)
        known = len(made["provenance"])
        # The fields of an aligner stand before those of the orders.
        made["provenance"] = (*self.provenance[:-known], *made["provenance"])
        return type(self)(**made, texts=texts, _checked=True)

    def matched(self, match: str) -> tuple[Ragged, Ragged | None]:
        """Return permutation and groups under a rule for repeated words.

        Parameters
        ----------
        match : "index" or "first-unmatched"
            By source position, or each word to the first free instance of itself.

        Raises
        ------
        UsageError
            If the rule needs the words and the segments have none.
        """
        if match == "index":
            return self.permutation, self.groups
        words = self.words
        if words is None:
            how = "give the source sentences, --source"
            raise UsageError(f"match=first-unmatched needs the words: {how}")
        from wordorder.order.matching import match_first_unmatched

        rows = self.permutation, self.groups
        return self.derived("first-unmatched", lambda: match_first_unmatched(*rows, words))

    def derived(self, key: object, make: Callable[[], Derived]) -> Derived:
        """Return what `make` computes, once for all metrics that ask under the same key."""
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]  # type: ignore[return-value]  # each key has one type

    def forget_derived(self) -> None:
        """Free what `derived` keeps here and in the texts; it is computed again if asked for."""
        self._derived.clear()
        if self._texts is not None:
            self._texts.forget_derived()

    def with_texts(self, texts: Texts | None) -> Self:
        """Return the segments with other texts in place of theirs, and nothing derived."""
        made = copy(self)
        made._texts, made._derived = texts, {}
        return made

    def _lengths_of(self, lengths: Int64 | None) -> Int64:
        return self.permutation.lengths if lengths is None else lengths


def _check_columns(segments: Columns) -> None:
    """Raise unless the columns have the rows of the permutation, and each row is one."""
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
        most = np.repeat(permutation.lengths, permutation.lengths)
        if np.any((groups < 0) | (groups >= most)):
            raise InputError("Segments", "groups out of range", "dense ranks from 0")
    for name in ("system_lengths", "reference_lengths"):
        if np.shape(getattr(segments, name)) != (len(permutation),):
            raise InputError("Segments", f"bad {name}", "one length a segment")


@dataclass(frozen=True)
class DroppedWords:
    """How many words of a system and of its references have no counterpart, and how many have.

    Attributes
    ----------
    system, reference : int
        Words without a counterpart.
    system_words, reference_words : int
        All words; a system's words count once for each reference.
    matched, matchable : int
        Of translations: how many words of the references that they match best have a counterpart,
        and how many words these references have. Where orders come from links with the source,
        source words that both sides link, and that the reference links.

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
        """Words without a counterpart, on both sides."""
        return self.system + self.reference

    @property
    def matched_share(self) -> float | None:
        """Which share of the references' words is matched; None where that is not known.

        Examples
        --------
        >>> DroppedWords(matched=3, matchable=4).matched_share
        0.75
        """
        return self.matched / self.matchable if self.matchable else None

    @property
    def shares(self) -> str:
        """Both shares in words."""
        ours = percent(self.system, self.system_words)
        theirs = percent(self.reference, self.reference_words)
        return f"{ours} of the system's, {theirs} of the references'"


# The columns with a row per reference, by their attributes.
_BY_REFERENCE = (
    *("_permutation", "groups", "words", "_system_lengths", "_reference_lengths"),
    *("_system_matched", "reference_words"),
)


def _argument(name: str) -> str:
    """Return what `Columns` calls the argument of an attribute."""
    return name.removeprefix("_")


def joined_columns(parts: Sequence[Columns]) -> dict[str, Any]:
    """Return what `Columns` takes to hold the segments of all parts.

    Parameters
    ----------
    parts : sequence of Columns
        At least one, none without segments.

    Raises
    ------
    UsageError
        If some parts have a column and others have not, or if their references came about in
        different ways: no signature could say how.
    """
    joined: dict[str, Any] = {}
    for name in ("_texts", "_links", "_trees", *_BY_REFERENCE):
        found = [getattr(part, name) for part in parts]
        missing = sum(column is None for column in found)
        if missing == len(found):
            continue
        if name == "groups":
            pairs = zip(parts, found, strict=True)
            found = [part.permutation if own is None else own for part, own in pairs]
        elif missing:
            raise UsageError(
                f"some of the parts have a column {_argument(name)!r} and some have not"
            )
        join = np.concatenate if isinstance(found[0], np.ndarray) else type(found[0]).concatenate
        joined[_argument(name)] = join(found)
    offsets = concatenate_offsets([part.reference_offsets for part in parts])
    provenance = one_provenance(part.provenance for part in parts)
    of_translations = {part.of_translations for part in parts}
    if len(of_translations) > 1:
        raise UsageError("orders and translations cannot be concatenated")
    joined |= {"provenance": provenance, "of_translations": of_translations.pop()}
    # Parts of one provenance were matched in the same way.
    return joined | {"reference_offsets": offsets, "aligner": parts[0].aligner}


def one_provenance(found: Iterable[Provenance]) -> Provenance:
    """Return the provenance that all parts share.

    Raises
    ------
    UsageError
        If they differ.
    """
    distinct = set(found)
    if len(distinct) > 1:
        tokenizers = sorted({value for part in distinct for key, value in part if key == "tok"})
        how = f": name one tokenizer, not {' and '.join(tokenizers)}" if tokenizers[1:] else ""
        raise UsageError(f"cannot concatenate references that were made in different ways{how}")
    return distinct.pop() if distinct else ()


# Segments of a table, and characters of a cell.
_SHOWN, _WIDTH = 5, 100


def segments_html(segments: Columns) -> str:
    """Return a table of the first segments, with what each of them holds.

    Examples
    --------
    >>> from wordorder.segments import Segments
    >>> html = Segments.from_orders([[1, 0]] * 7, [[0, 1]] * 7)._repr_html_()
    >>> "<td>1 0</td>" in html, html.endswith("<p>… 2 more rows</p>")
    (True, True)
    """
    from wordorder.drawing.svg import table_html

    header, columns = ["segment"], list[list[str]]()
    rows = range(min(_SHOWN, len(segments)))
    firsts = segments.reference_offsets[: _SHOWN + 1].tolist()
    held = segments.held
    if "text" in held:
        texts = segments.texts
        header += ["hypothesis", "references"]
        columns.append([_sentence(texts, texts.hypothesis[row].tolist()) for row in rows])
        theirs = [texts.references[firsts[row] : firsts[row + 1]].to_lists() for row in rows]
        columns.append([" / ".join(_sentence(texts, each) for each in some) for some in theirs])
    if "orders" in held:
        header.append("places of the system's words in the reference")
        # A segment without references has none.
        places = [segments.permutation[firsts[row] : firsts[row + 1]][:1] for row in rows]
        texts_ = [" ".join(map(str, some.values.tolist())) for some in places]
        columns.append(list(map(_short, texts_)))
    if "links" in held:
        header.append("links with the source")
        columns.append([counted(len(segments.links.hypothesis[row].links), "link") for row in rows])
    if "trees" in held:
        header.append("words of the gold tree")
        gold = segments.trees.gold
        columns.append([_short(" ".join(gold[row].forms)) for row in rows])
    cells = [[str(row + 1), *(column[row] for column in columns)] for row in rows]
    table = table_html(repr(segments), header, cells)
    more = len(segments) - len(rows)
    return f"{table}\n<p>… {counted(more, 'more row')}</p>" if more else table


def _sentence(texts: Texts, numbers: list[int]) -> str:
    words = texts.vocabulary.words
    return _short(" ".join(words[number] for number in numbers))


def _short(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
