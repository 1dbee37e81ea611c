"""Logistic regression over sparse features: one pass of stochastic gradients."""

import cython
from cython.cimports.libc.math import sqrt

# Halvings of an exponent, and how large one may be.
HALVINGS = cython.declare(cython.int, 12)
LARGEST = cython.declare(cython.double, 30.0)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def probability(score: cython.double) -> cython.double:
    """Return the logistic function, from multiplications alone: the same on any machine."""
    cython.declare(power=cython.double, _k=cython.int)
    size: cython.double = abs(score)
    if size > LARGEST:
        size = LARGEST
    power = 1.0 + size / (1 << HALVINGS)
    for _k in range(HALVINGS):
        power *= power
    if score < 0.0:
        return 1.0 / (1.0 + power)
    return power / (1.0 + power)


def logistic_pass(
    features: cython.const[cython.int][::1],
    templates: cython.longlong,
    order: cython.const[cython.longlong][::1],
    labels: cython.const[cython.double][::1],
    importance: cython.const[cython.double][::1],
    counts: cython.const[cython.float][::1],
    rate: cython.double,
    penalty: cython.double,
    weights: cython.double[::1],
    squares: cython.double[::1],
    wrong: cython.longlong[::1],
) -> None:
    """Change the weights by the gradient of each instance in turn, with steps as in AdaGrad.

    Instance `n` has the features ``features[n * templates ..]``, a label in [0, 1] and an
    importance. The square of each weight costs ``penalty / 2``, spread over the ``counts`` of its
    feature. ``wrong[0]`` counts the instances on the wrong side.
    """
    cython.declare(at=cython.longlong, number=cython.longlong, begin=cython.longlong)
    cython.declare(k=cython.longlong, feature=cython.longlong, score=cython.double)
    cython.declare(slope=cython.double, step=cython.double)
    with cython.nogil:
        for at in range(order.shape[0]):
            number = order[at]
            begin = number * templates
            score = 0.0
            for k in range(begin, begin + templates):
                score += weights[features[k]]
            if (score > 0.0) != (labels[number] > 0.5):
                wrong[0] += 1
            slope = importance[number] * (probability(score) - labels[number])
            for k in range(begin, begin + templates):
                feature = features[k]
                step = slope + penalty * weights[feature] / counts[feature]
                squares[feature] += step * step
                weights[feature] -= rate * step / sqrt(squares[feature])
