"""Augmented-loss training: a perceptron that also learns from the costs of its own lists.

The costs are in `training.cost`; the parsers are any of `parsing`.
"""
