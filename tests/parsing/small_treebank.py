"""A treebank of our own, small enough to be trained on in a test: some sentences of one grammar."""

from itertools import islice, product

SUBJECTS = [
    [("the", "DET", "DT", 2, "det"), ("dog", "NOUN", "NN", 0, "nsubj")],
    [("she", "PRON", "PRP", 0, "nsubj")],
    [
        ("The", "DET", "DT", 3, "det"),
        ("old", "ADJ", "JJ", 3, "amod"),
        ("cat", "NOUN", "NN", 0, "nsubj"),
    ],
]
VERBS = ["sees", "hears", "finds"]
OBJECTS = [
    [("birds", "NOUN", "NNS", 0, "obj")],
    [
        ("a", "DET", "DT", 3, "det"),
        ("well-known", "ADJ", "JJ", 3, "amod"),
        ("bird", "NOUN", "NN", 0, "obj"),
    ],
    [("her", "PRON", "PRP", 0, "obj"), ("now", "ADV", "RB", -1, "advmod")],
]


def _sentence(number: int, subject: int, verb: str, thing: int) -> str:
    """Write one sentence; a head of 0 is the verb's place, -1 too."""
    before, after = SUBJECTS[subject], OBJECTS[thing]
    root = len(before) + 1
    rows = []
    for word, upos, xpos, head, label in before:
        rows.append((word, upos, xpos, head or root, label))
    rows.append((verb, "VERB", "VBZ", 0, "root"))
    for word, upos, xpos, head, label in after:
        rows.append((word, upos, xpos, root + head if head > 0 else root, label))
    rows.append((".", "PUNCT", ".", root, "punct"))
    text = " ".join(row[0] for row in rows)
    lines = [f"# sent_id = small-{number}", f"# text = {text}"]
    lines += [
        f"{place}\t{word}\t_\t{upos}\t{xpos}\t_\t{head}\t{label}\t_\t_"
        for place, (word, upos, xpos, head, label) in enumerate(rows, 1)
    ]
    return "\n".join(lines) + "\n\n"


SENTENCES = [
    _sentence(number, subject, verb, thing)
    for number, (subject, verb, thing) in enumerate(product(range(3), VERBS, range(3)), 1)
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


def treebank(sentences: int) -> str:
    """Return the first sentences."""
    return "".join(islice(SENTENCES, sentences))


def without_trees(text: str) -> str:
    """Take tags and trees away."""
    lines = []
    for line in text.split("\n"):
        fields = line.split("\t")
        if len(fields) == 10:
            line = "\t".join([*fields[:2], *["_"] * 8])
        lines.append(line)
    return "\n".join(lines)


def words(text: str) -> str:
    """Return the sentences as lines of words."""
    found: list[list[str]] = [[]]
    for line in text.split("\n"):
        fields = line.split("\t")
        if len(fields) == 10:
            found[-1].append(fields[1])
        elif not line and found[-1]:
            found.append([])
    return "".join(" ".join(row) + "\n" for row in found if row)
