"""Training of taggers and parsers."""
