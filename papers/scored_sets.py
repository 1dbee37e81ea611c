"""Scores of judged systems under many metrics, kept in a folder so that they are made once."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

import wordorder
from papers.judged_sets import JudgedSet, read_set
from wordorder.alignment.statistical.align import align_files
from wordorder.arrays import Float64
from wordorder.metrics.contract import left_out_segments
from wordorder.notes import held_notes
from wordorder.scoring.scores import score_files

ORDERINGS = (
    *("hamming", "kendall", "spearman", "frs", "ulam", "pet", "pets", "maxop"),
    *("pef-recursive", "kendall-sqrt", "frs-boundary", "exact"),
)
# BP times the ordering, which is SenScore without F1; and F1 weighted as SenScore weights it.
ORDER_PARTS = {name: f"senscore(ordering={name},alpha=0)" for name in ORDERINGS}
SENSCORE = {**ORDER_PARTS, "F1": "senscore(alpha=1)"}
# The orderings alone, without BP.
ORDERS = {name: name for name in ORDERINGS}
# These cut the lines by themselves.
RAW = {"BLEU": "bleu(lowercase=true)", "chrF": "chrf", "TER": "ter(normalized=true)"}
WORDS = {
    "f1": "f1",
    "PER": "per",
    "WER": "wer",
    "CDER": "cder",
    "BLEU-S": "bleu-s",
    **RAW,
}
# The parts of LRscore: 1 is all reordering, 0 all words.
LRSCORE = {
    "R-hamming": "lr-hb1(alpha=1)",
    "R-kendall": "lr-kb1(alpha=1)",
    "BLEU-1": "lr-hb1(alpha=0)",
    "BLEU-4": "lr-hb4(alpha=0)",
}


cut: Callable[[str], str] = Tokenizer13a()  # type: ignore[no-untyped-call]


@dataclass(frozen=True, eq=False)
class ScoredSet:
    """A judged set with the scores of its systems.

    Attributes
    ----------
    judged : JudgedSet
    scores : dict of str to float64[n, S]
        By the names that they were asked for; NaN where a metric leaves a segment out.
    statistics : dict of str to float64[n, S, k]
    lengths : dict of str to float64
        "reference" [S] and "outputs" [n, S]: words.
    signatures : dict of str to str
    """

    judged: JudgedSet
    scores: dict[str, Float64]
    statistics: dict[str, Float64]
    lengths: dict[str, Float64]
    signatures: dict[str, str]


def scored(
    data: Path, name: str, metrics: dict[str, str], cache: Path | None, *, links: bool = False
) -> ScoredSet:
    """Read a set and score its systems; what `cache` holds is not scored again.

    Text is cut as mteval 13a cuts it and lower-cased, but for the metrics of `RAW`; words are
    matched by form and stem. All scores are turned so that higher is better.

    Parameters
    ----------
    metrics : dict of name to metric
    links : bool
        Whether orders are those of the source words, by links of one aligner that learns from the
        source with the reference and with all outputs.
    """
    judged = read_set(data, name)
    folder = cache and cache / f"{name.replace(' ', '-')}-{'links' if links else 'words'}"
    missing = dict(metrics)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        missing = {
            key: metric for key, metric in metrics.items() if not _kept(folder, metric).exists()
        }
    made = _score(judged, missing, links) if missing else {}
    scores, statistics, signatures = {}, {}, {}
    for key, metric in metrics.items():
        if key in made:
            arrays = made[key]
            if folder is not None:
                np.savez(_kept(folder, metric), **arrays)
        else:
            assert folder is not None
            with np.load(_kept(folder, metric)) as stored:
                arrays = dict(stored)
        scores[key], statistics[key] = arrays["scores"], arrays["statistics"]
        signatures[key] = str(arrays["signature"])
    lengths = {
        "reference": np.array([len(cut(line).split()) for line in judged.reference], np.float64),
        "outputs": np.array(
            [[len(cut(line).split()) for line in text] for text in judged.outputs.values()],
            np.float64,
        ),
    }
    return ScoredSet(judged, scores, statistics, lengths, signatures)


def _kept(folder: Path, metric: str) -> Path:
    said = hashlib.sha1(f"{metric} {wordorder.__version__}".encode()).hexdigest()[:10]
    return folder / f"{metric.split('(')[0]}-{said}.npz"


def _score(judged: JudgedSet, metrics: dict[str, str], links: bool) -> dict[str, dict[str, Any]]:
    """Score all systems, with one reading of the files, or two where some metrics cut the lines."""
    made: dict[str, dict[str, Any]] = {}
    raw = {key: metric for key, metric in metrics.items() if metric in RAW.values()}
    cut = {key: metric for key, metric in metrics.items() if key not in raw}
    for wanted, write in ((cut, _write), (raw, _write_raw)):
        if wanted:
            made |= _score_text(judged, wanted, links, write)
    return made


def _score_text(
    judged: JudgedSet, metrics: dict[str, str], links: bool, write: Callable[..., Path]
) -> dict[str, dict[str, Any]]:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        reference = write(folder / "reference.txt", judged.reference)
        outputs = [
            f"{system}={write(folder / f'{n}.txt', text)}"
            for n, (system, text) in enumerate(judged.outputs.items())
        ]
        options: dict[str, Any] = {}
        if any(
            metric.split("(")[0] in (*ORDERINGS, "tree-cost", "senscore")
            for metric in metrics.values()
        ):
            options = {"aligner": "exact+stem", "language": judged.languages[1]}
        if links:
            options = _links(folder, judged)
        with held_notes():
            results = score_files(
                outputs,
                reference,
                list(metrics.values()),
                segments=True,
                kind="text",
                tokenizer="none",
                **options,
            )
    made = {}
    assert results.segments is not None
    for m, (key, metric) in enumerate(zip(metrics, results.metrics, strict=True)):
        systems = results.evaluation.systems
        statistics = np.stack([system.statistics[m] for system in systems])
        scores = np.stack([results.segments[s, m] for s in range(len(systems))])
        scores = np.where(
            np.stack([left_out_segments(each) for each in statistics]), np.nan, scores
        )
        if not metric.higher_is_better:
            scores = -scores
        signature = np.array(str(systems[0].scores[m].signature))
        made[key] = {"scores": scores, "statistics": statistics, "signature": signature}
    return made


def _links(folder: Path, judged: JudgedSet) -> dict[str, Any]:
    """Align the source with reference and outputs by one model."""
    texts = [judged.reference, *judged.outputs.values()]
    everything = [line for text in texts for line in text]
    _write(folder / "source.txt", judged.source)
    _write(folder / "sources.txt", [*judged.source] * len(texts))
    _write(folder / "targets.txt", everything)
    align_files(folder / "sources.txt", folder / "targets.txt", folder / "all.align")
    rows = (folder / "all.align").read_text().splitlines()
    names = []
    for n in range(len(texts)):
        part = rows[n * len(judged.source) : (n + 1) * len(judged.source)]
        names.append(folder / f"{n}.align")
        names[-1].write_text("".join(f"{row}\n" for row in part))
    return {
        "source": str(folder / "source.txt"),
        "reference_alignments": [str(names[0])],
        "hypothesis_alignments": list(map(str, names[1:])),
    }


def _write(path: Path, text: Sequence[str]) -> Path:
    path.write_text("".join(f"{cut(line).lower()}\n" for line in text), encoding="utf-8")
    return path


def _write_raw(path: Path, text: Sequence[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in text), encoding="utf-8")
    return path
