# What other kernels that score by weights need to know of `weights.py` when they are compiled.

cdef class WeightTable:
    cdef const unsigned long long[::1] table
    cdef const int[::1] entries
    cdef long long slot_of(self, unsigned long long key) noexcept nogil
    cdef long long place(self, long long slot) noexcept nogil


cdef class Scorer(WeightTable):
    cdef unsigned long long key_mask
    cdef long long long_row, actions
    # What is asked for: keys, where their sums begin, what is in the first slots they may be in.
    cdef long long asked
    cdef unsigned long long[::1] asked_key, slot
    cdef long long[::1] asked_base
    # The rows that were found: where their entries begin, and how many there are.
    cdef long long[::1] found_row, found_count
    # The sums of all actions, and which of them are looked at, none for all.
    cdef int[::1] sums, needed
    cdef long long needed_count
    cdef long long find(self) noexcept nogil
    cdef void sum_up(self) noexcept nogil


cdef class Rows(WeightTable):
    # The same table and entries, to be written.
    cdef unsigned long long[::1] slots
    cdef int[::1] pairs
    cdef long long[::1] moment, used
    cdef void enter(
        self, long long slot, unsigned long long key, long long place, long long count, long long room
    ) noexcept nogil
    cdef long long claim_slot(self, unsigned long long key) noexcept nogil
    cdef void move(self, long long slot, long long to) noexcept nogil
    cdef bint change(
        self, long long slot, int action, long long value, long long moment
    ) noexcept nogil
