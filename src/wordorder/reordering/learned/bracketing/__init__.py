"""The bracketing model: spans of a sentence split in two, straight or inverted (Nakagawa 2015).

Features, the chart and the learner; the loops are kernels.
"""
