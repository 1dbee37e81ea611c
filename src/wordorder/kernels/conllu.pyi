from typing import Any

def scan(
    data: Any, bounds: Any, heads: Any, offsets: Any, lines: Any, state: Any, size: int
) -> None: ...
