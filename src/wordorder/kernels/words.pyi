from typing import Any

def number_words(
    data: Any,
    starts: Any,
    stops: Any,
    table: Any,
    keys: Any,
    begins: Any,
    ends: Any,
    values: Any,
    offsets: Any,
    state: Any,
    first: int,
    last: int,
) -> None: ...
def number_fields(
    data: Any,
    bounds: Any,
    table: Any,
    keys: Any,
    begins: Any,
    ends: Any,
    codes: Any,
    state: Any,
    width: int,
    field: int,
    first: int,
    last: int,
) -> None: ...
def fill_table(keys: Any, table: Any, first: int, last: int) -> None: ...
def local_words(
    hypothesis: Any,
    hypothesis_offsets: Any,
    references: Any,
    row_offsets: Any,
    reference_offsets: Any,
    local_hypothesis: Any,
    local_references: Any,
    distinct: Any,
    first: int,
    last: int,
    places: Any,
    words: Any,
) -> None: ...
