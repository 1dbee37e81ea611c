"""Augmented-loss training: a perceptron that also learns from the costs of its own lists."""
