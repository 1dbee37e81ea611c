"""Where and why translations are in the wrong order: the sections of their report."""
