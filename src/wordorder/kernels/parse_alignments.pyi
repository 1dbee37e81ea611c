from typing import Any

def parse_pharaoh(
    data: Any,
    source: Any,
    target: Any,
    possible: Any,
    offsets: Any,
    state: Any,
    first: int,
    last: int,
) -> None: ...
def parse_talbot(
    data: Any,
    source: Any,
    target: Any,
    offsets: Any,
    targets: Any,
    state: Any,
    first: int,
    last: int,
) -> None: ...
def check_links(
    source: Any,
    target: Any,
    offsets: Any,
    source_lengths: Any,
    target_lengths: Any,
    faults: Any,
    first: int,
    last: int,
    table: Any,
) -> None: ...
