"""Rules that are learned: a readable rule set, edited step by step as a metric asks.

The search, its files and its checkpoint. How rules are applied is in `reordering`.
"""
