"""Reading of sentences to tag or parse, from tokenised text, raw text or CoNLL-U."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from wordorder.errors import UsageError, choose
from wordorder.notes import note
from wordorder.parsing.base import RawTokenizer
from wordorder.text.lines import tokens
from wordorder.text.names import is_treebank, refuse_brackets
from wordorder.text.opening import Closeable, Path, display_name
from wordorder.text.raw_lines import RawLines
from wordorder.text.readers import TextReader
from wordorder.text.sniffing import input_kind, mostly_uncut
from wordorder.text.sources import PeekableInput
from wordorder.text.vocabulary import number_lines, number_tokens
from wordorder.treebank.reading import TreebankReader
from wordorder.treebank.treebank import NO_VALUE, STRING_COLUMNS, Column, Margin, Treebank
from wordorder.treebank.trees import HeadRequirement

INPUT_FORMATS = ("auto", "conllu", "text")

# The number of sentences of the first batch, and the factor by which batches grow.
FIRST_BATCH, BATCH_GROWTH = 16, 4

# The number of sentences per batch when a whole file is read.
READ_SENTENCES = 1 << 11


class SentenceReader(Closeable):
    r"""Reads sentences in batches, from text or CoNLL-U.

    Parameters
    ----------
    path : path or "-"
        See `wordorder.text.sources.Source`: compressed or not; ``-`` is standard input.
    kind : {"auto", "conllu", "text"}
        ``auto`` detects the format by the suffix ``.conllu`` or the first bytes.
    tokenizer : RawTokenizer, optional
        Splits raw text, one sentence per line, into words; without it, words are separated by
        spaces.
    if_unspaced : callable, optional
        Called if the first lines are Japanese or Chinese without spaces; returns the tokenizer, or
        None.
    multiple_roots : bool
        Whether sentences of a treebank may have several roots.
    trees : {"optional", "required", "partial"}
        Which words of a treebank must have heads, see `TreebankReader`.

    Attributes
    ----------
    name : str
        The name of the input in messages.
    kind : str
        ``conllu`` or ``text``.
    before : int
        The number of sentences before the first one, if only a part of the file is read.
    sentences : int
        The number of sentences read so far, plus `before`.
    empty_lines : int
        The number of lines without a word so far. Each is a sentence without words, so that
        sentences stay parallel to lines; ``sent_id`` is the number of the line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.txt")
    >>> _ = path.write_text("It rains .\n\nGo !\n")
    >>> with SentenceReader(path) as reader:
    ...     bank = reader.take(9)
    >>> bank.form.strings(), bank.lengths.tolist(), bank.margins[2].comments, reader.empty_lines
    (['It', 'rains', '.', 'Go', '!'], [3, 0, 2], ('# sent_id = 3', '# text = Go !'), 1)
    """

    def __init__(
        self,
        path: Path,
        *,
        kind: str = "auto",
        tokenizer: RawTokenizer | None = None,
        if_unspaced: Callable[[], RawTokenizer | None] | None = None,
        multiple_roots: bool = True,
        trees: HeadRequirement = "optional",
    ) -> None:
        choose("input", kind, INPUT_FORMATS)
        source = PeekableInput(path)
        try:
            self.kind = _detect_format(path, source) if kind == "auto" else kind
            if tokenizer is not None and self.kind == "conllu":
                raise UsageError(
                    f"{display_name(path)}: a tokenizer is for text; CoNLL-U is tokenised already"
                )
            self._trees = (
                TreebankReader(
                    source, trees=trees, single_root=not multiple_roots, lone_returns=False
                )
                if self.kind == "conllu"
                else None
            )
            self._lines = TextReader(source)
        except BaseException:
            source.close()
            raise
        self._tokenizer, self._if_uncut = tokenizer, if_unspaced
        self._most = FIRST_BATCH
        self.name = self._lines.name
        self.before = self.sentences = source.rows_before
        self.empty_lines = 0

    @property
    def lines(self) -> int:
        """The number of sentences read so far."""
        return self.sentences

    @property
    def rows(self) -> str:
        """The word for a row in messages."""
        return "line" if self.kind == "text" else "sentence"

    def take(self, sentences: int) -> Treebank:
        """Return up to `sentences` further sentences; none at the end.

        The first batches are smaller, and no batch waits for further input, so that results come
        early, in a pipe line by line.

        Raises
        ------
        InputError
            If the input cannot be read, or is not valid CoNLL-U; the message names the line.
        """
        sentences = min(sentences, self._most)
        self._most *= BATCH_GROWTH
        if self._trees is not None:
            batch = self._trees.take(sentences, prompt=True)
        else:
            first = self.sentences + 1
            lines = self._lines.take(sentences, prompt=True)
            if self._if_uncut is not None and len(lines):
                self._tokenizer, self._if_uncut = self._chosen(lines), None
            if self._tokenizer is None:
                batch = _split_lines(lines, first)
            else:
                batch = _tokenize_lines(lines, first, self._tokenizer)
            self.empty_lines += int((batch.lengths == 0).sum())
        self.sentences += len(batch)
        return batch

    def _chosen(self, lines: RawLines) -> RawTokenizer | None:
        """Choose the tokenizer by the first lines of the text."""
        if self._if_uncut is None or not mostly_uncut(lines.strings()):
            return self._tokenizer
        tokenizer = self._if_uncut()
        if tokenizer is not None:
            note(
                f"{self.name}: lines without spaces are split by the tokenizer of the model "
                "(--tokenizer=none leaves them as they are)"
            )
        return tokenizer

    def close(self) -> None:
        """Close the input."""
        self._lines.close()


def read_sentences(path: Path, **options: Any) -> tuple[Treebank, str]:
    r"""Read all sentences of a file: tokenised text, one sentence per line, or CoNLL-U.

    Parameters
    ----------
    path, options
        See `SentenceReader`: ``kind``, ``multiple_roots``, …

    Returns
    -------
    Treebank
        An empty line is a sentence without words.
    str
        The name of the file in messages.

    Raises
    ------
    InputError
        If the file cannot be read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.txt")
    >>> _ = path.write_text("It rains .\n\n")
    >>> read_sentences(path)[0].lengths.tolist()
    [3, 0]
    """
    parts = []
    with SentenceReader(path, **options) as reader:
        while len(part := reader.take(READ_SENTENCES)):
            parts.append(part)
    return Treebank.concatenate(parts), reader.name


def _detect_format(path: Path, source: PeekableInput) -> str:
    """Detect the format of a file by its name or its first bytes."""
    refuse_brackets(path)
    if is_treebank(path):
        return "conllu"
    return input_kind(source)


def _split_lines(lines: RawLines, first: int) -> Treebank:
    """Return the sentences of tokenised lines; `first` is the number of the first line."""
    numbers, vocabulary = number_lines(lines)
    margins = [
        _margin(number, " ".join(tokens(line)))
        for number, line in enumerate(lines.strings(), first)
    ]
    return Treebank.of_form(Column(numbers.values, vocabulary), numbers.offsets, margins)


def _tokenize_lines(lines: RawLines, first: int, tokenizer: RawTokenizer) -> Treebank:
    """Return the sentences of raw lines, split by a tokenizer; `first` is the first's number."""
    texts = lines.strings()
    rows, misc, margins = [], [], []
    for number, (text, text_tokens) in enumerate(
        zip(texts, tokenizer.tokens(texts), strict=True), first
    ):
        words: list[str] = []
        extras = []
        spaced = spaces_after(text, text_tokens)
        for token_words, token, is_spaced in zip(
            tokenizer.words(text_tokens), text_tokens, spaced, strict=True
        ):
            after = NO_VALUE if is_spaced else "SpaceAfter=No"
            if len(token_words) > 1:
                span = f"{len(words) + 1}-{len(words) + len(token_words)}"
                line = "\t".join([span, token, *[NO_VALUE] * (len(STRING_COLUMNS) - 1), after])
                extras.append((len(words), line))
                misc += [NO_VALUE] * len(token_words)
            else:
                misc.append(after)
            words += token_words
        rows.append(words)
        margins.append(replace(_margin(number, text.strip(" \t")), extras=tuple(extras)))
    (numbers,), vocabulary = number_tokens([rows])
    bank = Treebank.of_form(Column(numbers.values, vocabulary), numbers.offsets, margins)
    return bank.replace(misc=Column.of(misc))


def spaces_after(text: str, words: list[str]) -> list[bool]:
    """Return whether each word is followed by a space or the end; True from a word not found on.

    Examples
    --------
    >>> spaces_after("Don't go!", ["Do", "n't", "go", "!"])
    [False, True, False, True]
    """
    has_space = [True] * len(words)
    position = 0
    for number, word in enumerate(words):
        start = text.find(word, position)
        # Only spaces may be between two words.
        if start < 0 or text[position:start].strip():
            break
        position = start + len(word)
        has_space[number] = position == len(text) or text[position].isspace()
    return has_space


def _margin(line: int, text: str) -> Margin:
    return Margin((f"# sent_id = {line}", f"# text = {text}".rstrip(" ")))
