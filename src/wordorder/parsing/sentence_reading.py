"""Sentences to be tagged or parsed, from any text, and whether a model knows their language."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.counts import counted
from wordorder.errors import UsageError, choose
from wordorder.parsing.tagging.tag_set import normal_form
from wordorder.text.lines import PeekableInput, TextReader, input_kind, tokens
from wordorder.text.names import is_treebank, refuse_brackets
from wordorder.text.opening import Closeable, Path, display_name
from wordorder.text.raw_lines import RawLines
from wordorder.text.vocabulary import Vocabulary, number_lines, number_tokens
from wordorder.treebank.column import Column
from wordorder.treebank.reading import TreebankReader
from wordorder.treebank.treebank import COLUMNS, NO_HEAD, Margin, Treebank
from wordorder.treebank.trees import Trees
from wordorder.types import Int64

KINDS = ("auto", "conllu", "text")

# Sentences that are given first, and how many times as many each time after.
FEW, GROWTH = 16, 4


class SentenceReader(Closeable):
    r"""Reads sentences in batches, from text or CoNLL-U.

    Parameters
    ----------
    path : path or "-"
        As `wordorder.text.lines.Source` takes it: compressed or not, ``-`` is standard input.
    kind : {"auto", "conllu", "text"}
        ``auto``: a name in ``.conllu`` says so, any other file is looked at.
    tokenize : bool
        Whether the file is raw English, a sentence a line, whose words are to be found; otherwise
        they are separated by blanks.
    multiple_roots : bool
        Whether sentences of a treebank may have several roots, as they may where their trees are
        not looked at.
    trees : {"optional", "required", "partial"}
        Which words of a treebank must have heads, as `TreebankReader` takes it.

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
        tokenize: bool = False,
        multiple_roots: bool = True,
        trees: Trees = "optional",
    ) -> None:
        choose("input", kind, KINDS)
        source = PeekableInput(path)
        try:
            self.kind = _kind(path, source) if kind == "auto" else kind
            if tokenize and self.kind == "conllu":
                raise UsageError(
                    f"{display_name(path)}: tokenize is for text; CoNLL-U is tokenised already"
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
        self._tokenize = tokenize
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
        """What messages call a sentence."""
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
            found = self._trees.take(sentences, prompt=True)
        else:
            first = self.sentences + 1
            lines = self._lines.take(sentences, prompt=True)
            found = _raw_english(lines, first) if self._tokenize else _tokenised(lines, first)
            self.empty_lines += int((found.lengths == 0).sum())
        self.sentences += len(found)
        return found

    def close(self) -> None:
        """Close the input."""
        self._lines.close()


def _kind(path: Path, source: PeekableInput) -> str:
    """Return what a file is, by its name or by how it begins."""
    refuse_brackets(path)
    if is_treebank(path):
        return "conllu"
    return input_kind(source)


def _tokenised(lines: RawLines, first: int) -> Treebank:
    """Make sentences of lines whose words are separated by blanks; `first` is the first line's."""
    numbers, vocabulary = number_lines(lines)
    margins = [
        _margin(number, " ".join(tokens(line)))
        for number, line in enumerate(lines.strings(), first)
    ]
    return _treebank(numbers.values, numbers.offsets, vocabulary, margins)


def _raw_english(lines: RawLines, first: int) -> Treebank:
    """Make sentences of lines whose words are to be found."""
    from wordorder.text.tokenizers import EnglishTokenizer

    tokenizer = EnglishTokenizer()
    texts = lines.strings()
    rows = [tokenizer.tokenize(text) for text in texts]
    (numbers,), vocabulary = number_tokens([rows])
    margins = [_margin(number, text.strip(" \t")) for number, text in enumerate(texts, first)]
    bank = _treebank(numbers.values, numbers.offsets, vocabulary, margins)
    misc = [
        "_" if spaced else "SpaceAfter=No"
        for text, words in zip(texts, rows, strict=True)
        for spaced in spaces_after(text, words)
    ]
    return bank.replace(misc=Column.of(misc))


def spaces_after(text: str, words: list[str]) -> list[bool]:
    """Return which words a blank or the end follows; all from a word on that the text lacks.

    Examples
    --------
    >>> spaces_after("Don't go!", ["Do", "n't", "go", "!"])
    [False, True, False, True]
    """
    found = [True] * len(words)
    place = 0
    for number, word in enumerate(words):
        start = text.find(word, place)
        # Between two words there is nothing but blanks.
        if start < 0 or text[place:start].strip():
            break
        place = start + len(word)
        found[number] = place == len(text) or text[place].isspace()
    return found


def _margin(line: int, text: str) -> Margin:
    return Margin((f"# sent_id = {line}", f"# text = {text}".rstrip(" ")))


def _treebank(
    codes: np.ndarray[tuple[int], np.dtype[np.int32]],
    offsets: np.ndarray[tuple[int], np.dtype[np.int64]],
    vocabulary: Vocabulary,
    margins: list[Margin],
) -> Treebank:
    """Make a treebank without trees of numbered words."""
    total = int(offsets[-1])
    columns = {
        name: Column(codes, vocabulary) if name == "form" else Column.filled(total)
        for name in COLUMNS
    }
    return Treebank(offsets, np.full(total, NO_HEAD, np.int32), columns, margins)


# The shares from which on a text is probably in another language: of unknown words, to which one
# standard deviation for so many words is added, and of letters that no known word has. English of
# other kinds than the training data had up to 25 % of unknown words, and .1 % of letters; other
# languages at least 62 % of words. Of 20 words at a time, .02 % of English news and web texts
# and 1.2 % of English full of Japanese names had more; 95 % of German did.
MOST_WORDS = 0.5

MOST_LETTERS = 0.3

# Shares of less text say little; so do the words of a model that knows few.
LEAST_WORDS = 15

LEAST_LETTERS = 20

LEAST_KNOWN = 3000

# A sentence of at least so many words is judged by itself too, by the same share of words. Of
# English .1 % had more, mostly lists of names, and of English full of Japanese names 4 %; of German
# 93 %, of Turkish 98 %. So a text with a smaller share of such sentences is all right.
LEAST_SENTENCE = 5

FEWEST_SENTENCES = 0.01

# Shares of more text say no more.
ENOUGH_WORDS = 100_000


class LanguageCheck:
    """Counts the words and letters of a text that a model does not know.

    Only words with a letter count. Case does not matter, nor which digits there are.

    Parameters
    ----------
    known : sequence of str
        The words that the model knows.

    Examples
    --------
    >>> check = LanguageCheck(["it", "rains"])
    >>> check.add(Column.of("彼 は つら い 人生 を 送っ た が 、 それ を 悔い て い た".split()))
    >>> check.message("en")
    '100 % of the words and 100 % of the letters are unknown to en (in its own language mostly
    below 30 % and 1 %): is it another language, or names and jargon?'
    """

    def __init__(self, known: Sequence[str]) -> None:
        self._known = {normal_form(word) for word in known}
        self._letters_known = {letter for word in self._known for letter in word}
        self._words = self._letters = self._unknown = self._strange = 0
        self._sentences = self._foreign = 0
        # The first foreign sentence: its number in the file, its unknown words, all its words.
        self._first = 0, 0, 0

    def add(self, form: Column, offsets: Int64 | None = None, numbers: Int64 | None = None) -> None:
        """Count further words, up to about 100,000.

        Parameters
        ----------
        form : Column
        offsets : int64[S+1], optional
            Where sentences begin, which are to be judged by themselves too.
        numbers : int64[S], optional
            Their numbers in the file, from 0; from the sentences so far unless given.
        """
        if self._words >= ENOUGH_WORDS:
            return
        times = np.bincount(form.codes, minlength=len(form.vocabulary))
        is_word = np.zeros(len(form.vocabulary), np.int64)
        is_unknown = np.zeros(len(form.vocabulary), np.int64)
        for code in np.flatnonzero(times).tolist():
            word, count = form.vocabulary.words[code], int(times[code])
            letters = sum(map(str.isalpha, word))
            if letters:
                normal = normal_form(word)
                strange = sum(
                    letter.isalpha() and letter not in self._letters_known for letter in normal
                )
                is_word[code] = 1
                is_unknown[code] = normal not in self._known
                self._letters += count * letters
                self._strange += count * strange
        self._words += int(times @ is_word)
        self._unknown += int(times @ is_unknown)
        if offsets is not None and len(offsets) > 1:
            if numbers is None:
                numbers = np.arange(len(offsets) - 1)
            words, unknown = (
                np.diff(np.concatenate([[0], np.cumsum(each[form.codes])])[offsets])
                for each in (is_word, is_unknown)
            )
            self._judge(words, unknown, numbers)

    def _judge(self, words: Int64, unknown: Int64, numbers: Int64) -> None:
        """Count the sentences that may be in another language."""
        least = np.maximum(words, 1)
        enough = words >= LEAST_SENTENCE
        foreign = np.flatnonzero(enough & (unknown / least > MOST_WORDS + 0.5 / np.sqrt(least)))
        if len(foreign) and not self._foreign:
            row = int(foreign[0])
            self._first = int(numbers[row]), int(unknown[row]), int(words[row])
        self._sentences += int(enough.sum())
        self._foreign += len(foreign)

    def message(self, model: str) -> str:
        """Say what share is unknown, if it is so large that the language must be another.

        Of a text as a whole; else of the sentences that were judged, if there are enough such.

        Examples
        --------
        >>> from itertools import product
        >>> from string import ascii_lowercase
        >>> known = ["".join(each) for each in product(ascii_lowercase, repeat=3)]
        >>> check = LanguageCheck(known)
        >>> check.add(Column.of("er war gestern nicht zu Hause".split()), np.array([0, 6]))
        >>> check.message("en")
        '1 of 1 sentence of 5 words or more (100 %) has mostly words unknown to en (sentence 1: 5 of
        6): is it another language, or names and jargon?'
        """
        words = self._unknown / max(self._words, 1)
        letters = self._strange / max(self._letters, 1)
        model_knows = len(self._known) >= LEAST_KNOWN
        enough = self._words >= LEAST_WORDS and model_knows
        other = enough and words > MOST_WORDS + 0.5 / self._words**0.5
        if other or (self._letters >= LEAST_LETTERS and letters > MOST_LETTERS):
            return (
                f"{100 * words:.0f} % of the words and {100 * letters:.0f} % of the letters are "
                f"unknown to {model} (in its own language mostly below 30 % and 1 %): is it "
                "another language, or names and jargon?"
            )
        share = self._foreign / max(self._sentences, 1)
        if not model_knows or share < FEWEST_SENTENCES:
            return ""
        number, unknown, of = self._first
        have = "has" if self._foreign == 1 else "have"
        return (
            f"{self._foreign:,} of {counted(self._sentences, 'sentence', commas=True)} of "
            f"{LEAST_SENTENCE} words or more ({100 * share:.0f} %) {have} mostly words unknown to "
            f"{model} (sentence {number + 1}: {unknown} of {of}): is it another language, or "
            "names and jargon?"
        )
