from typing import Any

def best_paths(
    position_nodes: Any,
    node_tag: Any,
    node_arcs: Any,
    arc_from: Any,
    arc_score: Any,
    offsets: Any,
    k: int,
    node_best: Any,
    chosen: Any,
    waiting: Any,
    tags: Any,
    scores: Any,
    counts: Any,
    first: int,
    last: int,
) -> None: ...
