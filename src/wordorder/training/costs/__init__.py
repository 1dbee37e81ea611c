"""Costs of trees for a task, from which parsers learn in addition to a treebank.

Each reads lists of trees and says what each tree costs.
"""
