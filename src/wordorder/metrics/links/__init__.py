"""Metrics of word alignments."""
