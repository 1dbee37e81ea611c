"""Sentences to be tagged or parsed, from any text: tokenised, raw, or CoNLL-U."""

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
from wordorder.treebank.treebank import COLUMNS, NOTHING, Column, Margin, Treebank
from wordorder.treebank.trees import Trees

KINDS = ("auto", "conllu", "text")

# Sentences of the first batch, and the factor by which batches grow.
FEW, GROWTH = 16, 4

# Sentences that are read at once where all of a file is wanted.
BATCH = 1 << 11


class SentenceReader(Closeable):
    r"""Reads sentences in batches, from text or CoNLL-U.

    Parameters
    ----------
    path : path or "-"
        As `wordorder.text.sources.Source` takes it: compressed or not, ``-`` is standard input.
    kind : {"auto", "conllu", "text"}
        ``auto``: a name in ``.conllu`` says so, any other file is looked at.
    tokenizer : RawTokenizer, optional
        What cuts raw text, one sentence per line, into words; without it they are separated by
        blanks.
    if_uncut : callable, optional
        Called if the first lines are Japanese or Chinese without blanks; returns what cuts them, or
        None.
    multiple_roots : bool
        Whether sentences of a treebank may have several roots, as they may where their trees are
        not looked at.
    trees : {"optional", "required", "partial"}
        Which words of a treebank must have heads, see `TreebankReader`.

    Attributes
    ----------
    name : str
        What messages call the input.
    kind : str
        ``conllu`` or ``text``.
    before : int
        Sentences of the file before those that are read; 0 unless a part of it is.
    sentences : int
        Sentences given so far, and those before.
    empty_lines : int
        Lines of text without a word so far. Each is a sentence without words, so that the
        sentences stay parallel to the lines; the ``sent_id`` of all is the number of their line.

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
        if_uncut: Callable[[], RawTokenizer | None] | None = None,
        multiple_roots: bool = True,
        trees: Trees = "optional",
    ) -> None:
        choose("input", kind, KINDS)
        source = PeekableInput(path)
        try:
            self.kind = _kind(path, source) if kind == "auto" else kind
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
        self._tokenizer, self._if_uncut = tokenizer, if_uncut
        self._most = FEW
        self.name = self._lines.name
        self.before = self.sentences = source.rows_before
        self.empty_lines = 0

    @property
    def lines(self) -> int:
        """Sentences read so far."""
        return self.sentences

    @property
    def rows(self) -> str:
        """Display name of rows in messages."""
        return "line" if self.kind == "text" else "sentence"

    def take(self, sentences: int) -> Treebank:
        """Return up to `sentences` further sentences; none at the end.

        There are fewer at first, and where more would have to be waited for, so that answers come
        early, and line by line into a pipe whose other end waits for them.

        Raises
        ------
        InputError
            If the input cannot be read, or is no CoNLL-U where it must be; the message names the
            line.
        """
        sentences = min(sentences, self._most)
        self._most *= GROWTH
        if self._trees is not None:
            batch = self._trees.take(sentences, prompt=True)
        else:
            first = self.sentences + 1
            lines = self._lines.take(sentences, prompt=True)
            if self._if_uncut is not None and len(lines):
                self._tokenizer, self._if_uncut = self._chosen(lines), None
            if self._tokenizer is None:
                batch = _tokenised(lines, first)
            else:
                batch = _raw(lines, first, self._tokenizer)
            self.empty_lines += int((batch.lengths == 0).sum())
        self.sentences += len(batch)
        return batch

    def _chosen(self, lines: RawLines) -> RawTokenizer | None:
        """Return the tokenizer of the text, chosen by its first lines."""
        if self._if_uncut is None or not mostly_uncut(lines.strings()):
            return self._tokenizer
        tokenizer = self._if_uncut()
        if tokenizer is not None:
            note(
                f"{self.name}: lines without blanks are cut by the tokenizer of the model "
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
        As `SentenceReader` takes them: ``kind``, ``multiple_roots``, …

    Returns
    -------
    Treebank, and what messages call the file
        An empty line is a sentence without words.

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
        while len(part := reader.take(BATCH)):
            parts.append(part)
    return Treebank.concatenate(parts), reader.name


def _kind(path: Path, source: PeekableInput) -> str:
    """Return the format of a file, by its name or its first bytes."""
    refuse_brackets(path)
    if is_treebank(path):
        return "conllu"
    return input_kind(source)


def _tokenised(lines: RawLines, first: int) -> Treebank:
    """Return the sentences of lines with words separated by spaces; `first` is the first line's."""
    numbers, vocabulary = number_lines(lines)
    margins = [
        _margin(number, " ".join(tokens(line)))
        for number, line in enumerate(lines.strings(), first)
    ]
    return Treebank.of_form(Column(numbers.values, vocabulary), numbers.offsets, margins)


def _raw(lines: RawLines, first: int, tokenizer: RawTokenizer) -> Treebank:
    """Return the sentences of raw lines, cut into words by a tokenizer."""
    texts = lines.strings()
    rows, misc, margins = [], [], []
    for number, (text, tokens_found) in enumerate(
        zip(texts, tokenizer.tokens(texts), strict=True), first
    ):
        words: list[str] = []
        extras = []
        spaced = spaces_after(text, tokens_found)
        for parts, token, blank in zip(
            tokenizer.words(tokens_found), tokens_found, spaced, strict=True
        ):
            after = NOTHING if blank else "SpaceAfter=No"
            if len(parts) > 1:
                span = f"{len(words) + 1}-{len(words) + len(parts)}"
                line = "\t".join([span, token, *[NOTHING] * (len(COLUMNS) - 1), after])
                extras.append((len(words), line))
                misc += [NOTHING] * len(parts)
            else:
                misc.append(after)
            words += parts
        rows.append(words)
        margins.append(replace(_margin(number, text.strip(" \t")), extras=tuple(extras)))
    (numbers,), vocabulary = number_tokens([rows])
    bank = Treebank.of_form(Column(numbers.values, vocabulary), numbers.offsets, margins)
    return bank.replace(misc=Column.of(misc))


def spaces_after(text: str, words: list[str]) -> list[bool]:
    """Return a mask of the words before a space or the end; True after a word not in the text.

    Examples
    --------
    >>> spaces_after("Don't go!", ["Do", "n't", "go", "!"])
    [False, True, False, True]
    """
    has_space = [True] * len(words)
    place = 0
    for number, word in enumerate(words):
        start = text.find(word, place)
        # Between two words there is nothing but blanks.
        if start < 0 or text[place:start].strip():
            break
        place = start + len(word)
        has_space[number] = place == len(text) or text[place].isspace()
    return has_space


def _margin(line: int, text: str) -> Margin:
    return Margin((f"# sent_id = {line}", f"# text = {text}".rstrip(" ")))
