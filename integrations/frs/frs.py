"""Fuzzy reordering score: share of adjacent words that stay together and in order."""

from wordorder.integrations import evaluate


class Frs(evaluate.WordOrderModule):
    """Fuzzy reordering score: share of adjacent words that stay together and in order."""

    metric_name = "frs"
    takes_orders = True
