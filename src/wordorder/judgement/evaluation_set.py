"""Evaluation set: texts, outputs of systems, and their human and metric scores."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from wordorder.arrays import Int64
from wordorder.errors import UsageError, unknown_name
from wordorder.judgement.judgements import PairJudgements
from wordorder.judgement.score_table import ScoreTable
from wordorder.messages import joined
from wordorder.text.opening import Path

# Names of human translations among the systems: refA, ref-B, HUMAN.0, translator-A.
_HUMAN_TRANSLATION = re.compile(
    r"(ref|reference|human|translator)([-_.]?[A-Za-z0-9]{1,2})?", re.IGNORECASE
)


@dataclass(frozen=True, eq=False)
class EvaluationSet:
    """One test set in one language pair, with outputs of systems and scores.

    Texts are paths of files, which are read when they are needed. All score tables have the same
    systems and segments; missing scores are NaN.

    Attributes
    ----------
    name : str
        The name shown in tables, such as ``"wmt13 de-en"``.
    systems : tuple of str
        All systems with an output or a score.
    segments : int
        The number of segments, S.
    language_pair : str
        ``"de-en"``; may be empty.
    source : str, optional
        The file of the source text, one segment per line.
    references, outputs : mapping of name to file
        Reference translations, and outputs of systems.
    documents, domains : sequence of str, optional
        The document, and the domain, of each segment.
    human, metrics : mapping of name to ScoreTable
        Human scores, and scores of metrics.
    rankings : PairJudgements, optional
        Human preferences between two outputs. The items are segment numbers, from 1.
    segment_names : tuple of str, optional
        Names of the segments in a long table; by default, segments are numbered from 1.

    Raises
    ------
    UsageError
        If a table has different systems or segments.

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
                expected = f"{len(self.systems)} systems x {self.segments} segments"
                problem = f"{table.name} has {table.segments.shape} scores"
                raise UsageError(f"{self.name}: {problem}; expected {expected}, the same systems")
        for noun, names in (("documents", self.documents), ("domains", self.domains)):
            if names is not None and len(names) != self.segments:
                problem = f"{noun} of {len(names)} segments"
                raise UsageError(f"{self.name}: {problem}; expected {self.segments}")

    @classmethod
    def read(cls, path: Path, *, human: str | None = None) -> EvaluationSet:
        """Read a set: a folder of mt-metrics-eval, a TOML file, or one long table.

        Parameters
        ----------
        path : path
            See `read_evaluation_sets`.
        human : str, optional
            The metric of a long table that is the human score.

        Raises
        ------
        InputError
            If a file is not valid; the message names file and line.
        UsageError
            If there are several sets; the message names them.
        """
        from wordorder.judgement import read_evaluation_sets

        sets = read_evaluation_sets(path, human=human)
        if len(sets) > 1:
            names = ", ".join(evaluation_set.language_pair for evaluation_set in sets)
            hint = f"{path}:{sets[0].language_pair} is one"
            raise UsageError(f"{path}: several language pairs, {names}; {hint}")
        return sets[0]

    def write(self, folder: Path, *, pair: str | None = None) -> None:
        """Write the set as a folder of mt-metrics-eval; see `write_evaluation_set`."""
        from wordorder.judgement import write_evaluation_set

        write_evaluation_set(self, folder, pair=pair)

    @cached_property
    def document_names(self) -> tuple[str, ...]:
        """The names of the documents, in order of their first segments."""
        return tuple(dict.fromkeys(self.documents or ()))

    @cached_property
    def document_of(self) -> Int64:
        """The index of the document of each segment in `document_names`, int64[S].

        Raises
        ------
        UsageError
            If the set has no documents.
        """
        if self.documents is None:
            raise UsageError(f"{self.name}: it does not say which segments form a document")
        index_of = {name: index for index, name in enumerate(self.document_names)}
        return np.array([index_of[name] for name in self.documents], np.int64)

    @property
    def human_translations(self) -> tuple[str, ...]:
        """The systems that are human translations, by their names: ``refA``, ``HUMAN.0``."""
        return tuple(
            name
            for name in self.systems
            if name in self.references or _HUMAN_TRANSLATION.fullmatch(name)
        )

    def human_scores(self, name: str | None = None) -> ScoreTable:
        """Return the human scores called `name`.

        Parameters
        ----------
        name : str, optional
            May be omitted if the set has only one table of human scores.

        Raises
        ------
        UsageError
            If there is no such table, or without `name`, if there is not exactly one.
        """
        if name is not None:
            if name not in self.human:
                raise unknown_name(f"human score of {self.name}", name, self.human)
            return self.human[name]
        if len(self.human) != 1:
            names = joined(list(self.human)) if self.human else "no human scores"
            hint = "; choose one with --human" if self.human else ""
            raise UsageError(f"{self.name}: there are {names}{hint}")
        return next(iter(self.human.values()))
