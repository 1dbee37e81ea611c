"""Read and write language models in the ARPA format."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np

from wordorder.arrays import Array, Bool, Float32, Int32
from wordorder.errors import InputError, location
from wordorder.kernels import call, translation as kernel
from wordorder.messages import counted
from wordorder.notes import note
from wordorder.text.blocks import quoted
from wordorder.text.lines import read_lines, read_number, tokens
from wordorder.text.opening import Path, display_name
from wordorder.text.output import write_output
from wordorder.translation.kneser_ney import Nodes
from wordorder.translation.ngrams import MAX_ORDER, SPECIAL_WORDS, ChildTable

LOG_10 = math.log(10)

# The logarithm to base 10 of the probability of <unk> in a model without it, as in KenLM.
IMPROBABLE = -100.0

# The largest absolute value of a logarithm; it fits into a float32.
MAX_LOGARITHM = 1e30

# The number of n-grams of one length.
COUNT = re.compile("[0-9]{1,18}")

# The characters that separate words and lines.
SEPARATORS = "\0\t\n\v\f\r "

# The number of n-grams that are written at once.
WRITE_CHUNK = 1 << 15


@dataclass(eq=False)
class ArpaSection:
    """The n-grams of one length, in their order: logarithms to base 10, words, lines."""

    scores: list[float] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    ngrams: list[list[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


def read_arpa(path: Path) -> tuple[list[str], Nodes]:
    """Read the words of a model and its n-grams.

    Raises
    ------
    InputError
        If a line does not have the expected format, a number is out of its range, or an n-gram is
        listed twice or without its prefix.

    Warns
    -----
    note
        If ``<unk>`` is missing.
    """
    return _Reader(path).model()


class _Reader:
    """Reads one file from start to end."""

    def __init__(self, path: Path) -> None:
        self.name = display_name(path)
        self.lines = read_lines(path)
        self.line, self.text = 0, ""

    def model(self) -> tuple[list[str], Nodes]:
        """Read the file; return its words and n-grams."""
        counts = self._header()
        singles = self._single_words(counts)
        words = [ngram[0] for ngram in singles.ngrams]
        numbers = {word: number for number, word in enumerate(words)}
        table = ChildTable.with_capacity(0)
        no_backoff = np.zeros(len(words) + 1, np.int32)
        parents, suffix = [no_backoff], [no_backoff]
        last_words = [np.array([0, *range(len(words))], np.int32)]
        scores, weights = [0.0, *singles.scores], [0.0, *singles.weights]
        starts = [0, 1, len(words) + 1]
        for length in range(2, len(counts) + 1):
            section = self._section(length, counts)
            ngrams = self._numbered(section, length, numbers)
            begun = _find_ngrams(table, ngrams[:, :-1])
            self._refuse(begun < 0, section, "an n-gram whose beginning is not listed")
            key = begun.astype(np.int64) << 32 | ngrams[:, -1]
            again = np.ones(len(key), np.bool_)
            again[np.unique(key, return_index=True)[1]] = False
            self._refuse(again, section, "an n-gram that is listed twice")
            ended = np.full(len(key), -1, np.int32)
            for skipped in range(1, length):
                missing = np.flatnonzero(ended < 0)
                ended[missing] = _find_ngrams(table, ngrams[missing, skipped:])
            last = np.ascontiguousarray(ngrams[:, -1])
            for parts, part in ((parents, begun), (last_words, last), (suffix, ended)):
                parts.append(part)
            scores += section.scores
            weights += section.weights
            starts.append(starts[-1] + len(key))
            if length < len(counts):
                # The size is that of the n-grams read: the header may promise any number.
                table = ChildTable.with_capacity(starts[-1])
                for level in range(1, length):
                    table.fill(parents[level], last_words[level], starts[level + 1])
        if self._next() != "\\end\\":
            self._wrong("\\end\\")
        return words, Nodes(
            starts,
            np.concatenate(parents),
            np.concatenate(last_words),
            np.array(scores) * LOG_10,
            np.array(weights) * LOG_10,
            np.concatenate(suffix),
        )

    def _header(self) -> list[int]:
        """Return how many n-grams there are of each length; what precedes the header is skipped."""
        while self._next("\\data\\") != "\\data\\":
            pass
        counts: list[int] = []
        while self._next().startswith("ngram "):
            length, _, count = self.text.removeprefix("ngram ").partition("=")
            if not COUNT.fullmatch(count.strip(" \t")) or length.strip() != str(len(counts) + 1):
                self._wrong(f"ngram {len(counts) + 1}=COUNT")
            if len(counts) == MAX_ORDER:
                self._wrong(f"n-grams of at most {MAX_ORDER} words")
            counts.append(int(count))
        if not counts:
            self._wrong("ngram 1=COUNT")
        return counts

    def _single_words(self, counts: list[int]) -> ArpaSection:
        """Read the words of the model; move `SPECIAL_WORDS` to the front."""
        section = self._section(1, counts, begun=True)
        names = ["<unk>" if ngram == ["<UNK>"] else ngram[0] for ngram in section.ngrams]
        place: dict[str, int] = {}
        for i, name in enumerate(names):
            if place.setdefault(name, i) != i:
                file_position = location(self.name, section.lines[i])
                raise InputError(file_position, f"the word {_excerpt(name)} is listed twice")
        for name in SPECIAL_WORDS[1:]:
            if name not in place:
                raise InputError(self.name, f"no {name} among the words", "a model of sentences")
        if "<unk>" not in place:
            note(f"{self.name}: no <unk>; unknown words get the probability 1e{IMPROBABLE:.0f}")
            place["<unk>"] = len(names)
            section.scores.append(IMPROBABLE)
            section.weights.append(0.0)
        order = [place.pop(name) for name in SPECIAL_WORDS]
        order += place.values()
        names.append("<unk>")
        return ArpaSection(
            [section.scores[i] for i in order],
            [section.weights[i] for i in order],
            [[*SPECIAL_WORDS[number : number + 1]] or [names[i]] for number, i in enumerate(order)],
        )

    def _section(self, length: int, counts: list[int], *, begun: bool = False) -> ArpaSection:
        """Read the n-grams of one length; `begun` if the title is the line that was read last."""
        title = f"\\{length}-grams:"
        if (self.text if begun else self._next()) != title:
            self._wrong(title)
        section = ArpaSection()
        for _ in range(counts[length - 1]):
            fields = tokens(self._next())
            if self.text.startswith("\\") and len(fields) == 1:
                ngrams_read = len(section.ngrams)
                self._wrong(
                    f"{counts[length - 1]} n-grams of {counted(length, 'word')}, not {ngrams_read}"
                )
            if len(fields) not in (length + 1, length + 2):
                self._wrong(f"a logarithm, {counted(length, 'word')}, and perhaps a weight")
            weight = fields.pop() if len(fields) > length + 1 else "0"
            section.scores.append(self._logarithm(fields[0], 0.0))
            section.weights.append(self._logarithm(weight, MAX_LOGARITHM))
            if length == len(counts) and section.weights[-1] != 0:
                self._wrong(f"no weight after n-grams of {counted(length, 'word')}, the longest")
            section.ngrams.append(fields[1:])
            section.lines.append(self.line)
        return section

    def _numbered(self, section: ArpaSection, length: int, numbers: dict[str, int]) -> Int32:
        """Return the word ids of n-grams of one length, int32[n, length]."""
        try:
            rows = [[numbers[word] for word in ngram] for ngram in section.ngrams]
        except KeyError:
            unknown = [any(word not in numbers for word in ngram) for ngram in section.ngrams]
            self._refuse(np.array(unknown), section, "an n-gram with a word that is not listed")
            raise
        return np.array(rows, np.int32).reshape(len(rows), length)

    def _logarithm(self, text: str, limit: float) -> float:
        number = read_number(text)
        if number is None or not -MAX_LOGARITHM <= number <= limit:
            self._wrong("a logarithm to base 10" + (" of a probability" if limit == 0 else ""))
        return number

    def _refuse(self, wrong: Bool, section: ArpaSection, problem: str) -> None:
        """Raise an error for the first n-gram that is wrong, if there is one."""
        if wrong.any():
            first = int(np.flatnonzero(wrong)[0])
            excerpt = _excerpt(" ".join(section.ngrams[first]))
            raise InputError(location(self.name, section.lines[first]), f"{excerpt}: {problem}")

    def _next(self, expected: str = "\\end\\") -> str:
        """Return the next line that is not empty."""
        for line in self.lines:
            self.line += 1
            self.text = line.strip(" \t")
            if self.text:
                return self.text
        raise InputError(self.name, f"no line {expected}", "a language model in the ARPA format")

    def _wrong(self, expected: str) -> NoReturn:
        raise InputError(location(self.name, self.line), _excerpt(self.text), expected)


def _excerpt(text: str) -> str:
    """Quote a line or an n-gram; the backslash of section titles is not doubled."""
    return quoted(text.encode()).replace("\\\\", "\\")


def _find_ngrams(table: ChildTable, ngrams: Array) -> Int32:
    """Return the nodes of n-grams, int32[n]; -1 for an unknown n-gram."""
    indices = np.empty(len(ngrams), np.int32)
    flat = np.ascontiguousarray(ngrams).reshape(-1)
    arrays = (flat, ngrams.shape[1], table.keys, table.nodes, table.shift)
    call(kernel.find_nodes, *arrays, indices, len(ngrams))
    return indices


def write_arpa(
    path: Path, words: Sequence[str], order: int, ngrams: Sequence[Int32], scores: Sequence[Float32]
) -> None:
    """Write n-grams by length, in the order of the nodes.

    `ngrams` has the node of each n-gram without its last word, and this word; `scores` has the
    natural logarithms of its probability and of its back-off weight. Values have nine digits, so
    that they are read back exactly.
    """
    (parents, last_words), (probability, backoff) = ngrams, scores
    for number, word in enumerate(words):
        if not word or any(separator in word for separator in SEPARATORS):
            raise InputError(f"word {number}", repr(word)[:30], "a word without blanks")
    length = np.zeros(len(parents), np.int32)
    ancestors = np.arange(len(parents), dtype=np.int32)
    while ancestors.any():
        length += ancestors > 0
        ancestors = parents[ancestors]
    # Node 0 is not an n-gram.
    levels = [np.flatnonzero(length == n) for n in range(1, order + 1)]
    with write_output(path) as stream:
        header = [f"ngram {n}={len(level)}\n" for n, level in enumerate(levels, 1)]
        stream.write(("\\data\\\n" + "".join(header)).encode())
        for n, level in enumerate(levels, 1):
            stream.write(f"\n\\{n}-grams:\n".encode())
            for first in range(0, len(level), WRITE_CHUNK):
                nodes = level[first : first + WRITE_CHUNK]
                columns: list[list[str]] = []
                here: Array = nodes
                for _ in range(n):
                    columns.append([words[word] for word in last_words[here].tolist()])
                    here = parents[here]
                texts = map(" ".join, zip(*reversed(columns), strict=True))
                chances = (probability[nodes].astype(np.float64) / LOG_10).tolist()
                weights = (backoff[nodes].astype(np.float64) / LOG_10).tolist()
                stream.write("".join(_lines(texts, chances, weights, n == order)).encode())
        stream.write(b"\n\\end\\\n")


def _lines(
    ngrams: Iterator[str], scores: list[float], weights: list[float], longest: bool
) -> Iterator[str]:
    """Yield one line per n-gram; the longest n-grams have no back-off weight."""
    for ngram, score, weight in zip(ngrams, scores, weights, strict=True):
        yield f"{score:.9g}\t{ngram}\n" if longest else f"{score:.9g}\t{ngram}\t{weight:.9g}\n"
