from typing import Any

def best_trees(
    cell: Any,
    cell_offsets: Any,
    lengths: Any,
    sentence: Any,
    place: Any,
    known: Any,
    condition: Any,
    conditions: Any,
    with_second: bool,
    heads: Any,
    score: Any,
    second: Any,
    cut: Any,
    first: int,
    last: int,
    row: Any,
    numbers: Any,
) -> None: ...
