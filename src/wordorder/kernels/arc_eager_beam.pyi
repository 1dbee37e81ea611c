from typing import Any

class Beam:
    def __init__(
        self,
        offsets: Any,
        classes: Any,
        arcs: Any,
        kept: Any,
        base: Any,
        lanes: int,
        width: int,
        sentence: Any,
        counts: Any,
        items: Any,
        scores: Any,
        parts: Any,
        nodes: Any,
        back: Any,
        heap: Any,
    ) -> None: ...

def begin(
    beam: Beam,
    first: int,
    last: int,
) -> None: ...
def take_step(
    beam: Beam,
    step: int,
    item: int,
    action: int,
    first: int,
    last: int,
) -> int: ...
def derivation_parts(
    beam: Beam,
    actions: Any,
    first: int,
    last: int,
) -> None: ...
