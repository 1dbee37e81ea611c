"""Metrics of the words that match: F1, general text matcher, METEOR, SenScore."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np

from wordorder.alignment.monolingual import Matches, MonolingualAligner
from wordorder.alignment.monolingual.candidates import METEOR_LANGUAGES, MODULES, language_modules
from wordorder.arrays import Float64, Int32, Int64, row_offsets
from wordorder.errors import UsageError, choose
from wordorder.kernels import announce, edits as kernel, run_rows
from wordorder.metrics import contract
from wordorder.metrics.options import checked
from wordorder.metrics.order.chunks import OrderMetric, best_matched_reference
from wordorder.metrics.registry import named_metric
from wordorder.metrics.rows import brevity_penalty
from wordorder.metrics.text.text_metric import Pairs, TextMetric, count_bag_matches
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.text.lines import read_lines, tokens
from wordorder.text.texts import Texts

# A long line's words to this power are still far from what a float holds.
LARGEST_EXPONENT = 10.0

# Scores that differ by a smaller share are compared exactly: the sum of n powers is off by less
# than n times 2**-52 of itself, and no line has ten million runs.
NEAR = 1e-8

# Digits of powers with an exponent that is no whole number, and of those how many must agree.
DIGITS, SURE = 70, 50

# Lengths and function words of both sides, chunks, number of segments: after the modules' columns.
_TAIL = 6

_HALVES = {"exact": 1.0, "stem": 0.5, "synonym": 0.5, "paraphrase": 0.5}


class _FMeasure(TextMetric):
    """Twice the share of what matches in the words of both sides."""

    def score(self, totals: Float64) -> Float64:
        """Return the F measure of summed sizes and lengths: float64[..., 4] to float64[...]."""
        return contract.quotient(2 * totals[..., 0], totals[..., 1] + totals[..., 2])

    def _chosen(self, texts: Texts, sizes: Float64 | Int64, chosen: Int64) -> Float64:
        """Return float64[S, 4]: what matches the chosen references, both lengths, and 1."""
        statistics = np.zeros((len(texts), 4))
        used = chosen >= 0
        rows = chosen[used]
        statistics[used, 0] = sizes[rows]
        statistics[used, 1] = texts.hypothesis.lengths[used]
        statistics[used, 2] = texts.references.lengths[rows]
        statistics[used, 3] = 1
        return statistics


class F1(_FMeasure):
    """The extent to which two sentences consist of the same words, in any order.

    The harmonic mean of precision and recall of the words as a bag: with ``m`` words that both
    have, each instance counted once, ``2 m / (|hypothesis| + |reference|)``. Two empty sentences
    score 0.

    The reference with the best F1 counts. The corpus score comes from the sums of matches and
    lengths. A segment without references is left out.

    Examples
    --------
    >>> segments = Segments.from_text(["on the mat sat the cat", "a b"], ["the cat sat", "b c"])
    >>> F1().segment_scores(segments)
    array([0.66666667, 0.5       ])
    >>> F1().corpus_score(segments).value == 2 * 4 / 13
    True
    """

    name = "f1"

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 4]: matches, lengths of hypothesis and reference, 1."""
        texts = segments.texts
        matches = count_bag_matches(texts)
        words = texts.hypothesis.lengths[texts.segment_of] + texts.references.lengths
        chosen = contract.best_reference(
            -contract.quotient(2 * matches, words), texts.reference_offsets
        )
        return self._chosen(texts, matches, chosen)

    def signature(self) -> Signature:
        """Return the name; there are no choices."""
        return Signature(self.name)


@dataclass(kw_only=True, eq=False, repr=False)
class GeneralTextMatcher(_FMeasure):
    """F-measure of the words that match, where words that match side by side count more.

    A matching gives each word at most one equal word of the other sentence. It falls into runs:
    stretches of words that are adjacent and in order in both. Its size is ``(sum of length **
    exponent over its runs) ** (1 / exponent)``. Precision is the size over the length of the
    hypothesis, recall is the size over that of the reference, and the score is their harmonic mean
    (Turian, Shen and Melamed 2003; Melamed, Green and Turian 2003).

    The largest matching is hard to find for exponents above 1. So it is put together greedily: the
    longest common run first, of equally long ones the one that begins first in the hypothesis, then
    in the reference, until no word matches.

    Parameters
    ----------
    exponent : float from 1 to 10
        1: runs do not matter, and the score is that of `f1`. The larger, the more long runs count.

    Raises
    ------
    UsageError
        If the exponent is out of range.

    Notes
    -----
    The reference with the best score counts, the first of several: scores are compared as exact
    numbers where the exponent is whole, to 50 digits where it is not. The corpus score comes from
    the sums of sizes and lengths. Two empty sentences score 0. A segment without references is left
    out. Time: for each length of a run, the pairs of equal words of the two sentences.

    Examples
    --------
    Runs of 2 and 4 words: a size of ``sqrt(4 + 16)``, over 6 words.

    >>> segments = Segments.from_text(["on tuesday we met at six"], ["we met at six on tuesday"])
    >>> GeneralTextMatcher().segment_scores(segments).round(4)
    array([0.7454])
    """

    name = "gtm"

    exponent: float = checked(2.0, contract.check_number, 1, LARGEST_EXPONENT)

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 4]: size of the matching, lengths of hypothesis and reference, 1."""
        texts = segments.texts
        several = bool(np.any(np.diff(texts.reference_offsets) > 1))
        matchings = _Matchings.of(texts, self.exponent)
        sizes = matchings.sizes
        words = texts.hypothesis.lengths[texts.segment_of] + texts.references.lengths
        scores = contract.quotient(2 * sizes, words)
        chosen = contract.best_reference(-scores, texts.reference_offsets)
        if several:
            matchings.take_first_best(chosen, scores, words, texts.reference_offsets)
        return self._chosen(texts, sizes, chosen)

    def signature(self) -> Signature:
        """Return the name with the exponent."""
        return Signature(self.name, (("exponent", f"{self.exponent:g}"),))


@dataclass(frozen=True, eq=False)
class _Matchings:
    """The greedy matching of each reference with its hypothesis.

    Attributes
    ----------
    exponent : float
    sizes : float64[R]
    runs : int32[W], empty unless they were asked for
        The lengths of the runs from ``offsets[r]`` on, the longest first; 0 after the last one.
    offsets : int64[R+1]
        Of the words of the references.
    """

    exponent: float
    sizes: Float64
    runs: Int32
    offsets: Int64

    @classmethod
    def of(cls, texts: Texts, exponent: float) -> _Matchings:
        """Match the words of all references."""
        pairs = Pairs.of(texts, local=True, reverse=True)
        totals = np.empty(len(pairs))
        hypothesis_lengths = texts.hypothesis.lengths[texts.segment_of]
        reference_lengths = texts.references.lengths
        longest = int(max(hypothesis_lengths.max(initial=0), reference_lengths.max(initial=0)))
        announce(
            "gtm", float((hypothesis_lengths * reference_lengths.astype(np.float64)).max(initial=0))
        )
        powers = np.arange(longest + 1, dtype=np.float64) ** exponent
        runs = np.zeros(len(pairs.pattern.values), np.int32)
        run_rows(
            *(kernel.sums_of_runs, pairs.pattern.offsets, pairs.rows),
            *(powers, totals, runs),
            scratch=lambda _: (pairs.id_count, longest),
        )
        sizes = totals ** (1 / exponent)
        # The power of a whole number has exactly that number as its root, in spite of rounding.
        roots = np.minimum(np.searchsorted(powers, totals), longest)
        is_power = powers[roots] == totals
        sizes[is_power] = roots[is_power]
        # No size is larger than the number of words that match.
        sizes = np.minimum(sizes, np.minimum(hypothesis_lengths, reference_lengths))
        return cls(exponent, sizes, runs, pairs.pattern.offsets)

    def take_first_best(
        self, chosen: Int64, scores: Float64, lengths: Int64, reference_offsets: Int64
    ) -> None:
        """Correct in `chosen` the best reference of each segment, comparing exact numbers.

        Parameters
        ----------
        chosen : int64[S]
            By rounded scores; -1 without references.
        scores : float64[R]
        lengths : int64[R]
            Words of the hypothesis and of the reference together.
        reference_offsets : int64[S+1]
        """
        counts = np.diff(reference_offsets)
        best = np.where(chosen >= 0, scores[chosen], 0.0) if len(scores) else np.zeros(len(counts))
        near = scores >= np.repeat(best, counts) * (1 - NEAR)
        segments = np.repeat(np.arange(len(counts)), counts)
        rivals = np.flatnonzero(near & np.repeat((counts > 1) & (best > 0), counts))
        starts = np.searchsorted(rivals, reference_offsets)
        for segment in np.unique(segments[rivals][1:][np.diff(segments[rivals]) == 0]).tolist():
            first, *later_rows = rivals[starts[segment] : starts[segment + 1]].tolist()
            for row in later_rows:
                if self._is_better(row, first, lengths):
                    first = row
            chosen[segment] = first

    def _is_better(self, candidate: int, incumbent: int, lengths: Int64) -> bool:
        """Return whether size over length is larger for one reference than for another."""
        runs = [
            self.runs[self.offsets[row] : self.offsets[row + 1]] for row in (candidate, incumbent)
        ]
        candidate_runs, incumbent_runs = (
            row_runs[: np.count_nonzero(row_runs)].tolist() for row_runs in runs
        )
        length, longer = int(lengths[candidate]), int(lengths[incumbent])
        if length == longer and candidate_runs == incumbent_runs:
            return False
        if self.exponent.is_integer():
            power = int(self.exponent)
            candidate_value = sum(run**power for run in candidate_runs) * longer**power
            return bool(candidate_value > sum(run**power for run in incumbent_runs) * length**power)
        # Equal runs in proportion to the lengths are equal numbers.
        share = Fraction(longer, length)
        if [run * share for run in candidate_runs] == incumbent_runs:
            return False
        with localcontext() as context:
            context.prec = DIGITS
            candidate_value, right = (
                _sum_of_powers(row, self.exponent) * Decimal(by) ** Decimal(self.exponent)
                for row, by in ((candidate_runs, longer), (incumbent_runs, length))
            )
            return bool(candidate_value - right > right.scaleb(-SURE))


def _sum_of_powers(numbers: Sequence[int], exponent: float) -> Decimal:
    """Return the sum of powers, to the digits of the context."""
    powers = {number: Decimal(number) ** Decimal(exponent) for number in set(numbers)}
    return sum((powers[number] for number in numbers), Decimal(0))


FilePath = str | os.PathLike[str]


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
        synsets = contract.check_file_name("meteor.synonyms", synonyms)
        table = contract.check_file_name("meteor.paraphrases", paraphrases)
        words = contract.check_file_name("meteor.function_words", function_words)
        for module, path in (("synonym", synsets), ("paraphrase", table)):
            if path and module not in modules:
                file_position = f"task={self.task} in language={language}"
                raise UsageError(f"METEOR uses no {module}s for {file_position}")
            if not path:
                modules = tuple(
                    name_of_module for name_of_module in modules if name_of_module != module
                )
        files = {"synonyms": synsets or "", "paraphrases": table or ""}
        self._named: dict[str, Any] = {"language": language, "task": task, **files}
        self._named |= {"function_words": words or "", "java": java}
        java_rules = contract.check_switch("meteor.java", java)
        self.aligner = MonolingualAligner(language, modules, synsets, table, java=java_rules)
        self.function_words: frozenset[str] = frozenset()
        self._function_digest = "none"
        if words is not None:
            file_words = (word for line in read_lines(words) for word in tokens(line))
            self.function_words = frozenset(file_words)
            text = "\n".join(sorted(self.function_words))
            self._function_digest = hashlib.sha256(text.encode()).hexdigest()[:8]

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 4 * modules + 6].

        For each module the matched content and function words of the hypothesis, then of the
        reference; then words and function words of the hypothesis and of the reference, chunks,
        and 1.
        """
        texts = segments.texts
        rows = self._counts(texts, self.aligner.align(texts))
        return contract.rows_or_zeros(
            rows, contract.best_reference(-self.score(rows), texts.reference_offsets)
        )

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
        shares = contract.quotient(
            _weighted(_weighted(np.moveaxis(matched, -3, -1), weights), kinds),
            _weighted(contents, kinds),
        )
        precision, recall = shares[..., 0], shares[..., 1]
        alpha = parameters.alpha
        mean = contract.quotient(precision * recall, (1 - alpha) * recall + alpha * precision)
        covered = matched.sum(axis=(-3, -1))
        perfect = np.all(covered == lengths[..., 0], axis=-1) & (chunks == 1)
        fragmentation = np.where(perfect, 0.0, contract.quotient(2 * chunks, covered.sum(axis=-1)))
        penalty = parameters.gamma * fragmentation**parameters.beta
        return np.asarray(np.maximum(mean * (1 - penalty), 0.0))

    def signature(self) -> Signature:
        """Return the name with language, task and all that the matches depend on.

        Parameters for all languages leave the language to the stems, which name it.
        """
        language = self.language if self.task in _TUNED else "any"
        fields = [("language", language), ("task", self.task)]
        fields += [("function", self._function_digest), *self.aligner.fields]
        return Signature(self.name, tuple(fields))

    def named_options(self) -> dict[str, Any]:
        """Return the options as they were given; resources by the names of their files."""
        return self._named

    def _counts(self, texts: Texts, matches: Matches) -> Float64:
        """Return the statistics of each reference row, float64[R, 4 * modules + 6]."""
        flags = np.zeros(len(texts.vocabulary), np.int64)
        if self.function_words:
            function_words = self.function_words
            flags[:] = [word.lower() in function_words for word in texts.vocabulary.words]
        rows, segment_of = len(matches), texts.segment_of
        modules = len(self.aligner.modules)
        counts = np.zeros((rows, 4 * modules + _TAIL))
        sides = (
            (texts.hypothesis, segment_of, matches.hypothesis_start, matches.hypothesis_length),
            (texts.references, np.arange(rows), matches.start, matches.length),
        )
        groups = matches.row_of * modules + matches.module
        for side, (column, row_of, start, length) in enumerate(sides):
            # How many words with a flag precede each token.
            words_before = row_offsets(flags[column.values])
            first = column.offsets[row_of[matches.row_of]] + start
            function = words_before[first + length] - words_before[first]
            for kind, words in enumerate((length - function, function)):
                sums = np.bincount(groups, words, rows * modules).reshape(rows, modules)
                counts[:, 2 * side + kind : 4 * modules : 4] = sums
            begins, ends = column.offsets[row_of], column.offsets[row_of + 1]
            counts[:, 4 * modules + 2 * side] = ends - begins
            counts[:, 4 * modules + 2 * side + 1] = words_before[ends] - words_before[begins]
        counts[:, -2] = matches.chunks()
        counts[:, -1] = 1
        return counts


def _weighted(values: Float64, weights: Float64) -> Float64:
    """Sum the last axis with weights, the same on any number of rows."""
    total = np.zeros(values.shape[:-1])
    for number, weight in enumerate(weights):
        total += weight * values[..., number]
    return total


@dataclass(frozen=True)
class Parameters:
    """What the score of METEOR is computed with.

    Attributes
    ----------
    alpha : float
        The weight of recall against precision, 0 to 1.
    beta, gamma : float
        The penalty for fragments is ``gamma * fragmentation ** beta``.
    delta : float
        The weight of content words against function words, 0 to 1.
    weights : mapping of str to float
        What a match counts, by module.
    """

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: Mapping[str, float]


def _parameters(
    alpha: float, beta: float, gamma: float, delta: float, **weights: float
) -> Parameters:
    return Parameters(alpha, beta, gamma, delta, weights)


# Tuned on human rankings.
_RANKING = {
    "en": _parameters(0.85, 0.20, 0.60, 0.75, exact=1, stem=0.6, synonym=0.8, paraphrase=0.6),
    "cs": _parameters(0.95, 0.20, 0.60, 0.80, exact=1, paraphrase=0.4),
    "fr": _parameters(0.90, 1.40, 0.60, 0.65, exact=1, stem=0.2, paraphrase=0.4),
    "es": _parameters(0.65, 1.30, 0.50, 0.80, exact=1, stem=0.8, paraphrase=0.6),
    "de": _parameters(0.95, 1.00, 0.55, 0.55, exact=1, stem=0.8, paraphrase=0.2),
    "ru": _parameters(0.75, 1.40, 0.70, 0.50, exact=1, stem=0.5, paraphrase=0.5),
}

_TUNED: dict[str, dict[str, Parameters]] = {
    "ranking": _RANKING,
    # Tuned on adequacy, on human-targeted edit rates and on the utility of translations.
    "adequacy": {
        "en": _parameters(0.75, 1.40, 0.45, 0.70, exact=1, stem=1, synonym=0.6, paraphrase=0.8)
    },
    "hter": {
        "en": _parameters(0.40, 1.50, 0.35, 0.55, exact=1, stem=0.2, synonym=0.6, paraphrase=0.8)
    },
    "utility": {
        "en": _parameters(0.65, 0.10, 0.55, 0.65, exact=1, stem=0, synonym=0, paraphrase=0.8)
    },
}

# For any language: independent of it, for the tuning of systems, and for new languages.
_GENERAL = {
    "li": Parameters(0.75, 1.40, 0.70, 0.50, _HALVES),
    "tuning": Parameters(0.50, 1.00, 0.50, 0.50, _HALVES),
    "universal": _parameters(0.70, 1.40, 0.30, 0.70, exact=1, paraphrase=0.6),
}

TASKS = ("default", *_TUNED, *_GENERAL)


def resolve_task(language: str, task: str) -> str:
    """Return the task that METEOR 1.5 takes for a language.

    Raises
    ------
    UsageError
        If a name is unknown, or the language has no parameters for the task.

    Examples
    --------
    >>> resolve_task("de", "default"), resolve_task("sv", "default")
    ('ranking', 'li')
    """
    choose("meteor.language", language, METEOR_LANGUAGES)
    choose("meteor.task", task, TASKS)
    if task == "default":
        return "ranking" if language in _RANKING else "li"
    if task in _TUNED and language not in _TUNED[task]:
        problem = f"METEOR has no parameters for task={task} in language={language}"
        alternatives = f"there are some for {', '.join(sorted(_TUNED[task]))}"
        raise UsageError(f"{problem}: {alternatives}; task=li is for any language")
    return task


def task_parameters(language: str, task: str) -> Parameters:
    """Return the parameters of a task that `resolve_task` gave.

    Examples
    --------
    >>> task_parameters("en", "ranking").weights["synonym"]
    0.8
    """
    return _TUNED[task][language] if task in _TUNED else _GENERAL[task]


def task_modules(language: str, task: str) -> tuple[str, ...]:
    """Return the modules that METEOR 1.5 uses in a language for a task.

    Examples
    --------
    >>> task_modules("de", "ranking"), task_modules("de", "universal")
    (('exact', 'stem', 'paraphrase'), ('exact', 'paraphrase'))
    """
    weights = task_parameters(language, task).weights
    allowed = MODULES if task == "universal" else language_modules(language)
    return tuple(module for module in allowed if module in weights)


class SenScore(TextMetric):
    """F1 of the words and any order metric of those that match, interpolated.

    ``alpha * F1 + (1 - alpha) * BP * ordering`` for each sentence. F1 compares hypothesis and
    reference as bags of words; `ordering` is a metric of the permutation of the matched words; the
    brevity penalty `BP` compares their number with the length of the reference. The corpus score is
    the mean weighted by reference length (Stanojević & Sima'an 2016, section 7).

    Parameters
    ----------
    ordering : str or OrderMetric
        An order metric, as a name with its options in parentheses (``frs(ties=rank)``) or as an
        object.
    alpha : float in [0, 1]
        The weight of F1.

    Raises
    ------
    UsageError
        If `ordering` is no order metric or `alpha` out of range, or the segments lack text or
        orders.

    Notes
    -----
    Of several references the one with the best sentence score counts, and the weight is their mean
    length. A sentence without any matched word has an ordering part of 0. One whose references are
    all empty weighs nothing: it is left out and counted, as is one without references.

    Examples
    --------
    >>> segments = Segments.from_text(
    ...     ["on the mat sat a cat"], ["a cat sat on the mat"], aligner="exact"
    ... )
    >>> SenScore().segment_scores(segments)
    array([0.63333333])
    """

    name = "senscore"
    columns: tuple[str, ...] = ("permutation", "text")

    def __init__(self, *, ordering: str | OrderMetric = "kendall", alpha: float = 0.5) -> None:
        order_metric = named_metric(ordering) if isinstance(ordering, str) else ordering
        if not isinstance(order_metric, OrderMetric):
            raise UsageError(f"senscore.ordering is a metric of orders, not {ordering!r}")
        self.ordering = order_metric
        self.alpha = contract.check_number("senscore.alpha", alpha, 0, 1)

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 2]: weighted score and weight; zeros for one that is left out."""
        texts = segments.texts
        offsets = texts.reference_offsets
        lengths = texts.references.lengths
        number = np.diff(offsets)
        total = np.bincount(texts.segment_of, weights=lengths, minlength=len(number))
        weights = total / np.maximum(number, 1)
        values = self.reference_scores(segments)
        best = best_matched_reference(values, segments)
        chosen = contract.rows_or_zeros(values, best)
        return np.stack([np.where(weights > 0, chosen * weights, 0.0), weights], axis=1)

    def reference_scores(self, segments: Segments) -> Float64:
        """Return the sentence score against each reference, float64[R]."""
        # Whatever the ordering, words and lengths are the same.
        f1, penalty = segments.derived("f1 and brevity", lambda: _f1_and_brevity(segments))
        order, _ = self.ordering.row_values(segments)
        return np.asarray(self.alpha * f1 + (1.0 - self.alpha) * penalty * order, np.float64)

    def score(self, totals: Float64) -> Float64:
        """Return weighted scores over weights, 0 where there is no weight."""
        return contract.quotient(totals[..., 0], totals[..., 1])

    def signature(self) -> Signature:
        """Return the name with every choice that can change a value."""
        ordering = self.ordering.signature()
        # Neither its average nor its rule for few matches is used here.
        unused = "average", "few"
        fields = [f"{key}:{value}" for key, value in ordering.fields if key not in unused]
        inside = f"{ordering.metric}({','.join(fields)})"
        return Signature(self.name, (("ordering", inside), ("alpha", repr(self.alpha))))

    def named_options(self) -> dict[str, Any]:
        """Return the order metric, written out, and its weight."""
        from wordorder.metrics.accumulator import written_out

        return {"ordering": written_out(self.ordering), "alpha": self.alpha}


def _f1_and_brevity(segments: Segments) -> tuple[Float64, Float64]:
    """Return F1 and the brevity penalty of each reference, both float64[R]."""
    texts = segments.texts
    lengths = texts.references.lengths
    words = texts.hypothesis.lengths[texts.segment_of] + lengths
    f1 = 2.0 * count_bag_matches(texts) / np.maximum(words, 1)
    # Of orders over the source, from alignments, the reference has the words of the source.
    return f1, brevity_penalty(segments.permutation.lengths, segments.reference_lengths)
