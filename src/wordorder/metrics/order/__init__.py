"""Metrics of order.

They read permutations alone, wherever these come from; `chunks` has what they share.
"""
