"""What metrics of text and their alignments answer on small random input."""

import random
import tempfile
from itertools import chain, combinations
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from tests.nasty_text import nasty_line, near_line

from wordorder.alignment.monolingual import MonolingualAligner
from wordorder.analysis.translations.blocks import aligned_blocks, path_blocks
from wordorder.metrics.text.edits import (
    CoverDisjointErrorRate,
    ErrorRate,
    PositionIndependentErrorRate,
    WordErrorRate,
    inversion_distances,
    long_jump_bounds,
)
from wordorder.metrics.text.matching import F1, GeneralTextMatcher, Meteor
from wordorder.metrics.text.ngrams import Bleu, Chrf, SmoothedBleu, ngram_statistics
from wordorder.metrics.text.nist import Nist
from wordorder.metrics.text.order_and_words import Ribes, certain_positions
from wordorder.metrics.text.paths import cover_paths, long_jump_path
from wordorder.metrics.text.ter import TranslationEditRate, count_shifted_edits
from wordorder.segments import Segments
from wordorder.text.texts import Texts


def edit(rng: random.Random) -> dict[str, object]:
    """Return distances under the name of the metric with its options."""
    hypotheses, references = [], []
    for length in (0, 1, 2, 5, 9, 62, 63, 64, 65, 130):
        for size in (3, 400):
            words = ["".join(rng.choices("abé", k=rng.randrange(1, 6))) for _ in range(size)]
            sentence = rng.choices(words, k=length)
            cut = rng.randrange(length + 1)
            others = [rng.choices(words, k=rng.randrange(70)) for _ in range(rng.randrange(3))]
            hypotheses.append(sentence)
            references.append([sentence[cut:] + sentence[:cut], *others])
    segments = Segments.from_text(hypotheses, references)
    found: dict[str, object] = {}
    metrics: list[ErrorRate] = [CoverDisjointErrorRate(direction="max", penalty="mean")]
    for costs in ("constant", "prefix", "levenshtein"):
        metrics += [
            WordErrorRate(substitution=costs),
            PositionIndependentErrorRate(substitution=costs),
            CoverDisjointErrorRate(substitution=costs, direction="candidate"),
        ]
    for metric in metrics:
        distances = metric.distances(segments)
        found[str(metric.signature())] = [value.hex() for value in distances.tolist()]
    few = segments[6:10]
    with TemporaryDirectory() as folder:
        table = Path(folder, "costs.tsv")
        words = sorted(set(chain.from_iterable([*hypotheses, *chain.from_iterable(references)])))
        costly = [f"{a} {b} {_by_length(a, b)}\n" for a, b in combinations(words[::9], 2)]
        table.write_text("".join(costly), "utf-8")
        for options in ("stem", ""), ("information", ""), ("table", str(table)):
            kind = WordErrorRate(substitution=options[0], costs=options[1]).prepare(segments)
            found[str(kind.signature())] = [v.hex() for v in kind.distances(few).tolist()]
    for costs in ("constant", "prefix"):
        paths = cover_paths(segments.texts[:10], substitution=costs, direction="candidate")
        found[f"path {costs}"] = [paths.operation.tolist(), paths.hypothesis.tolist()]
    return found


def _by_length(one: str, other: str) -> float:
    return min(2.0, 0.4 + abs(len(one) - len(other)) / 4)


def jumps(rng: random.Random) -> dict[str, object]:
    """Return distances under the name of what they are."""
    found: dict[str, object] = {}
    for longest, size in ((7, 3), (12, 5), (70, 60)):
        words = [f"w{number}" for number in range(size)]
        hypotheses, references = [], []
        for _ in range(8):
            sentence = rng.choices(words, k=rng.randrange(longest + 1))
            cut = rng.randrange(len(sentence) + 1)
            other = rng.choices(words, k=rng.randrange(longest + 1))
            hypotheses.append(sentence)
            references.append([sentence[cut:] + sentence[:cut], other, []])
        texts = Segments.from_text(hypotheses, references).texts
        found[f"shifted edits {size}"] = count_shifted_edits(texts).tolist()
        bounds = long_jump_bounds(texts, limit=100)
        found[f"long jumps {size}"] = [bound.tolist() for bound in bounds]
        path = long_jump_path(hypotheses[0][:9], references[0][0][:12], limit=100)
        found[f"long jump path {size}"] = [[s.operation, s.hypothesis] for s in path.steps]
        exchanges = inversion_distances(texts, inversion_cost=0.5, max_words=12)
        found[f"inversions {size}"] = [value.hex() for value in exchanges.tolist()]
    segments = Segments.from_text(["Yes, (he) is."], ["he is, yes"])
    statistics = TranslationEditRate(normalized=True, no_punct=True).statistics(segments)
    found["ter"] = [value.hex() for value in statistics[0].tolist()]
    return found


LENGTHS = [0, 1, 2, 3, 4, 5, 9, 17, 33, 65]


def ngrams(rng: random.Random) -> dict[str, object]:
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
            found[f"places {compat} {kinds}"] = certain_positions(texts, compat).to_lists()
        several = (F1(), GeneralTextMatcher(), SmoothedBleu(), Nist(), Ribes())
        for metric in (*several, Ribes(rank="spearman")):
            scores = [score.hex() for score in metric.segment_scores(segments).tolist()]
            found[f"{metric.signature()} {kinds}"] = scores
    lines = [nasty_line(rng) for _ in range(40)]
    nasty = Segments.from_text(lines, [[near_line(rng, line), nasty_line(rng)] for line in lines])
    for of_text in (Bleu(), Bleu(tokenize="none"), Chrf(word_order=2), Chrf(whitespace=True)):
        found[f"nasty {of_text.signature()}"] = of_text.statistics(nasty).tolist()
    for method in ("none", "floor", "add-k", "exp"):
        bleu = Bleu(smooth_method=method, effective_order=method == "exp")
        found[f"nasty {method}"] = bleu.segment_scores(nasty).tolist()
    return found


WORDS = "the the cat cats sit sits on a mat mats . ,".split()


def meteor(rng: random.Random) -> dict[str, object]:
    """Return matches and scores of sentences of up to 70 words, with ambiguous words."""
    lengths = [0, 1, 2, 3, 5, 9, 17, 33, 63, 64, 65, 70]

    def sentence() -> str:
        return " ".join(rng.choice(WORDS) for _ in range(rng.choice(lengths)))

    hypotheses = [sentence() for _ in range(12)]
    references = [[sentence() for _ in range(rng.randrange(3))] for _ in range(12)]
    references[0] = [hypotheses[0]]
    segments = Segments.from_text(hypotheses, references)
    found: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder:
        table, sets = Path(folder) / "table", Path(folder) / "sets"
        table.write_text("0.5\non a\nthe\n0.5\nsits\nsit on\n")
        sets.write_text("cat mat\n")
        for java in (False, True):
            aligner = MonolingualAligner(synonyms=sets, paraphrases=table, beam=5, java=java)
            matches = aligner.align(segments.texts)
            names = "start length hypothesis_start hypothesis_length module offsets".split()
            found[f"matches {java}"] = [getattr(matches, name).tolist() for name in names]
            found[f"permutations {java}"] = aligner.permutations(segments.texts).to_lists()
    found["meteor"] = [v.hex() for v in Meteor().segment_scores(segments).tolist()]
    return found


def blocks(rng: random.Random) -> dict[str, object]:
    """Return the blocks of paths and of alignments."""
    hypotheses, references = [], []
    for length in (0, 1, 2, 5, 9, 20, 30):
        hypotheses.append(" ".join(rng.choices("abcdefgh", k=length)))
        references.append(" ".join(rng.choices("abcdefgh", k=length)))
    texts = Texts.from_segments(hypotheses, references)
    matches = MonolingualAligner("other").align(texts)
    found: dict[str, object] = {}
    for name, blocks in (
        ("path", path_blocks(cover_paths(texts))),
        ("alignment", aligned_blocks(texts, np.arange(len(texts)), matches)),
    ):
        columns = (blocks.starts, blocks.distance, blocks.first_passed, blocks.last_passed)
        found[name] = [column.tolist() for column in columns] + [
            [cost.hex() for cost in blocks.cost.tolist()],
            blocks.other_jumps.tolist(),
        ]
    return found
