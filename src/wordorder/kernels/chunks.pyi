from typing import Any

def contiguous_pairs(permutation: Any, offsets: Any, pairs: Any, first: int, last: int) -> None: ...
def contiguous_rank_pairs(groups: Any, offsets: Any, pairs: Any, first: int, last: int) -> None: ...
def contiguous_tied_pairs(
    groups: Any,
    offsets: Any,
    pairs: Any,
    first: int,
    last: int,
    head: Any,
    runs: Any,
    following: Any,
    group_of: Any,
) -> None: ...
