"""Word orders: reading and writing, reference orders, comparison, permutation trees and forests.

Rules and models that derive orders from trees are in `reordering`, metrics in `metrics.order`.
"""
