"""Taggers: TnT and a structured perceptron, lists of the best tags, jackknifing.

A tagger is used alone and inside each parser; what a set of tags is, is said here too.
"""
