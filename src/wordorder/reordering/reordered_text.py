"""Sentences as lines of text, words between blanks."""

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
from wordorder.parsing.pipeline.loading import SENTENCES, open_parser, open_tagger
from wordorder.parsing.pipeline.sentence_reading import SentenceReader
from wordorder.reordering.learned.learned_order import LearnedOrder
from wordorder.reordering.rules import RuleSet, orders_of
from wordorder.reordering.scheme_check import note_fit_problems
from wordorder.text.lockstep import length_mismatch, take_exactly
from wordorder.text.opening import Closeable, Path
from wordorder.treebank.reading import sentences_of
from wordorder.treebank.treebank import NO_HEAD, Column, Treebank

# A word of a treebank may hold blanks, which would make several of it.
_NO_BREAK = "\u00a0"

# The model that parses where none is named: the English one of the package.
DEFAULT_PARSER = "en"


def text_lines(words: Column, offsets: Int64) -> bytes:
    r"""Write sentences as lines; a sentence without words is an empty line.

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
    strings = [word.replace(" ", _NO_BREAK) for word in words.vocabulary.words]
    # Each string is there as one that a word follows, and as one that ends a line; then an empty
    # line.
    vocabulary_size = len(strings)
    table = [f"{word} " for word in strings] + [f"{word}\n" for word in strings] + ["\n"]
    filled = np.diff(offsets) > 0
    codes = words.codes.copy()
    codes[offsets[1:][filled] - 1] += vocabulary_size
    pieces = np.insert(codes, offsets[:-1][~filled], 2 * vocabulary_size)
    return "".join(map(table.__getitem__, pieces.tolist())).encode()


def parser_of(rules: RuleSet, parser: Path | None = None) -> Path:
    """Return the parser of text: a given one, that of a learned order, or the default one."""
    model_parser = rules.parser if isinstance(rules, LearnedOrder) else None
    return parser or model_parser or DEFAULT_PARSER


class RuleOrders:
    """Orders by rules over dependency trees.

    Parameters
    ----------
    rules : RuleSet
    name : str
        What messages call the file that the sentences come from.
    kind : {"conllu", "text"}
        The trees of a treebank stay; text is parsed.
    parser : path or name, optional
        Accepted values: see `wordorder.parsing.open_parser`; where it is given, all is parsed.
        Without it, text is parsed by the parser that a learned order was trained with, or by the
        default one; a learned order that reads words or tags alone needs none.
    sentences_before : int
        Sentences of the file that are passed over.

    Attributes
    ----------
    parsed : int
        Sentences that were parsed here so far.
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
        self._trees = learned is None or learned.reads == "trees"
        self._all = parser is not None or (kind == "text" and self._trees)
        tagger = None if learned is None or learned.reads != "tags" else learned.tagger
        self._tagger = None if tagger is None or self._all else open_tagger(tagger)
        self._looked = False
        self.parsed = 0
        # Before the output is begun; of a treebank, only where a sentence has no tree.
        self._parser = self._open() if self._all else None

    @property
    def batch(self) -> int:
        """How many sentences make a batch: few where many trees of each are in the making."""
        return SENTENCES if self._parser is None else self._parser.batch

    def take(self, sentences: Treebank) -> tuple[Treebank, Orders]:
        """Return the sentences with their trees, and the orders that the rules give them."""
        sentences_before = self._sentences
        self._sentences += len(sentences)
        rows = np.arange(len(sentences))
        if self._tagger is not None:
            sentences = fill_tags(sentences, self._tagger)
        if not self._trees and not self._all:
            rows = rows[:0]
        elif not self._all:
            without = np.flatnonzero(sentences.heads == NO_HEAD)
            rows = np.unique(np.searchsorted(sentences.offsets, without, side="right") - 1)
        trees = self._parse(sentences, rows, sentences_before)
        if trees.words and not self._looked:
            note_fit_problems(self._rules, trees, self._name)
            self._looked = True
        numbers = sentences_before + np.arange(len(sentences))
        with sentences_of(self._name, numbers, lines=self._kind == "text"):
            rule_orders = orders_of(self._rules, trees)
        return trees, self._check_orders(rule_orders, trees, sentences_before)

    def finish(self) -> None:
        """Note problems of the parsed sentences, and sentences of a treebank without a tree."""
        if self._parser is not None:
            self._parser.finish()
        if self.parsed and not self._all:
            note(
                f"{self._name}: {self.parsed} of {self._sentences} sentences have no "
                f"tree, and were parsed by {os.fspath(self._model)}"
            )

    def _parse(self, sentences: Treebank, rows: Int64, sentences_before: int) -> Treebank:
        """Parse the sentences of a batch that have the numbers `rows`; the others keep theirs."""
        if not len(rows):
            return sentences
        self.parsed += len(rows)
        parser = self._parser = self._parser or self._open()
        all_rows = len(rows) == len(sentences)
        parsed = parser.parsed(
            sentences if all_rows else sentences.take(rows), sentences_before + rows
        )
        if all_rows:
            return parsed
        places = np.arange(len(sentences))
        places[rows] = len(sentences) + np.arange(len(rows))
        return Treebank.concatenate([sentences, parsed]).take(places)

    def _open(self) -> FileParser:
        # Text has tags only if its factors were named.
        return FileParser(open_parser(self._model), self._name, tell_tags=self._kind == "conllu")

    def _check_orders(self, orders: Orders, trees: Treebank, sentences_before: int) -> Orders:
        """Refuse orders that lack words: what follows trusts them, and anybody may write rules."""
        try:
            return complete_orders(orders, trees.lengths, path="", first_line=sentences_before + 1)
        except InputError as error:
            row = error.where.removeprefix(":")
            file_position = f"{self._name}: sentence {row}" if row else self._name
            problem = f"{self._rules.name} gives {error.what}"
            raise InputError(file_position, problem, "orders with each word once") from None


class GivenOrders(Closeable):
    """Orders of a file, in step with the sentences.

    Parameters
    ----------
    path : path or "-"
        As `wordorder.order.reading.OrderReader` takes it.
    reader : SentenceReader
        Where the sentences come from.
    missing : str
        The place of words that an order does not have; see `complete_orders`.

    Attributes
    ----------
    dropped : int
        Words left out so far.
    """

    batch = SENTENCES

    def __init__(self, path: Path, reader: SentenceReader, missing: str) -> None:
        self._orders = OrderReader(path)
        self._reader = reader
        self._missing = missing
        self.dropped = 0

    def take(self, sentences: Treebank) -> tuple[Treebank, Orders]:
        """Return the sentences as they are, and the next orders of the file."""
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
        """Raise an InputError if there are more orders; note words that were left out."""
        if len(self._orders.take(1)):
            raise length_mismatch([self._orders, self._reader])

    def close(self) -> None:
        """Close the file of orders."""
        self._orders.close()
