"""The transition parser: arc-eager, searched with a beam, learnt with an averaged perceptron.

Features, the transition system and the learner; the search is a kernel.
"""
