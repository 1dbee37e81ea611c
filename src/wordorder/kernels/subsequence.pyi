from typing import Any

def longest_increasing(
    permutation: Any, offsets: Any, length: Any, first: int, last: int, tails: Any
) -> None: ...
