"""What the edit distances answer on small random text."""

import random
from itertools import chain, combinations
from pathlib import Path
from tempfile import TemporaryDirectory

from wordorder.metrics.text.edits import (
    CoverDisjointErrorRate,
    ErrorRate,
    PositionIndependentErrorRate,
    WordErrorRate,
)
from wordorder.metrics.text.paths import cover_paths
from wordorder.segments import Segments


def answers(rng: random.Random) -> dict[str, object]:
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
        words = sorted(set(chain.from_iterable([*hypotheses, *chain.from_iterable(references)])))[
            ::9
        ]
        costly = [f"{a} {b} {_by_length(a, b)}\n" for a, b in combinations(words, 2)]
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
