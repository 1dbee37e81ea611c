"""The language model: how probable a word is after the words before it."""

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
from wordorder.translation.ngrams import MOST_ORDER, SPECIAL, ChildTable, shift_of

MASK32 = (1 << 32) - 1

Lines = RawLines | Sequence[str] | Ragged


@dataclass(frozen=True, eq=False)
class LanguageModel:
    """An n-gram model with back-off, as a trie in flat arrays.

    Node 0 is the empty n-gram; node ``w + 1`` is word ``w`` alone; longer n-grams follow by length.
    The probability of a word after a state, which is a node, is found so::

        while state > 0 and (state, word) has no child:
            score += backoff[state]
            state = suffix[state]
        child = the child of (state, word), or word + 1 if state is 0
        score += probability[child]
        state = following[child]

    A sentence begins with the state ``following[2]`` and ends with the word 2.

    Parameters
    ----------
    order : int
        Words of the longest n-grams, 1 to 6.
    words : sequence of str
        By number, beginning with ``<unk>``, ``<s>`` and ``</s>``.
    probability : float32[N]
        Natural logarithm of the probability of each n-gram's last word after the others.
    backoff : float32[N]
        Natural logarithm of the weight of shorter contexts after each n-gram; 0 where none is
        needed.
    suffix : int32[N]
        The longest known n-gram that ends like this one and is shorter.
    following : int32[N]
        The state after this n-gram: itself, or the longest suffix that can still matter.
    keys : int64[H]
        H is a power of two. Child `word` of `node` has the key ``node << 32 | word``. It is in the
        first slot from ``key * 0x9E3779B97F4A7C15 mod 2**64 >> shift`` on that holds it, slot 0
        after the last one; a slot with -1 ends the search. Children of node 0 are not listed.
    nodes : int32[H]
        The child in each slot.

    Raises
    ------
    ModelError
        If the arrays do not fit together.

    Examples
    --------
    >>> log = np.log(np.array([1, 0.125, 1, 0.25, 0.5, 0.125, 0.75], np.float32))
    >>> weights = np.log(np.array([1, 1, 0.5, 1, 1, 1, 1], np.float32))
    >>> nodes = [0, 1, 6, 7], np.array([0, 0, 0, 0, 0, 0, 2]), np.array([0, 0, 1, 2, 3, 4, 3])
    >>> model = LanguageModel.from_nodes(
    ...     [*SPECIAL, "a", "b"], *nodes, log, weights, np.array([0, 0, 0, 0, 0, 0, 4])
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
            Words separated by blanks, or rows of word numbers, which need `words`.
        order : int
            Words of the longest n-grams, 1 to 6.
        words : sequence of str, optional
            The vocabulary, beginning with ``<unk>``, ``<s>`` and ``</s>``; without it, these and
            the words of the text as they come. Words of the text that are not in it count as
            ``<unk>``; its words that are not in the text are as probable as ``<unk>`` is.
        prune : int or sequence of int
            N-grams of the text that occur at most so often are left out: a number for all n-grams
            of three words and more, or one for each length, never falling and 0 for single words.

        Raises
        ------
        InputError
            If there are no lines, or the text contains ``<unk>``, ``<s>`` or ``</s>``.
        UsageError
            If an option is out of its range.

        Warns
        -----
        note
            If the text is too small or too strange for the discounts of some length: 0.5, 1 and
            1.5 are used then.

        Notes
        -----
        Chen and Goodman (1998), section 3, in the form of Heafield et al. (2013), which
        ``lmplz`` of KenLM computes: an n-gram that begins no sentence and is shorter than `order`
        counts as often as there are different words before it; the probabilities of single words
        are interpolated with one over the size of the vocabulary, ``<unk>`` included.

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
                words = [*SPECIAL, *vocabulary.words]
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
            Each n-gram without its last word, as a node, and this word.
        probability, backoff, suffix : arrays [N]
            As the class holds them.
        """
        size, singles = len(parents), len(words) + 1
        table = ChildTable.with_room(size - singles)
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
            If it is not in the format, or lists an n-gram without its beginning.

        Warns
        -----
        note
            If it has no ``<unk>``: unknown words then get the probability 1e-100.
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
            If a word contains a blank or another character that ends it in this format.

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
        """Return each n-gram without its last word, as a node, and this word."""
        parents, last_words = np.zeros((2, len(self)), np.int32)
        last_words[1 : len(self.words) + 1] = np.arange(len(self.words))
        used = self.keys != -1
        children, keys = self.nodes[used], self.keys[used]
        parents[children] = keys >> 32
        last_words[children] = keys & MASK32
        return parents, last_words

    @property
    def shift(self) -> int:
        """How far a mixed key is shifted to become a slot."""
        return shift_of(len(self.keys))

    def __len__(self) -> int:
        """Nodes, N."""
        return len(self.probability)

    def __repr__(self) -> str:
        return f"LanguageModel(order {self.order}, {len(self.words)} words, {len(self)} nodes)"

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each word."""
        return {word: number for number, word in enumerate(self.words)}

    def number(self, lines: Lines) -> Ragged:
        """Return lines as rows of word numbers: 0 where a word is not known.

        Words are separated by blanks; rows of numbers are taken as they are.

        Raises
        ------
        InputError
            If a number is not that of a word, or a line is no text.
        """
        if isinstance(lines, Ragged):
            require_numbers(lines, len(self.words))
            return lines
        rows, vocabulary = number_lines(as_raw(lines))
        word_numbers = np.array([self.numbers.get(word, 0) for word in vocabulary.words], np.int32)
        return Ragged(word_numbers[rows.values], rows.offsets)

    def score(self, lines: Lines) -> Float64:
        """Return the natural logarithm of the probability of each sentence, with its end.

        Parameters
        ----------
        lines : lines or Ragged
            Words separated by blanks, or rows of word numbers.

        Returns
        -------
        float64[S]
            Divide by ``log(10)`` for what other tools print.
        """
        return self._scores(lines)[0]

    def word_scores(self, lines: Lines) -> list[Float64]:
        """Return the natural logarithms of the probabilities of each word, the last of the end."""
        totals, scores, offsets = self._scores(lines)
        return np.split(scores, offsets[1:-1] + np.arange(1, len(totals)))

    def perplexity(self, lines: Lines) -> float:
        """Return how many equally probable words the model has to choose from, on average.

        That is ``exp(-s / n)``: `s` sums `score` over the sentences, `n` counts their words, known
        or not, and their ends.

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
        """Return the scores of sentences, of their words and ends, and the words' offsets."""
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
    """Return lines as they stood in a file, or of strings."""
    if isinstance(lines, RawLines):
        return lines
    if isinstance(lines, str):
        raise InputError("lines", repr(lines)[:30], "a list with one sentence an entry")
    return RawLines.from_strings(list(lines), "lines")


def require_no_special(
    rows: Ragged, words: Sequence[str], texts: Sequence[tuple[str, int]] = ()
) -> None:
    """Refuse text with words that have a meaning of their own in every model.

    `texts` are the names of the texts that the rows are of, and how many rows each has.
    """
    for word in SPECIAL:
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
    """Refuse rows that hold anything but numbers of words in this range."""
    wrong = (rows.values < 0) | (rows.values >= words)
    if wrong.any():
        place = int(np.flatnonzero(wrong)[0])
        row = int(np.searchsorted(rows.offsets, place, "right"))
        raise InputError(f"row {row}", f"word {rows.values[place]}", f"0 to {words - 1}")


def _problem(model: LanguageModel) -> str:
    """Return the fault that keeps the kernels from using a model; an empty text without one.

    Whatever passes cannot lead them out of an array, or round in circles.
    """
    size, slots = len(model.probability), len(model.keys)
    if not 1 <= model.order <= MOST_ORDER:
        return f"order {model.order}; expected 1 to {MOST_ORDER}"
    if tuple(model.words[:3]) != SPECIAL:
        return f"the first words are not {' '.join(SPECIAL)}"
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
        return "a child is not a node, or a node is the child of none or of several"
    if (parents < 0).any() or (parents >= children).any():
        return "a node is not listed before its children"
    if ((model.keys[used] & MASK32) >= len(model.words)).any():
        return "an n-gram ends in a word that is none"
    return ""
