"""The page of a meta-evaluation."""
