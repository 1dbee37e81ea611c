"""Centred second moments of two scores in each group: what Pearson's r is made of."""

import cython


def centred_moments(
    x: cython.const[cython.double][::1],
    y: cython.const[cython.double][::1],
    offsets: cython.const[cython.longlong][::1],
    moments: cython.double[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Write ``sum(a * b), sum(a * a), sum(b * b)`` of each group to `moments` [groups * 3].

    Group ``g`` has the values ``offsets[g] .. offsets[g + 1] - 1`` of `x` and of `y`, both finite.
    ``a`` and ``b`` are its values less their mean, divided by their spread: by the largest distance
    of a value from the first one. So no square is too large or too small, and Pearson's r is
    ``moments[0] / sqrt(moments[1] * moments[2])``. All three are 0 if all values of `x`, or all of
    `y`, are equal, and for a group of fewer than two.
    """
    cython.declare(group=cython.Py_ssize_t, i=cython.longlong, start=cython.longlong)
    cython.declare(stop=cython.longlong, x_first=cython.double, y_first=cython.double)
    cython.declare(x_spread=cython.double, y_spread=cython.double, x_mean=cython.double)
    cython.declare(y_mean=cython.double, a=cython.double, b=cython.double, product=cython.double)
    cython.declare(x_square=cython.double, y_square=cython.double)
    with cython.nogil:
        for group in range(first, last):
            start = offsets[group]
            stop = offsets[group + 1]
            product = 0.0
            x_square = 0.0
            y_square = 0.0
            x_spread = 0.0
            y_spread = 0.0
            if start < stop:
                x_first = x[start]
                y_first = y[start]
                for i in range(start + 1, stop):
                    x_spread = max(x_spread, abs(x[i] - x_first))
                    y_spread = max(y_spread, abs(y[i] - y_first))
            if x_spread > 0.0 and y_spread > 0.0:
                x_mean = 0.0
                y_mean = 0.0
                for i in range(start, stop):
                    x_mean += (x[i] - x_first) / x_spread
                    y_mean += (y[i] - y_first) / y_spread
                x_mean /= stop - start
                y_mean /= stop - start
                for i in range(start, stop):
                    a = (x[i] - x_first) / x_spread - x_mean
                    b = (y[i] - y_first) / y_spread - y_mean
                    product += a * b
                    x_square += a * a
                    y_square += b * b
            moments[3 * group] = product
            moments[3 * group + 1] = x_square
            moments[3 * group + 2] = y_square
