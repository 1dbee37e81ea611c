"""METEOR 1.5: matched words, weighted, and how fragmented they are."""

from __future__ import annotations

import hashlib
import os
from typing import Any

import numpy as np

from wordorder.alignment.monolingual import Matches, MonolingualAligner
from wordorder.errors import UsageError
from wordorder.metrics.options import file_name, switch
from wordorder.metrics.text.meteor_parameters import (
    parameters_depend_on_language,
    resolve_task,
    task_modules,
    task_parameters,
)
from wordorder.metrics.text.text_metric import TextMetric, best_reference
from wordorder.ragged import Ragged
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.text.lines import read_lines, tokens
from wordorder.text.texts import Texts
from wordorder.types import Float64, Int64

FilePath = str | os.PathLike[str]
# Lengths and function words of both sides, chunks, number of segments: behind the modules' columns.
_TAIL = 6


class Meteor(TextMetric):
    """Weighted F-mean of the words that an alignment matches, less a penalty for fragments.

    With precision ``P`` and recall ``R`` of matched words, weighted by module and by content and
    function words: ``F * (1 - pen)`` with ``F = 1 / ((1 - alpha) / P + alpha / R)`` and
    ``pen = gamma * (chunks / matches) ** beta`` (Denkowski & Lavie 2014; METEOR 1.5). The
    reference with the best score counts; the corpus score comes from the sums of all counts.

    Parameters
    ----------
    language : str
        ``en``, ``cs``, ``de``, ``es``, ``fr``, ``ru``, or another one that METEOR 1.5 knows;
        ``other`` for all others.
    task : str
        What the parameters were tuned for: ``ranking``, ``adequacy``, ``hter``, ``utility``; or
        ``li`` (independent of the language), ``tuning``, ``universal``. By default ``ranking``
        where the language has it, else ``li``.
    synonyms, paraphrases : path
        As `MonolingualAligner` takes them. A module without its resource is left out.
    function_words : path
        A file of words, separated by blanks or line ends; without it all words are content words.
    java : bool
        As in `MonolingualAligner`.

    Raises
    ------
    UsageError
        If a name is unknown, or METEOR has no use for a resource in that language.
    InputError
        If a resource cannot be read.

    Examples
    --------
    >>> segments = Segments.from_text(["a b c d x"], ["a b y c d z"])
    >>> Meteor().segment_scores(segments).round(4)
    array([0.3266])
    """

    name = "meteor"

    def __init__(
        self,
        *,
        language: str = "en",
        task: str = "default",
        synonyms: str = "",
        paraphrases: str = "",
        function_words: str = "",
        java: bool = False,
    ) -> None:
        self.language = language
        self.task = resolve_task(language, task)
        self.parameters = task_parameters(language, self.task)
        modules = task_modules(language, self.task)
        synsets = file_name("meteor.synonyms", synonyms)
        table = file_name("meteor.paraphrases", paraphrases)
        words = file_name("meteor.function_words", function_words)
        for module, path in (("synonym", synsets), ("paraphrase", table)):
            if path and module not in modules:
                raise UsageError(
                    f"METEOR uses no {module}s for task={self.task} in language={language}"
                )
            if not path:
                modules = tuple(each for each in modules if each != module)
        self._named = {
            "language": language,
            "task": task,
            "synonyms": synsets or "",
            "paraphrases": table or "",
            "function_words": words or "",
            "java": java,
        }
        self.aligner = MonolingualAligner(
            language,
            modules,
            synsets,
            table,
            java=switch("meteor.java", java),
        )
        self.function_words = frozenset(_words(words) if words else ())
        self._function_digest = _digest(self.function_words) if words else "none"

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 4 * modules + 6].

        For each module the matched content and function words of the hypothesis, then of the
        reference; then words and function words of the hypothesis and of the reference, chunks,
        and 1.
        """
        texts = segments.texts
        rows = self._counts(texts, self.aligner.align(texts))
        chosen = best_reference(-self.score(rows), texts.reference_offsets)
        statistics = np.zeros((len(texts), rows.shape[1]))
        used = chosen >= 0
        statistics[used] = rows[chosen[used]]
        return statistics

    def score(self, totals: Float64) -> Float64:
        """Return F-mean times one less the penalty; 0 where nothing matches."""
        parameters = self.parameters
        weights = np.array([parameters.weights[m] for m in self.aligner.modules])
        kinds = np.array([parameters.delta, 1 - parameters.delta])
        # Modules, sides (hypothesis, reference), kinds (content, function).
        matched = totals[..., :-_TAIL].reshape(*totals.shape[:-1], len(weights), 2, 2)
        lengths = totals[..., -_TAIL:-2].reshape(*totals.shape[:-1], 2, 2)
        chunks = totals[..., -2]
        contents = np.stack([lengths[..., 0] - lengths[..., 1], lengths[..., 1]], axis=-1)
        shares = _ratio(
            _weighted(_weighted(np.moveaxis(matched, -3, -1), weights), kinds),
            _weighted(contents, kinds),
        )
        precision, recall = shares[..., 0], shares[..., 1]
        alpha = parameters.alpha
        mean = _ratio(precision * recall, (1 - alpha) * recall + alpha * precision)
        covered = matched.sum(axis=(-3, -1))
        perfect = np.all(covered == lengths[..., 0], axis=-1) & (chunks == 1)
        fragmentation = np.where(perfect, 0.0, _ratio(2 * chunks, covered.sum(axis=-1)))
        penalty = parameters.gamma * fragmentation**parameters.beta
        return np.asarray(np.maximum(mean * (1 - penalty), 0.0))

    def signature(self) -> Signature:
        """Return the name with language, task and all that the matches depend on.

        Parameters for all languages leave the language to the stems, which name it.
        """
        tuned = parameters_depend_on_language(self.task)
        return Signature(
            self.name,
            (
                ("language", self.language if tuned else "any"),
                ("task", self.task),
                ("function", self._function_digest),
                *self.aligner.fields,
            ),
        )

    def named_options(self) -> dict[str, Any]:
        """Return the options as they were given; resources by the names of their files."""
        return self._named

    def _counts(self, texts: Texts, matches: Matches) -> Float64:
        """Return the statistics of each reference row, float64[R, 4 * modules + 6]."""
        flags = np.zeros(len(texts.vocabulary), np.int64)
        if self.function_words:
            known = self.function_words
            flags[:] = [word.lower() in known for word in texts.vocabulary.words]
        rows, segment_of = len(matches), texts.segment_of
        modules = len(self.aligner.modules)
        counts = np.zeros((rows, 4 * modules + _TAIL))
        sides = (
            (texts.hypothesis, segment_of, matches.hypothesis_start, matches.hypothesis_length),
            (texts.references, np.arange(rows), matches.start, matches.length),
        )
        groups = matches.row_of * modules + matches.module
        for side, (column, row_of, start, length) in enumerate(sides):
            before = _before(column, flags)
            first = column.offsets[row_of[matches.row_of]] + start
            function = before[first + length] - before[first]
            for kind, words in enumerate((length - function, function)):
                sums = np.bincount(groups, words, rows * modules).reshape(rows, modules)
                counts[:, 2 * side + kind : 4 * modules : 4] = sums
            begins, ends = column.offsets[row_of], column.offsets[row_of + 1]
            counts[:, 4 * modules + 2 * side] = ends - begins
            counts[:, 4 * modules + 2 * side + 1] = before[ends] - before[begins]
        counts[:, -2] = matches.chunks()
        counts[:, -1] = 1
        return counts


def _before(column: Ragged, flags: Int64) -> Int64:
    """Return how many words with a flag precede each token of a column, int64[N+1]."""
    before = np.zeros(len(column.values) + 1, np.int64)
    np.cumsum(flags[column.values], out=before[1:])
    return before


def _weighted(values: Float64, weights: Float64) -> Float64:
    """Sum the last axis with weights, the same on any number of rows."""
    total = np.zeros(values.shape[:-1])
    for number, weight in enumerate(weights):
        total += weight * values[..., number]
    return total


def _ratio(numerator: Float64, denominator: Float64) -> Float64:
    """Divide, with 0 where there is nothing to divide by."""
    quotient = np.zeros(np.shape(numerator))
    return np.divide(numerator, denominator, out=quotient, where=denominator > 0)


def _words(path: FilePath) -> list[str]:
    return [word for line in read_lines(path) for word in tokens(line)]


def _digest(words: frozenset[str]) -> str:
    """Return eight hexadecimal digits that identify a set of words."""
    return hashlib.sha256("\n".join(sorted(words)).encode()).hexdigest()[:8]
