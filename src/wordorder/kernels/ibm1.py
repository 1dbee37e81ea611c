"""IBM Model 1: which word of the other side each token comes from, whatever their order."""

import cython


def ibm1_posteriors(
    state_offsets: cython.const[cython.longlong][::1],
    token_offsets: cython.const[cython.longlong][::1],
    cell_offsets: cython.const[cython.longlong][::1],
    transposed: cython.int,
    pair: cython.const[cython.int][::1],
    translation: cython.const[cython.double][::1],
    token: cython.const[cython.int][::1],
    null_translation: cython.const[cython.double][::1],
    null_share: cython.double,
    posterior: cython.double[::1],
    null_posterior: cython.double[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Fill the posterior of each cell and, per token, that of the null word.

    States are the words of the source and tokens those of the target, or, `transposed`, the other
    way round. `translation` is by pair, `null_translation` by word; all must be above 0.
    """
    cython.declare(row=cython.Py_ssize_t, i=cython.longlong, j=cython.longlong)
    cython.declare(states=cython.longlong, tokens=cython.longlong, cell=cython.longlong)
    cython.declare(place=cython.longlong, state_step=cython.longlong, token_step=cython.longlong)
    cython.declare(share=cython.double, null=cython.double, total=cython.double)
    with cython.nogil:
        for row in range(first, last):
            states = state_offsets[row + 1] - state_offsets[row]
            tokens = token_offsets[row + 1] - token_offsets[row]
            state_step = 1 if transposed else tokens
            token_step = states if transposed else 1
            share = (1.0 - null_share) / states if states > 0 else 0.0
            for j in range(tokens):
                place = token_offsets[row] + j
                cell = cell_offsets[row] + j * token_step
                null = null_share * null_translation[token[place]]
                total = null
                for i in range(states):
                    posterior[cell + i * state_step] = (
                        share * translation[pair[cell + i * state_step]]
                    )
                    total += posterior[cell + i * state_step]
                for i in range(states):
                    posterior[cell + i * state_step] /= total
                null_posterior[place] = null / total
