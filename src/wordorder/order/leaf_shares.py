"""How much of a leaf's value reaches the root of a random binary tree."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import lru_cache

import numpy as np

from wordorder.order.catalan import scaled_catalan
from wordorder.types import Float64

POINTS = 64
TABLE_SIZE = 256


@dataclass(frozen=True)
class LeafShares:
    """Tables from which the mean of ``(1-beta)**depth`` of any leaf follows.

    Attributes
    ----------
    table : float64[size*(size+1)/2]
        ``table[k*(k-1)/2 + c]`` for leaf `c` of the trees with `k` leaves, ``k <= size``.
    size : int
    points : float64[longest * 64]
        Scaled Bessel polynomials at the quadrature points, for more leaves than `size`.
    weights : float64[64]
    catalan : float64[longest]
        Catalan(k) / 4**k.
    """

    table: Float64
    size: int
    points: Float64
    weights: Float64
    catalan: Float64


def leaf_shares(longest: int, beta: float) -> LeafShares:
    r"""Return the tables for trees of up to `longest` leaves and the discount ``q = 1 - beta``.

    Notes
    -----
    On the way from the root to leaf `c` of `k`, every step leaves a sibling tree on the left or
    on the right. With :math:`T(z)` the generating function of binary trees by leaves, the trees
    weighted by :math:`q^{depth}` have the generating function
    :math:`1 / (1 - qT(z) - qT(w)) = \int_0^\infty e^{-t} e^{qtT(z)} e^{qtT(w)} dt`
    (`z` marks leaves to the left, `w` to the right). The coefficients :math:`p_c(s)` of
    :math:`e^{sT(z)}` are polynomials of degree `c` with
    :math:`(c+1)\,p_{c+1} = 2(2c-1)\,p_c + (s^2/c)\,p_{c-1}` (Bessel polynomials), so the mean is
    :math:`\int e^{-t} p_c(qt)\,p_{k-1-c}(qt)\,dt\;/\;\mathrm{Catalan}(k-1)`: a Gauss-Laguerre sum,
    exact to rounding with 64 points; with `beta` below .2, up to 500 leaves. Cost: linear in
    `longest`.

    Examples
    --------
    With two leaves both have depth 1:

    >>> shares = leaf_shares(2, beta=0.6)
    >>> np.round(shares.table[:3], 12).tolist()
    [1.0, 0.4, 0.4]
    """
    return _tables(max(16, 1 << max(longest - 1, 0).bit_length()), beta)


@lru_cache(maxsize=4)
def _tables(longest: int, beta: float) -> LeafShares:
    nodes, weights = gauss_laguerre()
    s = (1.0 - beta) * nodes
    # Scaled by 4**-c: Catalan numbers grow like 4**c.
    points = np.empty((longest, POINTS))
    points[0] = 1.0
    points[1] = s / 4.0
    for c in range(1, longest - 1):
        step = (2.0 * (2 * c - 1) / 4.0) * points[c] + (s * s / (16.0 * c)) * points[c - 1]
        points[c + 1] = step / (c + 1)
    mantissa, exponent = scaled_catalan(longest)
    catalan = np.ldexp(mantissa, (exponent - 2 * np.arange(longest)).astype(np.intc))
    size = min(longest, TABLE_SIZE)
    # Term by term: elementwise sums have the same digits everywhere, a matrix product has not.
    products = np.zeros((size, size))
    for j in range(POINTS):
        products += weights[j] * (points[:size, None, j] * points[None, :size, j])
    rows = [
        products[np.arange(k), k - 1 - np.arange(k)] / catalan[k - 1] for k in range(1, size + 1)
    ]
    return LeafShares(np.concatenate(rows), size, points.ravel(), weights, catalan)


@lru_cache(maxsize=1)
def gauss_laguerre() -> tuple[Float64, Float64]:
    r"""Return points and weights of the 64-point Gauss-Laguerre rule.

    Notes
    -----
    Newton's method in decimal arithmetic: library routines give other last digits on other
    machines. :math:`w_i = x_i / ((n+1) L_{n+1}(x_i))^2`.
    """
    n = POINTS
    nodes: list[Decimal] = []
    weights: list[Decimal] = []
    with localcontext() as context:
        context.prec = 50
        x = Decimal(0)
        for i in range(n):
            # Starting points after Stroud & Secrest (1966).
            if i == 0:
                x = Decimal(3) / (1 + Decimal("2.4") * n)
            elif i == 1:
                x += Decimal(15) / (1 + Decimal("2.5") * n)
            else:
                a = Decimal(i - 1)
                factor = (1 + Decimal("2.55") * a) / (Decimal("1.9") * a)
                x += factor * (x - nodes[i - 2])
            change = Decimal(1)
            while abs(change) > Decimal("1e-40") * x:
                value, before = _laguerre(n, x)
                change = value * x / (n * (value - before))
                x -= change
            nodes.append(x)
            following = _laguerre(n + 1, x)[0]
            weights.append(x / ((n + 1) * following) ** 2)
    return np.array([float(v) for v in nodes]), np.array([float(v) for v in weights])


def _laguerre(n: int, x: Decimal) -> tuple[Decimal, Decimal]:
    """Return the Laguerre polynomials L_n and L_{n-1} at `x`."""
    before, value = Decimal(0), Decimal(1)
    for k in range(n):
        before, value = value, ((2 * k + 1 - x) * value - k * before) / (k + 1)
    return value, before
