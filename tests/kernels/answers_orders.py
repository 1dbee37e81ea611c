"""What orders, rules and trees of permutations answer on small random input."""

import random
import tempfile
from pathlib import Path

import numpy as np
from tests.oracles_precedence import as_toml, random_rows, random_rules
from tests.oracles_trees import random_tree
from tests.training.rules.corpora import random_bank, random_reference, start_rules

import wordorder as wo
from wordorder.alignment.alignments import Alignments
from wordorder.arrays import Ragged
from wordorder.metrics.compat import PRESETS, evaluate_compat
from wordorder.order import permutation_forest as forest
from wordorder.order.orders import Orders, kept_pairs
from wordorder.order.permutation_tree import SHORT_LENGTH
from wordorder.order.span_ranks import block_ranks
from wordorder.reordering.precedence import PrecedenceRules
from wordorder.training.rules.candidates import EditCandidates
from wordorder.training.rules.trials import Trials
from wordorder.treebank.treebank import Treebank


def chunks(rng: random.Random) -> dict[str, object]:
    """Compare rows of all lengths with rows that tie."""
    systems, references = [], []
    for length in [0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65] * 3:
        systems.append(rng.sample(range(length), length))
        groups: list[list[int]] = []
        for position in rng.sample(range(length), length - length // 8):
            if groups and rng.random() < 0.6:
                groups[-1].append(position)
            else:
                groups.append([position])
        references.append(groups)
    kept, offsets = kept_pairs(Orders.from_rows(systems), Orders.from_rows(references))
    return {"kept pairs": [kept.tolist(), offsets.tolist()]}


def operators(rng: random.Random) -> dict[str, object]:
    """Return costs in hexadecimal under the name of the cost."""
    rows = [rng.sample(range(n), n) for n in [0, 1, 2, 3, 4, 5, 7, 9, 12, 20, SHORT_LENGTH + 3]]
    rows += [[*row[::-1], len(row)] for row in rows]
    ragged = Ragged.from_rows(rows)
    return {
        f"{cost.__name__} {flat}": [
            value.hex() for value in forest.combined_costs(ragged, cost, "sum", flat=flat).tolist()
        ]
        for cost in (forest.length, forest.catalan)
        for flat in (False, True)
    }


LENGTHS = [0, 1, 2, 3, 5, 8, 15, 16, 17, 33]
TOKENS = ["(", ")", '"', "a"]


def compat(rng: random.Random) -> dict[str, object]:
    """Return ranks and scores under the name of what they answer."""
    rows = []
    words = []
    for length in LENGTHS * 3:
        links = {
            (rng.randrange(length), rng.randrange(length + 3))
            for _ in range(rng.choice([length // 2, 2 * length]))
        }
        rows.append(sorted(links))
        words.append([rng.choice(TOKENS) for _ in range(length)])
    aligned = Alignments.from_rows(rows)
    lengths = np.array(LENGTHS * 3, np.int64)
    found: dict[str, object] = {
        f"ranks {combine}": block_ranks(aligned, lengths, combine=combine).tolist()
        for combine in (True, False)
    }
    for preset, how in PRESETS.items():
        if how.rule is None:
            # It looks at no orders: no kernel of these is called.
            continue
        for label, score in evaluate_compat(preset, None, aligned, words).items():
            found[f"{preset} {label}"] = [score.value.hex(), score.skipped]
    return found


def precedence(rng: random.Random) -> dict[str, object]:
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


def rule_trials(rng: random.Random) -> dict[str, object]:
    """Try some edits at every place."""
    bank = random_bank(1, 12)
    trials = Trials(bank, random_reference(bank, 1), wo.metric("frs"))
    trials.use(start_rules())
    found = []
    for edit in EditCandidates(trials, 3):
        slots = trials.slots(edit.trial)
        if slots and rng.random() < 0.1:
            found.append(trials.run(edit.trial, slots).totals.tolist())
    return {"rule trials": found}
