"""Weights of systems tuned on their n-best lists: MERT and batch MIRA.

Lists and weights are read here; the tuning of our own translator, which makes its lists itself, is
in `translation`.
"""
