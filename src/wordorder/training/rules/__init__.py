"""Rules that are learned: a readable rule set, edited step by step as a metric asks."""
