from typing import Any

def gather_children(
    heads: Any, offsets: Any, shown: Any, children: Any, first: int, last: int
) -> None: ...
def precedence_orders(
    offsets: Any,
    heads: Any,
    facts: Any,
    children: Any,
    labels: Any,
    clauses: Any,
    head_start: Any,
    case_start: Any,
    case_clause: Any,
    case_entry: Any,
    of_label: Any,
    rank: Any,
    turned: Any,
    own: Any,
    fired: Any,
    entry: Any,
    order: Any,
    first: int,
    last: int,
    scratch: Any,
) -> None: ...
