"""The same work in spans: on local processes, Dask, Ray or Spark.

Files are cut into spans, each is worked on wherever an engine likes, and the sums are merged. What
is done with a span is what the lower floors do with whole files: no number is computed here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from wordorder.scale.engines import given_out
    from wordorder.scale.scoring import merge, result, spans, work
    from wordorder.scale.tables import TableScores
    from wordorder.scale.written import compare_on_engine, score_on_engine, write_on_engine
    from wordorder.scale.written_spans import Span

_PLACES = {
    "Span": "written_spans",
    "TableScores": "tables",
    "compare_on_engine": "written",
    "given_out": "engines",
    "merge": "scoring",
    "result": "scoring",
    "score_on_engine": "written",
    "spans": "scoring",
    "work": "scoring",
    "write_on_engine": "written",
}

__all__ = [
    "Span",
    "TableScores",
    "compare_on_engine",
    "given_out",
    "merge",
    "result",
    "score_on_engine",
    "spans",
    "work",
    "write_on_engine",
]

__getattr__, __dir__ = lazy_names(__name__, _PLACES)
