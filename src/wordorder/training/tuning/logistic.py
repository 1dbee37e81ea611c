"""Logistic regression on differences, by Newton's method."""

from __future__ import annotations

import numpy as np

from wordorder.types import Float64

# The gradient at which the optimum is reached, in parts of the gradient at 0.
CLOSE = 1e-10
MOST_STEPS = 100


def fit_logistic(rows: Float64, penalty: float = 1.0) -> Float64:
    """Return the weights under which rows have positive products, with few of them large.

    Minimises ``sum(log(1 + exp(-rows @ w))) + penalty / 2 * w @ w``, which has one minimum.

    Parameters
    ----------
    rows : float64[M, F]
        Each the features of what is better less those of what is worse.
    penalty : float
        Above 0.

    Returns
    -------
    float64[F]

    Notes
    -----
    No products of the linear algebra library, whose digits depend on its threads.

    Examples
    --------
    >>> fit_logistic(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, -1.0]])).round(3)
    array([ 0.675, -0.401])
    """
    weights = np.zeros(rows.shape[1])
    gradient, curvature = _slope(rows, weights, penalty)
    enough = CLOSE * float(np.abs(gradient).max(initial=0.0))
    for _ in range(MOST_STEPS):
        if float(np.abs(gradient).max(initial=0.0)) <= enough:
            break
        step = _solve(rows, curvature, penalty, gradient)
        loss, size = _loss(rows, weights, penalty), 1.0
        while _loss(rows, weights - size * step, penalty) > loss and size > 1e-9:
            size /= 2
        weights = weights - size * step
        gradient, curvature = _slope(rows, weights, penalty)
    return weights


def _products(rows: Float64, weights: Float64) -> Float64:
    return np.asarray(np.einsum("mf,f->m", rows, weights))


def _loss(rows: Float64, weights: Float64, penalty: float) -> float:
    likely = np.logaddexp(0.0, -_products(rows, weights)).sum()
    return float(likely + penalty / 2 * (weights * weights).sum())


def _slope(rows: Float64, weights: Float64, penalty: float) -> tuple[Float64, Float64]:
    """Return the gradient, float64[F], and how much each row curves the loss, float64[M]."""
    wrong = np.exp(-np.logaddexp(0.0, _products(rows, weights)))
    gradient = penalty * weights - np.einsum("mf,m->f", rows, wrong)
    return gradient, wrong * (1 - wrong)


def _solve(rows: Float64, curvature: Float64, penalty: float, gradient: Float64) -> Float64:
    """Solve Hessian @ step = gradient by conjugate gradients."""
    step = np.zeros_like(gradient)
    residual = gradient.copy()
    direction = residual.copy()
    size = float((residual * residual).sum())
    enough = 1e-24 * size
    for _ in range(2 * len(gradient) + 10):
        if size <= enough:
            break
        bent = np.einsum("mf,m->f", rows, curvature * _products(rows, direction))
        bent += penalty * direction
        length = size / float((direction * bent).sum())
        step += length * direction
        residual -= length * bent
        smaller = float((residual * residual).sum())
        direction = residual + smaller / size * direction
        size = smaller
    return step
