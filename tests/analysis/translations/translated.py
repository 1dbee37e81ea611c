"""Translations for the tests: random ones, and a part of compare-mt's TED talks."""

import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from hypothesis import strategies as st
from tests.files import data

# Real translations: English, several systems, Finnish and Japanese.
REAL = ("ted", "wmt13", "wmt15", "japanese")


@dataclass(frozen=True)
class Lines:
    """The lines of references, a list a segment, and of systems by name."""

    references: list[list[str]]
    systems: dict[str, list[str]]


def random_lines(
    seed: int, segments: int = 30, systems: int = 2, *, several: bool = True, words: str = "abcdefg"
) -> Lines:
    """Return references of few words, and translations that are made from them by edits.

    Some lines are empty, some words are inflected, and with `several` some segments have no
    reference or up to three.
    """
    random = np.random.default_rng(seed)
    forms = [word + ending for word in words for ending in ("at", "ats", "o")]
    references: list[list[str]] = []
    for _ in range(segments):
        count = int(random.integers(0, 4)) if several else 1
        references.append(
            [" ".join(random.choice(forms, int(random.integers(0, 12)))) for _ in range(count)]
        )
    made = {}
    for number in range(systems):
        lines = []
        for row in references:
            tokens = row[int(random.integers(len(row)))].split() if row else ["doe"]
            for _ in range(int(random.integers(0, 5))):
                at = int(random.integers(0, len(tokens) + 1))
                kind = random.integers(0, 3)
                if kind == 0:
                    tokens[at:at] = [str(random.choice(forms))]
                elif kind == 1:
                    del tokens[at : at + 2]
                else:
                    tokens = tokens[at:] + tokens[:at]
            lines.append(" ".join(tokens))
        made[f"S{number}"] = lines
    return Lines(references, made)


@st.composite
def drawn_lines(draw: st.DrawFn) -> Lines:
    """Return a few segments of a few words: two systems, no reference, one or two."""
    line = st.lists(st.sampled_from(["cat", "cats", "so", "at"]), max_size=6).map(" ".join)
    references = draw(st.lists(st.lists(line, max_size=2), max_size=5))
    outputs = st.lists(line, min_size=len(references), max_size=len(references))
    return Lines(references, {"A": draw(outputs), "B": draw(outputs)})


def ted_lines(segments: int | None = None) -> Lines:
    """Return the first segments of the English TED talks, two systems."""
    paths = [data("compare-mt-ted", f"ted.{name}.eng.gz") for name in ("ref", "sys1", "sys2")]
    columns = [lines(path)[:segments] for path in paths]
    return Lines([[line] for line in columns[0]], {"sys1": columns[1], "sys2": columns[2]})


def words_of(line: str) -> list[str]:
    """Return the words between blanks and tabs; other white space is part of words."""
    return [word for word in line.replace("\t", " ").split(" ") if word]


def real_lines(name: str, segments: int) -> Lines:
    """Return the first segments of a real data set, two systems or three."""
    if name == "ted":
        return ted_lines(segments)
    if name == "japanese":
        paths = [data("compare-mt-ted", f"multited.{s}.jpn.gz") for s in ("ref", "sys1", "sys2")]
    else:
        pair, target = {"wmt13": ("fr-en", "en"), "wmt15": ("en-fi", "fi")}[name]
        folder = data("human", {"wmt13": "wmt13-rr-pairs", "wmt15": "wmt15-rr"}[name], pair)
        paths = [folder / f"reference.{target}.gz", *sorted((folder / "outputs").iterdir())[:3]]
    reference, *systems = (lines(path)[:segments] for path in paths)
    named = {f"sys{number}": each for number, each in enumerate(systems, 1)}
    return Lines([[line] for line in reference], named)


def lines(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return file.read().removesuffix("\n").split("\n")
