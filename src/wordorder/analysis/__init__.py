"""Where and why the order is wrong: words, tags, parsers, rules, sentences."""
