from typing import Any

def feature_keys(
    attributes: Any,
    columns: int,
    templates: Any,
    number: int,
    words: Any,
    offsets: Any,
    keys: Any,
    first: int,
    last: int,
) -> None: ...
