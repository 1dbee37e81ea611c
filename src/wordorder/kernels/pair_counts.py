"""Pairs of outputs on which a metric and people agree, disagree or see a tie."""

import cython


def count_pairs(
    metric: cython.const[cython.double][::1],
    human: cython.const[cython.double][::1],
    offsets: cython.const[cython.longlong][::1],
    threshold: cython.double,
    least: cython.double,
    counts: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Count the pairs within each group of five kinds; write them to `counts` [groups * 5].

    Group ``g`` has the values ``offsets[g] .. offsets[g + 1] - 1`` of `metric` and of `human`, all
    finite. In this order: concordant, discordant, tied by the metric alone, tied by people alone,
    tied by both. A metric ties two outputs whose scores differ by at most `threshold`, people those
    with equal scores. Pairs whose human scores differ by less than `least` are not counted.

    All pairs of a group: ``k * (k - 1) / 2`` steps for ``k`` values, without a branch.
    """
    cython.declare(group=cython.Py_ssize_t, i=cython.longlong, j=cython.longlong)
    cython.declare(start=cython.longlong, stop=cython.longlong, metric_gap=cython.double)
    cython.declare(human_gap=cython.double, lead=cython.double, human_i=cython.double)
    cython.declare(kept=cython.longlong, agree=cython.longlong, tied=cython.longlong)
    cython.declare(human_tied=cython.longlong, both=cython.longlong)
    with cython.nogil:
        for group in range(first, last):
            start = offsets[group]
            stop = offsets[group + 1]
            kept = 0
            agree = 0
            tied = 0
            human_tied = 0
            both = 0
            for i in range(start + 1, stop):
                lead = metric[i]
                human_i = human[i]
                for j in range(start, i):
                    metric_gap = lead - metric[j]
                    human_gap = human_i - human[j]
                    kept += abs(human_gap) >= least
                    human_tied += (human_gap == 0.0) & (least <= 0.0)
                    tied += (abs(metric_gap) <= threshold) & (abs(human_gap) >= least)
                    both += (abs(metric_gap) <= threshold) & (human_gap == 0.0) & (least <= 0.0)
                    agree += (
                        (abs(metric_gap) > threshold)
                        & (abs(human_gap) >= least)
                        & (
                            ((metric_gap > 0.0) & (human_gap > 0.0))
                            | ((metric_gap < 0.0) & (human_gap < 0.0))
                        )
                    )
            counts[5 * group] = agree
            counts[5 * group + 1] = kept - agree - tied - human_tied + both
            counts[5 * group + 2] = tied - both
            counts[5 * group + 3] = human_tied - both
            counts[5 * group + 4] = both
