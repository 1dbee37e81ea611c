"""Parsers of other projects under the contract of our own; none of them gives k-best lists.

spaCy, Stanza and UDPipe: each is imported when it is used, and its trees become ours. What is said
of a parser of another project is said here alone.
"""
