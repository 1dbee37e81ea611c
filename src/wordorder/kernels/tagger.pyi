from typing import Any

class Search:
    def __init__(
        self,
        keys: Any,
        templates: int,
        fixed: int,
        single: int,
        table_key: Any,
        table_row: Any,
        row_start: Any,
        row_count: Any,
        action: Any,
        value: Any,
        key_mask: int,
        tags: int,
        beam: int,
        every_arc: bool,
        ints: Any,
        longs: Any,
        position_nodes: Any,
        node_tag: Any,
        node_before: Any,
        node_score: Any,
        node_arcs: Any,
        arc_from: Any,
        arc_score: Any,
    ) -> None: ...

def form_scores(search: Any, sums: Any, words: int) -> None: ...
def tag_rows(search: Any, words: Any, offsets: Any, word_sums: Any, rows: int) -> None: ...
def learn_row(
    search: Any,
    gold: Any,
    margin: int,
    found: Any,
    keys: Any,
    actions: Any,
    length: int,
) -> int: ...
