"""*linear*: the members of each family ordered by weights of pairs.

Features of pairs and the learner of their weights.
"""
