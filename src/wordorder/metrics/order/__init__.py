"""Metrics of order."""
