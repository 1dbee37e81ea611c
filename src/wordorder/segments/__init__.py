"""Segments: what is evaluated, one row per segment, in columns.

A metric reads the columns that it needs. Segments are built from texts, orders, alignments, links
or trees in memory; `default_match` is the default match of words. `scoring` reads files.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.arrays import ArrowColumn, Ragged
from wordorder.errors import InputError, UsageError
from wordorder.segments.columns import Columns, concatenate_columns

# Each constructor imports what it needs, so that scoring orders does not import alignments.
if TYPE_CHECKING:
    from wordorder.order.matching import Source
    from wordorder.order.reading import OrderRows
    from wordorder.segments.aligned import AlignedReferences, AlignmentInput
    from wordorder.segments.trees import TreebankInput
    from wordorder.text.inputs import Segment
    from wordorder.text.texts import Texts


class Segments(Columns):
    """The columns that metrics read; a metric reads those that it needs.

    Parameters
    ----------
    permutation : Ragged, optional
        For each word of the system's order, its rank in the reference order; the identity is
        perfect. Words that tie in the reference are ranked in the system's order. There is one row
        per reference: with several references a segment has several rows.
    groups : Ragged, optional
        The dense rank of the word's tie group in the reference; None if there are no ties.
    words : Ragged, optional
        An id for each word of the system's order, equal for equal words of a segment.
    system_lengths, reference_lengths : int64, one entry per row of `permutation`
        Number of words in the system's and the reference's order, including dropped words.
    provenance : tuple of (key, value)
        Fields of signatures about the origin of the reference orders.
    reference_offsets : int64[S+1], optional
        The first row of each segment; by default each segment has one row.
    texts : Texts, optional
    links : Links, optional
    trees : Trees, optional
    system_matched : int64, one entry per row of `permutation`
        Number of matched words of the system, if it differs from the length of the row because
        phrases of different lengths may match.
    of_translations : bool
        Whether the rows are of translations, which may leave out words of the reference: `few` of
        `OrderMetric` defines the score of segments with fewer than two matched words.
    reference_words : Ragged, optional
        For each rank of a row, the position of its word in the reference, or in the source if
        orders come from links. It identifies the words that two systems share.
    aligner : MonolingualAligner, optional
        The aligner that matched the words of the texts, if `reference_words` are positions in the
        reference.

    Raises
    ------
    InputError
        If the columns do not fit together, or a row of `permutation` is not a permutation.
    UsageError
        On access to a missing column; the message explains how to get it.

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
            Source positions in target order; a nested sequence is a tie (ties of the system are
            resolved in the written order). Also a column of pandas, Polars or pyarrow. If one of
            the two drops a word, the permutation is over the words that both have.
        source : rows of tokens, Ragged of word ids, or path of a tokenised text, optional
            The source sentences, which only ``match="first-unmatched"`` needs.

        Raises
        ------
        InputError
            If a row is not an order, the numbers of rows differ, or a position is outside its
            source sentence.
        """
        from wordorder.order.orders import relative_orders
        from wordorder.order.reading import check_numbering, input_name, orders_of_input

        system_orders = orders_of_input(system, "system")
        reference_orders = orders_of_input(reference, "reference")
        if len(system_orders) != len(reference_orders):
            names = f"{input_name(system, 'system')}, {input_name(reference, 'reference')}"
            problem = f"{len(system_orders)} against {len(reference_orders)} rows"
            raise InputError(names, problem, "one row per sentence in both")
        renumbered = ("rule", "aligned")
        provenance = reference_orders.provenance
        if renumbered in provenance and renumbered not in system_orders.provenance:
            check_numbering(system_orders, reference_orders)
        relative = relative_orders(system_orders, reference_orders)
        words = None
        if source is not None:
            from wordorder.order.matching import words_in_order

            word_ids = words_in_order(system_orders, source)
            words = Ragged(word_ids[relative.in_reference], relative.permutation.offsets)
        lengths = system_orders.positions.lengths, reference_orders.positions.lengths
        rows = relative.permutation, relative.groups, words
        return cls(*rows, *lengths, provenance, _checked=True)

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
            One per segment; lists of tokens are not tokenised. Also a column of pandas, Polars or
            pyarrow, which is not copied if its layout allows that.
        references : sequence
            One list of references per segment, of any length; a string is a single reference. Also
            a column of strings or of lists of strings.
        tokenizer : str, optional
            The tokenizer of strings: ``none``, or one of sacreBLEU's: ``13a``, ``intl``, ``zh``,
            ``char``, ``ja-mecab``, ``ko-mecab``. By default ``auto``: ``char`` if the first 100
            lines of the first reference are in a script without spaces between words, otherwise
            ``13a``.
        references_by_file : sequence of sequences, instead of `references`
            The other layout: one list per reference file, with one reference per segment.
        lowercase : bool
            Whether to ignore case; the same as ``case="lower"``.
        normalization : "none", "NFC", "NFKC", "NFD" or "NFKD"
            A Unicode normal form.
        aligner : str or MonolingualAligner, optional
            Matches the words of hypothesis and reference, which order metrics need: its modules,
            joined by ``+`` (``"exact"``, ``"exact+stem"``), or an aligner of your own.

        Raises
        ------
        InputError
            If the numbers of segments differ, `references` is laid out by file, an entry is not a
            text, or a segment contains a line break.
        UsageError
            If the value of an option is unknown, or both layouts of references are given.
        """
        from wordorder.text import inputs
        from wordorder.text.preparation import Preparation
        from wordorder.text.texts import Texts

        if (references is None) == (references_by_file is None):
            raise UsageError("give either references or references_by_file")
        if references_by_file is not None:
            references = inputs.by_file(references_by_file, hypotheses)
        case = "lower" if lowercase else case
        preparation = Preparation(tokenizer or "auto", case, normalization)
        reference_rows = [] if references is None else references
        texts = Texts.from_segments(hypotheses, reference_rows, source, preparation=preparation)
        return cls.from_texts(texts, aligner=aligner)

    @classmethod
    def from_texts(cls, texts: Texts, *, aligner: Any = None) -> Segments:
        """Build segments from prepared texts; for `aligner`, see `from_text`."""
        if aligner is None:
            return cls(texts=texts, _checked=True)
        from wordorder.alignment.monolingual import MonolingualAligner, as_aligner

        matcher = as_aligner(aligner)
        has_phrases = isinstance(matcher, MonolingualAligner)
        return cls(
            permutation=matcher.permutations(texts),
            system_lengths=texts.hypothesis.lengths[texts.segment_of],
            reference_lengths=texts.references.lengths,
            provenance=(*texts.fields, *matcher.fields),
            texts=texts,
            system_matched=matcher.hypothesis_words(texts) if has_phrases else None,
            of_translations=True,
            reference_words=matcher.reference_words(texts) if has_phrases else None,
            aligner=matcher if has_phrases else None,
            _checked=True,
        )

    @classmethod
    def from_alignments(
        cls,
        source: Sequence[Segment] | ArrowColumn,
        hypothesis: Sequence[Segment] | ArrowColumn,
        reference: Sequence[Segment | Sequence[Segment]] | ArrowColumn,
        hypothesis_alignment: AlignmentInput,
        reference_alignment: AlignmentInput | Sequence[AlignmentInput] | None = None,
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
            See `from_text`; links contain positions of words of the source and the translations.
        hypothesis_alignment : Alignments, path, or rows of ``(source, target)``
            Alignments from source to hypothesis, one row per segment.
        reference_alignment : the same, or Alignments or paths, one per reference, optional
            Alignments from source to reference, one row per segment; several references have
            several files. Without it there are no orders, only links for metrics of monotonicity.
        rule, unaligned : str
            See `reference_orders`.
        tokenizer : str, optional
            See `from_text`; the default here is ``none``, words between spaces.

        Raises
        ------
        InputError
            If rows are missing, or a link is outside its sentence.
        UsageError
            If the numbers of references and of reference alignments differ.
        """
        from wordorder.segments.aligned import AlignedReferences
        from wordorder.text.preparation import Preparation
        from wordorder.text.texts import Texts

        case = "lower" if lowercase else case
        # Links contain positions of the words in the files, which must not be tokenised again.
        word_tokenizer = "none" if tokenizer in (None, "auto") else tokenizer
        preparation = Preparation(word_tokenizer, case, normalization)
        texts = Texts.from_segments(hypothesis, reference, source, preparation=preparation)
        references = AlignedReferences.of(
            texts, reference_alignment, rule=rule, unaligned=unaligned
        )
        return cls.from_aligned(references, texts, hypothesis_alignment)

    @classmethod
    def from_aligned(
        cls, references: AlignedReferences, texts: Texts, hypothesis: AlignmentInput
    ) -> Segments:
        """Compare a system with references; `hypothesis` aligns it with the source."""
        return cls(**references.columns(texts, hypothesis), _checked=True)

    @classmethod
    def from_links(cls, system: AlignmentInput, gold: AlignmentInput) -> Segments:
        """Compare word alignments with gold alignments of the same sentence pairs.

        Parameters
        ----------
        system, gold : Alignments, path of a file, or rows of ``(source, target)``

        Raises
        ------
        InputError
            If the numbers of rows differ.

        Examples
        --------
        >>> from wordorder.alignment.alignments import Alignments
        >>> gold = Alignments.from_rows([[(0, 0), (1, 1, True)]])
        >>> len(Segments.from_links(Alignments.from_rows([[(0, 0)]]), gold))
        1
        """
        from wordorder.alignment.alignments import Links
        from wordorder.segments.aligned import read_alignment_input

        system = read_alignment_input(system, "the system's alignments")
        gold = read_alignment_input(gold, "the gold alignments")
        if len(system) != len(gold):
            problem = f"{len(system)} against {len(gold)} rows"
            expected = "one row per sentence pair in both"
            raise InputError(f"{system.path}, {gold.path}", problem, expected)
        return cls(links=Links(system, gold, gold=True), _checked=True)

    @classmethod
    def from_treebanks(cls, system: TreebankInput, gold: TreebankInput) -> Segments:
        """Compare dependency trees, or tags, with gold ones of the same words.

        Parameters
        ----------
        system, gold : Treebank, or path of a ``.conllu`` file

        Raises
        ------
        InputError
            If a file is wrong, or sentences or words differ; the message names the first word that
            differs.

        Examples
        --------
        >>> from wordorder.treebank.treebank import Treebank
        >>> words, deps = [["It", "rains"]], [["nsubj", "root"]]
        >>> gold = Treebank.from_words(words, heads=[[2, 0]], label=deps)
        >>> system = Treebank.from_words(words, heads=[[0, 1]], label=[["root", "nsubj"]])
        >>> len(Segments.from_treebanks(system, gold))
        1
        """
        from wordorder.segments.trees import matching_trees, read_treebank_input

        system_trees, system_name = read_treebank_input(system, "the system")
        gold_trees, gold_name = read_treebank_input(gold, "the gold trees")
        trees = matching_trees(system_trees, gold_trees, (system_name, gold_name))
        return cls(trees=trees, _checked=True)

    @classmethod
    def empty(cls, columns: Collection[str] | None = None) -> Segments:
        """Return zero segments with these columns, by default with all columns."""
        no_rows = Ragged(np.empty(0, np.int32), np.zeros(1, np.int64))
        if columns is not None and set(columns) == {"permutation"}:
            return cls(no_rows, words=no_rows, _checked=True)
        from wordorder.text.texts import Texts

        texts = Texts.from_segments([], [], [])
        if columns is not None and set(columns) <= {"permutation", "text", "lines"}:
            return cls(no_rows, words=no_rows, texts=texts, _checked=True)
        from wordorder.alignment.alignments import Alignments
        from wordorder.segments import aligned, trees
        from wordorder.treebank.treebank import Treebank

        unlinked = Alignments.from_rows([])
        references = aligned.AlignedReferences.of(texts, unlinked)
        segments = cls.from_aligned(references, texts, unlinked)
        segments.words = no_rows
        segments._trees = trees.Trees(Treebank.from_words([]), Treebank.from_words([]))
        return segments

    @classmethod
    def from_permutations(
        cls, rows: Ragged | str | os.PathLike[str] | Iterable[Sequence[int]] | ArrowColumn
    ) -> Segments:
        """Build segments from relative permutations.

        Parameters
        ----------
        rows : Ragged, path of a file, or rows of int
            Permutations of ``0 .. n-1``; the identity is a perfect order. A file has one per line;
            also a column of pandas, Polars or pyarrow.

        Raises
        ------
        InputError
            If a row is not a permutation of ``0 .. n-1``; the message names row and entry.
        """
        from wordorder.order.orders import check_permutations
        from wordorder.order.reading import orders_of_input

        if isinstance(rows, (str, os.PathLike)):
            orders = orders_of_input(rows, "permutations")
            if orders.ranks is not None:
                raise InputError(os.fspath(rows), "tied positions", "plain permutations")
            rows = orders.positions
        permutation = rows if isinstance(rows, Ragged) else Ragged.from_rows(rows)
        check_permutations(permutation)
        lengths = permutation.lengths
        return cls(permutation, None, None, lengths, lengths, _checked=True)

    @classmethod
    def concatenate(cls, parts: Sequence[Segments]) -> Segments:
        """Concatenate the segments of several parts.

        Raises
        ------
        UsageError
            If only some of the parts have a column, or if the origins of their references differ:
            no signature could describe both.
        """
        # Parts without segments may lack columns.
        parts = [part for part in parts if len(part)]
        return cls(**concatenate_columns(parts), _checked=True) if parts else cls.empty()
