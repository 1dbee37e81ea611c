"""The analysis as one HTML page: overview, findings, and every sentence with pictures."""
