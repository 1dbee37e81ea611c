"""Resampling, intervals and paired tests: sees matrices of statistics, knows no metric."""
