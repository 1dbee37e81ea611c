"""The transition parser: arc-eager, searched with a beam, learnt with an averaged perceptron."""
