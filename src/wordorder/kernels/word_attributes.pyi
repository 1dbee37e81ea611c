from typing import Any

def word_attributes(
    form: Any,
    form_offsets: Any,
    classes: Any,
    normal: Any,
    normal_offsets: Any,
    columns: int,
    attributes: Any,
    first: int,
    last: int,
) -> None: ...
