"""What the tests of two metrics answer on small random input."""

import random

import numpy as np

from wordorder.statistics.correlation_permutation import perm_both, perm_inputs


def answers(rng: random.Random) -> dict[str, object]:
    """Return the differences of swapped metrics under each kind of coefficient."""
    generator = np.random.default_rng(rng.randrange(100))
    human = generator.integers(0, 3, (3, 4)).astype(np.float64)
    first, second = (human + np.round(generator.normal(size=human.shape)) for _ in range(2))
    first[0, 1] = np.nan
    found: dict[str, object] = {}
    for statistic in ("pearson", "spearman", "kendall-b", "acc-eq"):
        for by in ("none", "item"):
            test = perm_both(first, second, human, statistic=statistic, by=by, resamples=3)
            found[f"{statistic} {by}"] = test.differences.tobytes().hex()
    large = np.tile(human, 90)
    pooled = perm_both(large, np.roll(large, 1), large, resamples=2)
    found["pooled"] = pooled.differences.tobytes().hex()
    test = perm_inputs(first, second, human, unit="system", resamples=3)
    found["systems"] = test.differences.tobytes().hex()
    return found
