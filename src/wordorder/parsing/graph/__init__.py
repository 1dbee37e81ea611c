"""The graph parser: scores of all arcs, and the spanning trees that add up to most.

Features, weights and the learner; the search is a kernel.
"""
