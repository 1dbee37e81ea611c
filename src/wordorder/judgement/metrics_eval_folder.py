"""Folders of mt-metrics-eval: read and write evaluation sets."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np

from wordorder.errors import InputError, UsageError, unknown_name
from wordorder.judgement import judgement_files
from wordorder.judgement.evaluation_set import EvaluationSet
from wordorder.judgement.score_table import LEVELS, MISSING, ScoreTable, write_scores
from wordorder.judgement.set_parts import (
    Scores,
    count_lines,
    max_length,
    read_documents,
    scored_systems,
    tables_of_scores,
)
from wordorder.messages import counted, joined
from wordorder.notes import note
from wordorder.text.lines import read_lines
from wordorder.text.names import SUFFIXES
from wordorder.text.opening import Path
from wordorder.text.output import write_text


def is_metrics_eval_folder(path: Path) -> bool:
    """Return whether a folder has the layout of a test set of mt-metrics-eval."""
    parts = ("system-outputs", "human-scores")
    return any(os.path.isdir(os.path.join(path, part)) for part in parts)


def language_pairs(folder: Path) -> list[str]:
    """Return the language pairs with a source text or human scores in a folder."""
    files = (name for part in ("sources", "human-scores") for name in _files(folder, part))
    return sorted({name.split(".")[0] for name in files})


def read_metrics_eval_folder(folder: Path, pair: str) -> EvaluationSet:
    """Read one language pair of a test set.

    Reads ``sources/PAIR.txt``, ``references/PAIR.NAME.txt``, ``system-outputs/PAIR/NAME.txt``,
    ``documents/PAIR.docs``, ``human-scores/PAIR.NAME.LEVEL.score`` and
    ``metric-scores/PAIR/NAME-REF.LEVEL.score``, each of which may be missing and may be
    compressed. LEVEL is ``seg``, ``doc`` or ``sys``; scores of domains are left out, with a note.

    Raises
    ------
    InputError
        If a file is not valid, or has too many or too few lines.
    UsageError
        If the folder does not have the language pair.
    """
    pairs = language_pairs(folder)
    if pair not in pairs:
        raise unknown_name("language pair", pair, pairs)
    source = _files(folder, "sources").get(f"{pair}.txt")
    references = _files(folder, "references", begin=f"{pair}.", end=".txt")
    references = {name.split(".")[-1]: path for name, path in references.items()}
    outputs = _files(folder, "system-outputs", pair, end=".txt")
    human = _read_scores(_files(folder, "human-scores", begin=f"{pair}."))
    metrics = _read_scores(_files(folder, "metric-scores", pair))
    systems = tuple(dict.fromkeys([*outputs, *scored_systems(human), *scored_systems(metrics)]))
    text = source or next(iter((*references.values(), *outputs.values())), None)
    segments = count_lines(text) if text else max_length(human, metrics, level="segment")
    path = _files(folder, "documents").get(f"{pair}.docs")
    domains, documents = read_documents(path, segments) if path else (None, None)
    if text is None and not segments:
        raise InputError(os.fspath(folder), f"no texts and no scores of {pair}", "some")
    name = f"{os.path.basename(os.path.abspath(folder))} {pair}"
    return EvaluationSet(
        *(name, systems, segments, pair, source, references, outputs, documents, domains),
        human=tables_of_scores(human, systems, segments, documents),
        metrics=tables_of_scores(metrics, systems, segments, documents),
    )


def write_evaluation_set(
    evaluation_set: EvaluationSet, folder: Path, *, pair: str | None = None
) -> None:
    """Write a set in the layout of mt-metrics-eval; texts are copied, decompressed.

    Parameters
    ----------
    evaluation_set : EvaluationSet
    folder : path
        Created if it does not exist. It may have other language pairs.
    pair : str, optional
        The language pair in the names of the files, instead of that of the set.

    Raises
    ------
    UsageError
        If the set does not name its language pair, the name of a reference contains ``.`` or
        ``-``, or that of a system a space or a slash.

    Notes
    -----
    The layout does not support rankings, which are left out with a note. A set without documents
    gets a document ``all``, since mt-metrics-eval requires one. The name of a metric ends in the
    references that it read: ``BLEU-refA``. To other names the references of the set are appended,
    or ``src`` if it has none.
    """
    pair = pair or evaluation_set.language_pair
    if not pair:
        raise UsageError(
            f"{evaluation_set.name}: it names no language pair, which the files are named by"
        )
    for name in evaluation_set.references:
        if not name or not set(".-/").isdisjoint(name) or name in ("all", "src"):
            raise UsageError(f"reference {name!r}: mt-metrics-eval allows no . and - in its name")
    for name in evaluation_set.systems:
        if not name or os.sep in name or len(name.split()) > 1:
            raise UsageError(f"system {name!r}: no blank and no {os.sep} can be in its name")
    if evaluation_set.rankings is not None:
        reason = "the layout of mt-metrics-eval has no rankings; they are not written"
        note(f"{evaluation_set.name}: {reason}")

    def output_path(*parts: str) -> str:
        path = os.path.join(folder, *parts)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    if evaluation_set.source is not None:
        _copy_text(evaluation_set.source, output_path("sources", f"{pair}.txt"))
    for name, path in evaluation_set.references.items():
        _copy_text(path, output_path("references", f"{pair}.{name}.txt"))
    for name, path in evaluation_set.outputs.items():
        _copy_text(path, output_path("system-outputs", pair, f"{name}.txt"))
    documents = evaluation_set.documents or ["all"] * evaluation_set.segments
    domains = evaluation_set.domains or ["all"] * evaluation_set.segments
    with write_text(output_path("documents", f"{pair}.docs")) as stream:
        for domain, document in zip(domains, documents, strict=True):
            stream.write(f"{domain}\t{document}\n")
    for name, table in evaluation_set.human.items():
        _write_table(table, output_path("human-scores", f"{pair}.{name}"))
    references = evaluation_set.references
    for name, table in evaluation_set.metrics.items():
        base, _, suffix = name.rpartition("-")
        ends_in_reference = suffix in ("all", "src") or set(suffix.split(".")) <= set(references)
        ending = "" if base and ends_in_reference else f"-{'.'.join(references) or 'src'}"
        _write_table(table, output_path("metric-scores", pair, f"{name}{ending}"))
        unscored = np.isnan(table.segments)
        missing = int(unscored[~unscored.all(axis=1)].sum())
        if missing:
            count = counted(missing, "segment score")
            note(f"{name}: {count} missing ({MISSING}), which mt-metrics-eval refuses in metrics")


def _files(folder: Path, *parts: str, begin: str = "", end: str = "") -> dict[str, str]:
    """Return paths of the files in a folder, by the part of the name between `begin` and `end`.

    Suffixes of compressed files (``.gz``) are ignored.
    """
    folder = os.path.join(folder, *parts)
    paths = {}
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        plain = next((name.removesuffix(s) for s in SUFFIXES if name.endswith(s)), name)
        matches = plain.startswith(begin) and plain.endswith(end)
        if matches and not name.startswith(".") and os.path.isfile(path):
            paths[plain.removesuffix(end).removeprefix(begin)] = path
    return paths


def _read_scores(files: Mapping[str, str]) -> Scores:
    """Read the files called NAME.LEVEL.score; leave out others, with a note."""
    scores = {}
    left_out = []
    for name, path in files.items():
        parts = name.rsplit(".", 2)
        if len(parts) == 3 and parts[1] in LEVELS and parts[2] == "score":
            scores[LEVELS[parts[1]], parts[0]] = judgement_files.plain_scores(path)
        else:
            left_out.append(name)
    if left_out:
        count = counted(len(left_out), "file")
        names = joined(left_out[:3]) + (" ..." if len(left_out) > 3 else "")
        note(f"left out {count} without scores of segments, documents or systems: {names}")
    return scores


def _copy_text(path: str, target: str) -> None:
    with write_text(target) as stream:
        for line in read_lines(path):
            stream.write(f"{line}\n")


def _write_table(table: ScoreTable, path_start: str) -> None:
    """Write one file per level of scores, called `path_start`.LEVEL.score."""
    system_scores = None if table.whole is None else table.whole[:, None]
    for level, scores in zip(LEVELS, (table.segments, table.documents, system_scores), strict=True):
        if scores is None or not scores.size:
            continue
        scored = np.flatnonzero(~np.isnan(scores).all(axis=1))
        if len(scored):
            rows = {table.systems[n]: scores[n].tolist() for n in scored}
            write_scores(f"{path_start}.{level}.score", rows)
