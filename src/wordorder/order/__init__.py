"""Permutations: from alignments, from words; their trees and forests.

Orders are read, made of alignments (`reference`) or of words, compared, and taken apart into trees.
Rules and models that make orders of trees are in `reordering`; scores of orders in `metrics.order`.
"""
