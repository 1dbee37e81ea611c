"""Rankings of systems from judgements of pairs or ratings."""
