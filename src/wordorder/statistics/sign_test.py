"""The sign test of the numbers of wins and losses."""

import math
import sys

from wordorder.errors import UsageError

# Terms that are smaller than the sum by this number of bits do not change it, even all together.
_NEGLIGIBLE_BITS = 128


def sign_test(wins: int, losses: int, exact: bool = True) -> float:
    """Return the probability of at least `wins` wins if both sides are equally likely to win.

    One-sided; ties must be left out. The exact test is the binomial sum over
    ``wins .. wins + losses``. The normal approximation has no continuity correction, as in Birch
    and Osborne (2011, section 4): for 189 wins and 158 losses it gives their .048, while the exact
    value is .054.

    Parameters
    ----------
    wins, losses : int
        At least 0, together at least 1.
    exact : bool
        Compute the exact sum, in integers, not the normal approximation.

    Returns
    -------
    float in (0, 1]

    Raises
    ------
    UsageError
        If a count is negative or both are 0.

    Examples
    --------
    >>> round(sign_test(189, 158), 4), round(sign_test(189, 158, exact=False), 4)
    (0.0536, 0.048)
    """
    are_counts = all(0 <= number < math.inf and number == int(number) for number in (wins, losses))
    if not are_counts or not wins + losses:
        problem = "wins and losses are whole numbers of at least 0, not both 0"
        raise UsageError(f"{problem}: got {wins} and {losses}")
    wins, losses = int(wins), int(losses)
    if exact:
        probability = _upper_tail(wins, wins + losses)
    else:
        z = (wins - losses) / math.sqrt(wins + losses)
        probability = math.erfc(z / math.sqrt(2)) / 2
    return max(probability, sys.float_info.min)


def _upper_tail(least: int, trials: int) -> float:
    """Return the probability of at least `least` heads in `trials` fair flips of a coin."""
    if 2 * least <= trials:
        # The complement has fewer terms: at most least - 1 heads.
        return 1 - _upper_tail(trials - least + 1, trials) if least else 1.0
    term = math.comb(trials, least)
    total = 0
    for heads in range(least, trials + 1):
        total += term
        if term.bit_length() + _NEGLIGIBLE_BITS < total.bit_length():
            break
        term = term * (trials - heads) // (heads + 1)
    return total / (1 << trials)
