"""Columns of pandas, Polars and pyarrow, through the Arrow C data interface and nothing else."""
