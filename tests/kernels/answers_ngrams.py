"""What the metrics of n-grams and RIBES answer on small random texts."""

import random

from tests.nasty_text import nasty_line, near_line

from wordorder.metrics.text.matching import F1, GeneralTextMatcher
from wordorder.metrics.text.ngrams import Bleu, Chrf, SmoothedBleu, ngram_statistics
from wordorder.metrics.text.nist import Nist
from wordorder.metrics.text.order_and_words import Ribes, word_orders
from wordorder.segments import Segments

LENGTHS = [0, 1, 2, 3, 4, 5, 9, 17, 33, 65]


def answers(rng: random.Random) -> dict[str, object]:
    """Return counts, places and scores under the name of what they answer."""
    found: dict[str, object] = {}
    for kinds in (1, 3, 12):
        words = [f"w{i}" for i in range(kinds)]
        hypotheses, references = [], []
        for length in LENGTHS * 3:
            hypotheses.append(rng.choices(words, k=length))
            references.append(
                [rng.choices(words, k=rng.randint(0, length + 2)) for _ in range(rng.randint(1, 3))]
            )
        segments = Segments.from_text(hypotheses, references)
        texts = segments.texts
        found[f"n-grams {kinds}"] = ngram_statistics(texts, 4).tolist()
        found[f"n-grams with boundaries {kinds}"] = ngram_statistics(texts, 3, True).tolist()
        for compat in ("official", "nltk"):
            found[f"places {compat} {kinds}"] = word_orders(texts, compat).to_lists()
        metrics = [
            F1(),
            GeneralTextMatcher(),
            SmoothedBleu(),
            Nist(),
            Ribes(),
            Ribes(rank="spearman"),
        ]
        for metric in metrics:
            scores = [score.hex() for score in metric.segment_scores(segments).tolist()]
            found[f"{metric.signature()} {kinds}"] = scores
    lines = [nasty_line(rng) for _ in range(40)]
    nasty = Segments.from_text(lines, [[near_line(rng, line), nasty_line(rng)] for line in lines])
    for metric in (Bleu(), Bleu(tokenize="none"), Chrf(word_order=2), Chrf(whitespace=True)):
        found[f"nasty {metric.signature()}"] = metric.statistics(nasty).tolist()
    for method in ("none", "floor", "add-k", "exp"):
        bleu = Bleu(smooth_method=method, effective_order=method == "exp")
        found[f"nasty {method}"] = bleu.segment_scores(nasty).tolist()
    return found
