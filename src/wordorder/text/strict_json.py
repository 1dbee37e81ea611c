"""A JSON decoder that refuses repeated keys and NaN."""

import json
from typing import Any


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) != len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(k for k in keys if keys.count(k) > 1)!r} twice")
    return row


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number")


# Refuses repeated keys and NaN. Built once: building it takes longer than decoding a line.
STRICT_JSON = json.JSONDecoder(object_pairs_hook=_distinct, parse_constant=_no_number)
