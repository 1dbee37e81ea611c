"""Outputs of translation systems that people have judged, read from the folder of corpora."""

from __future__ import annotations

import csv
import gzip
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from wordorder.arrays import Float64, Int64
from wordorder.judgement import PairJudgements, read_judgements
from wordorder.judgement.judgements import Preferences

WMT = (
    *("wmt12 de-en", "wmt12 fr-en", "wmt12 en-de", "wmt12 en-fr", "wmt13 de-en", "wmt13 fr-en"),
    *("wmt14 cs-en", "wmt14 de-en", "wmt14 fr-en"),
    *("wmt15 de-en", "wmt15 fi-en", "wmt15 en-de", "wmt15 en-fi"),
)
MQM = ("mqm21 zh-en", "ted en-de")
_FOLDERS = {
    "wmt12": "wmt12-rr",
    "wmt13": "wmt13-rr-pairs",
    "wmt14": "wmt14-rr-pairs",
    "wmt15": "wmt15-rr",
    "mqm21": "wmt21-da",
    "ted": "mqm-ted",
}
_JUDGEMENTS = {
    "wmt12": "judgements.csv.gz",
    "wmt13": "pairs.tsv.gz",
    "wmt14": "pairs.tsv.gz",
    "wmt15": "rankings.tsv.gz",
}
_MARK = re.compile("</?v>")


@dataclass(frozen=True, eq=False)
class JudgedSet:
    """Texts of one test set and what people said about them.

    Attributes
    ----------
    name : str
        Campaign and language pair.
    source, reference : list of str
    outputs : mapping of system name to list of str
    pairs : int64[N, 3]
        Segment, better system, worse system: one row a strict judgement. Systems that share an
        output were judged once; one of them is named.
    ties : int
        Judgements that two outputs are equally good; the files of WMT13 and WMT14 leave them out.
    ratio : float64[n], optional
        The ratio of wins of each system.
    judgements : PairJudgements, optional
        All judgements, with ties and, but for WMT13 and WMT14, judges.
    human : float64[n, S], optional
        MQM scores; NaN where nobody rated.
    """

    name: str
    source: Sequence[str]
    reference: Sequence[str]
    outputs: Mapping[str, Sequence[str]]
    pairs: Int64
    ties: int = 0
    ratio: Float64 | None = None
    judgements: PairJudgements | None = None
    human: Float64 | None = None

    @property
    def systems(self) -> list[str]:
        """The names of the systems, in the order of their numbers."""
        return list(self.outputs)

    @property
    def languages(self) -> tuple[str, str]:
        """The codes of source and target language."""
        source, target = self.name.split()[1].split("-")
        return source, target


def read_set(data: Path, name: str) -> JudgedSet:
    """Read one of `WMT` or `MQM` from the folder of corpora."""
    campaign, pair = name.split()
    folder = data / "human" / _FOLDERS[campaign] / pair
    if campaign == "ted":
        return _ted(folder, name)
    if campaign == "mqm21":
        return _mqm21(folder, data / "human/mqm-news21" / pair, name)
    judgements = read_judgements(folder / _JUDGEMENTS[campaign])
    assert isinstance(judgements, PairJudgements)
    outputs = _outputs(folder, set(judgements.systems))
    source, reference = (lines(next(folder.glob(f"{side}.*"))) for side in ("source", "reference"))
    preferences = Preferences.of_rankings(judgements, tuple(outputs), len(source))
    pairs = np.stack([preferences.item, preferences.better, preferences.worse], axis=1)
    ratio = ratio_of_wins(judgements, outputs)
    return JudgedSet(name, source, reference, outputs, pairs, preferences.ties, ratio, judgements)


def ratio_of_wins(judgements: PairJudgements, systems: Iterable[str]) -> Float64:
    """Return how often each system was judged better, of all times it was better or worse.

    A judgement of an output that several systems share is one of each of them.
    """
    every = judgements.expanded()
    wins = every.wins()
    ratio = wins.sum(axis=1) / (wins.sum(axis=1) + wins.sum(axis=0))
    return np.array([ratio[every.systems.index(system)] for system in systems], np.float64)


def lines(path: Path) -> list[str]:
    """Read a compressed text, one segment a line."""
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as stream:
        return [line.rstrip("\r\n") for line in stream]


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
        yield from csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)


def _outputs(folder: Path, systems: set[str]) -> dict[str, list[str]]:
    language = folder.name.split("-")[1]
    return {
        system: lines(folder / "outputs" / f"{system}.{language}.gz") for system in sorted(systems)
    }


def _mqm_scores(path: Path) -> dict[str, dict[int, float]]:
    """Return the scores of each system by segment from 0, without those that nobody gave."""
    of_system: dict[str, dict[int, float]] = defaultdict(dict)
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        next(stream)
        for system, score, segment in map(str.split, stream):
            if score != "None":
                of_system[system][int(segment) - 1] = float(score)
    return of_system


def _scored(
    name: str,
    source: Sequence[str],
    reference: Sequence[str],
    outputs: Mapping[str, Sequence[str]],
    scores: Mapping[str, Mapping[int, float]],
) -> JudgedSet:
    human = np.full((len(outputs), len(source)), np.nan)
    for row, system in zip(human, outputs, strict=True):
        for segment, score in scores[system].items():
            row[segment] = score
    pairs = [
        (segment, a, b)
        for segment in range(len(source))
        for a in range(len(outputs))
        for b in range(len(outputs))
        if human[a, segment] > human[b, segment]
    ]
    rated = ~np.isnan(human)
    both = sum(int(np.sum(a & b)) for a, b in combinations(rated, 2))
    ties = both - len(pairs)
    return JudgedSet(name, source, reference, outputs, np.array(pairs, np.int64), ties, human=human)


def _mqm21(folder: Path, judged: Path, name: str) -> JudgedSet:
    """Read the systems of WMT21 that have an output and scores; lines that nobody rated go."""
    scores = _mqm_scores(judged / "avg_seg_scores.tsv.gz")
    here = {path.name.removesuffix(".en.gz") for path in (folder / "outputs").iterdir()}
    outputs = _outputs(folder, here & set(scores))
    rated = sorted({segment for system in outputs for segment in scores[system]})
    source, reference = lines(folder / "source.zh.gz"), lines(folder / "reference.A.en.gz")
    return _scored(
        name,
        [source[line] for line in rated],
        [reference[line] for line in rated],
        {system: [text[line] for line in rated] for system, text in outputs.items()},
        {
            system: {n: scores[system][line] for n, line in enumerate(rated) if line in of_system}
            for system, of_system in scores.items()
        },
    )


def _ted(folder: Path, name: str) -> JudgedSet:
    """Read the talks; the texts are those of the listed errors, without the marks."""
    scores = _mqm_scores(folder / "avg_seg_scores.tsv.gz")
    source: dict[int, str] = {}
    texts: dict[str, dict[int, str]] = defaultdict(dict)
    for row in _rows(folder / "mqm_ted.tsv.gz"):
        segment = int(row["seg_id"]) - 1
        source[segment] = _MARK.sub("", row["source"])
        texts[row["system"]][segment] = _MARK.sub("", row["target"])
    rated = sorted(source)
    references = texts.pop("ref")
    return _scored(
        name,
        [source[line] for line in rated],
        [references[line] for line in rated],
        {system: [texts[system][line] for line in rated] for system in sorted(texts)},
        {
            system: {n: of[line] for n, line in enumerate(rated) if line in of}
            for system, of in scores.items()
        },
    )
