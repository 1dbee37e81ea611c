"""Metrics of word alignments.

Against gold alignments, and what links with the source tell of monotonicity.
"""
