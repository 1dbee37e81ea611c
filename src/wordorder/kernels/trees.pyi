from typing import Any

def check_trees(
    heads: Any,
    offsets: Any,
    optional: bool,
    single_root: bool,
    state: Any,
    walk: Any,
    first: int,
    last: int,
) -> None: ...
def mark_non_projective(
    heads: Any, offsets: Any, marks: Any, first: int, last: int, scratch: Any
) -> None: ...
def lift_arcs(
    heads: Any, offsets: Any, lifts: Any, first: int, last: int, scratch: Any
) -> None: ...
def count_crossings(
    heads: Any, offsets: Any, root: bool, crossings: Any, first: int, last: int, scratch: Any
) -> None: ...
