"""Columns of pandas, Polars and pyarrow.

Where pyarrow is installed, integers, strings and lists of them become arrays of numpy; elsewhere
the column's library makes lists of them. What the columns mean is not known here: `text` and
`segments` ask for lines and rows.
"""
