"""Metrics of order.

They read permutations alone, wherever these come from; `order_metric` has what they share.
"""
