"""What reading words, links and trees answers on small random input."""

import random

import numpy as np
from tests.oracles_trees import random_tree

import wordorder as wo
from wordorder.alignment.alignments import Alignments
from wordorder.errors import InputError
from wordorder.metrics.link_metrics import count_links
from wordorder.segments import Segments
from wordorder.text import vocabulary
from wordorder.text.blocks import TextBlock
from wordorder.text.raw_lines import RawLines
from wordorder.treebank import reading as conllu_fields
from wordorder.treebank.treebank import Treebank
from wordorder.treebank.trees import crossing_arcs, non_projective_words, projectivize


def words(rng: random.Random) -> dict[str, object]:
    """Number the words of lines, through a table that has to grow, and among themselves."""
    lines = [" ".join(rng.choices(["a", "b\u00e9", "", "ccc"], k=n)) for n in range(30)]
    ends = ["", "-too-long-for-one-key"]
    for _ in range(70):
        row = [f"w{rng.randrange(4000)}{rng.choice(ends)}" for _ in range(40)]
        lines.append(" ".join(row))
    numbers, known = vocabulary.number_lines(RawLines.from_strings(lines))
    texts = wo.Segments.from_text(lines, [[line[::-1], line] for line in lines]).texts
    local = texts.local()
    return {
        "numbers": numbers.to_lists(),
        "words": known.words,
        "local": [local.hypothesis.to_lists(), local.references.to_lists()],
        "distinct": local.distinct.tolist(),
    }


def notations(rng: random.Random) -> dict[str, object]:
    """Return the counts of random links, under their name."""
    sides = []
    for _ in range(2):
        rows = []
        for links in (0, 1, 2, 31, 32, 33, 64, 65):
            drawn = rng.sample(range(150), links)
            rows.append([(n // 12 * 4096, n % 12, rng.random() < 0.5) for n in drawn])
        sides.append(Alignments.from_rows(rows))
    return {"link counts": count_links(Segments.from_links(*sides)).tolist()}


def treebank(rng: random.Random) -> dict[str, object]:
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
    slots = conllu_fields._INITIAL_SLOTS
    conllu_fields._INITIAL_SLOTS = 64
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
        conllu_fields._INITIAL_SLOTS = slots
    rows = [random_tree(rng, n, roots=1 + n % 3) for n in [1, 2, 3, 5, 8, 13, 21, 40]]
    bank = Treebank.from_words([["w"] * len(row) for row in rows], heads=rows)
    lifted, counts = projectivize(bank)
    found["arcs"] = [non_projective_words(bank).tolist(), crossing_arcs(bank).tolist()]
    found["crossings"] = crossing_arcs(bank, root=False).tolist()
    found["lifted"] = [lifted.heads.tolist(), counts.tolist()]
    return found


def _read(text: str) -> object:
    data = np.frombuffer(text.encode(), np.uint8)
    block = TextBlock(data, text.count("\n") + 1, 1)
    try:
        bank = conllu_fields.parse_sentences(block, "a", trees="required", single_root=True)
    except InputError as error:
        return str(error)
    extras = [margin.extras for margin in bank.margins]
    return [bank.offsets.tolist(), bank.heads.tolist(), bank.form.codes.tolist(), extras]
