"""Training of learned orders on files.

Trees and alignments are read here, and checkpoints written; the models are in `reordering.learned`.
"""
