"""Parsers of other projects under the contract of our own; none of them gives k-best lists."""
