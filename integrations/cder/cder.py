"""CDER: edit distance with moves of blocks, over the reference's length."""

from wordorder.integrations import evaluate


class Cder(evaluate.WordOrderModule):
    """CDER: edit distance with moves of blocks, over the reference's length."""

    metric_name = "cder"
