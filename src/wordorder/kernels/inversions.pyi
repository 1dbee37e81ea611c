from typing import Any

def inversions(
    ranks: Any,
    offsets: Any,
    discordant: Any,
    first: int,
    last: int,
    merged: Any,
    spare: Any,
) -> None: ...
