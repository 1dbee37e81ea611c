"""Evaluation set: texts, outputs of systems, and their human and metric scores."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from wordorder.counts import joined
from wordorder.errors import UsageError, unknown_name
from wordorder.judgement.score_table import ScoreTable
from wordorder.types import Int64

if TYPE_CHECKING:
    from wordorder.judgement.pair_judgements import PairJudgements
    from wordorder.text.opening import Path

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
        The file of the source text, a segment a line.
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
                raise UsageError(
                    f"{self.name}: {table.name} has {table.segments.shape} scores; expected "
                    f"{len(self.systems)} systems x {self.segments} segments, the same systems"
                )
        for what, names in (("documents", self.documents), ("domains", self.domains)):
            if names is not None and len(names) != self.segments:
                raise UsageError(
                    f"{self.name}: {what} of {len(names)} segments; expected {self.segments}"
                )

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
        from wordorder.judgement.set_reading import read_evaluation_sets

        sets = read_evaluation_sets(path, human=human)
        if len(sets) > 1:
            pairs = [each.language_pair for each in sets]
            names = ", ".join(pairs)
            raise UsageError(f"{path}: several language pairs, {names}; {path}:{pairs[0]} is one")
        return sets[0]

    def write(self, folder: Path, *, pair: str | None = None) -> None:
        """Write the set as a folder of mt-metrics-eval; see `write_evaluation_set`."""
        from wordorder.judgement.metrics_eval_folder import write_evaluation_set

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
