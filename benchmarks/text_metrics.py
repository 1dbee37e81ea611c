"""Rates of the text metrics on one core, beside other ways to compute the same numbers.

20,000 pairs of a hypothesis and a reference of 10 to 40 words; pairs per CPU second. The segments
are made before, and the peers are given lists of words where they take them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import jiwer
import numpy as np
import sacrebleu
from measuring import Report, main, measure
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from nltk.translate.nist_score import sentence_nist
from nltk.translate.ribes_score import sentence_ribes
from rapidfuzz.distance import Levenshtein
from workload import Translations, translations

import wordorder as wo
from wordorder.alignment.monolingual import MonolingualAligner

Pairs = Sequence[tuple[list[str], list[str]]]

ASKED = {"cder": 220_000, "wer": 500_000, "ter": 4_000, "ribes": 200_000, "meteor": 40_000}
TOKENS_ASKED = 2_000_000
MATCHES_ASKED = 40_000
# Metrics with what they need beside text; those of alignments are in other scripts.
METRICS = (
    *("wer", "per", "cder", "ter", "long-jump", "inversion-wer"),
    *("f1", "ribes", "bleu-s", "nist", "bleu", "chrf", "meteor"),
)
MODULES = (("exact",), ("exact", "stem"))
WITH_ORDERS = ("senscore", "lrscore")
RUNS = 5
# One of how many pairs the slow ones are given.
PARTS = {"inversion-wer": 40}


def wer_rapidfuzz(pairs: Pairs) -> list[float]:
    return [Levenshtein.distance(reference, ours) / len(reference) for reference, ours in pairs]


def wer_jiwer(pairs: Pairs) -> float:
    references = [" ".join(reference) for reference, _ in pairs]
    return float(jiwer.process_words(references, [" ".join(ours) for _, ours in pairs]).wer)


def per_python(pairs: Pairs) -> list[float]:
    found = []
    for reference, ours in pairs:
        common = sum((Counter(reference) & Counter(ours)).values())
        found.append((max(len(reference), len(ours)) - common) / len(reference))
    return found


def f1_python(pairs: Pairs) -> list[float]:
    return [
        2 * sum((Counter(reference) & Counter(ours)).values()) / (len(reference) + len(ours))
        for reference, ours in pairs
    ]


def cder_python(pairs: Pairs) -> list[float]:
    """Equation 1 of Leusch et al. (2006), one row of the grid for each word of the reference."""
    found = []
    for reference, ours in pairs:
        row = [0] + [1] * len(ours)
        for word in reference:
            following = [row[0] + 1]
            for place, other in enumerate(ours):
                following.append(
                    min(row[place] + (word != other), row[place + 1] + 1, following[place] + 1)
                )
            jump = min(following) + 1
            row = [min(cost, jump) for cost in following]
        found.append(row[-1] / len(reference))
    return found


def cder_numpy(pairs: Pairs) -> list[float]:
    """The same, a row of the grid at a time; runs of insertions cost no less than a jump."""
    found = []
    for reference, ours in pairs:
        numbers: dict[str, int] = {}
        theirs = [numbers.setdefault(word, len(numbers)) for word in reference]
        words = np.array([numbers.setdefault(word, len(numbers)) for word in ours], np.int32)
        row = np.ones(len(ours) + 1, np.int32)
        row[0] = 0
        for word in theirs:
            following = row + 1
            np.minimum(following[1:], row[:-1] + (words != word), out=following[1:])
            row = np.minimum(following, following.min() + 1)
        found.append(int(row[-1]) / len(reference))
    return found


def ter_sacrebleu(pairs: Pairs) -> list[float]:
    metric = sacrebleu.TER()
    return [
        metric.sentence_score(" ".join(ours), [" ".join(reference)]).score / 100
        for reference, ours in pairs
    ]


def bleu_sacrebleu(pairs: Pairs) -> float:
    references = [" ".join(reference) for reference, _ in pairs]
    ours = [" ".join(words) for _, words in pairs]
    return float(sacrebleu.BLEU().corpus_score(ours, [references]).score) / 100


def chrf_sacrebleu(pairs: Pairs) -> float:
    references = [" ".join(reference) for reference, _ in pairs]
    ours = [" ".join(words) for _, words in pairs]
    return float(sacrebleu.CHRF().corpus_score(ours, [references]).score) / 100


def bleu_nltk(pairs: Pairs) -> list[float]:
    smoothing = SmoothingFunction().method2
    return [
        float(sentence_bleu([reference], ours, smoothing_function=smoothing))
        for reference, ours in pairs
    ]


def ribes_nltk(pairs: Pairs) -> list[float]:
    return [float(sentence_ribes([reference], ours)) for reference, ours in pairs]


def nist_nltk(pairs: Pairs) -> list[float]:
    return [float(sentence_nist([reference], ours)) for reference, ours in pairs]


@dataclass(frozen=True)
class Peer:
    """Another way to compute a metric, and how it is compared.

    Attributes
    ----------
    function : callable
        Returns the scores of all pairs, or that of the corpus.
    part : int
        One of how many pairs it is given: some are too slow for all of them.
    options : dict
        With which our metric finds the same numbers.
    same : bool
        False for one that computes something else in the same manner.
    """

    function: Callable[[Pairs], list[float] | float]
    part: int = 1
    options: dict[str, str] = field(default_factory=dict)
    same: bool = True


PEERS: dict[str, dict[str, Peer]] = {
    "wer": {"rapidfuzz": Peer(wer_rapidfuzz), "jiwer": Peer(wer_jiwer)},
    "per": {"plain Python": Peer(per_python, 4)},
    "f1": {"plain Python": Peer(f1_python, 4)},
    "cder": {"plain Python": Peer(cder_python, 40), "numpy": Peer(cder_numpy, 40)},
    "ter": {"sacrebleu": Peer(ter_sacrebleu, 100)},
    "bleu": {"sacrebleu": Peer(bleu_sacrebleu, 4)},
    "chrf": {"sacrebleu": Peer(chrf_sacrebleu, 10)},
    "bleu-s": {"nltk": Peer(bleu_nltk, 20)},
    "ribes": {"nltk": Peer(ribes_nltk, 20, {"compat": "nltk"})},
    # It takes the information of n-grams from the references of the one sentence.
    "nist": {"nltk": Peer(nist_nltk, 20, same=False)},
}


def benchmark(report: Report) -> None:
    size = 2_000 if report.quick else 20_000
    wo.set_threads(1)
    drawn = translations(size)
    segments = prepared(report, drawn)
    pairs = drawn.tokens()
    for name in METRICS:
        one_metric(report, name, lambda: text(drawn), pairs)
    matched(report, segments)
    aligner = MonolingualAligner(modules=MODULES[-1])
    for name in WITH_ORDERS:
        one_metric(report, name, lambda: text(drawn, aligner), pairs)


def text(drawn: Translations, aligner: MonolingualAligner | None = None) -> wo.Segments:
    return wo.Segments.from_text(drawn.hypotheses, drawn.references, aligner=aligner)


def prepared(report: Report, drawn: Translations) -> wo.Segments:
    """Measure making segments from strings and from lists of words."""
    pairs = drawn.tokens()
    tokens = sum(len(reference) + len(ours) for reference, ours in pairs)
    references, ours = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    report.add_rate(
        "segments from strings",
        tokens,
        measure(lambda: text(drawn)),
        "tokens/s",
        at_least=TOKENS_ASKED,
    )
    report.add_rate(
        "segments from lists of words",
        tokens,
        measure(lambda: wo.Segments.from_text(ours, [[each] for each in references])),
        "tokens/s",
        at_least=TOKENS_ASKED,
    )
    return text(drawn)


def one_metric(report: Report, name: str, made: Callable[[], wo.Segments], pairs: Pairs) -> None:
    """Measure a metric on new segments, so that it finds nothing that was computed before."""
    metric = wo.metric(name)
    size = len(pairs) // PARTS.get(name, 1)
    segments = made()
    unused = [made()[:size] for _ in range(RUNS + 1)]
    peers = {}
    for label, peer in PEERS.get(name, {}).items():
        sample = pairs[: len(pairs) // peer.part]
        if peer.same:
            check(name, label, peer, segments[: len(sample)], sample)
        # They keep nothing from one run for the next, but the first one imports and compiles.
        timing = measure(partial(peer.function, sample), 2)
        peers[label] = len(sample) / timing.least_cpu
    report.add_rate(
        name,
        size,
        measure(lambda: metric.corpus_score(unused.pop()), RUNS),
        "pairs/s",
        at_least=ASKED.get(name),
        peers=peers,
    )


def check(name: str, label: str, peer: Peer, segments: wo.Segments, sample: Pairs) -> None:
    """Raise unless ours are the numbers of the peer."""
    metric = wo.metric(name, **peer.options)
    theirs = peer.function(sample)
    ours = (
        metric.segment_scores(segments)
        if isinstance(theirs, list)
        else metric.corpus_score(segments).value
    )
    if not np.allclose(ours, theirs):
        raise RuntimeError(f"{name}: {label} finds other numbers")


def matched(report: Report, segments: wo.Segments) -> None:
    """Measure the monolingual aligner."""
    for modules in MODULES:
        aligner = MonolingualAligner(modules=modules)
        report.add_rate(
            f"monolingual aligner, {'+'.join(modules)}",
            len(segments),
            measure(lambda aligner=aligner: aligner.align(segments[:].texts)),  # type: ignore[misc]
            "pairs/s",
            at_least=MATCHES_ASKED,
        )


if __name__ == "__main__":
    main(__file__, __doc__, benchmark)
