"""Read evaluation sets described by a TOML file."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from typing import Any

from wordorder.errors import InputError, unknown_name
from wordorder.judgement import judgement_files
from wordorder.judgement.evaluation_set import EvaluationSet
from wordorder.judgement.set_parts import (
    Scores,
    count_lines,
    max_length,
    read_documents,
    scored_systems,
    tables_of_scores,
)
from wordorder.text.names import without_compression
from wordorder.text.opening import Path
from wordorder.text.toml import TomlFile, read_toml

# Keys with the file or files of some scores: human or of metrics, and the level of the scores.
SCORE_KEYS = {
    "segment_scores": ("human", "segment"),
    "document_scores": ("human", "document"),
    "system_scores": ("human", "system"),
    "metric_segment_scores": ("metrics", "segment"),
    "metric_document_scores": ("metrics", "document"),
    "metric_system_scores": ("metrics", "system"),
}

TEXT_KEYS = ("name", "language_pair", "source", "documents")

SET_KEYS = (*TEXT_KEYS, "references", "outputs", "rankings", *SCORE_KEYS)


def read_set_toml(path: Path) -> EvaluationSet:
    r"""Read a set from a TOML file with one table, ``[set]``; paths are relative to its folder.

    ``name``, ``language_pair``, ``source``, ``documents``: strings. ``references``: a list of
    files, or a table of names and files. ``outputs``: a table of systems and files, or a pattern
    with one ``*``, which matches the name of the system. ``segment_scores``, ``document_scores``
    and ``system_scores``: tables of names of human scores and files; for metrics the same with the
    prefix ``metric_``. ``rankings``: a file of rankings or pairs, or a list of them.

    Raises
    ------
    InputError
        If a key is unknown or has another type (the message names the line), or a file is not
        valid.

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
    return _SetReader(read_toml(path), os.path.dirname(os.fspath(path))).read()


class _SetReader:
    """Reads the set described by one TOML file."""

    def __init__(self, file: TomlFile, folder: str) -> None:
        self.file = file
        self.folder = folder
        for key in file.data:
            if key != "set":
                self._refuse("", key, ["set"])
        self.data: dict[str, Any] = file.data.get("set", {})
        if not isinstance(self.data, dict) or not self.data:
            raise InputError(file.path, "no table [set]", f"one with some of {', '.join(SET_KEYS)}")
        for key in self.data:
            if key not in SET_KEYS:
                self._refuse("set", key, SET_KEYS)

    def read(self) -> EvaluationSet:
        name, pair, source, documents = (self._string(key) for key in TEXT_KEYS)
        source = self._path("source", source) if source else ""
        references, outputs = self._references(), self._outputs()
        human, metrics = self._scores("human"), self._scores("metrics")
        text = source or next(iter((*references.values(), *outputs.values())), "")
        segments = count_lines(text) if text else max_length(human, metrics)
        ranking_files = self._paths("rankings")
        rankings = judgement_files.read_rankings(ranking_files, segments) if ranking_files else None
        ranked = rankings.systems if rankings is not None else ()
        scored = [*scored_systems(human), *scored_systems(metrics)]
        systems = tuple(dict.fromkeys([*outputs, *scored, *ranked]))
        domains = names = None
        if documents:
            domains, names = read_documents(self._path("documents", documents), segments)
        return EvaluationSet(
            *(name or _set_name(self.file.path), systems, segments, pair, source or None),
            *(references, outputs, names, domains),
            human=tables_of_scores(human, systems, segments, names),
            metrics=tables_of_scores(metrics, systems, segments, names),
            rankings=rankings,
        )

    def _scores(self, scorer: str) -> Scores:
        """Read all scores of one scorer: "human" or "metrics"."""
        return {
            (level, name): judgement_files.read_judged_scores(path)
            for key, (key_scorer, level) in SCORE_KEYS.items()
            if key_scorer == scorer
            for name, path in self._files(key).items()
        }

    def _string(self, key: str) -> str:
        value = self.data.get(key, "")
        if not isinstance(value, str) or (key in self.data and not value):
            raise self._wrong(key, "a text in quotes")
        return value

    def _references(self) -> dict[str, str]:
        """Return the references by name; the names of a list are those of WMT: refA, refB."""
        if isinstance(self.data.get("references"), dict):
            return self._files("references")
        paths = self._paths("references")
        if len(paths) == 1:
            return {"ref": paths[0]}
        return {f"ref{chr(ord('A') + index)}": path for index, path in enumerate(paths)}

    def _outputs(self) -> dict[str, str]:
        """Return the outputs by system, from a table or from the files that match a pattern."""
        value = self.data.get("outputs", {})
        if not isinstance(value, str):
            return self._files("outputs")
        if value.count("*") != 1:
            raise self._wrong("outputs", 'a table of systems and files, or "outputs/*.txt"')
        prefix, suffix = self._resolve(value).split("*")
        # Other special characters of glob are part of the path.
        paths = {
            path[len(prefix) : len(path) - len(suffix)]: path
            for path in sorted(glob.glob(f"{glob.escape(prefix)}*{glob.escape(suffix)}"))
            if path.startswith(prefix) and path.endswith(suffix)
        }
        if not paths:
            raise InputError(self._place("outputs"), f"no file matches {value}", "some outputs")
        return paths

    def _files(self, key: str) -> dict[str, str]:
        """Return the table of names and paths of a key."""
        value = self.data.get(key, {})
        if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
            raise self._wrong(key, 'a table: { name = "file" }')
        return {name: self._path(key, path) for name, path in value.items()}

    def _paths(self, key: str) -> list[str]:
        """Return the paths listed by a key."""
        value = self.data.get(key, [])
        paths = [value] if isinstance(value, str) else value
        if not isinstance(paths, list) or not all(isinstance(v, str) and v for v in paths):
            raise self._wrong(key, "a file, or a list of files, in quotes")
        return [self._path(key, path) for path in paths]

    def _path(self, key: str, value: str) -> str:
        """Return the path of a file, which must exist."""
        path = self._resolve(value)
        if not os.path.exists(path):
            raise InputError(self._place(key), f"{key}: no file {path}")
        return path

    def _resolve(self, path: str) -> str:
        return os.path.join(self.folder, os.path.expanduser(path))

    def _place(self, key: str) -> str:
        return self.file.place("set", key=key)

    def _wrong(self, key: str, expected: str) -> InputError:
        return InputError(self._place(key), f"{key} = {str(self.data[key])[:40]}", expected)

    def _refuse(self, table: str, key: str, allowed: Iterable[str]) -> None:
        raise InputError(self.file.place(table, key=key), str(unknown_name("key", key, allowed)))


def _set_name(path: str) -> str:
    """Return the name of a file without suffixes, or of its folder if it is called set.toml."""
    name = os.path.basename(without_compression(path)).removesuffix(".toml")
    folder = os.path.basename(os.path.dirname(os.path.abspath(path)))
    return folder if name == "set" and folder else name
