"""The analysis as one HTML page: overview, findings, and every sentence with pictures.

One file without network; its templates and style are data files beside it. What it says is computed
in `analysis`.
"""
