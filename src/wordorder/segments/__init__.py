"""Segments: what is evaluated, one row per segment, in columns.

A metric takes the columns that it needs. Segments are made of texts, orders, alignments, links or
trees that are read already; `default_match` says which words match where nobody says. Files in step
are `scoring`.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.arrays import ArrowColumn, Ragged
from wordorder.errors import InputError, UsageError
from wordorder.segments.columns import Columns, joined_columns

# What only orders need, or only texts or alignments, is imported by what makes segments of them.
if TYPE_CHECKING:
    from wordorder.order.matching import Source
    from wordorder.order.reading import OrderRows
    from wordorder.segments.aligned import AlignedReferences, Given
    from wordorder.segments.trees import GivenTrees
    from wordorder.text.inputs import Segment
    from wordorder.text.texts import Texts


class Segments(Columns):
    """The columns that metrics read; a metric takes those that it needs.

    Parameters
    ----------
    permutation : Ragged, optional
        For each word of the system's order its place in the reference's; the identity is perfect.
        Words that tie in the reference are read in the system's order. One row per reference: with
        several references a segment has several rows.
    groups : Ragged, optional
        The dense rank of the word's tie group in the reference; None without any tie.
    words : Ragged, optional
        A number for each word of the system's order, equal for equal words of a segment.
    system_lengths, reference_lengths : int64, one entry per row of `permutation`
        Words of the system's and of the reference's order, dropped ones included.
    provenance : tuple of (key, value)
        How the reference orders came about, for signatures.
    reference_offsets : int64[S+1], optional
        Which rows a segment has; without it each has one.
    texts : Texts, optional
    links : Links, optional
    trees : Trees, optional
    system_matched : int64, one entry per row of `permutation`
        How many words of the system the row is about, where these are not as many as the row is
        long: phrases of different length may match.
    of_translations : bool
        Whether the rows are of translations, which may leave out words of the reference: `few` of
        `OrderMetric` defines the score of segments with fewer than two matched words.
    reference_words : Ragged, optional
        For each rank of a row the position of its word: in the reference, or in the source where
        orders come from links. By it the words that two systems share are found.
    aligner : MonolingualAligner, optional
        What matched the words of the texts, where `reference_words` are of the reference.

    Raises
    ------
    InputError
        If the columns do not fit together, or a row of `permutation` is none.
    UsageError
        From reading a column that the segments do not have; the message says how to get it.

    Examples
    --------
    >>> segments = Segments.from_orders([[0, 2, 1]], [[0, (1, 2)]])
    >>> segments.permutation.to_lists(), segments.groups.to_lists()
    ([[0, 1, 2]], [[0, 1, 1]])
    >>> segments = Segments.from_text(["to be"], [["be to", "to be"]])
    >>> len(segments), len(segments.texts.references)
    (1, 2)
    """

    @classmethod
    def from_orders(
        cls, system: OrderRows, reference: OrderRows, *, source: Source | None = None
    ) -> Segments:
        """Compare a system's orders with reference orders, sentence by sentence.

        Parameters
        ----------
        system, reference : Orders, Ragged, path of an ``.orders`` file, or rows of integers
            Source positions in target order; a nested sequence is a tie (of the system: read in
            the order in which it is written). Also a column of pandas, Polars or pyarrow. Where
            one of the two drops a word, the permutation is over the words that both have.
        source : rows of tokens, Ragged of word numbers, or path of a tokenised text, optional
            The source sentences; only ``match="first-unmatched"`` needs them.

        Raises
        ------
        InputError
            If a row is not an order, the numbers of rows differ, or a position lies beyond its
            source sentence.
        """
        from wordorder.order.orders import relative_orders
        from wordorder.order.reading import check_numbering, given_name, given_orders

        ours, theirs = given_orders(system, "system"), given_orders(reference, "reference")
        if len(ours) != len(theirs):
            names = f"{given_name(system, 'system')}, {given_name(reference, 'reference')}"
            what = f"{len(ours)} against {len(theirs)} rows"
            raise InputError(names, what, "one row per sentence in both")
        renumbered = ("rule", "aligned")
        if renumbered in theirs.provenance and renumbered not in ours.provenance:
            check_numbering(ours, theirs)
        relative = relative_orders(ours, theirs)
        words = None
        if source is not None:
            from wordorder.order.matching import words_in_order

            numbers = words_in_order(ours, source)
            words = Ragged(numbers[relative.kept], relative.permutation.offsets)
        lengths = ours.positions.lengths, theirs.positions.lengths
        rows = relative.permutation, relative.groups, words
        return cls(*rows, *lengths, theirs.provenance, _checked=True)

    @classmethod
    def from_text(
        cls,
        hypotheses: Sequence[Segment] | ArrowColumn,
        references: Sequence[Segment | Sequence[Segment]] | ArrowColumn | None = None,
        source: Sequence[Segment] | ArrowColumn | None = None,
        tokenizer: str | None = None,
        *,
        references_by_file: Sequence[Sequence[Segment] | ArrowColumn] | None = None,
        lowercase: bool = False,
        normalization: str = "none",
        aligner: Any = None,
        case: str = "keep",
    ) -> Segments:
        """Compare translations with reference translations.

        Parameters
        ----------
        hypotheses, source : sequence of str, or of lists of tokens
            One per segment; lists of tokens are taken as they are. Also a column of
            pandas, Polars or pyarrow, without copying where the layout allows.
        references : sequence
            One list of references per segment, as many as there are; a bare string is one
            reference. Also a column of strings or of lists of strings.
        tokenizer : str, optional
            Of strings: ``none``, or one of sacreBLEU's: ``13a``, ``intl``, ``zh``, ``char``,
            ``ja-mecab``, ``ko-mecab``. By default ``auto``: ``13a``, or ``char`` where the first
            reference is in a script without blanks between words, by its first 100 lines.
        references_by_file : sequence of sequences, instead of `references`
            The other layout: one list per reference file, with one reference per segment.
        lowercase : bool
            Whether case is ignored; ``case="lower"`` is its other name.
        normalization : "none", "NFC", "NFKC", "NFD" or "NFKD"
            A Unicode normal form.
        aligner : str or MonolingualAligner, optional
            Matches the words of hypothesis and reference, so that order metrics work on them: its
            modules, joined by ``+`` (``"exact"``, ``"exact+stem"``), or an aligner of your own.

        Raises
        ------
        InputError
            If the numbers of segments differ, references are laid out by file, an entry is no
            text, or a segment holds a line break.
        UsageError
            If an option's value is unknown, or both layouts of references are given.
        """
        from wordorder.text import inputs
        from wordorder.text.preparation import Preparation
        from wordorder.text.texts import Texts

        if (references is None) == (references_by_file is None):
            raise UsageError("give either references or references_by_file")
        if references_by_file is not None:
            references = inputs.by_file(references_by_file, hypotheses)
        case = "lower" if lowercase else case
        prepared = Preparation(tokenizer or "auto", case, normalization)
        theirs = [] if references is None else references
        texts = Texts.from_segments(hypotheses, theirs, source, preparation=prepared)
        return cls.from_texts(texts, aligner=aligner)

    @classmethod
    def from_texts(cls, texts: Texts, *, aligner: Any = None) -> Segments:
        """Take prepared texts; `aligner` as in `from_text`."""
        if aligner is None:
            return cls(texts=texts, _checked=True)
        from wordorder.alignment.monolingual import MonolingualAligner, as_aligner

        chosen = as_aligner(aligner)
        lengths = texts.hypothesis.lengths[texts.segment_of]
        by_phrase = isinstance(chosen, MonolingualAligner)
        both = lengths, texts.references.lengths, (*texts.fields, *chosen.fields)
        matched = chosen.hypothesis_words(texts) if by_phrase else None
        columns: dict[str, Any] = {
            "texts": texts,
            "system_matched": matched,
            "of_translations": True,
            "reference_words": chosen.reference_words(texts) if by_phrase else None,
            "aligner": chosen if by_phrase else None,
        }
        return cls(chosen.permutations(texts), None, None, *both, **columns, _checked=True)

    @classmethod
    def from_alignments(
        cls,
        source: Sequence[Segment] | ArrowColumn,
        hypothesis: Sequence[Segment] | ArrowColumn,
        reference: Sequence[Segment | Sequence[Segment]] | ArrowColumn,
        hypothesis_alignment: Given,
        reference_alignment: Given | Sequence[Given] | None = None,
        rule: str = "lrscore",
        *,
        unaligned: str | None = None,
        tokenizer: str | None = None,
        lowercase: bool = False,
        normalization: str = "none",
        case: str = "keep",
    ) -> Segments:
        """Compare the orders in which two translations put the source words (LRscore).

        Parameters
        ----------
        source, hypothesis, reference
            As in `from_text`; the links count the words of the source and of each translation.
        hypothesis_alignment : Alignments, path, or rows of ``(source, target)``
            From source to hypothesis, one row per segment.
        reference_alignment : the same, or Alignments or paths, one per reference, optional
            From source to reference: one row per segment, several references in several files.
            Without it there are no orders, but links for metrics of monotonicity.
        rule, unaligned : str
            As in `reference_orders`.
        tokenizer : str, optional
            As in `from_text`, but ``none`` by default: words between blanks.

        Raises
        ------
        InputError
            If rows are missing, or a link points past its sentence.
        UsageError
            If segments have a different number of references than there are alignments.
        """
        from wordorder.segments.aligned import AlignedReferences
        from wordorder.text.preparation import Preparation
        from wordorder.text.texts import Texts

        case = "lower" if lowercase else case
        # Links count the words of the texts as they are.
        cut = "none" if tokenizer in (None, "auto") else tokenizer
        prepared = Preparation(cut, case, normalization)
        texts = Texts.from_segments(hypothesis, reference, source, preparation=prepared)
        shared = AlignedReferences.of(texts, reference_alignment, rule=rule, unaligned=unaligned)
        return cls.beside(shared, texts, hypothesis_alignment)

    @classmethod
    def beside(cls, references: AlignedReferences, texts: Texts, hypothesis: Given) -> Segments:
        """Compare a system, aligned with the source, with references that are in order already."""
        return cls(**references.columns(texts, hypothesis), _checked=True)

    @classmethod
    def from_links(cls, system: Given, gold: Given) -> Segments:
        """Judge word alignments against gold alignments of the same sentence pairs.

        Parameters
        ----------
        system, gold : Alignments, path of a file, or rows of ``(source, target)``

        Raises
        ------
        InputError
            If they differ in the number of rows.

        Examples
        --------
        >>> from wordorder.alignment.alignments import Alignments
        >>> gold = Alignments.from_rows([[(0, 0), (1, 1, True)]])
        >>> len(Segments.from_links(Alignments.from_rows([[(0, 0)]]), gold))
        1
        """
        from wordorder.alignment.alignments import Links
        from wordorder.segments.aligned import given_alignments

        system = given_alignments(system, "the system's alignments")
        gold = given_alignments(gold, "the gold alignments")
        if len(system) != len(gold):
            what = f"{len(system)} against {len(gold)} rows"
            expected = "one row per sentence pair in both"
            raise InputError(f"{system.path}, {gold.path}", what, expected)
        return cls(links=Links(system, gold, gold=True), _checked=True)

    @classmethod
    def from_treebanks(cls, system: GivenTrees, gold: GivenTrees) -> Segments:
        """Judge dependency trees, or tags, against gold ones of the same words.

        Parameters
        ----------
        system, gold : Treebank, or path of a ``.conllu`` file

        Raises
        ------
        InputError
            If a file is wrong, or the two differ in their sentences or words; the message names
            the first word that does.

        Examples
        --------
        >>> from wordorder.treebank.treebank import Treebank
        >>> words, deps = [["It", "rains"]], [["nsubj", "root"]]
        >>> gold = Treebank.from_words(words, heads=[[2, 0]], label=deps)
        >>> system = Treebank.from_words(words, heads=[[0, 1]], label=[["root", "nsubj"]])
        >>> len(Segments.from_treebanks(system, gold))
        1
        """
        from wordorder.segments.trees import given_trees, matching_trees

        ours, our_name = given_trees(system, "the system")
        theirs, their_name = given_trees(gold, "the gold trees")
        return cls(trees=matching_trees(ours, theirs, (our_name, their_name)), _checked=True)

    @classmethod
    def empty(cls, columns: Collection[str] | None = None) -> Segments:
        """Return no segments, with all columns, or at least with those that a metric reads."""
        nothing = Ragged(np.empty(0, np.int32), np.zeros(1, np.int64))
        if columns is not None and set(columns) == {"permutation"}:
            return cls(nothing, words=nothing, _checked=True)
        from wordorder.text.texts import Texts

        texts = Texts.from_segments([], [], [])
        if columns is not None and set(columns) <= {"permutation", "text", "lines"}:
            return cls(nothing, words=nothing, texts=texts, _checked=True)
        from wordorder.alignment.alignments import Alignments
        from wordorder.segments import aligned, trees
        from wordorder.treebank.treebank import Treebank

        unlinked = Alignments.from_rows([])
        segments = cls.beside(aligned.AlignedReferences.of(texts, unlinked), texts, unlinked)
        segments.words = nothing
        segments._trees = trees.Trees(Treebank.from_words([]), Treebank.from_words([]))
        return segments

    @classmethod
    def from_permutations(
        cls, rows: Ragged | str | os.PathLike[str] | Iterable[Sequence[int]] | ArrowColumn
    ) -> Segments:
        """Take relative permutations as they are.

        Parameters
        ----------
        rows : Ragged, path of a file, or rows of int
            Each a permutation of ``0 .. n-1``; the identity is a perfect order. In a file, one a
            line; also a column of pandas, Polars or pyarrow.

        Raises
        ------
        InputError
            If a row is not a permutation of ``0 .. n-1``; the message names row and entry.
        """
        from wordorder.order.orders import check_permutations
        from wordorder.order.reading import given_orders

        if isinstance(rows, (str, os.PathLike)):
            orders = given_orders(rows, "permutations")
            if orders.ranks is not None:
                raise InputError(os.fspath(rows), "tied positions", "plain permutations")
            rows = orders.positions
        permutation = rows if isinstance(rows, Ragged) else Ragged.from_rows(rows)
        check_permutations(permutation)
        lengths = permutation.lengths
        return cls(permutation, None, None, lengths, lengths, _checked=True)

    @classmethod
    def concatenate(cls, parts: Sequence[Segments]) -> Segments:
        """Put the segments of several parts one behind the other.

        Raises
        ------
        UsageError
            If some parts have a column and others have not, or if their references came about in
            different ways: no signature could say how.
        """
        # A part without segments says nothing about the columns of the others.
        parts = [part for part in parts if len(part)]
        return cls(**joined_columns(parts), _checked=True) if parts else cls.empty()
