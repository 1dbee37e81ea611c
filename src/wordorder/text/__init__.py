"""Reading and writing: encodings, compression, lines, tokenizers, tables, arrays in files.

Notations of alignments, orders and trees are read in their own folders, with these readers.
"""
