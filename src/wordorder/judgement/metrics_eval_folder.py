"""Evaluation sets in the folder layout of mt-metrics-eval."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import numpy as np

from wordorder.counts import counted, joined
from wordorder.errors import InputError, UsageError, location, unknown_name
from wordorder.judgement.evaluation_set import EvaluationSet
from wordorder.judgement.score_files import MISSING, check_lengths, read_scores, write_scores
from wordorder.judgement.score_table import ScoreTable
from wordorder.notes import note
from wordorder.text.compression import SUFFIXES
from wordorder.text.lines import read_lines
from wordorder.text.opening import Path
from wordorder.text.output import write_text

LEVELS = ("seg", "doc", "sys")
# By level and name: the scores of each system, and the file that they come from.
_Scores = Mapping[tuple[str, str], tuple[str, dict[str, list[float]]]]


def is_metrics_eval_folder(path: Path) -> bool:
    """Return whether a folder is laid out as mt-metrics-eval lays out a test set."""
    return os.path.isdir(os.path.join(path, "system-outputs")) or os.path.isdir(
        os.path.join(path, "human-scores")
    )


def language_pairs(folder: Path) -> list[str]:
    """Return the language pairs of which a folder has a source text or human scores."""
    pairs = {name.split(".")[0] for name in _files(folder, "sources")}
    pairs |= {name.split(".")[0] for name in _files(folder, "human-scores")}
    return sorted(pairs)


def read_metrics_eval_folder(folder: Path, pair: str) -> EvaluationSet:
    """Read one language pair of a test set.

    Reads ``sources/PAIR.txt``, ``references/PAIR.NAME.txt``, ``system-outputs/PAIR/NAME.txt``,
    ``documents/PAIR.docs``, ``human-scores/PAIR.NAME.LEVEL.score`` and
    ``metric-scores/PAIR/NAME-REF.LEVEL.score``, each of which may be missing and may be
    compressed. LEVEL is ``seg``, ``doc`` or ``sys``; scores of domains are left out, with a note.

    Raises
    ------
    InputError
        If a file is wrong, or has too many or too few lines.
    UsageError
        If there is no such language pair.
    """
    known = language_pairs(folder)
    if pair not in known:
        raise unknown_name("language pair", pair, known)
    source = next(
        (path for name, path in _files(folder, "sources").items() if name == f"{pair}.txt"), None
    )
    references = {
        name.split(".")[-2]: path
        for name, path in _files(folder, "references").items()
        if name.startswith(f"{pair}.") and name.endswith(".txt")
    }
    outputs = {
        name.removesuffix(".txt"): path
        for name, path in _files(folder, "system-outputs", pair).items()
        if name.endswith(".txt")
    }
    human = _scores(
        {
            name.removeprefix(f"{pair}."): path
            for name, path in _files(folder, "human-scores").items()
            if name.startswith(f"{pair}.")
        }
    )
    metrics = _scores(_files(folder, "metric-scores", pair))
    scored = [
        system for _, of_system in (*human.values(), *metrics.values()) for system in of_system
    ]
    systems = tuple(dict.fromkeys([*outputs, *scored]))
    text = source or next(iter((*references.values(), *outputs.values())), None)
    segments = _lines(text) if text else _longest(human, metrics)
    domains, documents = _documents(folder, pair, segments)
    sizes = {"seg": segments, "doc": len(set(documents or ())), "sys": 1}
    if source is None and text is None and not segments:
        raise InputError(os.fspath(folder), f"no texts and no scores of {pair}", "some")
    return EvaluationSet(
        f"{os.path.basename(os.path.abspath(folder))} {pair}",
        systems,
        segments,
        pair,
        source,
        references,
        outputs,
        documents,
        domains,
        _tables(human, systems, sizes),
        _tables(metrics, systems, sizes),
    )


def write_evaluation_set(given: EvaluationSet, folder: Path, *, pair: str | None = None) -> None:
    """Write a set as mt-metrics-eval lays it out; texts are copied, decompressed.

    Parameters
    ----------
    given : EvaluationSet
    folder : path
        Made if it does not exist. Other language pairs may be there already.
    pair : str, optional
        The language pair in the names of the files, instead of that of the set.

    Raises
    ------
    UsageError
        If the set names no language pair, a reference has a ``.`` or ``-`` in its name, or a
        system a blank or a slash.

    Notes
    -----
    The layout has no place for rankings, which are left out with a note. A set without documents
    gets one, ``all``, which mt-metrics-eval needs. The name of a metric ends
    in the reference that it read: ``BLEU-refA``; where it does not, the references of the set are
    added, or ``src`` if there is none.
    """
    pair = pair or given.language_pair
    if not pair:
        raise UsageError(f"{given.name}: it names no language pair, which the files are named by")
    for name in given.references:
        if not name or not set(".-/").isdisjoint(name) or name in ("all", "src"):
            raise UsageError(f"reference {name!r}: mt-metrics-eval allows no . and - in its name")
    for name in given.systems:
        if not name or os.sep in name or len(name.split()) > 1:
            raise UsageError(f"system {name!r}: no blank and no {os.sep} can be in its name")
    if given.rankings is not None:
        note(f"{given.name}: the layout of mt-metrics-eval has no rankings; they are not written")

    def place(*parts: str) -> str:
        path = os.path.join(folder, *parts)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    if given.source is not None:
        _copy(given.source, place("sources", f"{pair}.txt"))
    for name, path in given.references.items():
        _copy(path, place("references", f"{pair}.{name}.txt"))
    for name, path in given.outputs.items():
        _copy(path, place("system-outputs", pair, f"{name}.txt"))
    # mt-metrics-eval reads no set without documents.
    documents = given.documents or ["all"] * given.segments
    domains = given.domains or ["all"] * given.segments
    with write_text(place("documents", f"{pair}.docs")) as stream:
        for domain, document in zip(domains, documents, strict=True):
            stream.write(f"{domain}\t{document}\n")
    for name, table in given.human.items():
        _write(table, place("human-scores", f"{pair}.{name}"))
    ending = ".".join(given.references) or "src"
    for name, table in given.metrics.items():
        base, _, read = name.rpartition("-")
        known = base and (read in ("all", "src") or set(read.split(".")) <= set(given.references))
        _write(table, place("metric-scores", pair, name if known else f"{name}-{ending}"))
        unscored = np.isnan(table.segments)
        missing = int(unscored[~unscored.all(axis=1)].sum())
        if missing:
            count = counted(missing, "segment score")
            note(f"{name}: {count} missing ({MISSING}), which mt-metrics-eval refuses in metrics")


def _files(folder: Path, *parts: str) -> dict[str, str]:
    """Return the files in a folder by their names without the suffix of their compression."""
    place = os.path.join(folder, *parts)
    if not os.path.isdir(place):
        return {}
    paths = {}
    for name in sorted(os.listdir(place)):
        path = os.path.join(place, name)
        if not name.startswith(".") and os.path.isfile(path):
            plain = next((name.removesuffix(s) for s in SUFFIXES if name.endswith(s)), name)
            paths[plain] = path
    return paths


def _scores(files: Mapping[str, str]) -> _Scores:
    """Read the files of scores, whose names are NAME.LEVEL.score."""
    scores: dict[tuple[str, str], tuple[str, dict[str, list[float]]]] = {}
    left_out = []
    for name, path in files.items():
        parts = name.rsplit(".", 2)
        if len(parts) == 3 and parts[1] in LEVELS and parts[2] == "score":
            scores[parts[1], parts[0]] = path, read_scores(path)
        else:
            left_out.append(name)
    if left_out:
        count = counted(len(left_out), "file")
        shown = joined(left_out[:3]) + (" ..." if len(left_out) > 3 else "")
        note(f"left out {count} without scores of segments, documents or systems: {shown}")
    return scores


def _tables(
    scores: _Scores, systems: Sequence[str], sizes: Mapping[str, int]
) -> dict[str, ScoreTable]:
    """Make a table of each metric, or kind of human score, of what its files hold."""
    nouns = {"seg": "segment", "doc": "document", "sys": "system"}
    for (level, _), (path, of_system) in scores.items():
        check_lengths(path, of_system, sizes[level], nouns[level])
    tables = {}
    for name in dict.fromkeys(name for _, name in scores):
        by = {level: scores[level, name][1] for level in LEVELS if (level, name) in scores}
        tables[name] = ScoreTable.of(
            name,
            systems,
            sizes["seg"],
            by_segment=by.get("seg", {}),
            by_document=by.get("doc", {}),
            by_system={system: values[0] for system, values in by.get("sys", {}).items()},
        )
    return tables


def _longest(*scores: _Scores) -> int:
    """Return how many segments the scores are of, where there is no text to count them."""
    lengths = [
        len(values)
        for each in scores
        for (level, _), (_, of_system) in each.items()
        if level == "seg"
        for values in of_system.values()
    ]
    return max(lengths, default=0)


def _documents(folder: Path, pair: str, segments: int) -> tuple[list[str] | None, list[str] | None]:
    """Return domain and document of each segment, if they are known."""
    path = _files(folder, "documents").get(f"{pair}.docs")
    return read_documents(path, segments) if path else (None, None)


def read_documents(path: Path, segments: int) -> tuple[list[str] | None, list[str]]:
    """Read the domain and the document of each segment: ``DOMAIN DOCUMENT``, or the document alone.

    Raises
    ------
    InputError
        If a line has neither one nor two words, or there are not as many lines as segments.
    """
    rows = []
    for number, line in enumerate(read_lines(path), 1):
        rows.append(line.split())
        if len(rows[-1]) != len(rows[0]) or len(rows[-1]) not in (1, 2):
            where = location(os.fspath(path), number)
            raise InputError(where, repr(line[:60]), "a document, or a domain and a document")
    if len(rows) != segments:
        what = counted(len(rows), "line")
        raise InputError(os.fspath(path), what, f"{segments}: one a segment")
    documents = [row[-1] for row in rows]
    return ([row[0] for row in rows] if rows and len(rows[0]) == 2 else None), documents


def _lines(path: str) -> int:
    return sum(1 for _ in read_lines(path))


def _copy(path: str, target: str) -> None:
    with write_text(target) as stream:
        for line in read_lines(path):
            stream.write(f"{line}\n")


def _write(table: ScoreTable, start: str) -> None:
    """Write a table, each level of scores to a file of its own whose name begins with `start`."""
    levels = {"seg": table.segments, "doc": table.documents}
    levels["sys"] = None if table.whole is None else table.whole[:, None]
    for level, scores in levels.items():
        if scores is None or not scores.size:
            continue
        written = {
            system: row.tolist()
            for system, row in zip(table.systems, scores, strict=True)
            if not np.isnan(row).all()
        }
        if written:
            write_scores(f"{start}.{level}.score", written)
