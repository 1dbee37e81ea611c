"""Training of learned orders on files."""
