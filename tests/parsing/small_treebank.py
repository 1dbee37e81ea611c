"""A treebank of our own, small enough to be trained on in a test: some sentences of one grammar."""

import re
from itertools import product

import numpy as np

from wordorder.text.blocks import TextBlock
from wordorder.treebank.reading import parse_sentences
from wordorder.treebank.treebank import Treebank

# A head of 0 is the verb's place, any other one that of a word of the same part.
SUBJECTS = [
    "the/DET/DT/2/det dog/NOUN/NN/0/nsubj",
    "she/PRON/PRP/0/nsubj",
    "The/DET/DT/3/det old/ADJ/JJ/3/amod cat/NOUN/NN/0/nsubj",
]
VERBS = ["sees", "hears", "finds"]
OBJECTS = [
    "birds/NOUN/NNS/0/obj",
    "a/DET/DT/3/det well-known/ADJ/JJ/3/amod bird/NOUN/NN/0/obj",
    "her/PRON/PRP/0/obj now/ADV/RB/0/advmod",
]


def _sentence(number: int, subject: str, verb: str, thing: str) -> str:
    root = len(subject.split()) + 1
    rows = []
    said = f"{subject} {verb}/VERB/VBZ/0/root {thing} ./PUNCT/./0/punct"
    for place, word in enumerate(said.split(), 1):
        form, upos, xpos, head, label = word.split("/")
        above = int(head) + root * (head == "0" or place > root) if place != root else 0
        rows.append(f"{place}\t{form}\t_\t{upos}\t{xpos}\t_\t{above}\t{label}\t_\t_\n")
    text = " ".join(word.partition("/")[0] for word in said.split())
    return f"# sent_id = small-{number}\n# text = {text}\n{''.join(rows)}\n"


SENTENCES = [
    _sentence(number, *parts) for number, parts in enumerate(product(SUBJECTS, VERBS, OBJECTS), 1)
]
TREEBANK = "".join(SENTENCES)
# "old" depends on "birds", and "now" between them does not: no projective tree.
CROSSING = """# sent_id = crossing
1\tshe\t_\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2\tsees\t_\tVERB\tVBZ\t_\t0\troot\t_\t_
3\tbirds\t_\tNOUN\tNNS\t_\t2\tobj\t_\t_
4\tnow\t_\tADV\tRB\t_\t2\tadvmod\t_\t_
5\told\t_\tADJ\tJJ\t_\t3\tamod\t_\t_

"""


def read(text: str = TREEBANK) -> Treebank:
    """Return the sentences of CoNLL-U."""
    block = TextBlock(np.frombuffer(text.encode(), np.uint8), text.count("\n"), 1)
    return parse_sentences(block, "small", trees="required", single_root=True)


def treebank(sentences: int) -> str:
    """Return the first sentences."""
    return "".join(SENTENCES[:sentences])


def without_trees(text: str) -> str:
    """Take tags and trees away."""
    return re.sub(r"(?m)^(\d+\t[^\t]+)\t.*", r"\1" + r"\t_" * 8, text)


def words(text: str) -> str:
    """Return the sentences as lines of words."""
    rows = [re.findall(r"(?m)^\d+\t([^\t]+)", sentence) for sentence in text.split("\n\n")]
    return "".join(" ".join(row) + "\n" for row in rows if row)
