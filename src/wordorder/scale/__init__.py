"""The same work in spans: on local processes, Dask, Ray or Spark.

Files are cut into spans, each is worked on wherever an engine likes, and the sums are merged. What
is done with a span is what the lower floors do with whole files: no number is computed here.
"""

from wordorder import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
