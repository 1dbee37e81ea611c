"""What the phrases of the translator answer on small random sentences."""

from __future__ import annotations

import random

from tests.translation.tables import random_table

from wordorder.alignment.alignments import Alignments
from wordorder.ragged import Ragged
from wordorder.translation.extraction import Lexicon, log_p_values, phrase_pairs
from wordorder.translation.jumps import Jumps
from wordorder.translation.phrase_table import PhraseTable, phrase_table


def answers(rng: random.Random) -> dict[str, object]:
    """Return options of sentences, and tables, under the name of what they answer."""
    found: dict[str, object] = {}
    lengths = [0, 1, 2, 7, 12]
    for kinds in (1, 3, 9):
        table = random_table(rng, kinds)
        rows = [[rng.randint(0, kinds + 1) for _ in range(length)] for length in lengths]
        sentences = Ragged.from_rows(rows)
        found[f"options {kinds}"] = [array.tolist() for array in table.options(sentences)]
        built, p_values, jumps = _table(rng, rows)
        found[f"p-values {kinds}"] = p_values
        found[f"jumps {kinds}"] = [jumps.ends.tolist(), jumps.last_words.tolist()]
        found[f"sides {kinds}"] = jumps.right.tolist()
        for name in PhraseTable.__dataclass_fields__:
            found[f"{name} {kinds}"] = getattr(built, name).tobytes().hex()
    return found


def _table(rng: random.Random, rows: list[list[int]]) -> tuple[PhraseTable, list[float], Jumps]:
    """Return the table of random links, logarithms of p-values, and jumps."""
    source = Ragged.from_rows([[word + 1 for word in row] for row in rows])
    target = Ragged.from_rows([[rng.randint(3, 5) for _ in row] for row in rows])
    links = Alignments.from_rows(
        [sorted({(rng.randrange(len(row)), rng.randrange(len(row))) for _ in row}) for row in rows]
    )
    pairs = phrase_pairs(source, target, links, 4)
    table = phrase_table(pairs, Lexicon.of(source, target, links), limit=2)
    jumps = Jumps.of(source, target, links, 4)
    return table, log_p_values(pairs, source, target).tolist(), jumps
