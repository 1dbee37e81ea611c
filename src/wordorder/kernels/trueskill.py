"""TrueSkill: the skills of systems from matches, each a normal distribution.

All is plain arithmetic and square roots, which round in the same way everywhere: the functions of
the normal distribution are computed here, to about 14 digits.
"""

import cython
from cython.cimports.libc.math import sqrt

MASK64 = cython.declare(cython.ulonglong, (1 << 64) - 1)
STEP = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
FIRST_FACTOR = cython.declare(cython.ulonglong, 0xBF58476D1CE4E5B9)
SECOND_FACTOR = cython.declare(cython.ulonglong, 0x94D049BB133111EB)
UNIT = cython.declare(cython.double, 1.0 / (1 << 53))
LOG2_E = cython.declare(cython.double, 1.4426950408889634)
# The logarithm of 2 in two parts; the first has few digits, so that small multiples are exact.
LOG_2 = cython.declare(cython.double, 0.693147180369123816490)
LOG_2_REST = cython.declare(cython.double, 1.90821492927058770002e-10)
DENSITY = cython.declare(cython.double, 0.3989422804014327)  # 1 / sqrt(2 pi)
# Below it e to the power of a number is taken for 0.
LEAST_EXPONENT = cython.declare(cython.double, -700.0)
TERMS = cython.declare(cython.int, 13)
# Below it the tail of the normal distribution is a continued fraction.
TAIL = cython.declare(cython.double, -3.0)
LEVELS = cython.declare(cython.int, 120)
# Above it the distribution function is 1.
TOP = cython.declare(cython.double, 8.5)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def mixed(state: cython.ulonglong) -> cython.ulonglong:
    """Turn the state of splitmix64 into its output."""
    state = ((state ^ (state >> 30)) * FIRST_FACTOR) & MASK64
    state = ((state ^ (state >> 27)) * SECOND_FACTOR) & MASK64
    return state ^ (state >> 31)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def power_of_e(x: cython.double) -> cython.double:
    """Return e to the power of a number of at most 0."""
    cython.declare(doublings=cython.int, term=cython.int, rest=cython.double, total=cython.double)
    cython.declare(half=cython.double)
    if x < LEAST_EXPONENT:
        return 0.0
    doublings = cython.cast(cython.int, 0.5 - x * LOG2_E)
    rest = (x + doublings * LOG_2) + doublings * LOG_2_REST
    total = 1.0
    for term in range(TERMS, 0, -1):
        total = 1.0 + rest * total / term
    half = 0.5
    while doublings > 0:
        if doublings & 1:
            total *= half
        half *= half
        doublings >>= 1
    return total


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def raised_to(x: cython.double) -> cython.double:
    """Return e to the power of any number."""
    return power_of_e(x) if x <= 0.0 else 1.0 / power_of_e(-x)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def density_ratio(x: cython.double) -> cython.double:
    """Return the density of the standard normal distribution over its distribution function."""
    cython.declare(density=cython.double, term=cython.double, total=cython.double)
    cython.declare(fraction=cython.double, k=cython.int)
    if x < TAIL:
        # Laplace's continued fraction of the tail.
        fraction = -x
        for k in range(LEVELS, 0, -1):
            fraction = -x + k / fraction
        return fraction
    density = DENSITY * power_of_e(-0.5 * x * x)
    if x > TOP:
        return density
    # The distribution function less 1/2, over the density: x + x^3/3 + x^5/(3*5) + ...
    term = x
    total = x
    k = 3
    while abs(term) > 1e-17 * abs(total):
        term *= x * x / k
        total += term
        k += 2
    return density / (0.5 + density * total)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def rate(
    mu: cython.double[::1],
    variance: cython.double[::1],
    a: cython.Py_ssize_t,
    b: cython.Py_ssize_t,
    outcome: cython.longlong,
    spread: cython.double,
    margin: cython.double,
    drift: cython.double,
) -> cython.void:
    """Update the skills at `a` and `b` after one match (Herbrich, Minka and Graepel 2006).

    `spread` is twice the square of beta, `drift` the square of tau.
    """
    cython.declare(c=cython.double, x=cython.double, low=cython.double, high=cython.double)
    cython.declare(v=cython.double, w=cython.double, ratio=cython.double)
    cython.declare(inverse_high=cython.double, denominator=cython.double)
    sign: cython.double = 1.0
    variance[a] += drift
    variance[b] += drift
    c = sqrt(spread + variance[a] + variance[b])
    x = (mu[a] - mu[b]) / c
    margin = margin / c
    if outcome == 0:
        if x < 0.0:
            sign = -1.0
            x = -x
        # Between -margin and margin, seen from x, over the density at the upper end.
        high = margin - x
        low = -margin - x
        ratio = power_of_e(-2.0 * margin * x)
        inverse_high = density_ratio(high)
        denominator = 1.0 / inverse_high - ratio / density_ratio(low) if inverse_high > 0.0 else 0.0
        if denominator > 0.0:
            v = (ratio - 1.0) / denominator
            w = v * v + (high - low * ratio) / denominator
        else:
            v = 0.0
            w = 0.0
        v *= sign
    else:
        if outcome < 0:
            sign = -1.0
            x = -x
        x = x - margin
        v = density_ratio(x)
        w = v * (v + x)
        v *= sign
    mu[a] += variance[a] / c * v
    mu[b] -= variance[b] / c * v
    variance[a] *= 1.0 - variance[a] / (c * c) * w
    variance[b] *= 1.0 - variance[b] / (c * c) * w


def rate_in_order(
    winners: cython.const[cython.longlong][::1],
    losers: cython.const[cython.longlong][::1],
    outcomes: cython.const[cython.longlong][::1],
    spread: cython.double,
    margin: cython.double,
    drift: cython.double,
    mu: cython.double[::1],
    variance: cython.double[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Update the skills `mu` and `variance` after the matches ``first .. last-1``, one by one.

    A match is between ``winners[m]`` and ``losers[m]``; ``outcomes[m]`` is 1 as the names say, -1
    the other way round, 0 for a draw.
    """
    cython.declare(m=cython.Py_ssize_t)
    with cython.nogil:
        for m in range(first, last):
            rate(mu, variance, winners[m], losers[m], outcomes[m], spread, margin, drift)


def sampled_runs(
    keys: cython.const[cython.longlong][::1],
    systems: cython.Py_ssize_t,
    matches: cython.const[cython.longlong][::1],
    starts: cython.const[cython.longlong][::1],
    items: cython.const[cython.longlong][::1],
    outcomes: cython.const[cython.longlong][::1],
    times: cython.const[cython.double][::1],
    number_of_items: cython.Py_ssize_t,
    variance_at_start: cython.double,
    spread_of_match: cython.double,
    margin_of_match: cython.double,
    mu: cython.double[::1],
    variance: cython.double[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    drawn: cython.longlong[::1],
    ends: cython.longlong[::1],
    weights: cython.double[::1],
    raised: cython.double[::1],
    lowered: cython.double[::1],
) -> None:
    """Rate systems in runs of matches that are drawn as Sakaguchi et al. (2014) draw them.

    Each match is of the system with the largest variance, and of another that is drawn with a
    probability that falls as ``exp(-|difference of mu|)``; which judgement of the two is its
    outcome is drawn too.

    Run ``r`` plays ``matches[r]`` matches. The judgements of the pair ``p = i * systems + j``,
    i < j, are ``starts[p] .. starts[p + 1] - 1``, each of the item ``items[k]``, with the outcome
    ``outcomes[k]`` seen from i; an item counts ``times[r * number_of_items + item]`` times. Writes
    row ``r`` of `mu` and `variance` [runs * systems]. `drawn` has room for the judgements of a run,
    `ends` for ``systems ** 2 + 1`` numbers, `weights`, `raised` and `lowered` for one a system.
    """
    cython.declare(run=cython.Py_ssize_t, base=cython.Py_ssize_t, i=cython.Py_ssize_t)
    cython.declare(j=cython.Py_ssize_t, pair=cython.Py_ssize_t, size=cython.Py_ssize_t)
    cython.declare(k=cython.longlong, copies=cython.longlong, _match=cython.longlong)
    cython.declare(state=cython.ulonglong, total=cython.double, left=cython.double)
    cython.declare(spread=cython.double, margin=cython.double)
    with cython.nogil:
        for run in range(first, last):
            base = run * systems
            for i in range(systems):
                mu[base + i] = 0.0
                variance[base + i] = variance_at_start
                # e to the power of mu, and of -mu.
                raised[i] = 1.0
                lowered[i] = 1.0
            size = 0
            for pair in range(systems * systems):
                ends[pair] = size
                for k in range(starts[pair], starts[pair + 1]):
                    copies = cython.cast(cython.longlong, times[run * number_of_items + items[k]])
                    while copies > 0:
                        drawn[size] = outcomes[k]
                        size += 1
                        copies -= 1
            ends[systems * systems] = size
            # Beta grows with the number of matches, so that one match moves little.
            spread = spread_of_match * matches[run] * matches[run]
            margin = margin_of_match * matches[run]
            state = cython.cast(cython.ulonglong, keys[run]) & MASK64
            for _match in range(matches[run]):
                i = 0
                for j in range(1, systems):
                    if variance[base + j] > variance[base + i]:
                        i = j
                total = 0.0
                for j in range(systems):
                    pair = i * systems + j if i < j else j * systems + i
                    weights[j] = 0.0
                    if i != j and ends[pair + 1] > ends[pair]:
                        weights[j] = min(raised[i] * lowered[j], raised[j] * lowered[i])
                        total += weights[j]
                if total == 0.0:
                    # Nobody met this system in this run: let the others go on.
                    variance[base + i] = -variance[base + i]
                    continue
                state = (state + STEP) & MASK64
                left = (mixed(state) >> 11) * UNIT * total
                j = 0
                while j < systems - 1 and (weights[j] == 0.0 or left >= weights[j]):
                    left -= weights[j]
                    j += 1
                while weights[j] == 0.0:
                    j -= 1
                pair = i * systems + j if i < j else j * systems + i
                state = (state + STEP) & MASK64
                k = ends[pair] + cython.cast(
                    cython.longlong, (mixed(state) >> 11) * UNIT * (ends[pair + 1] - ends[pair])
                )
                if i < j:
                    rate(mu, variance, base + i, base + j, drawn[k], spread, margin, 0.0)
                else:
                    rate(mu, variance, base + j, base + i, drawn[k], spread, margin, 0.0)
                raised[i] = raised_to(mu[base + i])
                raised[j] = raised_to(mu[base + j])
                lowered[i] = 1.0 / raised[i]
                lowered[j] = 1.0 / raised[j]
            for i in range(systems):
                variance[base + i] = abs(variance[base + i])
