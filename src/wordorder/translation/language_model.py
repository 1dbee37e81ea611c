"""The language model: the probability of a word after the preceding words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from wordorder.arrays import Array, Float32, Float64, Int32, Int64, Ragged
from wordorder.errors import InputError, ModelError, UsageError, location
from wordorder.kernels import run_rows, translation as kernel
from wordorder.text.opening import Path
from wordorder.text.raw_lines import RawLines
from wordorder.text.vocabulary import number_lines
from wordorder.translation.ngrams import MAX_ORDER, SPECIAL_WORDS, ChildTable, hash_shift

MASK32 = (1 << 32) - 1

Lines = RawLines | Sequence[str] | Ragged


@dataclass(frozen=True, eq=False)
class LanguageModel:
    """An n-gram model with back-off, as a trie in flat arrays.

    Node 0 is the empty n-gram; node ``w + 1`` is word ``w`` alone; longer n-grams follow by length.
    States are nodes, too. The probability of a word after a state is computed like this::

        while state > 0 and (state, word) has no child:
            score += backoff[state]
            state = suffix[state]
        child = the child of (state, word), or word + 1 if state is 0
        score += probability[child]
        state = following[child]

    A sentence starts with the state ``following[2]`` and ends with the word 2.

    Parameters
    ----------
    order : int
        The maximum number of words of an n-gram, 1 to 6.
    words : sequence of str
        The words by id; the first ones are ``<unk>``, ``<s>`` and ``</s>``.
    probability : float32[N]
        Natural logarithm of the probability of each n-gram's last word after the others.
    backoff : float32[N]
        Natural logarithm of the back-off weight of each n-gram; 0 if it is not needed.
    suffix : int32[N]
        The longest known proper suffix of each n-gram.
    following : int32[N]
        The state after each n-gram: itself, or its longest suffix that can change a probability.
    keys : int64[H]
        The hash table of children; see `wordorder.translation.ngrams.ChildTable`. Children of node
        0 are not listed.
    nodes : int32[H]
        The child in each slot.

    Raises
    ------
    ModelError
        If the arrays are invalid or inconsistent.

    Examples
    --------
    >>> log = np.log(np.array([1, 0.125, 1, 0.25, 0.5, 0.125, 0.75], np.float32))
    >>> weights = np.log(np.array([1, 1, 0.5, 1, 1, 1, 1], np.float32))
    >>> nodes = [0, 1, 6, 7], np.array([0, 0, 0, 0, 0, 0, 2]), np.array([0, 0, 1, 2, 3, 4, 3])
    >>> model = LanguageModel.from_nodes(
    ...     [*SPECIAL_WORDS, "a", "b"], *nodes, log, weights, np.array([0, 0, 0, 0, 0, 0, 4])
    ... )
    >>> model.order, np.exp(model.score(["a", ""])).round(4).tolist()
    (2, [0.1875, 0.125])
    """

    order: int
    words: Sequence[str]
    probability: Float32
    backoff: Float32
    suffix: Int32
    following: Int32
    keys: Int64
    nodes: Int32

    def __post_init__(self) -> None:
        if problem := _problem(self):
            raise ModelError(f"language model: {problem}")

    @classmethod
    def estimate(
        cls,
        lines: Lines,
        *,
        order: int = 4,
        words: Sequence[str] | None = None,
        prune: int | Sequence[int] = 0,
    ) -> LanguageModel:
        """Estimate an interpolated modified Kneser–Ney model from text.

        Parameters
        ----------
        lines : lines or Ragged
            Words separated by spaces, or rows of word ids, which need `words`.
        order : int
            The maximum number of words of an n-gram, 1 to 6.
        words : sequence of str, optional
            The vocabulary, starting with ``<unk>``, ``<s>`` and ``</s>``; by default these and the
            words of the text in their order. Words of the text that are not in the vocabulary count
            as ``<unk>``; words that are not in the text have the probability of ``<unk>``.
        prune : int or sequence of int
            The count up to which n-grams are left out: one number for all n-grams of three words
            and more, or one number per length, in ascending order and 0 for single words.

        Raises
        ------
        InputError
            If there are no lines, or the text contains ``<unk>``, ``<s>`` or ``</s>``.
        UsageError
            If an option is out of its range.

        Warns
        -----
        note
            If the discounts of a length cannot be estimated from the text: 0.5, 1 and 1.5 are used
            then.

        Notes
        -----
        Chen and Goodman (1998), section 3, in the form of Heafield et al. (2013), which
        ``lmplz`` of KenLM computes. The count of an n-gram that is shorter than `order` and does
        not start a sentence is the number of different words before it. The probabilities of single
        words are interpolated with 1 over the size of the vocabulary, including ``<unk>``.

        Examples
        --------
        >>> text = [
        ...     "she sells sea shells on the sea shore",
        ...     "the shells she sells are sea shells",
        ...     "if she sells shells on the sea shore",
        ...     "she sells sea shore shells",
        ... ]
        >>> model = LanguageModel.estimate(text, order=2)
        >>> model.score(["she sells shells", "shells sells she"]).round(2).tolist()
        [-6.11, -10.9]
        """
        from wordorder.translation.kneser_ney import estimate_nodes

        if isinstance(lines, Ragged):
            if words is None:
                raise UsageError("rows of numbers need the words that they are numbers of")
            require_numbers(lines, len(words))
            rows = lines
        else:
            rows, vocabulary = number_lines(as_raw(lines))
            require_no_special(rows, vocabulary.words)
            if words is None:
                words = [*SPECIAL_WORDS, *vocabulary.words]
            numbers = {word: number for number, word in enumerate(words)}
            word_numbers = np.array([numbers.get(word, 0) for word in vocabulary.words], np.int32)
            rows = Ragged(word_numbers[rows.values], rows.offsets)
        return cls.from_nodes(words, *estimate_nodes(rows, len(words), order, prune))

    @classmethod
    def from_nodes(
        cls,
        words: Sequence[str],
        starts: Sequence[int],
        parents: Array,
        last_words: Array,
        probability: Array,
        backoff: Array,
        suffix: Array,
    ) -> LanguageModel:
        """Build the table of children, and find the state after each n-gram.

        Parameters
        ----------
        words : sequence of str
        starts : sequence of int
            The n-grams of length `n` are the nodes ``starts[n] .. starts[n+1]-1``.
        parents, last_words : integer arrays [N]
            The node of each n-gram without its last word, and this word.
        probability, backoff, suffix : arrays [N]
            See the class.
        """
        size, singles = len(parents), len(words) + 1
        table = ChildTable.with_capacity(size - singles)
        table.fill(
            parents[singles:].astype(np.int32), last_words[singles:].astype(np.int32), singles
        )
        weights = backoff.astype(np.float32)
        matters = weights != 0
        matters[parents] = True
        following = np.arange(size, dtype=np.int32)
        for first, last in pairwise(starts):
            level = slice(first, last)
            shorter = following[suffix[level]]
            following[level] = np.where(matters[level], following[level], shorter)
        return cls(
            *(len(starts) - 2, words, probability.astype(np.float32), weights),
            *(suffix.astype(np.int32), following, table.keys, table.nodes),
        )

    @classmethod
    def load_arpa(cls, path: Path) -> LanguageModel:
        """Read a model in the ARPA format, which all language model tools write.

        Parameters
        ----------
        path : path or "-"
            Text, compressed or not.

        Raises
        ------
        InputError
            If it is not in the format, or lists an n-gram without its prefix.

        Warns
        -----
        note
            If ``<unk>`` is missing: unknown words then have the probability 1e-100.
        """
        from wordorder.translation.arpa import read_arpa

        words, nodes = read_arpa(path)
        return cls.from_nodes(words, *nodes)

    def save_arpa(self, path: Path) -> None:
        """Write the model in the ARPA format, with logarithms to base 10.

        Parameters
        ----------
        path : path or "-"
            Compressed if the suffix is ``.gz``, ``.xz``, ``.bz2`` or ``.zst``.

        Raises
        ------
        UsageError
            If `path` cannot be written to.
        InputError
            If a word contains a space or another character that separates words in this format.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "a.arpa")
        >>> text = ["to be or not to be", "that is the question to be"]
        >>> text += ["whether it is not to be", "the answer is to be or not"]
        >>> LanguageModel.estimate(text, order=1).save_arpa(path)
        >>> print(path.read_text().split("</s>")[0])
        \\data\\
        ngram 1=14
        <BLANKLINE>
        \\1-grams:
        -1.46612585	<unk>
        0	<s>
        -0.97...
        """
        from wordorder.translation.arpa import write_arpa

        scores = self.probability, self.backoff
        write_arpa(path, self.words, self.order, self._ngrams(), scores)

    def _ngrams(self) -> tuple[Int32, Int32]:
        """Return the node of each n-gram without its last word, and this word."""
        parents, last_words = np.zeros((2, len(self)), np.int32)
        last_words[1 : len(self.words) + 1] = np.arange(len(self.words))
        used = self.keys != -1
        children, keys = self.nodes[used], self.keys[used]
        parents[children] = keys >> 32
        last_words[children] = keys & MASK32
        return parents, last_words

    @property
    def shift(self) -> int:
        """The number of bits by which a mixed key is shifted to give a slot."""
        return hash_shift(len(self.keys))

    def __len__(self) -> int:
        """Return the number of nodes, N."""
        return len(self.probability)

    def __repr__(self) -> str:
        return f"LanguageModel(order {self.order}, {len(self.words)} words, {len(self)} nodes)"

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The id of each word."""
        return {word: number for number, word in enumerate(self.words)}

    def number(self, lines: Lines) -> Ragged:
        """Convert lines to rows of word ids, 0 for unknown words; rows of ids are checked only.

        Words are separated by spaces.

        Raises
        ------
        InputError
            If an id is out of range, or a line is not text.
        """
        if isinstance(lines, Ragged):
            require_numbers(lines, len(self.words))
            return lines
        rows, vocabulary = number_lines(as_raw(lines))
        word_numbers = np.array([self.numbers.get(word, 0) for word in vocabulary.words], np.int32)
        return Ragged(word_numbers[rows.values], rows.offsets)

    def score(self, lines: Lines) -> Float64:
        """Return the natural logarithm of the probability of each sentence, including its end.

        Parameters
        ----------
        lines : lines or Ragged
            Words separated by spaces, or rows of word ids.

        Returns
        -------
        float64[S]
            Divide by ``log(10)`` to compare with other tools.
        """
        return self._scores(lines)[0]

    def word_scores(self, lines: Lines) -> list[Float64]:
        """Return the log probabilities of the words and the end of each sentence."""
        totals, scores, offsets = self._scores(lines)
        return np.split(scores, offsets[1:-1] + np.arange(1, len(totals)))

    def perplexity(self, lines: Lines) -> float:
        """Return the perplexity, ``exp(-s / n)``.

        `s` is the sum of the scores of the sentences, `n` the number of their words, including
        unknown ones, and of their ends.

        Raises
        ------
        InputError
            If there are no lines.
        """
        totals, scores, _ = self._scores(lines)
        if not len(totals):
            raise InputError("perplexity", "no lines", "at least one sentence")
        return float(np.exp(-totals.sum() / len(scores)))

    def _scores(self, lines: Lines) -> tuple[Float64, Float64, Int64]:
        """Return the scores of sentences, of their words and ends, and the offsets of the words."""
        rows = self.number(lines)
        totals = np.zeros(len(rows))
        scores = np.zeros(len(rows.values) + len(rows))
        run_rows(
            kernel.score_rows,
            rows.offsets,
            *(rows.values, rows.offsets, self.keys, self.nodes, self.shift),
            *(self.probability, self.backoff, self.suffix, self.following),
            *(scores, totals),
        )
        return totals, scores, rows.offsets


def as_raw(lines: RawLines | Sequence[str]) -> RawLines:
    """Return lines as `RawLines`; a list of strings is converted."""
    if isinstance(lines, RawLines):
        return lines
    if isinstance(lines, str):
        raise InputError("lines", repr(lines)[:30], "a list with one sentence an entry")
    return RawLines.from_strings(list(lines), "lines")


def require_no_special(
    rows: Ragged, words: Sequence[str], texts: Sequence[tuple[str, int]] = ()
) -> None:
    """Raise an error if a text contains ``<unk>``, ``<s>`` or ``</s>``.

    `texts` has the name and the number of rows of each text.
    """
    for word in SPECIAL_WORDS:
        if word in words:
            place = int(np.flatnonzero(rows.values == words.index(word))[0])
            line = int(np.searchsorted(rows.offsets, place, "right"))
            file_position = f"line {line}"
            for name, lines in texts:
                if line <= lines:
                    file_position = location(name, line)
                    break
                line -= lines
            problem = f"the word {word}, which has a meaning of its own in language models"
            raise InputError(file_position, problem, "text without it: give it another name")


def require_numbers(rows: Ragged, words: int) -> None:
    """Raise an error if a word id is not in ``0 .. words - 1``."""
    wrong = (rows.values < 0) | (rows.values >= words)
    if wrong.any():
        place = int(np.flatnonzero(wrong)[0])
        row = int(np.searchsorted(rows.offsets, place, "right"))
        raise InputError(f"row {row}", f"word {rows.values[place]}", f"0 to {words - 1}")


def _problem(model: LanguageModel) -> str:
    """Return a message about the first fault of a model; empty text without a fault.

    A model without fault cannot lead a kernel out of an array or into an endless loop.
    """
    size, slots = len(model.probability), len(model.keys)
    if not 1 <= model.order <= MAX_ORDER:
        return f"order {model.order}; expected 1 to {MAX_ORDER}"
    if tuple(model.words[:3]) != SPECIAL_WORDS:
        return f"the first words are not {' '.join(SPECIAL_WORDS)}"
    for name, dtype, length in (
        ("probability", np.float32, size),
        ("backoff", np.float32, size),
        ("suffix", np.int32, size),
        ("following", np.int32, size),
        ("keys", np.int64, slots),
        ("nodes", np.int32, slots),
    ):
        array = getattr(model, name)
        if array.dtype != dtype or array.shape != (length,):
            return f"{name} is not a flat {np.dtype(dtype)} array of {length} entries"
    if size < len(model.words) + 1:
        return f"{size} nodes for {len(model.words)} words"
    places = np.arange(size)
    if (model.suffix < 0).any() or (model.suffix >= np.maximum(places, 1)).any():
        return "a suffix is not listed before its n-gram"
    if (model.following < 0).any() or (model.following > places).any():
        return "a state is not listed before its n-gram"
    if not (np.isfinite(model.probability).all() and np.isfinite(model.backoff).all()):
        return "a probability or weight is not a number"
    used = model.keys != -1
    if slots < 2 or slots & (slots - 1) or used.all():
        return "the table of children has no free slot, or no power of two of them"
    children, parents, singles = model.nodes[used], model.keys[used] >> 32, len(model.words) + 1
    reached = np.zeros(size, np.bool_)
    reached[children[(children >= singles) & (children < size)]] = True
    if len(children) != size - singles or not reached[singles:].all():
        return "a child is not a node, or a node does not have exactly one parent"
    if (parents < 0).any() or (parents >= children).any():
        return "a node is not listed before its children"
    if ((model.keys[used] & MASK32) >= len(model.words)).any():
        return "an n-gram ends in a word that does not exist"
    return ""
