"""The bracketing model: spans of a sentence split in two, straight or inverted (Nakagawa 2015)."""
