"""The words that every language model has, and that no text contains."""

# With the numbers 0, 1 and 2: any word that is not known, the begin and the end of a sentence.
SPECIAL = ("<unk>", "<s>", "</s>")
BEGIN, END = 1, 2
