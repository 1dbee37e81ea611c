"""Reading n-best lists in Moses' notation."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from wordorder.counts import counted, percent
from wordorder.errors import InputError, location
from wordorder.notes import note
from wordorder.text.lines import read_lines
from wordorder.text.opening import Path, display_name
from wordorder.text.quoting import quoted
from wordorder.training.tuning.nbest import NBest
from wordorder.training.tuning.real_numbers import real_numbers
from wordorder.types import Float64

SEPARATOR = "|||"
FORM = "ID ||| TEXT ||| FEATURES [||| SCORE [||| ALIGNMENT [||| ALIGNMENT]]]"
# What features without a name are called.
UNNAMED = "F"
MOST_DIGITS = 12

# Names of groups of features, and how many values each has.
Layout = tuple[tuple[str, int], ...]


def read_nbest(paths: Sequence[Path]) -> NBest:
    """Read the lists of one or several runs; see `NBest.read`."""
    read = _Candidates()
    for path in paths:
        read.add_file(path)
    return read.nbest()


@dataclass
class _Candidates:
    """What has been read."""

    names: list[str] = field(default_factory=list)
    sentence: array[int] = field(default_factory=lambda: array("q"))
    text: list[str] = field(default_factory=list)
    values: array[float] = field(default_factory=lambda: array("d"))
    scores: list[float | None] = field(default_factory=list)
    alignments: list[str] = field(default_factory=list)
    origin: array[int] = field(default_factory=lambda: array("q"))
    # How many values each group of features has, and where that was said first.
    groups: dict[str, tuple[int, str]] = field(default_factory=dict)
    # The layouts of lines so far, and that of each line.
    layouts: dict[Layout, int] = field(default_factory=dict)
    layout: array[int] = field(default_factory=lambda: array("q"))

    def add_file(self, path: Path) -> None:
        """Read one file."""
        self.names.append(display_name(path))
        before = len(self.text)
        for number, line in enumerate(read_lines(path), 1):
            if line.strip():
                self._add_line(line, number)
        if len(self.text) == before:
            raise InputError(self.names[-1], "there are no candidates", FORM)

    def _add_line(self, line: str, number: int) -> None:
        where = location(self.names[-1], number)
        fields = [part.strip(" \t") for part in line.split(SEPARATOR)]
        if not 3 <= len(fields) <= 6:
            many = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
            raise InputError(where, many, FORM)
        sentence = fields[0]
        if not (sentence.isascii() and sentence.isdigit() and len(sentence) <= MOST_DIGITS):
            raise InputError(where, quoted(sentence.encode()), "the number of a sentence, from 0")
        self.sentence.append(int(sentence))
        self.text.append(fields[1])
        self._add_features(fields[2], where)
        score = fields[3] if len(fields) > 3 else ""
        self.scores.append(real_numbers([score], where)[0] if score else None)
        self.alignments.append(f" {SEPARATOR} ".join(fields[4:]))
        self.origin.extend((len(self.names) - 1, number))

    def _add_features(self, text: str, where: str) -> None:
        """Read ``name= value value name= value``, ``name=value``, or numbers alone."""
        names: list[str] = []
        counts: list[int] = []
        values: list[str] = []
        for token in text.split():
            name, mark, value = token.rpartition("=") if "=" in token else (token[:-1], ":", "")
            if mark == ":" and not token.endswith(":"):
                values.append(token)
                if not names:
                    names, counts = [UNNAMED], [0]
                counts[-1] += 1
                continue
            if not name:
                raise InputError(where, quoted(token.encode()), "a name before = or :")
            names.append(name)
            counts.append(0)
            if value:
                values.append(value)
                counts[-1] = 1
        layout = tuple(zip(names, counts, strict=True))
        if layout not in self.layouts:
            self._check_layout(layout, where)
            self.layouts[layout] = len(self.layouts)
        self.layout.append(self.layouts[layout])
        self.values.extend(real_numbers(values, where))

    def _check_layout(self, layout: Layout, where: str) -> None:
        """Refuse groups that are listed twice, empty, or of another size than before."""
        if not layout:
            raise InputError(where, "no features", FORM)
        if len({name for name, _ in layout}) < len(layout):
            twice = next(n for i, (n, _) in enumerate(layout) if n in dict(layout[:i]))
            raise InputError(where, f"feature {twice} is listed twice", "each name once")
        for name, count in layout:
            if not count:
                raise InputError(where, f"feature {name} has no value", "name= value value ...")
            known, there = self.groups.setdefault(name, (count, where))
            if known != count:
                raise InputError(
                    where, f"{count} values of feature {name}", f"{known}, as in {there}"
                )

    def nbest(self) -> NBest:
        """Put the candidates together, those of each sentence side by side, each once."""
        sentence = np.array(self.sentence, np.int64)
        features, names = self._matrix()
        scores = None
        if None not in self.scores:
            scores = np.array(self.scores, np.float64)
        elif any(score is not None for score in self.scores):
            missing = self.scores.count(None)
            note(f"{_share(missing, len(self.scores))} have no score, so no score is used")
        whole = NBest(
            sentence,
            tuple(self.text),
            features,
            names,
            scores,
            tuple(self.alignments),
            tuple(self.names),
            np.array(self.origin, np.int64).reshape(-1, 2),
        )
        kept = np.array(list(self._firsts(features)), np.int64)
        return whole.take(kept[np.argsort(sentence[kept], kind="stable")])

    def _matrix(self) -> tuple[Float64, tuple[str, ...]]:
        """Return all features, 0 for those that a line does not name, and their names."""
        starts: dict[str, int] = {}
        names: list[str] = []
        for group, (count, _) in self.groups.items():
            starts[group] = len(names)
            names += [f"{group}_{number}" for number in range(count)]
        features = np.zeros((len(self.text), len(names)))
        layout = np.array(self.layout, np.int64)
        sizes = np.array([sum(count for _, count in each) for each in self.layouts], np.int64)
        ends = np.cumsum(sizes[layout])
        values = np.array(self.values, np.float64)
        for groups, number in self.layouts.items():
            rows = np.flatnonzero(layout == number)
            columns = [starts[name] + at for name, count in groups for at in range(count)]
            places = (ends[rows] - sizes[number])[:, np.newaxis] + np.arange(sizes[number])
            features[np.ix_(rows, np.array(columns, np.int64))] = values[places]
        if len(self.layouts) > 1:
            some = int(np.count_nonzero(sizes[layout] < len(names)))
            note(f"{_share(some, len(layout))} lack features that others have: 0 is taken for them")
        return features, tuple(names)

    def _firsts(self, features: Float64) -> Iterator[int]:
        """Yield the first of the candidates that are equal."""
        known: set[tuple[int, str, str, bytes]] = set()
        for row, (sentence, text) in enumerate(zip(self.sentence, self.text, strict=True)):
            key = (sentence, text, self.alignments[row], features[row].tobytes())
            if key not in known:
                known.add(key)
                yield row


def _share(part: int, whole: int) -> str:
    """Write how many of the candidates something is said of."""
    return f"{part} of {counted(whole, 'candidate')} ({percent(part, whole)})"
