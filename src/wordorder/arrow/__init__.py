"""Columns of pandas, Polars and pyarrow, through the Arrow C data interface and nothing else.

Integers, strings and lists of them become arrays of numpy without copying; no library of tables is
imported. What the columns mean is not known here: `text` and `segments` ask for lines and rows.
"""
