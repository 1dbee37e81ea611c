"""Metrics in families; each is additive statistics and a function of their sum.

`contract` defines a metric, `registry` looks it up by name. The families are in `order`, `text`,
`trees` and `link_metrics`. A metric reads segments only: files, intervals and tables are handled
by `scoring`, `statistics` and `report`.
"""

from wordorder.metrics.registry import METRICS, metric, metrics_for

__all__ = ["METRICS", "metric", "metrics_for"]
