"""Ten sentences with their trees, written for these tests."""

from tests.compact_trees import trees_of

from wordorder.treebank.treebank import Treebank

TEXT = r"""
She/PRON/PRP/2/nsubj sees/VERB/VBZ/0/root birds/NOUN/NNS/2/obj ./PUNCT/./2/punct
Birds/NOUN/NNS/2/nsubj sing/VERB/VBP/0/root in/ADP/IN/5/case the/DET/DT/5/det garden/NOUN/NN/2/obl
Go/VERB/VB/0/root home/ADV/RB/1/advmod !/PUNCT/./1/punct
The/DET/DT/3/det old/ADJ/JJ/3/amod man/NOUN/NN/5/nsubj never/ADV/RB/5/advmod slept/VERB/VBD/0/root
What/PRON/WP/4/obj did/AUX/VBD/4/aux they/PRON/PRP/4/nsubj buy/VERB/VB/0/root ?/PUNCT/./4/punct
It/PRON/PRP/3/nsubj was/AUX/VBD/3/cop cold/ADJ/JJ/0/root and/CCONJ/CC/5/cc wet/ADJ/JJ/3/conj
He/PRON/PRP/2/nsubj gave/VERB/VBD/0/root her/PRON/PRP/2/iobj a/DET/DT/5/det book/NOUN/NN/2/obj
A/DET/DT/2/det book/NOUN/NN/0/root that/PRON/WDT/5/obj I/PRON/PRP/5/nsubj like/VERB/VBP/2/acl
Yes/INTJ/UH/0/root
We/PRON/PRP/2/nsubj saw/VERB/VBD/0/root a/DET/DT/4/det man/NOUN/NN/2/obj with/ADP/IN/7/case \
a/DET/DT/7/det dog/NOUN/NN/4/nmod
"""


def ten_sentences() -> Treebank:
    return trees_of(TEXT)
