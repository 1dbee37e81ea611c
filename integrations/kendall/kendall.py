"""Kendall's tau: share of pairs of words that are in the right order."""

from wordorder.integrations import evaluate


class Kendall(evaluate.WordOrderModule):
    """Kendall's tau: share of pairs of words that are in the right order."""

    metric_name = "kendall"
    takes_orders = True
