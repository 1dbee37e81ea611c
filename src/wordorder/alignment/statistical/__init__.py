"""Statistical word aligners: models that are trained on the sentence pairs themselves.

IBM model 1, the hidden Markov model and their agreement; the loops are kernels. Files and options
are read in `alignment.statistical.align`.
"""
