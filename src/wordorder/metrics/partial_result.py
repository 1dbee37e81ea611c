"""Partial results as bytes: JSON that names the metric and holds exact sums."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

import numpy as np

from wordorder.errors import InputError, UsageError, WordOrderError
from wordorder.metrics import metric
from wordorder.metrics.contract import BaseMetric, statistics_width
from wordorder.metrics.name_and_options import same_signature
from wordorder.segments.columns import Provenance
from wordorder.signature import Signature
from wordorder.statistics.bucket_sums import BucketSums
from wordorder.statistics.exact_sum import ExactSum

WHERE = "partial result"
VERSION = 1
# Many times what a metric with many columns and intervals takes.
MOST_BYTES = 1 << 27
MOST_SEGMENTS = 1 << 62


def encoded(content: Mapping[str, Any]) -> bytes:
    """Return content as one line of JSON: equal content, equal bytes."""
    whole = {"wordorder": WHERE, "version": VERSION, **content}
    return json.dumps(whole, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def decoded(data: bytes) -> dict[str, Any]:
    """Read what `encoded` wrote.

    Raises
    ------
    InputError
        If it is truncated, of another version, or anything else.
    """
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise UsageError(f"a partial result is bytes, not {type(data).__name__}")
    if len(data) > MOST_BYTES:
        raise InputError(WHERE, f"{len(data)} bytes", f"at most {MOST_BYTES}")
    try:
        content = json.loads(bytes(data), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise InputError(WHERE, "damaged or truncated", "what Accumulator.to_bytes wrote") from None
    if not isinstance(content, dict) or content.get("wordorder") != WHERE:
        raise InputError(WHERE, "something else", "what Accumulator.to_bytes wrote")
    version = content.get("version")
    if version != VERSION or isinstance(version, bool):
        shown = version if isinstance(version, int) and abs(version) < 1e9 else "unknown"
        raise InputError(WHERE, f"format version {shown}", f"version {VERSION}")
    return content


def read_metric(content: Mapping[str, Any]) -> tuple[BaseMetric, Signature, int]:
    """Make the metric that content names; return also its signature and number of statistics.

    A metric that has to see all references first has not seen any: it scores sums, and makes
    statistics once it is prepared.

    Raises
    ------
    InputError
        If there is none, it takes other options, or it has another signature here.
    """
    name, options, line = (content.get(key) for key in ("metric", "options", "signature"))
    try:
        signature = Signature.parse(line)  # type: ignore[arg-type]  # what is no line is refused
    except (ValueError, TypeError, AttributeError):
        raise InputError(WHERE, "it has no signature", "what Accumulator.to_bytes wrote") from None
    here = Signature("").version
    if signature.version != here:
        raise InputError(WHERE, f"made by wordorder {signature.version}", f"wordorder {here}")
    if not isinstance(name, str) or not isinstance(options, dict):
        raise InputError(WHERE, "it names no metric", "what Accumulator.to_bytes wrote")
    if not all(isinstance(value, (str, int, float)) for value in options.values()):
        raise InputError(WHERE, f"{name} with an option that is no number, switch or text")
    made, columns = _made(name, json.dumps(options, sort_keys=True))
    if not same_signature(signature, made):
        raise InputError(WHERE, f"made by {signature}", f"{made.signature()}, as {name} is here")
    return made, signature, columns


def read_provenance(content: Mapping[str, Any]) -> Provenance:
    """Return how the references came about.

    Raises
    ------
    InputError
        If it is no list of pairs of text.
    """
    found = content.get("provenance")
    pairs: list[Any] = found if isinstance(found, list) else [None]
    if not all(isinstance(p, list) and list(map(type, p)) == [str, str] for p in pairs):
        raise InputError(WHERE, "its provenance is no list of pairs")
    return tuple((key, value) for key, value in pairs)


def read_count(content: Mapping[str, Any], key: str, most: int | None = MOST_SEGMENTS) -> int:
    """Return a number of segments, or of anything else.

    Raises
    ------
    InputError
        If it is none.
    """
    number = content.get(key)
    if isinstance(number, int) and not isinstance(number, bool):
        last = number if most is None else most
        if 0 <= number <= last:
            return number
    shown = f"{key} is {number!r}"[:100]
    end = "" if most is None else f" to {most}"
    raise InputError(WHERE, shown, f"a whole number from 0{end}")


def read_sums(content: Mapping[str, Any], made: BaseMetric, columns: int) -> ExactSum:
    """Return the exact sums of all statistics of a metric.

    Raises
    ------
    InputError
        If they are of another number, or no score comes of them.
    """
    found = content.get("sums")
    if not isinstance(found, list) or len(found) != columns:
        given = f"{len(found)} sums" if isinstance(found, list) else "no sums"
        raise InputError(WHERE, given, f"{columns} for {made.name}")
    try:
        sums = ExactSum.from_text(found)
    except InputError as error:
        raise InputError(WHERE, error.what, error.expected) from None
    value = np.nan
    with np.errstate(all="ignore"), suppress(ArithmeticError, ValueError):
        value = float(made.score(sums.totals()))
    if not np.isfinite(value):
        raise InputError(WHERE, f"{made.name} has no score for its sums {found}"[:200])
    return sums


def read_buckets(content: Mapping[str, Any], columns: int) -> BucketSums | None:
    """Return the sums of buckets; None if the content has none.

    Raises
    ------
    InputError
        If they are damaged, or of another number of segments or of columns.
    """
    found = content.get("buckets")
    if found is None:
        return None
    lines = found.get("sums") if isinstance(found, dict) else None
    if not isinstance(lines, list):
        raise InputError(WHERE, "buckets without sums")
    seed = read_count(found, "seed", most=None)
    segments = content["segments"]
    if not segments and not lines:
        return BucketSums(columns, seed=seed)
    if len(lines) != columns + 1:
        raise InputError(WHERE, f"buckets with {len(lines)} lines", f"{columns + 1}")
    try:
        sums = BucketSums.from_text(lines, seed=seed)
        sums.totals()
    except InputError as error:
        raise InputError(WHERE, error.what, error.expected) from None
    except OverflowError as error:
        raise InputError(WHERE, str(error)) from None
    if sums.counts.sum() != segments:
        raise InputError(WHERE, "buckets that do not add up", f"{segments} segments")
    return sums


@lru_cache(maxsize=64)
def _made(name: str, options: str) -> tuple[BaseMetric, int]:
    """Make a metric from its options in JSON, once for many parts; and count its statistics.

    Raises
    ------
    InputError
        If it cannot be made.
    """
    given = json.loads(options)
    for value in given.values():
        _refuse_streams(value)
    try:
        made = metric(name, **given)
        return made, statistics_width(made)
    except WordOrderError as error:
        raise InputError(WHERE, f"its metric cannot be made: {error}") from None
    except (TypeError, ValueError, RecursionError):
        raise InputError(WHERE, f"{name} does not take the options {options}"[:200]) from None


def _refuse_streams(value: object) -> None:
    """Raise an InputError for an option, or one inside a formula, that names an endless stream."""
    for name in re.split("[=,()]", value) if isinstance(value, str) else ():
        special = os.path.exists(name) and not (os.path.isfile(name) or os.path.isdir(name))
        if special or name == "-":
            raise InputError(WHERE, f"an option names {name}", "a file")


def _no_number(name: str) -> float:
    raise ValueError(name)
