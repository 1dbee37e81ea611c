"""Weights of systems tuned on their n-best lists: MERT, PRO and batch MIRA."""
