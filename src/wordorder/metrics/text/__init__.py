"""Metrics of translations: words, and words with order."""
