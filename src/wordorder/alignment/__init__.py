"""Word alignments: the column type, the formats, and a linter of annotation."""
