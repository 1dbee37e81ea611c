"""The figures of compare-mt's report and our own in its conventions, for the same lines.

One reference per segment, and no empty line: compare-mt takes an empty line for a line of one word,
the empty string.
"""

from collections import Counter
from itertools import chain
from typing import Any

import numpy as np
from tests.analysis.translations.translated import Lines

from wordorder.alignment.monolingual import MonolingualAligner
from wordorder.analysis.translations.lengths import DIFFERENCE_STARTS, LENGTHS, reference_lengths
from wordorder.analysis.translations.ngrams import RightNgrams, ngram_text, salience
from wordorder.analysis.translations.outcomes import word_outcomes
from wordorder.analysis.translations.translations import Translations
from wordorder.analysis.translations.words import (
    FREQUENCIES,
    WordCounts,
    word_counts,
    word_frequencies,
)
from wordorder.arrays import Float64, Int64
from wordorder.metrics.text.ngrams import ngram_statistics

# Table -> system -> row -> what it says.
Tables = dict[str, list[dict[Any, Any]]]


def figures_of_compare_mt(lines: Lines) -> Tables:
    """Return compare-mt's own figures, by the functions behind its report."""
    from compare_mt import bucketers, ngram_utils, scorers, stat_utils

    reference = [row[0].split(" ") for row in lines.references]
    outputs = [[line.split(" ") for line in system] for system in lines.systems.values()]
    words = bucketers.create_word_bucketer_from_profile("freq", freq_data=reference)
    statistics, *_ = words.calc_statistics(reference, outputs)
    tables: Tables = {
        "word accuracy by frequency": [
            dict(zip(FREQUENCIES.names, map(tuple, each), strict=True)) for each in statistics
        ]
    }
    bleu = scorers.create_scorer_from_profile("bleu")
    tables["BLEU by length"] = []
    tables["sentences by length difference"] = []
    for output in outputs:
        length = bucketers.create_sentence_bucketer_from_profile("length")
        corpora = length.create_bucketed_corpus(output, ref=reference)
        tables["BLEU by length"].append(
            {
                name: bleu.score_corpus(theirs, ours)[0] / 100
                for name, (ours, theirs, _) in zip(LENGTHS.names, corpora, strict=True)
                if ours
            }
        )
        differences = bucketers.create_sentence_bucketer_from_profile("lengthdiff")
        corpora = differences.create_bucketed_corpus(output, ref=reference)
        counts = {at: len(each[0]) for at, each in enumerate(corpora) if each[0]}
        tables["sentences by length difference"].append(counts)
    matches = [ngram_utils.compare_ngrams(reference, output)[1] for output in outputs]
    tables["n-grams right"] = [{" ".join(k): n for k, n in each.items() if n} for each in matches]
    shares = stat_utils.extract_salient_features(matches[0], matches[1])
    tables["n-gram differences"] = [
        {" ".join(ngram): share for ngram, share in shares.items() if share != 0.5}
    ]
    return tables


def figures_of_ours(translations: Translations) -> Tables:
    """Return the same from our functions, with compare-mt's conventions where they differ."""
    tables: Tables = {
        "word accuracy by frequency": [
            table_of(each) for each in frequency_counts(translations, MonolingualAligner("other"))
        ],
        "BLEU by length": [],
        "sentences by length difference": [],
    }
    lengths = reference_lengths(translations.texts)
    groups = LENGTHS.of(lengths)
    for system in translations.systems:
        counts = at_least_one(ngram_statistics(system.texts, 4))
        tables["BLEU by length"].append(
            {
                LENGTHS.names[group]: bleu_of(counts[groups == group].sum(axis=0))
                for group in np.unique(groups).tolist()
            }
        )
        away = system.texts.hypothesis.lengths - lengths
        ranges = np.searchsorted(DIFFERENCE_STARTS, away, side="right")
        tables["sentences by length difference"].append(counted(ranges))
    right = RightNgrams.of([system.texts for system in translations.systems])
    every = np.ones(len(translations.texts.vocabulary), np.bool_)
    totals = []
    for number in range(len(translations.systems)):
        total = Counter[str]()
        for n in range(1, 5):
            ngrams, _, occurrences = right.occurrences(number, n, (every,))
            for ngram, count in zip(ngrams, occurrences.tolist(), strict=True):
                total[ngram_text(ngram, translations.texts)] += count
        totals.append(total)
    tables["n-grams right"] = [dict(total) for total in totals]
    texts = list(dict.fromkeys(chain(*totals)))
    first, second = (np.array([total[text] for text in texts], np.int64) for total in totals[:2])
    shares = salience(first, second).tolist()
    tables["n-gram differences"] = [
        {text: share for text, share in zip(texts, shares, strict=True) if share != 0.5}
    ]
    return tables


def frequency_counts(translations: Translations, aligner: MonolingualAligner) -> list[WordCounts]:
    """Count the words of each frequency as an aligner matches them, for each system."""
    kinds = word_frequencies(translations.texts)
    found = []
    for system in translations.systems:
        outcomes = word_outcomes(system.texts, system.rows, aligner.align(system.texts))
        assert kinds.of_output is not None
        found.append(
            word_counts(
                outcomes, kinds.of_reference(outcomes), kinds.of_output(outcomes), len(kinds.names)
            )
        )
    return found


def table_of(counts: WordCounts) -> dict[str, Any]:
    """Return matches, words of reference and output, recall, precision and F1 by frequency."""
    columns = (counts.right, counts.reference, counts.output)
    shares = (counts.recall, counts.precision, counts.f1)
    rows = zip(*(column.tolist() for column in (*columns, *shares)), strict=True)
    return dict(zip(FREQUENCIES.names, rows, strict=True))


def at_least_one(counts: Float64) -> Float64:
    """Let each output have an n-gram of every order, as compare-mt does."""
    return np.concatenate([counts[:, :4], np.maximum(counts[:, 4:8], 1), counts[:, 8:]], axis=1)


def bleu_of(counts: Float64) -> float:
    """Return compare-mt's BLEU: an order without matches has precision 1, not 0."""
    if not counts[0]:
        return 0.0
    shares = [m / t if m else 1.0 for m, t in zip(counts[:4], counts[4:8], strict=True)]
    output, reference = counts[8], counts[9]
    penalty = min(1.0, float(np.exp(1 - reference / output)))
    return penalty * float(np.exp(np.log(shares).mean()))


def counted(ranges: Int64) -> dict[int, int]:
    """Count how often each range occurs."""
    numbers, counts = np.unique(ranges, return_counts=True)
    return dict(zip(numbers.tolist(), counts.tolist(), strict=True))
