"""Evaluation sets that a small TOML file describes: which plain files hold what."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from wordorder.errors import InputError, unknown_name
from wordorder.judgement.evaluation_set import EvaluationSet
from wordorder.judgement.judged_files import JudgedScores, read_judged_scores, read_rankings
from wordorder.judgement.metrics_eval_folder import read_documents
from wordorder.judgement.pair_judgements import PairJudgements
from wordorder.judgement.score_table import ScoreTable
from wordorder.text.compression import without_compression
from wordorder.text.lines import read_lines
from wordorder.text.opening import Path
from wordorder.text.toml import TomlFile, read_toml

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
        scores = {key: self._scores(key) for key in SCORES}
        first = source or next(iter((*references.values(), *outputs.values())), "")
        segments = sum(1 for _ in read_lines(first)) if first else _longest(scores.values())
        rankings = self._rankings(segments)
        scored = [
            system for named in scores.values() for each in named.values() for system in each.scores
        ]
        judged = rankings.systems if rankings is not None else ()
        systems = tuple(dict.fromkeys([*outputs, *scored, *judged]))
        domains = names = None
        if documents:
            domains, names = read_documents(self._path("documents", documents), segments)
        lengths = {"segment": segments, "document": len(set(names or ())), "system": 1}
        tables: dict[str, dict[str, ScoreTable]] = {}
        for who in ("human", "metrics"):
            of_table: dict[str, dict[str, dict[str, list[float]]]] = {}
            for key, (whose, of) in SCORES.items():
                for metric, each in scores[key].items() if whose == who else ():
                    of_table.setdefault(metric, {})[of] = each.rows(lengths[of], of)
            tables[who] = {
                metric: ScoreTable.of(
                    metric,
                    systems,
                    segments,
                    by_segment=by.get("segment", {}),
                    by_document=by.get("document", {}),
                    by_system={system: row[0] for system, row in by.get("system", {}).items()},
                )
                for metric, by in of_table.items()
            }
        return EvaluationSet(
            name or _stem(self.file.path),
            systems,
            segments,
            pair,
            source or None,
            references,
            outputs,
            names,
            domains,
            tables["human"],
            tables["metrics"],
            rankings,
        )

    def _scores(self, key: str) -> dict[str, JudgedScores]:
        return {name: read_judged_scores(path) for name, path in self._files(key).items()}

    def _rankings(self, segments: int) -> PairJudgements | None:
        given = self._strings("rankings", self.said.get("rankings", []))
        paths = [self._path("rankings", each) for each in given]
        return read_rankings(paths, segments) if paths else None

    def _text(self, key: str) -> str:
        value = self.said.get(key, "")
        if not isinstance(value, str) or (key in self.said and not value):
            raise self._wrong(key, "a text in quotes")
        return value

    def _references(self) -> dict[str, str]:
        given = self.said.get("references", [])
        if isinstance(given, dict):
            return self._files("references")
        paths = self._strings("references", given)
        if len(paths) == 1:
            return {"ref": self._path("references", paths[0])}
        # As WMT calls them: refA, refB.
        return {
            f"ref{chr(ord('A') + number)}": self._path("references", path)
            for number, path in enumerate(paths)
        }

    def _outputs(self) -> dict[str, str]:
        given = self.said.get("outputs", {})
        if not isinstance(given, str):
            return self._files("outputs")
        if given.count("*") != 1:
            raise self._wrong("outputs", 'a table of systems and files, or "outputs/*.txt"')
        before, after = (re.escape(part) for part in self._whole(given).split("*"))
        paths = {}
        for path in sorted(glob.glob(_literal(self._whole(given)))):
            if match := re.fullmatch(f"{before}(.*){after}", path):
                paths[match[1]] = path
        if not paths:
            raise InputError(self._place("outputs"), f"no file matches {given}", "some outputs")
        return paths

    def _files(self, key: str) -> dict[str, str]:
        """Return the files that a key names, by their names."""
        given = self.said.get(key, {})
        if not isinstance(given, dict) or not all(isinstance(v, str) for v in given.values()):
            raise self._wrong(key, 'a table: { name = "file" }')
        return {name: self._path(key, path) for name, path in given.items()}

    def _strings(self, key: str, given: object) -> list[str]:
        some = [given] if isinstance(given, str) else given
        if not isinstance(some, list) or not all(isinstance(each, str) and each for each in some):
            raise self._wrong(key, "a file, or a list of files, in quotes")
        return some

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


def _longest(scores: Iterable[Mapping[str, JudgedScores]]) -> int:
    """Return how many segments the scores are of, where there is no text to count them."""
    return max((each.length for named in scores for each in named.values()), default=0)


def _literal(pattern: str) -> str:
    """Return a pattern in which only ``*`` is one."""
    return "*".join(glob.escape(part) for part in pattern.split("*"))
