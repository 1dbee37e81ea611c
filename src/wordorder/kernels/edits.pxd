# What other kernels of pairs of rows need to know of `edits.py` when they are compiled.

cdef class RowPairs:
    cdef const int[::1] pattern, text
    cdef const long long[::1] pattern_offsets, text_offsets
    cdef const long long[::1] offsets, text_rows
