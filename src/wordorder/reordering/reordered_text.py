"""Order the sentences of a file by rules or by stored orders, and write them as text."""

import os

import numpy as np

from wordorder.arrays import Int64
from wordorder.errors import InputError
from wordorder.notes import note
from wordorder.order.completion import complete_orders
from wordorder.order.orders import Orders
from wordorder.order.reading import OrderReader
from wordorder.parsing.given_tags import fill_tags
from wordorder.parsing.pipeline.file_parser import FileParser
from wordorder.parsing.pipeline.loading import MAX_BATCH_SENTENCES, open_parser, open_tagger
from wordorder.parsing.pipeline.sentence_reading import SentenceReader
from wordorder.reordering.learned.learned_order import LearnedOrder
from wordorder.reordering.rules import RuleSet, orders_of
from wordorder.reordering.scheme_check import note_fit_problems
from wordorder.text.lockstep import length_mismatch, take_exactly
from wordorder.text.opening import Closeable, Path
from wordorder.treebank.reading import sentences_of
from wordorder.treebank.treebank import NO_HEAD, Column, Treebank

# Replaces spaces inside words of a treebank, which would split the words in a line of text.
_NO_BREAK_SPACE = "\u00a0"

# The default parser: the built-in English model.
DEFAULT_PARSER = "en"


def text_lines(words: Column, offsets: Int64) -> bytes:
    r"""Format sentences as lines; a sentence without words is an empty line.

    Parameters
    ----------
    words : Column
    offsets : int64[S+1]
        The words of sentence ``i`` are ``offsets[i] .. offsets[i+1]-1``.

    Examples
    --------
    >>> text_lines(Column.of(["it", "rains", "New York"]), np.array([0, 2, 2, 3]))
    b'it rains\n\nNew\xc2\xa0York\n'
    """
    strings = [word.replace(" ", _NO_BREAK_SPACE) for word in words.vocabulary.words]
    # The table has each word with a space after it, then each word with a newline, then a newline.
    vocabulary_size = len(strings)
    table = [f"{word} " for word in strings] + [f"{word}\n" for word in strings] + ["\n"]
    has_words = np.diff(offsets) > 0
    codes = words.codes.copy()
    codes[offsets[1:][has_words] - 1] += vocabulary_size
    pieces = np.insert(codes, offsets[:-1][~has_words], 2 * vocabulary_size)
    return "".join(map(table.__getitem__, pieces.tolist())).encode()


def parser_of(rules: RuleSet, parser: Path | None = None) -> Path:
    """Return the parser for text: `parser`, or that of a learned order, or the default one."""
    model_parser = rules.parser if isinstance(rules, LearnedOrder) else None
    return parser or model_parser or DEFAULT_PARSER


class RuleOrders:
    """Orders by rules over dependency trees.

    Parameters
    ----------
    rules : RuleSet
    name : str
        The name of the file of the sentences in messages.
    kind : {"conllu", "text"}
        Treebanks keep their trees; text is parsed.
    parser : path or name, optional
        Accepted values: see `wordorder.parsing.open_parser`; if specified, all sentences are
        parsed. By default, text is parsed by the parser that a learned order was trained with, or
        by the default one; a learned order that reads only words or tags needs no parser.
    sentences_before : int
        Number of sentences of the file before the first one to order.

    Attributes
    ----------
    parsed : int
        Number of sentences parsed so far.
    """

    def __init__(
        self,
        rules: RuleSet,
        name: str,
        kind: str,
        parser: Path | None = None,
        sentences_before: int = 0,
    ) -> None:
        self._rules = rules
        self._name, self._kind = name, kind
        self._sentences = sentences_before
        learned = rules if isinstance(rules, LearnedOrder) else None
        self._model = parser_of(rules, parser)
        self._reads_trees = learned is None or learned.reads == "trees"
        self._parses_all = parser is not None or (kind == "text" and self._reads_trees)
        tagger = None if learned is None or learned.reads != "tags" else learned.tagger
        self._tagger = None if tagger is None or self._parses_all else open_tagger(tagger)
        self._fit_is_checked = False
        self.parsed = 0
        # Open the parser before the output is created, so that errors leave no file; for a
        # treebank, only at the first sentence without a tree.
        self._parser = self._open_parser() if self._parses_all else None

    @property
    def batch(self) -> int:
        """Number of sentences in a batch; smaller for parsers that use much memory."""
        return MAX_BATCH_SENTENCES if self._parser is None else self._parser.batch

    def take(self, sentences: Treebank) -> tuple[Treebank, Orders]:
        """Return the sentences with their trees, and their orders by the rules."""
        sentences_before = self._sentences
        self._sentences += len(sentences)
        rows = np.arange(len(sentences))
        if self._tagger is not None:
            sentences = fill_tags(sentences, self._tagger)
        if not self._reads_trees and not self._parses_all:
            rows = rows[:0]
        elif not self._parses_all:
            headless = np.flatnonzero(sentences.heads == NO_HEAD)
            rows = np.unique(np.searchsorted(sentences.offsets, headless, side="right") - 1)
        trees = self._parse(sentences, rows, sentences_before)
        if trees.words and not self._fit_is_checked:
            note_fit_problems(self._rules, trees, self._name)
            self._fit_is_checked = True
        numbers = sentences_before + np.arange(len(sentences))
        with sentences_of(self._name, numbers, lines=self._kind == "text"):
            rule_orders = orders_of(self._rules, trees)
        return trees, self._check_orders(rule_orders, trees, sentences_before)

    def finish(self) -> None:
        """Note problems of the parsed sentences, and how many of a treebank had no tree."""
        if self._parser is not None:
            self._parser.finish()
        if self.parsed and not self._parses_all:
            note(
                f"{self._name}: {self.parsed} of {self._sentences} sentences have no "
                f"tree, and were parsed by {os.fspath(self._model)}"
            )

    def _parse(self, sentences: Treebank, rows: Int64, sentences_before: int) -> Treebank:
        """Return a batch with the sentences of the indices `rows` parsed."""
        if not len(rows):
            return sentences
        self.parsed += len(rows)
        parser = self._parser = self._parser or self._open_parser()
        if len(rows) == len(sentences):
            return parser.parsed(sentences, sentences_before + rows)
        parsed = parser.parsed(sentences.take(rows), sentences_before + rows)
        indices = np.arange(len(sentences))
        indices[rows] = len(sentences) + np.arange(len(rows))
        return Treebank.concatenate([sentences, parsed]).take(indices)

    def _open_parser(self) -> FileParser:
        # Text has tags only if its factors include them.
        return FileParser(open_parser(self._model), self._name, note_tags=self._kind == "conllu")

    def _check_orders(self, orders: Orders, trees: Treebank, sentences_before: int) -> Orders:
        """Refuse orders without all words, which rule sets of other packages may return."""
        try:
            return complete_orders(orders, trees.lengths, path="", first_line=sentences_before + 1)
        except InputError as error:
            row = error.where.removeprefix(":")
            sentence_name = f"{self._name}: sentence {row}" if row else self._name
            problem = f"{self._rules.name} gives {error.what}"
            raise InputError(sentence_name, problem, "orders with each word once") from None


class StoredOrders(Closeable):
    """Orders read from a file, one per sentence.

    Parameters
    ----------
    path : path or "-"
        See `wordorder.order.reading.OrderReader`.
    reader : SentenceReader
        The reader of the sentences.
    missing : str
        The position of words that an order does not have; see `complete_orders`.

    Attributes
    ----------
    dropped : int
        Number of words left out so far.
    """

    batch = MAX_BATCH_SENTENCES

    def __init__(self, path: Path, reader: SentenceReader, missing: str) -> None:
        self._orders = OrderReader(path)
        self._reader = reader
        self._missing = missing
        self.dropped = 0

    def take(self, sentences: Treebank) -> tuple[Treebank, Orders]:
        """Return the sentences unchanged, and the next orders of the file."""
        first = self._orders.lines + 1
        read_orders = take_exactly(
            lambda _, count: self._orders.take(count), len(sentences), Orders.concatenate
        )
        if read_orders is None:
            raise length_mismatch([self._orders, self._reader])
        complete = complete_orders(
            read_orders,
            sentences.lengths,
            missing=self._missing,
            path=self._orders.name,
            first_line=first,
        )
        self.dropped += sentences.words - len(complete.positions.values)
        return sentences, complete

    def finish(self) -> None:
        """Refuse a file with more orders than sentences."""
        if len(self._orders.take(1)):
            raise length_mismatch([self._orders, self._reader])

    def close(self) -> None:
        """Close the file of orders."""
        self._orders.close()
