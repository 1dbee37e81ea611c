"""How far raters agree with each other."""
