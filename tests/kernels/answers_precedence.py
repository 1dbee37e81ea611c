"""What precedence rules answer on small random trees."""

import random
import tempfile
from pathlib import Path

from tests.oracles_precedence import as_toml, random_rows, random_rules
from tests.oracles_trees import random_tree

from wordorder.reordering.precedence import PrecedenceRules
from wordorder.treebank.treebank import Treebank


def answers(rng: random.Random) -> dict[str, object]:
    """Apply rules of all kinds, to long families too."""
    found: dict[str, object] = {}
    lengths = [0, 1, 2, 3, 5, 8, 13, 30]
    heads = [random_tree(rng, n, roots=1 + n % 2) for n in lengths]
    heads.append([0 if word == 20 else 20 for word in range(1, 41)])
    rows = [random_rows(rng, len(row)) for row in heads]
    columns = {
        name: [[word[name] for word in row] for row in rows] for name in ("upos", "feats", "label")
    }
    forms = [[word["form"] for word in row] for row in rows]
    bank = Treebank.from_words(forms, heads=heads, **columns)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(12):
            path = Path(folder) / f"{number}.toml"
            path.write_text(as_toml(random_rules(rng)))
            applied = PrecedenceRules.read(path).apply(bank)
            found[f"rules {number}"] = [
                applied.orders.positions.to_lists(),
                applied.fired.tolist(),
                applied.entry.tolist(),
            ]
    return found
