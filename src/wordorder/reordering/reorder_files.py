"""Reordering a file, some sentences at a time."""

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
from wordorder.messages import counted, names_arguments, note, one_note_of_a_kind
from wordorder.order.completion import MISSING, reorder_alignments, reorder_rows
from wordorder.order.orders import Orders
from wordorder.order.reading import write_rows
from wordorder.parsing.pipeline.loading import own_tokenizer, raw_tokenizers
from wordorder.parsing.pipeline.sentence_reading import SentenceReader
from wordorder.progress import shows_progress
from wordorder.reordering import reordered_text
from wordorder.reordering.compiled import check_factors, split_factors
from wordorder.reordering.reordered_trees import multiword_ranges, with_words_moved
from wordorder.reordering.rules import RuleSet, open_rules
from wordorder.text.lockstep import mismatch, take_exactly
from wordorder.text.opening import Closeable, Path, sentences_of_source
from wordorder.text.output import flush_answers, require_different, write_output
from wordorder.treebank.reading import TreebankWriter
from wordorder.treebank.treebank import Column, Treebank

RESULTS = ("text", "orders", "conllu", "alignment")


@dataclass(frozen=True)
class ReorderedFile:
    """What was reordered.

    Attributes
    ----------
    sentences, words : int
    changed : int
        Sentences whose words are in another order than before, or lack some.
    empty_lines : int
        Lines of text without a word; they stay empty.
    parsed : int
        Sentences that were parsed on the way.
    dropped_words, dropped_links : int
        Left out because the order lacks the word.
    lost_lines : int
        Multiword ranges, which have no place in another order.
    spaced_words : int
        Words of a treebank with a blank inside, which is a no-break space in lines of text.
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


@names_arguments
@shows_progress("sentences", total=sentences_of_source)
def reorder_files(
    source: Path = "-",
    output: Path = "-",
    *,
    rules: RuleSet | Path | None = None,
    by: Path | None = None,
    parser: Path | None = None,
    to: str = "text",
    kind: str = "auto",
    tokenize: str | bool = "auto",
    multiple_roots: bool = False,
    factors: Sequence[str] = (),
    orders: Path | None = None,
    alignment: Path | None = None,
    alignment_output: Path | None = None,
    format: str = "auto",
    one_based: bool = False,
    strict: bool = False,
    side: str = "source",
    missing: str = "error",
    linked: Callable[[Alignments, Orders], None] | None = None,
    progress: OnProgress | None = None,
) -> ReorderedFile:
    r"""Put the words of a file into another order; memory is bounded by a batch of sentences.

    Parameters
    ----------
    source, kind, multiple_roots
        As `SentenceReader` takes them: text or CoNLL-U.
    tokenize : {"auto", "none", "model", "english"} or bool
        How raw text is cut into words; see `wordorder.parsing.pipeline.loading.raw_tokenizers`.
    output : path or "-"
        Where the result goes.
    rules : RuleSet, name or path, optional
        What orders the words of a tree, as `wordorder.reordering.rules.open_rules` takes it.
    by : path or "-", optional
        Orders to reorder by instead of rules, one line per sentence.
    parser : path or name, optional
        Accepted values: see `wordorder.parsing.open_parser`. Without it the trees of CoNLL-U stay,
        and what has no tree is parsed by the English model of the package.
    to : {"text", "orders", "conllu", "alignment"}
        What the result is. A line of text for each sentence; its order; its tree with the words
        and heads in the new order, as `reorder_treebank` makes it; its links.
    factors : sequence of str, optional
        For text whose tokens are ``word|tag|...``: what the factors are, as `split_factors` takes
        them. The parser sees the words, and the tags that there are; tokens are moved whole.
    orders : path, optional
        Where the orders go besides.
    alignment : path or "-", optional
        Links of the sentences with others, one line per pair.
    alignment_output : path, optional
        Where they go, with the positions of the reordered sentences.
    format, one_based, strict, side
        As `ReorderedLinks` takes them.
    missing : {"error", "next", "previous", "end", "drop"}
        Where words go that the orders of `by` lack, as `complete_orders` takes it.
    linked : callable, optional
        Called with the links of each batch, turned so that the sentences are their source, and
        with the orders.
    progress : callable, optional
        Called with the number of sentences reordered so far.

    Raises
    ------
    UsageError
        If there are no such rules or parser, what is asked contradicts itself, or an output cannot
        be created.
    InputError
        If an input cannot be read, or the files are not in step; files are not written then.
    ModelError
        If a model is damaged.

    Warns
    -----
    WordOrderWarning
        If there are empty lines, sentences of a treebank without a tree, ranges and empty nodes
        that cannot be written, or words that are left out: each is counted. If a learned order
        orders a sentence in pieces, because it has more than 512 words.

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
    ...     alignment=folder / "a.align",
    ...     alignment_output=folder / "b.align",
    ... )
    >>> done.sentences, done.changed, (folder / "b.txt").read_text()
    (1, 1, 'John|NNP it|PRP hit|VBD\n')
    >>> (folder / "b.align").read_text()
    '0-0 2-2 1-1\n'
    """
    _check_names(to, missing, factors)
    if (rules is None) == (by is None):
        raise UsageError("words are reordered by rules or by given orders: name one of the two")
    if by is not None and parser is not None:
        raise UsageError("reordering by given orders needs no parser")
    if by is None and missing != "error":
        raise UsageError(f"missing={missing} is for given orders (by): rules order all words")
    if tokenize in (True, "model", "english") and factors:
        raise UsageError("factored text is tokenised already: factors or tokenize, not both")
    _check_alignment(to, alignment, alignment_output)
    require_different(output, orders, alignment_output)
    ordering = None if rules is None or by is not None else open_rules(rules)
    cut = {} if factors else _cut(tokenize, ordering, parser)
    with ExitStack() as stack:
        stack.enter_context(one_note_of_a_kind())
        reader = stack.enter_context(
            SentenceReader(
                source, kind=kind, **cut, multiple_roots=multiple_roots or parser is not None
            )
        )
        if factors and reader.kind == "conllu":
            raise UsageError(f"{reader.name}: factors are for text; CoNLL-U has columns")
        origin: reordered_text.RuleOrders | reordered_text.GivenOrders
        if by is not None:
            origin = stack.enter_context(reordered_text.GivenOrders(by, reader, missing))
        elif ordering is not None:
            about = reader.name, reader.kind
            origin = reordered_text.RuleOrders(ordering, *about, parser, reader.before)
        stream = stack.enter_context(write_output(output))
        orders_stream = None if orders is None else stack.enter_context(write_output(orders))
        links = None
        if alignment is not None:
            place = stream
            if alignment_output is not None:
                place = stack.enter_context(write_output(alignment_output))
            links = stack.enter_context(
                ReorderedLinks(
                    alignment,
                    reader,
                    place,
                    side=side,
                    format=format,
                    one_based=one_based,
                    strict=strict,
                )
            )
        done = ReorderedFile()
        while len(sentences := reader.take(origin.batch)):
            sentences_before = reader.sentences - len(sentences)
            words = (
                split_factors(sentences, factors, reader.name, sentences_before)
                if factors
                else sentences
            )
            trees, new_orders = origin.take(words)
            if links is not None:
                read = links.write(sentences, new_orders)
                if linked is not None:
                    linked(read if side == "source" else read.transpose(), new_orders)
            if orders_stream is not None:
                write_rows(new_orders, orders_stream)
            if to == "text":
                stream.write(_text(sentences, new_orders))
            elif to == "orders":
                write_rows(new_orders, stream)
            elif to == "conllu":
                TreebankWriter(stream).write(with_words_moved(trees, new_orders))
            # Only in lines of text is it something to be told of.
            spaced = sentences.form.each(lambda word: to == "text" and " " in word, np.bool_)
            done = replace(
                done,
                words=done.words + sentences.words,
                changed=done.changed + _changed(sentences, new_orders),
                lost_lines=done.lost_lines + multiword_ranges(sentences) * (to == "conllu"),
                spaced_words=done.spaced_words + int(spaced.sum()),
            )
            flush_answers(stream)
            if progress is not None:
                progress(reader.sentences)
        origin.finish()
        if links is not None:
            links.finish()
        done = replace(
            done,
            sentences=reader.sentences - reader.before,
            empty_lines=reader.empty_lines,
            parsed=getattr(origin, "parsed", 0),
            dropped_words=getattr(origin, "dropped", 0),
            dropped_links=0 if links is None else links.dropped,
        )
        _note(done, reader.name)
    return done


def _cut(tokenize: str | bool, rules: RuleSet | None, parser: Path | None) -> dict[str, Any]:
    """Return what raw text is cut by; the model is opened once more only if it is needed."""
    if rules is None:
        if tokenize == "model":
            raise UsageError("tokenizer=model is that of a parser, which given orders do not need")
        return raw_tokenizers(tokenize, reordered_text.DEFAULT_PARSER, lambda: None)
    model = reordered_text.parser_of(rules, parser)
    return raw_tokenizers(tokenize, model, lambda: own_tokenizer(model))


def _check_names(to: str, missing: str, factors: Sequence[str]) -> None:
    """Refuse names that are not legal, or do not go together."""
    choose("to", to, RESULTS)
    choose("missing", missing, MISSING)
    if to == "conllu" and missing == "drop":
        raise UsageError("a tree cannot lose words: missing=drop is for text, orders, alignment")
    if factors:
        check_factors(factors)


def _check_alignment(to: str, alignment: Path | None, alignment_output: Path | None) -> None:
    """Refuse an alignment without a place, two places for it, or a place without an alignment."""
    if to == "alignment" and alignment_output is not None:
        raise UsageError("with to=alignment the result is the alignment: no alignment_output")
    if alignment is None and (to == "alignment" or alignment_output is not None):
        raise UsageError("there is no alignment to reorder: name it (alignment)")
    if alignment is not None and to != "alignment" and alignment_output is None:
        raise UsageError("the reordered alignment needs a file (alignment_output), or to=alignment")


def _text(sentences: Treebank, orders: Orders) -> bytes:
    """Return lines of the tokens in their new order, each as in the file."""
    form = sentences.form
    rows = reorder_rows(Ragged(form.codes, sentences.offsets), orders, missing="drop")
    return reordered_text.text_lines(Column(rows.values, form.vocabulary), rows.offsets)


def _changed(sentences: Treebank, orders: Orders) -> int:
    """Count the sentences that the orders change."""
    positions = orders.positions
    rows = np.repeat(np.arange(len(positions)), positions.lengths)
    is_moved = positions.values != np.arange(len(rows)) - positions.offsets[:-1][rows]
    changed = positions.lengths != sentences.lengths
    changed[rows[is_moved]] = True
    return int(np.count_nonzero(changed))


def _note(done: ReorderedFile, name: str) -> None:
    """Say what is not there any more, or was not there."""
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


# What alignments are written in that were not read line by line, or are blank throughout.
_OTHERWISE = "pharaoh"


class ReorderedLinks(Closeable):
    """Reads alignments in step with sentences, and writes them for the reordered ones.

    Parameters
    ----------
    path : path or "-"
        As `wordorder.alignment.reading.AlignmentReader` takes it.
    reader : SentenceReader
        Where the sentences come from.
    stream : binary stream
        Where the links go: in the notation in which they were, 0-based; those of NAACL and GIZA++
        in Pharaoh's.
    side : {"source", "target"}
        Which side of the alignment the sentences are.
    format, one_based, strict
        As `AlignmentReader` takes them.

    Attributes
    ----------
    dropped : int
        Links left out so far, with words that were.
    """

    def __init__(
        self,
        path: Path,
        reader: SentenceReader,
        stream: BinaryIO,
        *,
        side: str = "source",
        format: str = "auto",
        one_based: bool = False,
        strict: bool = False,
    ) -> None:
        choose("side", side, ("source", "target"))
        self._links = AlignmentReader(
            path,
            format=format,
            format_option="--alignment-format",
            one_based=one_based,
            strict=strict,
            source_name=reader.name,
            target_name=reader.name,
        )
        self._reader = reader
        self._stream = stream
        self._side = side
        self.dropped = 0

    def write(self, sentences: Treebank, orders: Orders) -> Alignments:
        """Read the links of a batch, write them for the sentences in the new order, return them.

        Parameters
        ----------
        sentences : Treebank
            In the old order.
        orders : Orders
            Those of all their words, or of the words that are left.

        Raises
        ------
        InputError
            If there are fewer rows than sentences, or a link that the sentences do not have.
        """
        lengths = f"{self._side}_lengths"
        words = sentences.lengths

        def take(there: int, count: int) -> Alignments:
            return self._links.take(count, **{lengths: words[there:]})

        links = take_exactly(take, len(sentences), _joined)
        if links is None:
            raise mismatch([self._links, self._reader])
        reordered = reorder_alignments(links, orders, side=self._side, missing="drop")
        self.dropped += len(links.source) - len(reordered.source)
        rows = self._notation.rows(reordered)
        self._stream.write("".join(f"{row}\n" for row in rows).encode())
        return links

    def finish(self) -> None:
        """Raise an InputError if there are more rows than sentences; note a change of notation."""
        if len(self._links.take(1)):
            raise mismatch([self._links, self._reader])
        if self._links.format not in (None, *WRITTEN_LINES):
            note(
                f"{self._links.name}: in the notation {self._links.format}; the reordered links "
                f"are in {_OTHERWISE}'s, i-j, 0-based"
            )

    def close(self) -> None:
        """Close the file of alignments."""
        self._links.close()

    @property
    def _notation(self) -> Writer:
        return WRITTEN_LINES.get(self._links.format or _OTHERWISE, WRITTEN_LINES[_OTHERWISE])


def _joined(parts: Sequence[Alignments]) -> Alignments:
    """Put parts one behind the other; blank lines before the notation shows have no target."""
    if any(part.target_lengths is not None for part in parts):
        for part in parts:
            if part.target_lengths is None:
                part.target_lengths = np.zeros(len(part), np.int64)
    return Alignments.concatenate(parts)
