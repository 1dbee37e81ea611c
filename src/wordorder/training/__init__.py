"""Learning from word order: parsers, pre-orderers, rules and weights trained by the metrics."""
