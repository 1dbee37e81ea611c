from typing import Any

def first_targets(
    source: Any,
    target: Any,
    link_offsets: Any,
    word_offsets: Any,
    keys: Any,
    first: int,
    last: int,
) -> None: ...
def order_by_keys(
    keys: Any,
    word_offsets: Any,
    order_offsets: Any,
    positions: Any,
    ranks: Any,
    options: Any,
    first: int,
    last: int,
    inherited: Any,
    spare: Any,
    counts: Any,
) -> None: ...
