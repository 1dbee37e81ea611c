"""*consensus*: the order on which several models agree best.

It asks other models, and needs no training of its own.
"""
