"""Metrics in families; each is additive statistics and a function of their sum.

`contract` defines a metric, `registry` finds it by name, and each family has a place of its
own: `order`, `text`, `trees`, `link_metrics`. A metric knows segments and nothing of files,
intervals or tables: these are `scoring`, `statistics` and `report`.
"""

from wordorder.metrics.registry import METRICS, metric, metrics_for

__all__ = ["METRICS", "metric", "metrics_for"]
