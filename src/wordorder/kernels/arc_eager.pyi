from typing import Any

def derivations(
    heads: Any,
    labels: Any,
    offsets: Any,
    label_count: int,
    actions: Any,
    derived: Any,
    first: int,
    last: int,
    stack: Any,
    farthest: Any,
) -> None: ...
def best_paths(
    back_item: Any,
    back_action: Any,
    width: int,
    lanes: int,
    steps: Any,
    counts: Any,
    begins: Any,
    paths: Any,
    first: int,
    last: int,
) -> None: ...
def trees(
    actions: Any,
    offsets: Any,
    label_count: int,
    heads: Any,
    labels: Any,
    first: int,
    last: int,
    stack: Any,
) -> None: ...
