"""The page of a meta-evaluation.

Correlations, tests and pictures of metrics beside people, as one file without network.
"""
