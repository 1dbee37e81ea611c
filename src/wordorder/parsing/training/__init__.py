"""Training of taggers and parsers.

Epochs, averaging, checkpoints and choices on development data. Learners live with their models.
"""
