from typing import Any

def relative_permutation(
    system: Any,
    system_offsets: Any,
    reference: Any,
    reference_ranks: Any,
    reference_offsets: Any,
    permutation: Any,
    groups: Any,
    kept: Any,
    first: int,
    last: int,
    seen: Any,
    rank_of: Any,
    count: Any,
    place: Any,
) -> None: ...
