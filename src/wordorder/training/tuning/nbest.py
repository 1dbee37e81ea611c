"""N-best lists: the candidates of each sentence with their features."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from wordorder.arrays import Float64, Int64
from wordorder.errors import InputError, UsageError, location
from wordorder.messages import counted, percent
from wordorder.notes import note
from wordorder.text.blocks import quoted
from wordorder.text.lines import LARGEST_NUMBER, REAL_NUMBER, read_lines, read_number
from wordorder.text.opening import Path, display_name

SEPARATOR = "|||"

# Moses' escape of the separator inside a text.
ESCAPED = "&#124;" * len(SEPARATOR)

LINE_FORMAT = "ID ||| TEXT ||| FEATURES [||| SCORE [||| ALIGNMENT [||| ALIGNMENT]]]"

# The name of features without one.
UNNAMED_GROUP = "F"

MAX_DIGITS = 12


@dataclass(frozen=True, eq=False)
class NBest:
    """Candidates of sentences, as decoders list them.

    Attributes
    ----------
    sentence : int64[N]
        The index of the sentence of each candidate, ascending; indices may be missing.
    text : tuple of str
        The candidates: translations, or orders as lines of an ``.orders`` file.
    features : float64[N, F]
    names : tuple of str
        The names of the features: those of one group are ``d_0``, ``d_1`` and so on.
    scores : float64[N] or None
        The decoder's scores; None if some candidates have none.
    alignments : tuple of str
        The fields after the score, unchanged: phrase links, word links, or both; empty without
        them.
    paths : tuple of str
        The files of the candidates.
    origin : int64[N, 2]
        The file, as an index into `paths`, and the line of each candidate.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "list.txt"
    >>> lines = ["0 ||| a b ||| d= 1 lm= -2 ||| -1", "0 ||| b a ||| d= 0 lm= -3 ||| -3"]
    >>> _ = path.write_text("\\n".join(lines))
    >>> nbest = NBest.read(path)
    >>> nbest.names, nbest.text, nbest.features.tolist()
    (('d_0', 'lm_0'), ('a b', 'b a'), [[1.0, -2.0], [0.0, -3.0]])
    """

    sentence: Int64
    text: tuple[str, ...]
    features: Float64
    names: tuple[str, ...]
    scores: Float64 | None
    alignments: tuple[str, ...]
    paths: tuple[str, ...]
    origin: Int64

    @classmethod
    def read(cls, *paths: Path) -> NBest:
        """Read the lists of one or several runs, as Moses writes them.

        Parameters
        ----------
        paths : path or "-"
            Lines ``id ||| text ||| features [||| score [||| alignment [||| alignment]]]``, the
            features ``name= value value ...`` or numbers without names. The candidates of a
            sentence in several files become one list, without repetitions of equal text, features
            and alignments.

        Raises
        ------
        InputError
            If a line is malformed; the message names it.
        """

        return read_nbest(paths)

    def __len__(self) -> int:
        return len(self.sentence)

    @property
    def offsets(self) -> Int64:
        """The start of the candidates of each sentence, int64[S+1]."""
        return np.append(np.flatnonzero(np.diff(self.sentence, prepend=-1)), len(self))

    def location_of(self, candidate: int) -> str:
        """Return the file and line of a candidate for messages."""
        path, line = self.origin[candidate].tolist()
        return location(self.paths[path], line)

    def take(self, rows: Int64) -> NBest:
        """Return some candidates, which must stay grouped by sentence."""
        return replace(
            self,
            sentence=self.sentence[rows],
            text=tuple(self.text[row] for row in rows.tolist()),
            features=self.features[rows],
            scores=None if self.scores is None else self.scores[rows],
            alignments=tuple(self.alignments[row] for row in rows.tolist()),
            origin=self.origin[rows],
        )

    def unknown(self, seen: set[tuple[int, str, str, bytes]]) -> Int64:
        """Return the rows of candidates that are not in `seen`, and add them to it."""
        features = np.ascontiguousarray(self.features)
        rows = []
        keys = zip(self.sentence.tolist(), self.text, self.alignments, strict=True)
        for row, (sentence, text, alignment) in enumerate(keys):
            key = (sentence, text, alignment, features[row].tobytes())
            if key not in seen:
                seen.add(key)
                rows.append(row)
        return np.array(rows, np.int64)

    def reranked(self, weights: Float64) -> NBest:
        """Return the list with the scores of other weights, the best candidate first.

        Candidates of equal score stay in their order.

        Raises
        ------
        UsageError
            Unless there is one weight per feature.
        """
        if len(weights) != len(self.names):
            raise UsageError(f"{len(weights)} weights for {len(self.names)} features")
        scores = np.zeros(len(self))
        # Summed feature by feature, so that equal candidates have equal scores.
        for column, weight in zip(self.features.T, np.asarray(weights).tolist(), strict=True):
            scores += column * weight
        return replace(self, scores=scores).take(np.lexsort((-scores, self.sentence)))

    def lines(self) -> Iterator[str]:
        """Yield the list in Moses' notation; ``|||`` in a text is written as `ESCAPED`."""
        groups = _feature_groups(self.names)
        scores = None if self.scores is None else self.scores.tolist()
        for row, features in enumerate(self.features.tolist()):
            values = [_format_number(value) for value in features]
            named_values = [f"{name}= {' '.join(values[a:b])}" for name, a, b in groups]
            text = self.text[row].replace(SEPARATOR, ESCAPED)
            fields = [str(self.sentence[row]), text, " ".join(named_values)]
            if scores is not None:
                fields.append(_format_number(scores[row]))
                if self.alignments[row]:
                    fields.append(self.alignments[row])
            yield " ||| ".join(fields)

    def write(self, path: Path) -> None:
        """Write the list in Moses' notation, atomically; compressed if the name says so."""
        from wordorder.text.output import write_text

        with write_text(path) as stream:
            for line in self.lines():
                stream.write(f"{line}\n")


def _feature_groups(names: Sequence[str]) -> list[tuple[str, int, int]]:
    """Return the groups of neighbouring features: name, first column, and end column."""
    groups: list[tuple[str, int, int]] = []
    for column, name in enumerate(names):
        group = name.rpartition("_")[0] or name
        if groups and groups[-1][0] == group:
            groups[-1] = (group, groups[-1][1], column + 1)
        else:
            groups.append((group, column, column + 1))
    return groups


def _format_number(value: float) -> str:
    """Format a number so that it reads back as the same, without ``.0``."""
    return repr(value).removesuffix(".0")


class GrowingList:
    """The candidates of all rounds so far, without repetitions.

    Attributes
    ----------
    nbest : NBest
        The candidates, grouped by sentence, in order of arrival.

    Examples
    --------
    >>> one = NBest(
    ...     np.array([0, 1]), ("a b", "c"), np.ones((2, 1)), ("lm_0",), None, ("", ""),
    ...     ("dev",), np.array([[0, 1], [0, 2]]),
    ... )
    >>> other = NBest(
    ...     np.array([0, 1]), ("b a", "c"), np.ones((2, 1)), ("lm_0",), None, ("", ""),
    ...     ("dev",), np.array([[0, 1], [0, 2]]),
    ... )
    >>> growing = GrowingList()
    >>> growing.add(one), growing.add(other), growing.nbest.text
    (2, 1, ('a b', 'b a', 'c'))
    """

    def __init__(self) -> None:
        self.nbest: NBest | None = None
        self._known: set[tuple[int, str, str, bytes]] = set()

    def add(self, nbest: NBest) -> int:
        """Add the candidates of a round; return the number of new ones.

        Raises
        ------
        UsageError
            If the candidates have other features than earlier ones.
        """
        rows = nbest.unknown(self._known)
        if self.nbest is None:
            self.nbest = nbest.take(rows)
            return len(rows)
        if nbest.names != self.nbest.names:
            raise UsageError("the candidates of a round have other features than those before")
        self.nbest = merge_lists(self.nbest, nbest.take(rows))
        return len(rows)


def merge_lists(first: NBest, second: NBest) -> NBest:
    """Return the candidates of two lists of the same sentences, sentence by sentence."""
    origin = second.origin + np.array([len(first.paths), 0])
    both = NBest(
        np.concatenate([first.sentence, second.sentence]),
        first.text + second.text,
        np.concatenate([first.features, second.features]),
        first.names,
        None,
        first.alignments + second.alignments,
        first.paths + second.paths,
        np.concatenate([first.origin, origin]),
    )
    return both.take(np.argsort(both.sentence, kind="stable"))


# The groups of features of a line, with their numbers of values.
Layout = tuple[tuple[str, int], ...]


def read_nbest(paths: Sequence[Path]) -> NBest:
    """Read the lists of one or several runs; see `NBest.read`."""
    candidates = _Candidates()
    for path in paths:
        candidates.add_file(path)
    return candidates.nbest()


@dataclass
class _Candidates:
    """The candidates read so far."""

    names: list[str] = field(default_factory=list)
    sentence: array[int] = field(default_factory=lambda: array("q"))
    text: list[str] = field(default_factory=list)
    values: array[float] = field(default_factory=lambda: array("d"))
    scores: list[float | None] = field(default_factory=list)
    alignments: list[str] = field(default_factory=list)
    origin: array[int] = field(default_factory=lambda: array("q"))
    # The number of values of each group of features, and where it occurs first.
    groups: dict[str, tuple[int, str]] = field(default_factory=dict)
    # The indices of distinct layouts, and the layout of each line.
    layouts: dict[Layout, int] = field(default_factory=dict)
    layout: array[int] = field(default_factory=lambda: array("q"))

    def add_file(self, path: Path) -> None:
        """Read one file."""
        self.names.append(display_name(path))
        candidates_before = len(self.text)
        for number, line in enumerate(read_lines(path), 1):
            if line.strip():
                self._add_line(line, number)
        if len(self.text) == candidates_before:
            raise InputError(self.names[-1], "there are no candidates", LINE_FORMAT)

    def _add_line(self, line: str, number: int) -> None:
        file_position = location(self.names[-1], number)
        fields = [part.strip(" \t") for part in line.split(SEPARATOR)]
        if not 3 <= len(fields) <= 6:
            field_count = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
            raise InputError(file_position, field_count, LINE_FORMAT)
        sentence = fields[0]
        if not (sentence.isascii() and sentence.isdigit() and len(sentence) <= MAX_DIGITS):
            raise InputError(
                file_position, quoted(sentence.encode()), "the number of a sentence, from 0"
            )
        self.sentence.append(int(sentence))
        self.text.append(fields[1])
        self._add_features(fields[2], file_position)
        score = fields[3] if len(fields) > 3 else ""
        self.scores.append(real_numbers([score], file_position)[0] if score else None)
        self.alignments.append(f" {SEPARATOR} ".join(fields[4:]))
        self.origin.extend((len(self.names) - 1, number))

    def _add_features(self, text: str, file_position: str) -> None:
        """Read ``name= value value name= value``, ``name=value``, or numbers alone."""
        names: list[str] = []
        counts: list[int] = []
        values: list[str] = []
        for token in text.split():
            name, mark, value = token.rpartition("=") if "=" in token else (token[:-1], ":", "")
            if mark == ":" and not token.endswith(":"):
                values.append(token)
                if not names:
                    names, counts = [UNNAMED_GROUP], [0]
                counts[-1] += 1
                continue
            if not name:
                raise InputError(file_position, quoted(token.encode()), "a name before = or :")
            names.append(name)
            counts.append(0)
            if value:
                values.append(value)
                counts[-1] = 1
        layout = tuple(zip(names, counts, strict=True))
        if layout not in self.layouts:
            self._check_layout(layout, file_position)
            self.layouts[layout] = len(self.layouts)
        self.layout.append(self.layouts[layout])
        self.values.extend(real_numbers(values, file_position))

    def _check_layout(self, layout: Layout, file_position: str) -> None:
        """Raise an InputError for groups that are repeated, empty, or of a new size."""
        if not layout:
            raise InputError(file_position, "no features", LINE_FORMAT)
        if len({name for name, _ in layout}) < len(layout):
            repeated = next(n for i, (n, _) in enumerate(layout) if n in dict(layout[:i]))
            raise InputError(file_position, f"feature {repeated} is listed twice", "each name once")
        for name, count in layout:
            if not count:
                raise InputError(
                    file_position, f"feature {name} has no value", "name= value value ..."
                )
            first_count, first_location = self.groups.setdefault(name, (count, file_position))
            if first_count != count:
                problem = f"{count} values of feature {name}"
                raise InputError(file_position, problem, f"{first_count}, as in {first_location}")

    def nbest(self) -> NBest:
        """Return the candidates grouped by sentence, without repetitions."""
        sentence = np.array(self.sentence, np.int64)
        features, names = self._matrix()
        scores = None
        if None not in self.scores:
            scores = np.array(self.scores, np.float64)
        elif any(score is not None for score in self.scores):
            missing = self.scores.count(None)
            note(f"{_share(missing, len(self.scores))} have no score, so no score is used")
        nbest = NBest(
            sentence,
            tuple(self.text),
            features,
            names,
            scores,
            tuple(self.alignments),
            tuple(self.names),
            np.array(self.origin, np.int64).reshape(-1, 2),
        )
        distinct_rows = nbest.unknown(set())
        return nbest.take(distinct_rows[np.argsort(sentence[distinct_rows], kind="stable")])

    def _matrix(self) -> tuple[Float64, tuple[str, ...]]:
        """Return all features, with 0 for missing ones, and their names."""
        starts: dict[str, int] = {}
        names: list[str] = []
        for group, (count, _) in self.groups.items():
            starts[group] = len(names)
            names += [f"{group}_{layout_index}" for layout_index in range(count)]
        features = np.zeros((len(self.text), len(names)))
        layout = np.array(self.layout, np.int64)
        sizes = np.array([sum(count for _, count in layout) for layout in self.layouts], np.int64)
        ends = np.cumsum(sizes[layout])
        values = np.array(self.values, np.float64)
        for groups, number in self.layouts.items():
            rows = np.flatnonzero(layout == number)
            columns = [starts[name] + index for name, count in groups for index in range(count)]
            value_indices = (ends[rows] - sizes[number])[:, np.newaxis] + np.arange(sizes[number])
            features[np.ix_(rows, np.array(columns, np.int64))] = values[value_indices]
        if len(self.layouts) > 1:
            incomplete = int(np.count_nonzero(sizes[layout] < len(names)))
            note(
                f"{_share(incomplete, len(layout))} lack features that others have: they count as 0"
            )
        return features, tuple(names)


def _share(part: int, total: int) -> str:
    """Describe a share of the candidates."""
    return f"{part} of {counted(total, 'candidate')} ({percent(part, total)})"


def real_numbers(tokens: list[str], file_position: str) -> list[float]:
    """Read numbers in decimal notation, at most 1e100 from 0.

    Parameters
    ----------
    tokens : list of str
    file_position : str
        The file and line for errors.

    Raises
    ------
    InputError
        For the first token that is not such a number: ``nan``, ``1e200``, ``1_0``, digits of other
        scripts.

    Examples
    --------
    >>> real_numbers(["-1.5", "2e-3"], "a.txt:1")
    [-1.5, 0.002]
    >>> real_numbers(["nan"], "a.txt:1")
    Traceback (most recent call last):
        ...
    wordorder.errors.InputError: a.txt:1: 'nan'; expected a number, at most 1e+100 from 0
    """
    try:
        # A faster `read_number` for all tokens.
        numbers = list(map(float, tokens))
        text = "".join(tokens)
        if (
            all(abs(number) <= LARGEST_NUMBER for number in numbers)
            and text.isascii()
            and "_" not in text
        ):
            return numbers
    except ValueError:
        pass
    invalid = next(token for token in tokens if read_number(token) is None)
    raise InputError(file_position, quoted(invalid.encode()), REAL_NUMBER)
