"""Trees for the tests of the graph parser: ten written sentences, and random ones."""

import numpy as np
from tests.compact_trees import trees_of

from wordorder.treebank.treebank import Treebank

# The last one is not projective.
TEN = """
it/PRON/PRP/2/nsubj rains/VERB/VBZ/0/root
the/DET/DT/2/det dog/NOUN/NN/3/nsubj barks/VERB/VBZ/0/root ./PUNCT/./3/punct
go/VERB/VB/0/root home/ADV/RB/1/advmod
click/VERB/VB/0/root the/DET/DT/3/det link/NOUN/NN/1/obj below/ADV/RB/1/advmod
she/PRON/PRP/2/nsubj saw/VERB/VBD/0/root a/DET/DT/5/det big/ADJ/JJ/5/amod dog/NOUN/NN/2/obj
who/PRON/WP/3/obj did/AUX/VBD/3/aux see/VERB/VB/0/root it/PRON/PRP/3/nsubj ?/PUNCT/./3/punct
dogs/NOUN/NNS/4/nsubj and/CCONJ/CC/3/cc cats/NOUN/NNS/1/conj sleep/VERB/VBP/0/root
yes/INTJ/UH/0/root
the/DET/DT/2/det link/NOUN/NN/4/nsubj is/AUX/VBZ/4/cop below/ADV/RB/0/root ./PUNCT/./4/punct
a/DET/DT/2/det dog/NOUN/NN/3/nsubj came/VERB/VBD/0/root in/ADV/RB/3/advmod big/ADJ/JJ/2/amod
"""


def ten_sentences() -> Treebank:
    return trees_of(TEN)


def random_trees(rng: np.random.Generator, lengths: list[int]) -> Treebank:
    heads = []
    for n in lengths:
        order = rng.permutation(n) + 1
        head = np.zeros(n, int)
        for place in range(1, n):
            head[order[place] - 1] = order[rng.integers(place)]
        heads.append(head.tolist())

    def some(letters: str) -> list[list[str]]:
        return [list(rng.choice(list(letters), n)) for n in lengths]

    return Treebank.from_words(
        some("abcdefgh"), heads=heads, upos=some("NVA"), xpos=some("xyz"), label=some("lmo")
    )
