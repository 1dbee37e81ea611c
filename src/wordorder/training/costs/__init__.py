"""Costs of trees for a task, from which parsers learn in addition to a treebank."""
