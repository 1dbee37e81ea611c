"""Metrics of matched words: F1, general text matcher, METEOR, SenScore."""

from __future__ import annotations

import hashlib
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
from wordorder.metrics.options import checked, unchecked
from wordorder.metrics.order.chunks import OrderMetric, best_matched_reference
from wordorder.metrics.registry import named_metric
from wordorder.metrics.rows import brevity_penalty
from wordorder.metrics.text.text_metric import Pairs, TextMetric, count_bag_matches
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.text.lines import read_lines, tokens
from wordorder.text.texts import Texts

# The number of words of a long line to this power is far below the largest float.
MAX_EXPONENT = 10.0

# Scores with a smaller relative difference are compared exactly: the relative error of a sum of n
# powers is below n * 2**-52, and no line has ten million runs.
SCORE_TOLERANCE = 1e-8

# Powers with a fractional exponent are computed to this number of digits; values that agree in
# this number of digits are equal.
POWER_DIGITS, RELIABLE_DIGITS = 70, 50

# The columns after those of the modules: words and function words of both sides, chunks, and 1.
_FINAL_COLUMNS = 6

_UNTUNED_WEIGHTS = {"exact": 1.0, "stem": 0.5, "synonym": 0.5, "paraphrase": 0.5}


class _FMeasure(TextMetric):
    """F measure: twice the size of the matching over the words of both sentences."""

    def score(self, totals: Float64) -> Float64:
        """Return the F measure of summed statistics: float64[..., 4] to float64[...]."""
        return contract.quotient(2 * totals[..., 0], totals[..., 1] + totals[..., 2])

    def _build_statistics(self, texts: Texts, sizes: Float64 | Int64, chosen: Int64) -> Float64:
        """Return size, both lengths and 1 for the chosen references, float64[S, 4]."""
        statistics = np.zeros((len(texts), 4))
        used = chosen >= 0
        rows = chosen[used]
        statistics[used, 0] = sizes[rows]
        statistics[used, 1] = texts.hypothesis.lengths[used]
        statistics[used, 2] = texts.references.lengths[rows]
        statistics[used, 3] = 1
        return statistics


class F1(_FMeasure):
    """F1 of the words of two sentences as bags of words.

    The harmonic mean of precision and recall: with ``m`` common words, repeated ones counted as
    often as they occur in both, ``2 m / (|hypothesis| + |reference|)``. Two empty sentences score
    0.

    Of several references, the one with the best F1 is used. The corpus score is computed from the
    sums of matches and lengths. A segment without references is left out.

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
        """Return matches, lengths of hypothesis and reference, and 1, float64[S, 4]."""
        texts = segments.texts
        matches = count_bag_matches(texts)
        words = texts.hypothesis.lengths[texts.segment_of] + texts.references.lengths
        chosen = contract.best_reference(
            -contract.quotient(2 * matches, words), texts.reference_offsets
        )
        return self._build_statistics(texts, matches, chosen)

    def signature(self) -> Signature:
        """Return the name; there are no options."""
        return Signature(self.name)


@dataclass(kw_only=True, eq=False, repr=False)
class GeneralTextMatcher(_FMeasure):
    """F-measure of matched words that rewards matches of adjacent words.

    A matching gives each word at most one equal word of the other sentence. It consists of runs:
    spans of words that are adjacent and in order in both sentences. Its size is ``(sum of length **
    exponent over its runs) ** (1 / exponent)``. Precision is the size over the length of the
    hypothesis, recall is the size over the length of the reference, and the score is their harmonic
    mean (Turian, Shen and Melamed 2003; Melamed, Green and Turian 2003).

    For exponents above 1, the largest matching is hard to find, so it is built greedily. The
    longest common run is matched first, on ties the one that starts first in the hypothesis, then
    in the reference, until no word matches.

    Parameters
    ----------
    exponent : float from 1 to 10
        With 1, runs are not rewarded, and the score is that of `f1`. Larger exponents reward long
        runs more.

    Raises
    ------
    UsageError
        If the exponent is out of range.

    Notes
    -----
    Of several references, the first one with the best score is used: scores are compared exactly if
    the exponent is an integer, else to 50 digits. The corpus score is computed from the sums of
    sizes and lengths. Two empty sentences score 0. A segment without references is left out. Time:
    for each length of a run, the number of pairs of equal words.

    Examples
    --------
    Runs of 2 and 4 words: a size of ``sqrt(4 + 16)``, over 6 words.

    >>> segments = Segments.from_text(["on tuesday we met at six"], ["we met at six on tuesday"])
    >>> GeneralTextMatcher().segment_scores(segments).round(4)
    array([0.7454])
    """

    name = "gtm"

    exponent: float = checked(2.0, contract.check_number, 1, MAX_EXPONENT)

    def statistics(self, segments: Segments) -> Float64:
        """Return size of the matching, lengths of both sentences, and 1, float64[S, 4]."""
        texts = segments.texts
        has_alternatives = bool(np.any(np.diff(texts.reference_offsets) > 1))
        matchings = _Matchings.of(texts, self.exponent)
        sizes = matchings.sizes
        words = texts.hypothesis.lengths[texts.segment_of] + texts.references.lengths
        scores = contract.quotient(2 * sizes, words)
        chosen = contract.best_reference(-scores, texts.reference_offsets)
        if has_alternatives:
            matchings.take_first_best(chosen, scores, words, texts.reference_offsets)
        return self._build_statistics(texts, sizes, chosen)

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
    runs : int32[W]
        The lengths of the runs of reference ``r``, from ``offsets[r]`` on: the longest first, then
        zeros.
    offsets : int64[R+1]
        The offsets of the words of the references.
    """

    exponent: float
    sizes: Float64
    runs: Int32
    offsets: Int64

    @classmethod
    def of(cls, texts: Texts, exponent: float) -> _Matchings:
        """Match the words of all references with their hypotheses."""
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
        # Remove the rounding error of roots that are integers.
        roots = np.minimum(np.searchsorted(powers, totals), longest)
        is_power = powers[roots] == totals
        sizes[is_power] = roots[is_power]
        # A size is at most the number of words of the shorter sentence.
        sizes = np.minimum(sizes, np.minimum(hypothesis_lengths, reference_lengths))
        return cls(exponent, sizes, runs, pairs.pattern.offsets)

    def take_first_best(
        self, chosen: Int64, scores: Float64, lengths: Int64, reference_offsets: Int64
    ) -> None:
        """Compare nearly equal scores exactly, and correct the best references in `chosen`.

        Parameters
        ----------
        chosen : int64[S]
            The best references by rounded scores, changed in place; -1 without references.
        scores : float64[R]
        lengths : int64[R]
            The total number of words of hypothesis and reference.
        reference_offsets : int64[S+1]
        """
        counts = np.diff(reference_offsets)
        best = np.where(chosen >= 0, scores[chosen], 0.0) if len(scores) else np.zeros(len(counts))
        is_close = scores >= np.repeat(best, counts) * (1 - SCORE_TOLERANCE)
        segments = np.repeat(np.arange(len(counts)), counts)
        close_rows = np.flatnonzero(is_close & np.repeat((counts > 1) & (best > 0), counts))
        starts = np.searchsorted(close_rows, reference_offsets)
        for segment in np.unique(
            segments[close_rows][1:][np.diff(segments[close_rows]) == 0]
        ).tolist():
            best_row, *other_rows = close_rows[starts[segment] : starts[segment + 1]].tolist()
            for row in other_rows:
                if self._is_better(row, best_row, lengths):
                    best_row = row
            chosen[segment] = best_row

    def _is_better(self, candidate: int, incumbent: int, lengths: Int64) -> bool:
        """Return whether size over length is larger for row `candidate` than for `incumbent`."""
        runs = [
            self.runs[self.offsets[row] : self.offsets[row + 1]] for row in (candidate, incumbent)
        ]
        candidate_runs, incumbent_runs = (
            row_runs[: np.count_nonzero(row_runs)].tolist() for row_runs in runs
        )
        candidate_length, incumbent_length = int(lengths[candidate]), int(lengths[incumbent])
        if candidate_length == incumbent_length and candidate_runs == incumbent_runs:
            return False
        if self.exponent.is_integer():
            power = int(self.exponent)
            candidate_value = sum(run**power for run in candidate_runs) * incumbent_length**power
            return bool(
                candidate_value
                > sum(run**power for run in incumbent_runs) * candidate_length**power
            )
        # If the runs are proportional to the lengths, the scores are equal.
        share = Fraction(incumbent_length, candidate_length)
        if [run * share for run in candidate_runs] == incumbent_runs:
            return False
        with localcontext() as context:
            context.prec = POWER_DIGITS
            candidate_value, incumbent_value = (
                _sum_of_powers(row, self.exponent) * Decimal(factor) ** Decimal(self.exponent)
                for row, factor in (
                    (candidate_runs, incumbent_length),
                    (incumbent_runs, candidate_length),
                )
            )
            return bool(
                candidate_value - incumbent_value > incumbent_value.scaleb(-RELIABLE_DIGITS)
            )


def _sum_of_powers(numbers: Sequence[int], exponent: float) -> Decimal:
    """Return the sum of powers in the precision of the decimal context."""
    powers = {number: Decimal(number) ** Decimal(exponent) for number in set(numbers)}
    return sum((powers[number] for number in numbers), Decimal(0))


@dataclass(kw_only=True, eq=False, repr=False)
class Meteor(TextMetric):
    """Weighted F-mean of aligned words, with a penalty for fragmentation.

    With precision ``P`` and recall ``R`` of matched words, weighted by module and by content and
    function words: ``F * (1 - pen)`` with ``F = 1 / ((1 - alpha) / P + alpha / R)`` and
    ``pen = gamma * (chunks / matches) ** beta`` (Denkowski & Lavie 2014; METEOR 1.5). Of several
    references, the one with the best score is used; the corpus score is computed from the sums of
    all counts.

    Parameters
    ----------
    language : str
        ``en``, ``cs``, ``de``, ``es``, ``fr``, ``ru``, or another language of METEOR 1.5; ``other``
        for all others.
    task : str
        The task for which the parameters were tuned: ``ranking``, ``adequacy``, ``hter``,
        ``utility``; or ``li`` (language-independent), ``tuning``, ``universal``. By default
        ``ranking`` if the language has it, else ``li``.
    synonyms, paraphrases : path
        See `MonolingualAligner`. A module without its resource is left out.
    function_words : path
        A file of words, separated by spaces or line ends; without it all words are content words.
    java : bool
        See `MonolingualAligner`.

    Raises
    ------
    UsageError
        If a name is unknown, or METEOR does not use a resource in that language.
    InputError
        If a resource cannot be read.

    Examples
    --------
    >>> segments = Segments.from_text(["a b c d x"], ["a b y c d z"])
    >>> Meteor().segment_scores(segments).round(4)
    array([0.3266])
    """

    name = "meteor"

    language: str = unchecked("en")
    task: str = unchecked("default")
    synonyms: str = checked("", contract.check_file_name)
    paraphrases: str = checked("", contract.check_file_name)
    function_words: str = checked("", contract.check_file_name)
    java: bool = checked(False, contract.check_switch)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._task = resolve_task(self.language, self.task)
        self.parameters = task_parameters(self.language, self._task)
        modules = list(task_modules(self.language, self._task))
        for module, path in (("synonym", self.synonyms), ("paraphrase", self.paraphrases)):
            if path and module not in modules:
                task = f"task={self._task} in language={self.language}"
                raise UsageError(f"METEOR uses no {module}s for {task}")
            if not path and module in modules:
                modules.remove(module)
        resources = self.synonyms or None, self.paraphrases or None
        self.aligner = MonolingualAligner(self.language, modules, *resources, java=self.java)
        self.function_word_set: frozenset[str] = frozenset()
        self._function_digest = "none"
        if self.function_words:
            lines = read_lines(self.function_words)
            self.function_word_set = frozenset(word for line in lines for word in tokens(line))
            text = "\n".join(sorted(self.function_word_set))
            self._function_digest = hashlib.sha256(text.encode()).hexdigest()[:8]

    def statistics(self, segments: Segments) -> Float64:
        """Return the statistics of each segment, float64[S, 4 * modules + 6].

        The columns are, for each module, the matched content and function words of the hypothesis,
        then of the reference; then words and function words of the hypothesis, then of the
        reference; chunks; and 1.
        """
        texts = segments.texts
        rows = self._count_matches(texts, self.aligner.align(texts))
        return contract.rows_or_zeros(
            rows, contract.best_reference(-self.score(rows), texts.reference_offsets)
        )

    def score(self, totals: Float64) -> Float64:
        """Return the F-mean times 1 minus the penalty; 0 without matches."""
        parameters = self.parameters
        weights = np.array([parameters.weights[m] for m in self.aligner.modules])
        class_weights = np.array([parameters.delta, 1 - parameters.delta])
        # Axes: modules, sentences (hypothesis, reference), word classes (content, function).
        matched = totals[..., :-_FINAL_COLUMNS].reshape(*totals.shape[:-1], len(weights), 2, 2)
        lengths = totals[..., -_FINAL_COLUMNS:-2].reshape(*totals.shape[:-1], 2, 2)
        chunks = totals[..., -2]
        contents = np.stack([lengths[..., 0] - lengths[..., 1], lengths[..., 1]], axis=-1)
        shares = contract.quotient(
            _weighted_sum(_weighted_sum(np.moveaxis(matched, -3, -1), weights), class_weights),
            _weighted_sum(contents, class_weights),
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
        """Return the name with language, task and the fields of the aligner.

        With parameters for all languages, only the field of the stemmer names the language.
        """
        language = self.language if self._task in _TUNED_PARAMETERS else "any"
        fields = [("language", language), ("task", self._task)]
        fields += [("function", self._function_digest), *self.aligner.fields]
        return Signature(self.name, tuple(fields))

    def _count_matches(self, texts: Texts, matches: Matches) -> Float64:
        """Return the statistics of each reference row, float64[R, 4 * modules + 6]."""
        is_function_word = np.zeros(len(texts.vocabulary), np.int64)
        if self.function_word_set:
            function_words = self.function_word_set
            is_function_word[:] = [
                word.lower() in function_words for word in texts.vocabulary.words
            ]
        rows, segment_of = len(matches), texts.segment_of
        modules = len(self.aligner.modules)
        counts = np.zeros((rows, 4 * modules + _FINAL_COLUMNS))
        sides = (
            (texts.hypothesis, segment_of, matches.hypothesis_start, matches.hypothesis_length),
            (texts.references, np.arange(rows), matches.start, matches.length),
        )
        groups = matches.row_of * modules + matches.module
        for side, (column, row_of, start, length) in enumerate(sides):
            # The number of function words before each token.
            function_words_before = row_offsets(is_function_word[column.values])
            first_word = column.offsets[row_of[matches.row_of]] + start
            function_counts = (
                function_words_before[first_word + length] - function_words_before[first_word]
            )
            for word_class, words in enumerate((length - function_counts, function_counts)):
                sums = np.bincount(groups, words, rows * modules).reshape(rows, modules)
                counts[:, 2 * side + word_class : 4 * modules : 4] = sums
            row_starts, row_ends = column.offsets[row_of], column.offsets[row_of + 1]
            counts[:, 4 * modules + 2 * side] = row_ends - row_starts
            counts[:, 4 * modules + 2 * side + 1] = (
                function_words_before[row_ends] - function_words_before[row_starts]
            )
        counts[:, -2] = matches.chunks()
        counts[:, -1] = 1
        return counts


def _weighted_sum(values: Float64, weights: Float64) -> Float64:
    """Sum the last axis with weights; the rounding does not depend on the number of rows."""
    total = np.zeros(values.shape[:-1])
    for index, weight in enumerate(weights):
        total += weight * values[..., index]
    return total


@dataclass(frozen=True)
class Parameters:
    """The parameters of METEOR's score.

    Attributes
    ----------
    alpha : float
        The weight of recall against precision, 0 to 1.
    beta, gamma : float
        The penalty for fragments is ``gamma * fragmentation ** beta``.
    delta : float
        The weight of content words against function words, 0 to 1.
    weights : mapping of str to float
        The weight of a match, by module.
    """

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: Mapping[str, float]


def _make_parameters(
    alpha: float, beta: float, gamma: float, delta: float, **weights: float
) -> Parameters:
    return Parameters(alpha, beta, gamma, delta, weights)


# Tuned on human rankings.
_RANKING_PARAMETERS = {
    "en": _make_parameters(0.85, 0.20, 0.60, 0.75, exact=1, stem=0.6, synonym=0.8, paraphrase=0.6),
    "cs": _make_parameters(0.95, 0.20, 0.60, 0.80, exact=1, paraphrase=0.4),
    "fr": _make_parameters(0.90, 1.40, 0.60, 0.65, exact=1, stem=0.2, paraphrase=0.4),
    "es": _make_parameters(0.65, 1.30, 0.50, 0.80, exact=1, stem=0.8, paraphrase=0.6),
    "de": _make_parameters(0.95, 1.00, 0.55, 0.55, exact=1, stem=0.8, paraphrase=0.2),
    "ru": _make_parameters(0.75, 1.40, 0.70, 0.50, exact=1, stem=0.5, paraphrase=0.5),
}

_TUNED_PARAMETERS: dict[str, dict[str, Parameters]] = {
    "ranking": _RANKING_PARAMETERS,
    # Tuned on adequacy, on human-targeted edit rates and on the utility of translations.
    "adequacy": {
        "en": _make_parameters(0.75, 1.40, 0.45, 0.70, exact=1, stem=1, synonym=0.6, paraphrase=0.8)
    },
    "hter": {
        "en": _make_parameters(
            0.40, 1.50, 0.35, 0.55, exact=1, stem=0.2, synonym=0.6, paraphrase=0.8
        )
    },
    "utility": {
        "en": _make_parameters(0.65, 0.10, 0.55, 0.65, exact=1, stem=0, synonym=0, paraphrase=0.8)
    },
}

# Parameters for any language: language-independent, for tuning systems, and for new languages.
_GENERAL_PARAMETERS = {
    "li": Parameters(0.75, 1.40, 0.70, 0.50, _UNTUNED_WEIGHTS),
    "tuning": Parameters(0.50, 1.00, 0.50, 0.50, _UNTUNED_WEIGHTS),
    "universal": _make_parameters(0.70, 1.40, 0.30, 0.70, exact=1, paraphrase=0.6),
}

TASKS = ("default", *_TUNED_PARAMETERS, *_GENERAL_PARAMETERS)


def resolve_task(language: str, task: str) -> str:
    """Return the task of METEOR 1.5 for a language: `task`, or the default of the language.

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
        return "ranking" if language in _RANKING_PARAMETERS else "li"
    if task in _TUNED_PARAMETERS and language not in _TUNED_PARAMETERS[task]:
        problem = f"METEOR has no parameters for task={task} in language={language}"
        alternatives = f"there are some for {', '.join(sorted(_TUNED_PARAMETERS[task]))}"
        raise UsageError(f"{problem}: {alternatives}; task=li is for any language")
    return task


def task_parameters(language: str, task: str) -> Parameters:
    """Return the parameters of a task that `resolve_task` returned.

    Examples
    --------
    >>> task_parameters("en", "ranking").weights["synonym"]
    0.8
    """
    return (
        _TUNED_PARAMETERS[task][language]
        if task in _TUNED_PARAMETERS
        else _GENERAL_PARAMETERS[task]
    )


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
    """F1 of the words, interpolated with an order metric of the matched words.

    ``alpha * F1 + (1 - alpha) * BP * ordering`` for each sentence. F1 compares hypothesis and
    reference as bags of words; `ordering` is a metric of the permutation of the matched words; the
    brevity penalty `BP` compares the number of matched words with the length of the reference. The
    corpus score is the mean weighted by reference length (Stanojević & Sima'an 2016, section 7).

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
        If `ordering` is not an order metric, `alpha` is out of range, or the segments lack text or
        orders.

    Notes
    -----
    Of several references, the one with the best sentence score is used, and the weight is their
    mean length. Without matched words, the ordering score is 0. A segment whose references are all
    empty, or that has none, is left out and counted.

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
        """Return weighted score and weight, float64[S, 2]; zeros for a segment that is left out."""
        texts = segments.texts
        offsets = texts.reference_offsets
        lengths = texts.references.lengths
        reference_counts = np.diff(offsets)
        total = np.bincount(texts.segment_of, weights=lengths, minlength=len(reference_counts))
        weights = total / np.maximum(reference_counts, 1)
        values = self.reference_scores(segments)
        best = best_matched_reference(values, segments)
        chosen = contract.rows_or_zeros(values, best)
        return np.stack([np.where(weights > 0, chosen * weights, 0.0), weights], axis=1)

    def reference_scores(self, segments: Segments) -> Float64:
        """Return the sentence score against each reference, float64[R]."""
        # F1 and the brevity penalty do not depend on the ordering: compute them once.
        f1, penalty = segments.derived("f1 and brevity", lambda: _f1_and_brevity(segments))
        order, _ = self.ordering.row_values(segments)
        return np.asarray(self.alpha * f1 + (1.0 - self.alpha) * penalty * order, np.float64)

    def score(self, totals: Float64) -> Float64:
        """Return weighted scores over weights; 0 where the weight is 0."""
        return contract.quotient(totals[..., 0], totals[..., 1])

    def signature(self) -> Signature:
        """Return the name with every option that can change a value."""
        ordering = self.ordering.signature()
        # The ordering's options `average` and `few` have no effect here.
        unused = "average", "few"
        fields = [f"{key}:{value}" for key, value in ordering.fields if key not in unused]
        ordering_text = f"{ordering.metric}({','.join(fields)})"
        return Signature(self.name, (("ordering", ordering_text), ("alpha", repr(self.alpha))))

    def named_options(self) -> dict[str, Any]:
        """Return the order metric as text, and `alpha`."""
        from wordorder.metrics.accumulator import format_metric

        return {"ordering": format_metric(self.ordering), "alpha": self.alpha}


def _f1_and_brevity(segments: Segments) -> tuple[Float64, Float64]:
    """Return F1 and the brevity penalty of each reference, both float64[R]."""
    texts = segments.texts
    lengths = texts.references.lengths
    words = texts.hypothesis.lengths[texts.segment_of] + lengths
    f1 = 2.0 * count_bag_matches(texts) / np.maximum(words, 1)
    # In orders of source words (from alignments), the reference length counts source words.
    return f1, brevity_penalty(segments.permutation.lengths, segments.reference_lengths)
