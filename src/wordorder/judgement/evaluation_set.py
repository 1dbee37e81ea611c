"""Evaluation set: texts, outputs of systems, and their human and metric scores."""

from __future__ import annotations

import glob
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from wordorder.arrays import Int64
from wordorder.errors import InputError, UsageError, location, unknown_name
from wordorder.judgement import judgement_files
from wordorder.judgement.judgements import PairJudgements
from wordorder.judgement.score_table import LEVELS, MISSING, ScoreTable, write_scores
from wordorder.judgement.table_rows import Names, TableRows
from wordorder.messages import counted, joined
from wordorder.notes import note
from wordorder.text.lines import read_lines
from wordorder.text.names import SUFFIXES, names_and_paths, without_compression
from wordorder.text.opening import Path, display_name
from wordorder.text.output import write_text
from wordorder.text.stores import table_files
from wordorder.text.toml import TomlFile, read_toml

# What human translations are called among the systems: refA, ref-B, HUMAN.0, translator-A.
_HUMAN = re.compile(r"(ref|reference|human|translator)([-_.]?[A-Za-z0-9]{1,2})?", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class EvaluationSet:
    """One test set in one language pair, with outputs of systems and scores.

    Texts are named by their files and read where they are needed. All score tables have the same
    systems and segments; what is missing is NaN.

    Attributes
    ----------
    name : str
        What tables call it: ``"wmt13 de-en"``.
    systems : tuple of str
        All that have an output or a score.
    segments : int
        How many there are, S.
    language_pair : str
        ``"de-en"``; may be empty.
    source : str, optional
        The file of the source text, one segment per line.
    references, outputs : mapping of name to file
        Reference translations, and what the systems made.
    documents, domains : sequence of str, optional
        The document, and the domain, of each segment.
    human, metrics : mapping of name to ScoreTable
        What people, and what metrics, gave.
    rankings : PairJudgements, optional
        Which of two outputs people preferred. Its items are the numbers of segments, from 1.
    segment_names : tuple of str, optional
        What a table called the segments; without, they are numbered from 1.

    Raises
    ------
    UsageError
        If a table has other systems or segments.

    Examples
    --------
    >>> mqm = ScoreTable("mqm", ("A", "B"), np.array([[-1.0, 0.0], [-5.0, np.nan]]))
    >>> result = EvaluationSet("test", ("A", "B"), 2, human={"mqm": mqm})
    >>> result.human_scores().system_scores().tolist()
    [-0.5, -5.0]
    """

    name: str
    systems: tuple[str, ...]
    segments: int
    language_pair: str = ""
    source: str | None = None
    references: Mapping[str, str] = field(default_factory=dict)
    outputs: Mapping[str, str] = field(default_factory=dict)
    documents: Sequence[str] | None = None
    domains: Sequence[str] | None = None
    human: Mapping[str, ScoreTable] = field(default_factory=dict)
    metrics: Mapping[str, ScoreTable] = field(default_factory=dict)
    rankings: PairJudgements | None = None
    segment_names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for table in (*self.human.values(), *self.metrics.values()):
            if table.systems != self.systems or table.segments.shape[1] != self.segments:
                expected = (
                    f"{len(self.systems)} systems x {self.segments} segments, the same systems"
                )
                what = f"{table.name} has {table.segments.shape} scores"
                raise UsageError(f"{self.name}: {what}; expected {expected}")
        for what, names in (("documents", self.documents), ("domains", self.domains)):
            if names is not None and len(names) != self.segments:
                given = f"{what} of {len(names)} segments"
                raise UsageError(f"{self.name}: {given}; expected {self.segments}")

    @classmethod
    def read(cls, path: Path, *, human: str | None = None) -> EvaluationSet:
        """Read a set: a folder of mt-metrics-eval, a TOML file, or one long table.

        Parameters
        ----------
        path : path
            As `read_evaluation_sets` takes it.
        human : str, optional
            Which metric of a long table is the human one.

        Raises
        ------
        InputError
            If a file is wrong; the message names file and line.
        UsageError
            If there are several sets; the message names them.
        """

        sets = read_evaluation_sets(path, human=human)
        if len(sets) > 1:
            names = ", ".join(each.language_pair for each in sets)
            one = f"{path}:{sets[0].language_pair} is one"
            raise UsageError(f"{path}: several language pairs, {names}; {one}")
        return sets[0]

    def write(self, folder: Path, *, pair: str | None = None) -> None:
        """Write the set as a folder of mt-metrics-eval; see `write_evaluation_set`."""

        write_evaluation_set(self, folder, pair=pair)

    @cached_property
    def document_names(self) -> tuple[str, ...]:
        """The documents, in the order in which they begin."""
        return tuple(dict.fromkeys(self.documents or ()))

    @cached_property
    def document_of(self) -> Int64:
        """The document of each segment, from 0: int64[S].

        Raises
        ------
        UsageError
            If the set has no documents.
        """
        if self.documents is None:
            raise UsageError(f"{self.name}: it does not say which segments form a document")
        numbers = {name: number for number, name in enumerate(self.document_names)}
        return np.array([numbers[name] for name in self.documents], np.int64)

    @property
    def human_translations(self) -> tuple[str, ...]:
        """The systems that are people: named like a reference, ``refA``, ``HUMAN.0``."""
        return tuple(
            name for name in self.systems if name in self.references or _HUMAN.fullmatch(name)
        )

    def human_scores(self, name: str | None = None) -> ScoreTable:
        """Return what people gave.

        Parameters
        ----------
        name : str, optional
            Which of the human scores; not needed if there is only one.

        Raises
        ------
        UsageError
            If there is none, no such one, or several and `name` does not say which.
        """
        if name is not None:
            if name not in self.human:
                raise unknown_name(f"human score of {self.name}", name, self.human)
            return self.human[name]
        if len(self.human) != 1:
            there = joined(list(self.human)) if self.human else "no human scores"
            hint = "; choose one with --human" if self.human else ""
            raise UsageError(f"{self.name}: there are {there}{hint}")
        return next(iter(self.human.values()))


# What describes the files of a folder.
SET_FILE = "set.toml"


def read_evaluation_sets(path: Path, *, human: str | None = None) -> list[EvaluationSet]:
    """Read the evaluation sets that a path names.

    Parameters
    ----------
    path : path or "-"
        A folder of mt-metrics-eval, all of whose language pairs are read, or ``FOLDER:PAIR`` for
        one of them; a TOML file, or a folder with one called ``set.toml``; or one long table, as a
        file or in parts.
    human : str, optional
        Which metric of a long table is the human one.

    Returns
    -------
    list of EvaluationSet
        One a language pair; always one but for a folder of mt-metrics-eval.

    Raises
    ------
    InputError
        If there is no such file, or it is none of these.
    UsageError
        If there is no such language pair; the message names those that there are.
    """
    name = os.fspath(path)
    folder, colon, pair = name.rpartition(":")
    if colon and folder and not os.path.exists(name):
        if not os.path.isdir(folder):
            raise InputError(folder, "no such folder", "a folder of mt-metrics-eval")
        if is_metrics_eval_folder(folder):
            return [read_metrics_eval_folder(folder, pair)]
    if os.path.isdir(name):
        if is_metrics_eval_folder(name):
            return [read_metrics_eval_folder(name, pair) for pair in language_pairs(name)]
        if os.path.isfile(toml := os.path.join(name, SET_FILE)):
            return [read_set_toml(toml)]
        problem = "a folder without an evaluation set"
        expected = (
            f"one of mt-metrics-eval (human-scores, system-outputs), {SET_FILE} in it, or "
            f"parts of a long table ({', '.join(REQUIRED)})"
        )
        try:
            first = table_files(name)[0]
        except InputError:
            raise InputError(name, problem, expected) from None
        with TableRows(first) as rows:
            if not set(REQUIRED) <= set(rows.header):
                shown = f"{problem}: {os.path.basename(first)} has the columns"
                raise InputError(name, f"{shown} {' '.join(rows.header)[:60]}", expected)
    if without_compression(display_name(path)).endswith(".toml"):
        return [read_set_toml(path)]
    return [set_of_long_table(path, human=human)]


REQUIRED = ("system", "metric", "value")

# What `wordorder score --format tsv` writes beside them.
_OF_SCORE = {"low", "high", "matched", "signature"}


@dataclass(frozen=True)
class LongTable:
    """The scores of a long table.

    Attributes
    ----------
    path : str
    systems, segments : tuple of str
        The names in the order of the table.
    tables : mapping of metric to ScoreTable
        A row without a segment is the score of the system on the whole set.
    """

    path: str
    systems: tuple[str, ...]
    segments: tuple[str, ...]
    tables: dict[str, ScoreTable]


def read_long_table(path: Path) -> LongTable:
    r"""Read a table with the columns system, segment, metric and value, in any order.

    Columns are separated by tabs, commas or blanks, as the header is. ``None`` and an empty value
    are missing ones.

    Raises
    ------
    InputError
        If a column is missing, a value is no number, or a score is given twice.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "all.tsv")
    >>> _ = path.write_text("system\tsegment\tmetric\tvalue\nA\t1\tmqm\t-1\nA\t2\tmqm\tNone\n")
    >>> read_long_table(path).tables["mqm"].segments.tolist()
    [[-1.0, nan]]
    """
    with TableRows(path) as rows:
        return _read(rows)


def _read(rows: TableRows) -> LongTable:
    """Read the rows of a long table."""
    missing = [name for name in REQUIRED if name not in rows.header]
    if missing:
        shown = " ".join(rows.header)[:60]
        problem = f"no column {joined(missing, 'or')} in {shown!r}" if shown else "an empty file"
        expected = "the columns system, segment, metric and value (a TOML file names judgements)"
        raise InputError(rows.name, problem, expected)
    unread = [name for name in rows.header if name not in {*REQUIRED, "segment", *_OF_SCORE}]
    if unread:
        note(f"{rows.name}: columns that are not read: {joined(unread)}")
    systems, segments, metrics = Names(), Names(), Names()
    scores: dict[tuple[int, int, int], float] = {}
    for system, segment, metric, value in rows.cells("system", "segment", "metric", "value"):
        key = (
            metrics.number(rows.filled(metric, "metric")),
            systems.number(rows.filled(system, "system")),
            segments.number(segment) if segment else -1,
        )
        if key in scores:
            where = f" on segment {segment}" if segment else ""
            raise rows.error(f"{metric} of {system}{where} is given twice", "each score once")
        absent = value in ("", "None")
        scores[key] = math.nan if absent else rows.number(value, "value")
    if not scores:
        raise InputError(rows.name, "no scores", "a row for each score after the header")
    shape = len(metrics.all()), len(systems.all()), len(segments.all())
    by_segment = np.full(shape, np.nan)
    whole = np.full(shape[:2], np.nan)
    for (metric_, system_, segment_), score in scores.items():
        if segment_ < 0:
            whole[metric_, system_] = score
        else:
            by_segment[metric_, system_, segment_] = score
    tables = {}
    for number, name in enumerate(metrics.all()):
        given = None if np.isnan(whole[number]).all() else whole[number]
        tables[name] = ScoreTable(name, systems.all(), by_segment[number], given)
    return LongTable(rows.name, systems.all(), segments.all(), tables)


def set_of_long_table(path: Path, *, human: str | None = None) -> EvaluationSet:
    """Read a long table as an evaluation set.

    Parameters
    ----------
    path : path
    human : str, optional
        Which metric is the human one; without, it must be called ``human``.

    Raises
    ------
    UsageError
        If `human` is no metric of the table, or is missing; the message names the metrics.
    """
    read = read_long_table(path)
    if human is None and "human" not in read.tables:
        names = ", ".join(read.tables)
        raise UsageError(f"{read.path}: --human=NAME says which metric is human: {names}")
    human = human or "human"
    if human not in read.tables:
        raise unknown_name(f"metric in {read.path}", human, read.tables)
    ((name, _),) = names_and_paths([read.path])
    return EvaluationSet(
        name.removesuffix(".tsv").removesuffix(".csv"),
        read.systems,
        len(read.segments),
        human={human: read.tables[human]},
        metrics={name: table for name, table in read.tables.items() if name != human},
        segment_names=read.segments,
    )


# By what each score is of, "segment", and by the name of the metric or of the human scores.
_Scores = Mapping[tuple[str, str], judgement_files.JudgedScores]


def is_metrics_eval_folder(path: Path) -> bool:
    """Return whether a folder is laid out as mt-metrics-eval lays out a test set."""
    parts = ("system-outputs", "human-scores")
    return any(os.path.isdir(os.path.join(path, part)) for part in parts)


def language_pairs(folder: Path) -> list[str]:
    """Return the language pairs of which a folder has a source text or human scores."""
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
        If a file is wrong, or has too many or too few lines.
    UsageError
        If there is no such language pair.
    """
    known = language_pairs(folder)
    if pair not in known:
        raise unknown_name("language pair", pair, known)
    source = _files(folder, "sources").get(f"{pair}.txt")
    references = _files(folder, "references", begin=f"{pair}.", end=".txt")
    references = {name.split(".")[-1]: path for name, path in references.items()}
    outputs = _files(folder, "system-outputs", pair, end=".txt")
    human = _scores(_files(folder, "human-scores", begin=f"{pair}."))
    metrics = _scores(_files(folder, "metric-scores", pair))
    systems = tuple(dict.fromkeys([*outputs, *_scored(human), *_scored(metrics)]))
    text = source or next(iter((*references.values(), *outputs.values())), None)
    segments = _lines(text) if text else _longest(human, metrics, of="segment")
    path = _files(folder, "documents").get(f"{pair}.docs")
    domains, documents = read_documents(path, segments) if path else (None, None)
    if text is None and not segments:
        raise InputError(os.fspath(folder), f"no texts and no scores of {pair}", "some")
    name = f"{os.path.basename(os.path.abspath(folder))} {pair}"
    return EvaluationSet(
        *(name, systems, segments, pair, source, references, outputs, documents, domains),
        human=_tables(human, systems, segments, documents),
        metrics=_tables(metrics, systems, segments, documents),
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


def _files(folder: Path, *parts: str, begin: str = "", end: str = "") -> dict[str, str]:
    """Return the files in a folder by what their names have between `begin` and `end`.

    The suffix of a compression is not part of a name.
    """
    place = os.path.join(folder, *parts)
    paths = {}
    for name in sorted(os.listdir(place)) if os.path.isdir(place) else ():
        path = os.path.join(place, name)
        plain = next((name.removesuffix(s) for s in SUFFIXES if name.endswith(s)), name)
        fits = plain.startswith(begin) and plain.endswith(end)
        if fits and not name.startswith(".") and os.path.isfile(path):
            paths[plain.removesuffix(end).removeprefix(begin)] = path
    return paths


def _scores(files: Mapping[str, str]) -> _Scores:
    """Read the files of scores, whose names are NAME.LEVEL.score."""
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
        shown = joined(left_out[:3]) + (" ..." if len(left_out) > 3 else "")
        note(f"left out {count} without scores of segments, documents or systems: {shown}")
    return scores


def _scored(scores: _Scores) -> list[str]:
    """Return the systems that have scores."""
    return [system for each in scores.values() for system in each.scores]


def _tables(
    scores: _Scores, systems: Sequence[str], segments: int, documents: Sequence[str] | None
) -> dict[str, ScoreTable]:
    """Make a table of each metric, or kind of human score, of what its files hold."""
    lengths = {"segment": segments, "document": len(set(documents or ())), "system": 1}
    by_name: dict[str, dict[str, dict[str, list[float]]]] = {}
    for (of, name), each in scores.items():
        by_name.setdefault(name, {})[of] = each.rows(lengths[of], of)
    return {
        name: ScoreTable.of_levels(name, systems, segments, levels)
        for name, levels in by_name.items()
    }


def _longest(*scores: _Scores, of: str = "") -> int:
    """Return how many segments the scores are of, where there is no text to count them."""
    lengths = (each.length for some in scores for (what, _), each in some.items() if of in what)
    return max(lengths, default=0)


def read_documents(path: Path, segments: int) -> tuple[list[str] | None, list[str]]:
    """Read the domain and the document of each segment: ``DOMAIN DOCUMENT``, or the document alone.

    One line more than there are segments may be a header, ``domain document`` or ``document``.

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
    header = rows[0] if len(rows) == segments + 1 else []
    if [word.lower() for word in header] in (["domain", "document"], ["document"]):
        rows = rows[1:]
    if len(rows) != segments:
        what = counted(len(rows), "line")
        raise InputError(os.fspath(path), what, f"{segments}: one per segment")
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
    whole = None if table.whole is None else table.whole[:, None]
    for level, scores in zip(LEVELS, (table.segments, table.documents, whole), strict=True):
        if scores is None or not scores.size:
            continue
        known = ~np.isnan(scores).all(axis=1)
        written = {table.systems[n]: scores[n].tolist() for n in np.flatnonzero(known)}
        if written:
            write_scores(f"{start}.{level}.score", written)


# The tables of scores by their keys: who scores, and what each score is of.
SCORES = {
    "segment_scores": ("human", "segment"),
    "document_scores": ("human", "document"),
    "system_scores": ("human", "system"),
    "metric_segment_scores": ("metrics", "segment"),
    "metric_document_scores": ("metrics", "document"),
    "metric_system_scores": ("metrics", "system"),
}

TEXTS = ("name", "language_pair", "source", "documents")

KEYS = (*TEXTS, "references", "outputs", "rankings", *SCORES)


def read_set_toml(path: Path) -> EvaluationSet:
    r"""Read a set from a TOML file with one table, ``[set]``; its files are relative to it.

    ``name``, ``language_pair``, ``source``, ``documents``: texts. ``references``: a list of files,
    or a table of names and files. ``outputs``: a table of systems and files, or a pattern with one
    ``*``, which matches the name of the system. ``segment_scores``, ``document_scores`` and
    ``system_scores``: tables of kinds of human score and files; the same with ``metric_`` in front
    for metrics. ``rankings``: a file of rankings or pairs, or a list of them.

    Raises
    ------
    InputError
        If a key is unknown or has another type (the message names the line), or a file is wrong.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name in ("A.txt", "B.txt"):
    ...     _ = (folder / name).write_text("one\ntwo\n")
    >>> _ = (folder / "set.toml").write_text('[set]\nname = "test"\noutputs = "*.txt"\n')
    >>> result = read_set_toml(folder / "set.toml")
    >>> result.name, result.systems, result.segments
    ('test', ('A', 'B'), 2)
    """
    return _Reading(read_toml(path), os.path.dirname(os.fspath(path))).read()


class _Reading:
    """What one TOML file says."""

    def __init__(self, file: TomlFile, folder: str) -> None:
        self.file = file
        self.folder = folder
        for key in file.data:
            if key != "set":
                self._refuse("", key, ["set"])
        self.said: dict[str, Any] = file.data.get("set", {})
        if not isinstance(self.said, dict) or not self.said:
            raise InputError(file.path, "no table [set]", f"one with some of {', '.join(KEYS)}")
        for key in self.said:
            if key not in KEYS:
                self._refuse("set", key, KEYS)

    def read(self) -> EvaluationSet:
        name, pair, source, documents = (self._text(key) for key in TEXTS)
        source = self._path("source", source) if source else ""
        references, outputs = self._references(), self._outputs()
        human, metrics = self._scores("human"), self._scores("metrics")
        first = source or next(iter((*references.values(), *outputs.values())), "")
        segments = _lines(first) if first else _longest(human, metrics)
        judged_files = self._paths("rankings")
        rankings = judgement_files.read_rankings(judged_files, segments) if judged_files else None
        judged = rankings.systems if rankings is not None else ()
        systems = tuple(dict.fromkeys([*outputs, *_scored(human), *_scored(metrics), *judged]))
        domains = names = None
        if documents:
            domains, names = read_documents(self._path("documents", documents), segments)
        return EvaluationSet(
            *(name or _stem(self.file.path), systems, segments, pair, source or None),
            *(references, outputs, names, domains),
            human=_tables(human, systems, segments, names),
            metrics=_tables(metrics, systems, segments, names),
            rankings=rankings,
        )

    def _scores(self, who: str) -> _Scores:
        return {
            (of, name): judgement_files.read_judged_scores(path)
            for key, (whose, of) in SCORES.items()
            if whose == who
            for name, path in self._files(key).items()
        }

    def _text(self, key: str) -> str:
        value = self.said.get(key, "")
        if not isinstance(value, str) or (key in self.said and not value):
            raise self._wrong(key, "a text in quotes")
        return value

    def _references(self) -> dict[str, str]:
        if isinstance(self.said.get("references"), dict):
            return self._files("references")
        paths = self._paths("references")
        if len(paths) == 1:
            return {"ref": paths[0]}
        # As WMT calls them: refA, refB.
        return {f"ref{chr(ord('A') + number)}": path for number, path in enumerate(paths)}

    def _outputs(self) -> dict[str, str]:
        given = self.said.get("outputs", {})
        if not isinstance(given, str):
            return self._files("outputs")
        if given.count("*") != 1:
            raise self._wrong("outputs", 'a table of systems and files, or "outputs/*.txt"')
        before, after = (re.escape(part) for part in self._whole(given).split("*"))
        # Only the * is a pattern.
        pattern = "*".join(glob.escape(part) for part in self._whole(given).split("*"))
        matches = (
            re.fullmatch(f"{before}(.*){after}", path) for path in sorted(glob.glob(pattern))
        )
        paths = {match[1]: match[0] for match in matches if match}
        if not paths:
            raise InputError(self._place("outputs"), f"no file matches {given}", "some outputs")
        return paths

    def _files(self, key: str) -> dict[str, str]:
        """Return the files that a key names, by their names."""
        given = self.said.get(key, {})
        if not isinstance(given, dict) or not all(isinstance(v, str) for v in given.values()):
            raise self._wrong(key, 'a table: { name = "file" }')
        return {name: self._path(key, path) for name, path in given.items()}

    def _paths(self, key: str) -> list[str]:
        """Return the files that a key lists."""
        given = self.said.get(key, [])
        some = [given] if isinstance(given, str) else given
        if not isinstance(some, list) or not all(isinstance(each, str) and each for each in some):
            raise self._wrong(key, "a file, or a list of files, in quotes")
        return [self._path(key, each) for each in some]

    def _path(self, key: str, given: str) -> str:
        """Return the path of a file that a key names."""
        path = self._whole(given)
        if not os.path.exists(path):
            raise InputError(self._place(key), f"{key}: no file {path}")
        return path

    def _whole(self, given: str) -> str:
        return os.path.join(self.folder, os.path.expanduser(given))

    def _place(self, key: str) -> str:
        return self.file.place("set", key=key)

    def _wrong(self, key: str, expected: str) -> InputError:
        return InputError(self._place(key), f"{key} = {str(self.said[key])[:40]}", expected)

    def _refuse(self, table: str, key: str, legal: Iterable[str]) -> None:
        raise InputError(self.file.place(table, key=key), str(unknown_name("key", key, legal)))


def _stem(path: str) -> str:
    """Name a set after its file, or after its folder if that is called set.toml."""
    name = os.path.basename(without_compression(path)).removesuffix(".toml")
    folder = os.path.basename(os.path.dirname(os.path.abspath(path)))
    return folder if name == "set" and folder else name
