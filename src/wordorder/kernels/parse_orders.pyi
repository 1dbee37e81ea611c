from typing import Any

def parse_orders(
    data: Any,
    positions: Any,
    ranks: Any,
    offsets: Any,
    state: Any,
    first: int,
    last: int,
) -> None: ...
def check_distinct(
    positions: Any, offsets: Any, state: Any, first: int, last: int, seen: Any
) -> None: ...
def check_ranks(ranks: Any, offsets: Any, state: Any, first: int, last: int) -> None: ...
def format_orders(
    positions: Any,
    ranks: Any,
    offsets: Any,
    text: Any,
    state: Any,
    first: int,
    last: int,
) -> None: ...
