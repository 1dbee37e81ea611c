"""The records of `wordorder list`: installed metrics, aligners, parsers, models and rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wordorder.records import Record, key


@dataclass(frozen=True)
class ListedPart(Record):
    """An installed metric, aligner, parser, model, rule set or evaluator."""

    name: str = key("the name that commands take; `udpipe:MODEL` means any model of UDPipe's")
    options: Mapping[str, Any] = key(
        "of a metric each option with its default; of a parser `extra`, what `pip install "
        '"wordorder[extra]"` adds, if it needs that; of a model its scores; of rules their label '
        "`scheme` and how many `rules` there are; of an evaluator how it makes orders of "
        "alignments, or what it `reads`"
    )
    summary: str = key("what it is or measures")


@dataclass(frozen=True)
class Listing(Record, rows="entries"):
    """The installed parts of one kind."""

    kind: str = key("`metrics`, `aligners`, `parsers`, `models`, `rules` or `compat`")
    entries: tuple[ListedPart, ...] = key("the parts")
