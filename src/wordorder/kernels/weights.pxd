# Declarations of `weights.py` for other kernels, read when these are compiled.

cdef class WeightTable:
    cdef const unsigned long long[::1] table
    cdef const int[::1] entries
    cdef long long slot_of(self, unsigned long long key) noexcept nogil
    cdef long long place(self, long long slot) noexcept nogil


cdef class Scorer(WeightTable):
    cdef unsigned long long key_mask
    cdef long long long_row, actions
    # The requested features: keys, offsets of their sums, and the contents of their first slots.
    cdef long long asked
    cdef unsigned long long[::1] asked_key, slot
    cdef long long[::1] asked_base
    # The rows of the requested features: the start of their entries, and their number.
    cdef long long[::1] found_row, found_count
    # The sums of all actions; the actions that are needed, and their number, 0 for all.
    cdef int[::1] sums, needed
    cdef long long needed_count
    cdef long long find(self) noexcept nogil
    cdef void sum_up(self) noexcept nogil


cdef class Rows(WeightTable):
    # The same table and entries, writable.
    cdef unsigned long long[::1] slots
    cdef int[::1] pairs
    cdef long long[::1] moment, used
    cdef void enter(
        self, long long slot, unsigned long long key, long long position, long long count, long long capacity
    ) noexcept nogil
    cdef long long claim_slot(self, unsigned long long key) noexcept nogil
    cdef void move(self, long long slot, long long position) noexcept nogil
    cdef bint change(
        self, long long slot, int action, long long value, long long moment
    ) noexcept nogil
