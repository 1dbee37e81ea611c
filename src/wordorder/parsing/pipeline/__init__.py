"""Tokenizer, tagger and parser of a model in sequence: they are opened, and run on files."""
