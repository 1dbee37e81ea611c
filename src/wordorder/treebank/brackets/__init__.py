"""Phrase structure in brackets, as in the Penn Treebank, and its way to dependencies.

Reading, head rules, and dependencies made of constituents.
"""
