# Declarations of `edits.py` for other kernels, read when these are compiled.

cdef class RowPairs:
    cdef const int[::1] pattern, text
    cdef const long long[::1] pattern_offsets, text_offsets
    cdef const long long[::1] offsets, text_rows
