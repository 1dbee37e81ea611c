"""LRscore: order and words of a translation in one number."""

from wordorder.integrations import evaluate


class Lrscore(evaluate.WordOrderModule):
    """LRscore: order and words of a translation in one number."""

    metric_name = "lrscore"
