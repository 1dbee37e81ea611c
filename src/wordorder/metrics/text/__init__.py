"""Metrics of translations: words, and words with order.

Edits, matches and n-grams; `text_metric` has what they share. Metrics that see lines before they
are cut into words say so in `columns`.
"""
