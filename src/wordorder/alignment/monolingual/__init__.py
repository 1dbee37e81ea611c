"""Monolingual alignment: which words of a translation are which words of its reference."""

from wordorder.alignment.monolingual.aligner import Matches, MonolingualAligner, as_aligner

__all__ = ["Matches", "MonolingualAligner", "as_aligner"]
