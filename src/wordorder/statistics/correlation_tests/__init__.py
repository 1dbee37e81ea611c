"""Which of two metrics agrees better with people: tests of two correlations."""
