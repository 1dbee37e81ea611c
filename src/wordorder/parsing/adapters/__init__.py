"""Parsers of other projects under the contract of our own; none of them gives k-best lists.

Each module imports its project when it is used, and turns its trees into ours.
"""
