"""Monolingual alignment: which words of a translation are which words of its reference.

Candidates, the search among them, and stems, synonyms and paraphrases. Which of these is the
default is said in `segments.default_match`; METEOR, which scores such matches, is in
`metrics.text`.
"""

from wordorder.alignment.monolingual.aligner import Matches, MonolingualAligner, as_aligner

__all__ = ["Matches", "MonolingualAligner", "as_aligner"]
