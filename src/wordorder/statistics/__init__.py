"""Resampling, intervals and paired tests: sees matrices of statistics, knows no metric.

Numbers in, numbers out. Coefficients, agreement and ratings are here too; what the numbers stand
for is known in `scoring` and `judgement`.
"""
