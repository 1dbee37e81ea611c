"""People's work in the browser: alignments made and translations rated on one's own machine."""
