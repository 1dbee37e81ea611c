from typing import Any

class Scores:
    def __init__(
        self,
        words: Any,
        features: Any,
        seeds: Any,
        table_key: Any,
        table_row: Any,
        row_start: Any,
        row_count: Any,
        action: Any,
        value: Any,
        key_mask: int,
        actions: int,
        slots: int,
        kept: Any,
        kept_key: Any,
        uses: Any,
        ints: Any,
        longs: Any,
        keys: Any,
    ) -> None: ...

def rate_rows(
    scores: Scores,
    parts: Any,
    width: int,
    starts: Any,
    sentences: Any,
    counts: Any,
    room: int,
    use: int,
    base: Any,
    first: int,
    last: int,
) -> None: ...
def row_keys(
    scores: Scores,
    parts: Any,
    width: int,
    start: int,
    found: Any,
    first: int,
    last: int,
) -> None: ...
