"""What reading CoNLL-U and looking at trees answers on small random text."""

import random

import numpy as np
from tests.oracles_trees import random_tree

from wordorder.errors import InputError
from wordorder.text.blocks import Block
from wordorder.treebank import reading as conllu_fields
from wordorder.treebank.treebank import Treebank
from wordorder.treebank.trees import crossing_arcs, non_projective_words, projectivize


def answers(rng: random.Random) -> dict[str, object]:
    """Read trees, wrong ones too, through a table that has to grow; draw nothing."""
    found: dict[str, object] = {}
    text = ""
    for number in range(60):
        heads = random_tree(rng, rng.randrange(1, 20))
        text += f"# n = {number}\n1-1{number}\tx" + "\t_" * 8 + "\n" if number == 59 else "# c\n"
        for word, head in enumerate(heads, 1):
            form = rng.choice(["a", "bé", f"w{rng.randrange(900)}", f"w-{rng.randrange(900)}-long"])
            text += f"{word}\t{form}\t_\tX\t_\t_\t{head}\tl\t_\t_\n"
            text += "" if rng.random() < 0.9 else f"{word}.1\te" + "\t_" * 8 + "\n"
        text += "\n"
    slots = conllu_fields._SLOTS
    conllu_fields._SLOTS = 64
    try:
        found["refused range"] = _read(text)
        good = text[: text.index("# n = 59")]
        found["read"] = _read(good)
        for number in range(30):
            place = rng.randrange(len(good))
            found[f"changed {number}"] = _read(
                good[:place] + rng.choice("\t\n#-.01_") + good[place + 1 :]
            )
    finally:
        conllu_fields._SLOTS = slots
    rows = [random_tree(rng, n, roots=1 + n % 3) for n in [1, 2, 3, 5, 8, 13, 21, 40]]
    bank = Treebank.from_words([["w"] * len(row) for row in rows], heads=rows)
    lifted, counts = projectivize(bank)
    found["arcs"] = [non_projective_words(bank).tolist(), crossing_arcs(bank).tolist()]
    found["crossings"] = crossing_arcs(bank, root=False).tolist()
    found["lifted"] = [lifted.heads.tolist(), counts.tolist()]
    return found


def _read(text: str) -> object:
    data = np.frombuffer(text.encode(), np.uint8)
    block = Block(data, text.count("\n") + 1, 1)
    try:
        bank = conllu_fields.parse_sentences(block, "a", trees="required", single_root=True)
    except InputError as error:
        return str(error)
    extras = [margin.extras for margin in bank.margins]
    return [bank.offsets.tolist(), bank.heads.tolist(), bank.form.codes.tolist(), extras]
