"""Columns of pandas, Polars and pyarrow.

If pyarrow is installed, integers, strings and lists of them become arrays of numpy; otherwise the
column's library converts them to lists. `text` and `segments` turn columns into lines and rows.
"""
