"""What trees cost a task: the costs that parsers learn from beside the trees of a treebank."""
