from typing import Any

def kept_tied_pairs(
    groups: Any,
    offsets: Any,
    kept: Any,
    first: int,
    last: int,
    head: Any,
    runs: Any,
    best_run: Any,
    other_run: Any,
    following: Any,
    group_of: Any,
    before: Any,
    start_of: Any,
) -> None: ...
