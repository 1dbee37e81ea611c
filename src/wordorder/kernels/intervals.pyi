from typing import Any

def leftmost_intervals(
    permutation: Any,
    offsets: Any,
    short: int,
    leftmost: Any,
    first: int,
    last: int,
    trees: Any,
    changes: Any,
) -> None: ...
