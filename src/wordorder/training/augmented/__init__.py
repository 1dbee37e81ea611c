"""Augmented-loss training: a perceptron that also learns from the costs of its own lists.

The costs are in `training.costs`; the parsers are any of `parsing`.
"""
