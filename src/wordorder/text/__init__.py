"""Lines in and out: encodings, compression, atomic writes.

Lines, words as numbers, tables as lines, tokenizers, TOML, arrays in files. It knows no alignment,
order or tree: their notations are read in their own folders, with what is here.
"""
