"""Reorder a file batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.formats import Writer
from wordorder.alignment.reading import WRITTEN_LINES, AlignmentReader
from wordorder.arrays import OnProgress, Ragged
from wordorder.errors import UsageError, choose
from wordorder.messages import counted, names_arguments
from wordorder.notes import grouped_notes, note
from wordorder.options import take_options
from wordorder.order.completion import MISSING_OPTIONS, reorder_alignments, reorder_rows
from wordorder.order.orders import Orders
from wordorder.order.reading import write_rows
from wordorder.parsing.pipeline.loading import own_tokenizer, raw_tokenizers
from wordorder.parsing.pipeline.sentence_reading import SentenceReader
from wordorder.progress import shows_progress
from wordorder.reordering import reordered_text
from wordorder.reordering.compiled import check_factors, split_factors
from wordorder.reordering.reordered_trees import multiword_ranges, with_words_moved
from wordorder.reordering.rules import RuleSet, open_rules
from wordorder.text.lockstep import length_mismatch, take_exactly
from wordorder.text.opening import Closeable, Path, estimate_source_rows
from wordorder.text.output import flush_answers, require_different, write_output
from wordorder.treebank.reading import TreebankWriter
from wordorder.treebank.treebank import Column, Treebank

RESULTS = ("text", "orders", "conllu", "alignment")

# The output notation for alignments in a notation without lines, or without any link.
_DEFAULT_NOTATION = "pharaoh"


@dataclass(frozen=True)
class ReorderedFile:
    """Counts of a file that was reordered.

    Attributes
    ----------
    sentences, words : int
    changed : int
        Sentences whose order changed, or that lost words.
    empty_lines : int
        Lines of text without a word; they stay empty.
    parsed : int
        Sentences that were parsed to reorder them.
    dropped_words, dropped_links : int
        Words that the order does not have, and their links; they are left out.
    lost_lines : int
        Multiword ranges left out, since their words may be apart in another order.
    spaced_words : int
        Words of a treebank with a space inside, written as a no-break space in lines of text.
    """

    sentences: int = 0
    words: int = 0
    changed: int = 0
    empty_lines: int = 0
    parsed: int = 0
    dropped_words: int = 0
    dropped_links: int = 0
    lost_lines: int = 0
    spaced_words: int = 0


@dataclass(frozen=True, kw_only=True)
class SentenceOptions:
    """How the sentences of a file are read.

    Attributes
    ----------
    kind, multiple_roots
        See `SentenceReader`.
    tokenize : {"auto", "none", "model", "english"} or bool
        How raw text is tokenised; see `wordorder.parsing.pipeline.loading.raw_tokenizers`.
    factors : sequence of str, optional
        The factors of tokens ``word|tag|...``; see `split_factors`. The parser uses the words and
        tags among them; tokens are moved as units.
    """

    kind: str = "auto"
    tokenize: str | bool = "auto"
    multiple_roots: bool = False
    factors: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class LinkFiles:
    """Word alignments of the sentences, which are reordered with them.

    Attributes
    ----------
    alignment : path or "-", optional
        Links of the sentences with others, one line per pair.
    alignment_output : path, optional
        The file of the links with the positions of the reordered sentences.
    format, one_based, strict, side
        See `ReorderedLinks`.
    """

    alignment: Path | None = None
    alignment_output: Path | None = None
    format: str = "auto"
    one_based: bool = False
    strict: bool = False
    side: str = "source"

    def check(self, to: str) -> None:
        """Refuse an alignment without an output, two outputs, or an output without alignment."""
        if to == "alignment" and self.alignment_output is not None:
            raise UsageError("with to=alignment the result is the alignment: no alignment_output")
        if self.alignment is None and (to == "alignment" or self.alignment_output is not None):
            raise UsageError("there is no alignment to reorder: name it (alignment)")
        if self.alignment is not None and to != "alignment" and self.alignment_output is None:
            raise UsageError(
                "the reordered alignment needs a file (alignment_output), or to=alignment"
            )


def reorder_with_options(**options: Any) -> ReorderedFile:
    """Reorder a file; `options` are those of `reorder_files`, with the fields of its groups."""
    reading = SentenceOptions(**take_options(options, SentenceOptions))
    links = LinkFiles(**take_options(options, LinkFiles))
    return reorder_files(**options, reading=reading, links=links)


OnLinks = Callable[[Alignments, Orders], None]


@names_arguments
@shows_progress("sentences", total=estimate_source_rows)
def reorder_files(
    source: Path = "-",
    output: Path = "-",
    *,
    rules: RuleSet | Path | None = None,
    by: Path | None = None,
    missing: str = "error",
    parser: Path | None = None,
    to: str = "text",
    orders: Path | None = None,
    reading: SentenceOptions | None = None,
    links: LinkFiles | None = None,
    on_links: OnLinks | None = None,
    progress: OnProgress | None = None,
) -> ReorderedFile:
    r"""Put the words of a file into another order; memory is bounded by a batch of sentences.

    Parameters
    ----------
    source : path or "-"
        Text, one sentence per line, or CoNLL-U.
    output : path or "-"
        The file of the result.
    rules : RuleSet, name or path, optional
        Rules that put the words of a tree in order; see `wordorder.reordering.rules.open_rules`.
    by : path or "-", optional
        Orders to reorder by instead of rules, one line per sentence.
    missing : {"error", "next", "previous", "end", "drop"}
        The place of words that the orders of `by` lack; see `complete_orders`.
    parser : path or name, optional
        Accepted values: see `wordorder.parsing.open_parser`. Without it the trees of CoNLL-U are
        used, and sentences without a tree are parsed by the English model of the package.
    to : {"text", "orders", "conllu", "alignment"}
        The result for each sentence: a line of text; its order; its tree with reordered words, see
        `reorder_treebank`; or its links.
    orders : path, optional
        A second output for the orders.
    reading : SentenceOptions, optional
        How the sentences are read.
    links : LinkFiles, optional
        Word alignments that are reordered with the sentences.
    on_links : callable, optional
        Called with the links of each batch, transposed so that the sentences are their source, and
        with the orders.
    progress : callable, optional
        Called with the number of sentences reordered so far.

    Raises
    ------
    UsageError
        If the rules or the parser do not exist, options contradict each other, or an output cannot
        be created.
    InputError
        If an input cannot be read, or the files have different numbers of sentences; no output
        file is left then.
    ModelError
        If a model is damaged.

    Warns
    -----
    note
        About empty lines, sentences of a treebank without a tree, and ranges, empty nodes and words
        that are left out, with their numbers; and about sentences of more than 512 words, which a
        learned order orders in pieces.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.txt").write_text("John|NNP hit|VBD it|PRP\n")
    >>> _ = (folder / "a.orders").write_text("0 2 1\n")
    >>> _ = (folder / "a.align").write_text("0-0 1-2 2-1\n")
    >>> done = reorder_files(
    ...     folder / "a.txt",
    ...     folder / "b.txt",
    ...     by=folder / "a.orders",
    ...     links=LinkFiles(
    ...         alignment=folder / "a.align", alignment_output=folder / "b.align"
    ...     ),
    ... )
    >>> done.sentences, done.changed, (folder / "b.txt").read_text()
    (1, 1, 'John|NNP it|PRP hit|VBD\n')
    >>> (folder / "b.align").read_text()
    '0-0 2-2 1-1\n'
    """
    reading, links = reading or SentenceOptions(), links or LinkFiles()
    _check_names(to, missing, reading.factors)
    if (rules is None) == (by is None):
        raise UsageError("words are reordered by rules or by given orders: name one of the two")
    if by is not None and parser is not None:
        raise UsageError("reordering by given orders needs no parser")
    if by is None and missing != "error":
        raise UsageError(f"missing={missing} is for given orders (by): rules order all words")
    if reading.tokenize in (True, "model", "english") and reading.factors:
        raise UsageError("factored text is tokenised already: factors or tokenize, not both")
    links.check(to)
    require_different(output, orders, links.alignment_output)
    ordering = None if rules is None or by is not None else open_rules(rules)
    with ExitStack() as stack:
        stack.enter_context(grouped_notes())
        reader = stack.enter_context(_open_sentences(source, reading, ordering, parser))
        origin: reordered_text.RuleOrders | reordered_text.StoredOrders
        if by is not None:
            origin = stack.enter_context(reordered_text.StoredOrders(by, reader, missing))
        elif ordering is not None:
            origin = reordered_text.RuleOrders(
                ordering, reader.name, reader.kind, parser, reader.before
            )
        stream = stack.enter_context(write_output(output))
        reordering = _Reordering(to, reading.factors, reader, origin, stream, on_links)
        if orders is not None:
            reordering.orders_stream = stack.enter_context(write_output(orders))
        if links.alignment is not None:
            if links.alignment_output is not None:
                stream = stack.enter_context(write_output(links.alignment_output))
            reordering.links = stack.enter_context(ReorderedLinks(links, reader, stream))
        while len(sentences := reader.take(origin.batch)):
            reordering.write(sentences)
            if progress is not None:
                progress(reader.sentences)
        counts = reordering.finish()
        _note_losses(counts, reader.name)
    return counts


def _open_sentences(
    source: Path, reading: SentenceOptions, rules: RuleSet | None, parser: Path | None
) -> SentenceReader:
    """Open the file of the sentences, with the tokenizer of raw text."""
    tokenizers = {} if reading.factors else _tokenizers(reading.tokenize, rules, parser)
    multiple_roots = reading.multiple_roots or parser is not None
    reader = SentenceReader(source, kind=reading.kind, **tokenizers, multiple_roots=multiple_roots)
    if reading.factors and reader.kind == "conllu":
        reader.close()
        raise UsageError(f"{reader.name}: factors are for text; CoNLL-U has columns")
    return reader


@dataclass
class _Reordering:
    """Writes the reordered sentences batch by batch, and counts them."""

    to: str
    factors: Sequence[str]
    reader: SentenceReader
    origin: reordered_text.RuleOrders | reordered_text.StoredOrders
    stream: BinaryIO
    on_links: OnLinks | None = None
    orders_stream: BinaryIO | None = None
    links: ReorderedLinks | None = None
    done: ReorderedFile = ReorderedFile()

    def write(self, sentences: Treebank) -> None:
        """Write a batch of sentences in their new order."""
        words, reader, done = sentences, self.reader, self.done
        if self.factors:
            sentences_before = reader.sentences - len(sentences)
            words = split_factors(sentences, self.factors, reader.name, sentences_before)
        trees, orders = self.origin.take(words)
        if self.links is not None:
            alignments = self.links.write(sentences, orders)
            if self.on_links is not None:
                self.on_links(alignments, orders)
        if self.orders_stream is not None:
            write_rows(orders, self.orders_stream)
        if self.to == "text":
            self.stream.write(_text(sentences, orders))
        elif self.to == "orders":
            write_rows(orders, self.stream)
        elif self.to == "conllu":
            TreebankWriter(self.stream).write(with_words_moved(trees, orders))
        # Spaces inside words matter only in lines of text.
        spaced = sentences.form.apply(lambda word: self.to == "text" and " " in word, np.bool_)
        self.done = replace(
            done,
            words=done.words + sentences.words,
            changed=done.changed + _count_changed(sentences, orders),
            lost_lines=done.lost_lines + multiword_ranges(sentences) * (self.to == "conllu"),
            spaced_words=done.spaced_words + int(spaced.sum()),
        )
        flush_answers(self.stream)

    def finish(self) -> ReorderedFile:
        """Refuse superfluous rows of other files; return all counts."""
        self.origin.finish()
        if self.links is not None:
            self.links.finish()
        return replace(
            self.done,
            sentences=self.reader.sentences - self.reader.before,
            empty_lines=self.reader.empty_lines,
            parsed=getattr(self.origin, "parsed", 0),
            dropped_words=getattr(self.origin, "dropped", 0),
            dropped_links=0 if self.links is None else self.links.dropped,
        )


def _tokenizers(tokenize: str | bool, rules: RuleSet | None, parser: Path | None) -> dict[str, Any]:
    """Return the tokenizers of raw text; a model is opened only if they need it."""
    if rules is None:
        if tokenize == "model":
            raise UsageError("tokenizer=model is that of a parser, which given orders do not need")
        return raw_tokenizers(tokenize, reordered_text.DEFAULT_PARSER, lambda: None)
    model = reordered_text.parser_of(rules, parser)
    return raw_tokenizers(tokenize, model, lambda: own_tokenizer(model))


def _check_names(to: str, missing: str, factors: Sequence[str]) -> None:
    """Refuse unknown names, and names that contradict each other."""
    choose("to", to, RESULTS)
    choose("missing", missing, MISSING_OPTIONS)
    if to == "conllu" and missing == "drop":
        raise UsageError("a tree cannot lose words: missing=drop is for text, orders, alignment")
    if factors:
        check_factors(factors)


def _text(sentences: Treebank, orders: Orders) -> bytes:
    """Return lines of the tokens in their new order."""
    form = sentences.form
    rows = reorder_rows(Ragged(form.codes, sentences.offsets), orders, missing="drop")
    return reordered_text.text_lines(Column(rows.values, form.vocabulary), rows.offsets)


def _count_changed(sentences: Treebank, orders: Orders) -> int:
    """Count the sentences that the orders change."""
    positions = orders.positions
    rows = np.repeat(np.arange(len(positions)), positions.lengths)
    is_moved = positions.values != np.arange(len(rows)) - positions.offsets[:-1][rows]
    changed = positions.lengths != sentences.lengths
    changed[rows[is_moved]] = True
    return int(np.count_nonzero(changed))


def _note_losses(done: ReorderedFile, name: str) -> None:
    """Note words, links and lines that are left out or changed."""
    notes = []
    if done.spaced_words:
        notes.append(
            f"{counted(done.spaced_words, 'word')} of {done.words} with a blank inside, written "
            "with a no-break space (U+00A0); wordorder reads it as one word, other tools may not"
        )
    if done.empty_lines:
        stay = "stays empty" if done.empty_lines == 1 else "stay empty"
        notes.append(f"{counted(done.empty_lines, 'empty line')}, which {stay}")
    if done.lost_lines:
        notes.append(
            f"left out {counted(done.lost_lines, 'multiword range')}: another order has no place "
            "for them"
        )
    if done.dropped_words:
        links = f", and {counted(done.dropped_links, 'link')} of theirs"
        notes.append(
            f"left out {counted(done.dropped_words, 'word')} that the orders lack"
            f"{links if done.dropped_links else ''}"
        )
    for message in notes:
        note(f"{name}: {message}")


class ReorderedLinks(Closeable):
    """Reads the alignments of sentences, and writes them for the reordered sentences.

    Parameters
    ----------
    files : LinkFiles
        The file of links, its format (see `wordorder.alignment.reading.AlignmentReader`), and
        `side`, the side of the alignment that is reordered: source or target.
    reader : SentenceReader
        The reader of the sentences.
    stream : binary stream
        The output of the links, 0-based in the notation of the input, or for NAACL and GIZA++ in
        Pharaoh's notation.

    Attributes
    ----------
    dropped : int
        Number of links left out so far, because their words were left out.
    """

    def __init__(self, files: LinkFiles, reader: SentenceReader, stream: BinaryIO) -> None:
        choose("side", files.side, ("source", "target"))
        assert files.alignment is not None
        self._links = AlignmentReader(
            files.alignment,
            format=files.format,
            format_option="--alignment-format",
            one_based=files.one_based,
            strict=files.strict,
            source_name=reader.name,
            target_name=reader.name,
        )
        self._reader = reader
        self._stream = stream
        self._side = files.side
        self.dropped = 0

    def write(self, sentences: Treebank, orders: Orders) -> Alignments:
        """Read the links of a batch, and write them for the sentences in the new order.

        Returns the links as read, transposed so that the sentences are their source.

        Parameters
        ----------
        sentences : Treebank
            The sentences in their old order.
        orders : Orders
            The orders of all their words, or of those that are not left out.

        Raises
        ------
        InputError
            If there are fewer rows than sentences, or a link is out of range.
        """
        lengths = f"{self._side}_lengths"
        words = sentences.lengths

        def take(rows_before: int, count: int) -> Alignments:
            return self._links.take(count, **{lengths: words[rows_before:]})

        links = take_exactly(take, len(sentences), _concatenate)
        if links is None:
            raise length_mismatch([self._links, self._reader])
        reordered = reorder_alignments(links, orders, side=self._side, missing="drop")
        self.dropped += len(links.source) - len(reordered.source)
        rows = self._notation.rows(reordered)
        self._stream.write("".join(f"{row}\n" for row in rows).encode())
        return links if self._side == "source" else links.transpose()

    def finish(self) -> None:
        """Refuse a file with more rows than sentences; note a change of notation."""
        if len(self._links.take(1)):
            raise length_mismatch([self._links, self._reader])
        if self._links.format not in (None, *WRITTEN_LINES):
            note(
                f"{self._links.name}: in the notation {self._links.format}; the reordered links "
                f"are in {_DEFAULT_NOTATION}'s, i-j, 0-based"
            )

    def close(self) -> None:
        """Close the file of alignments."""
        self._links.close()

    @property
    def _notation(self) -> Writer:
        return WRITTEN_LINES.get(
            self._links.format or _DEFAULT_NOTATION, WRITTEN_LINES[_DEFAULT_NOTATION]
        )


def _concatenate(parts: Sequence[Alignments]) -> Alignments:
    """Concatenate alignments; empty lines read before the notation is known have no target."""
    if any(part.target_lengths is not None for part in parts):
        for part in parts:
            if part.target_lengths is None:
                part.target_lengths = np.zeros(len(part), np.int64)
    return Alignments.concatenate(parts)
