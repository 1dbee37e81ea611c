"""The same work in spans: on local processes, Dask, Ray or Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from wordorder.scale.engines import given_out
    from wordorder.scale.scored_files import score_on_engine
    from wordorder.scale.scored_spans import merge, result, spans, work
    from wordorder.scale.span import Span
    from wordorder.scale.table_scores import TableScores
    from wordorder.scale.written_files import write_on_engine

_PLACES = {
    "Span": "span",
    "TableScores": "table_scores",
    "given_out": "engines",
    "merge": "scored_spans",
    "result": "scored_spans",
    "score_on_engine": "scored_files",
    "spans": "scored_spans",
    "work": "scored_spans",
    "write_on_engine": "written_files",
}

__all__ = [
    "Span",
    "TableScores",
    "given_out",
    "merge",
    "result",
    "score_on_engine",
    "spans",
    "work",
    "write_on_engine",
]

__getattr__, __dir__ = lazy_names(__name__, _PLACES)
