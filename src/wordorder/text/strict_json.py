"""A JSON decoder that refuses repeated keys and NaN."""

import json
from typing import Any


def _object_without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object; repeated keys are a ValueError."""
    row = dict(pairs)
    if len(row) != len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(k for k in keys if keys.count(k) > 1)!r} twice")
    return row


def _refuse_constant(text: str) -> Any:
    """Raise a ValueError for NaN and infinities."""
    raise ValueError(f"{text} is no number")


# Built once: building it takes longer than decoding a line.
STRICT_JSON = json.JSONDecoder(
    object_pairs_hook=_object_without_repeats, parse_constant=_refuse_constant
)
