"""What coefficients of small random scores are, with ties and gaps."""

import random
from dataclasses import astuple

from wordorder.judgement import acc_eq, kendall, pearson, spearman
from wordorder.statistics import named_statistics


def answers(rng: random.Random) -> dict[str, object]:
    """Compute every coefficient under every grouping."""
    found: dict[str, object] = {}
    for places in (0, 1, 17):
        metric, human = ([_row(rng, places) for _ in range(5)] for _ in range(2))
        for by in ("none", "item", "system"):
            values = [pearson(metric, human, by), spearman(metric, human, by)]
            values += [kendall(metric, human, variant, by) for variant in ("a", "b", "c", "17")]
            values += astuple(acc_eq(metric, human, by))
            found[f"{places} {by}"] = [float(value).hex() for value in values]
    large = [[rng.randrange(50) for _ in range(300)] for _ in range(2)]
    found["large"] = kendall(large[0], large[1]).hex()
    listed, named_statistics.LISTED = named_statistics.LISTED, 9
    # More pairs than are listed: a histogram tells which may matter.
    found["many pairs"] = [
        each.hex() for each in map(float, astuple(acc_eq(large[0][:40], large[1][:40])))
    ]
    named_statistics.LISTED = listed
    return found


def _row(rng: random.Random, places: int) -> list[float]:
    row = [round(5 * rng.random(), places) for _ in range(7)]
    row[rng.randrange(7)] = float("nan")
    return row
