"""Taggers: TnT and a structured perceptron, lists of the best tags, jackknifing."""
