#!/usr/bin/env python3
"""Make the rule set `learned-en-ja` of the package: R5, improved on the dev set of KFTT.

KFTT (text and alignments) is under CC BY-SA 3.0. PUD and small-parallel only test the rules: their
sentences are not trained on.

    WORDORDER_DATA=RULES_FOLDER python -m tools.shipped.make_learned_rules

About half a minute of one core. The hash of the file is kept in `results/learned_en_ja.json`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from pathlib import Path

import numpy as np

import wordorder as wo
from papers.keeping import write
from papers.learned_orders.learned_rules import CAUTION, Corpus, Scores, ordered, read
from wordorder.reordering import PrecedenceRules, open_rules, write_rules
from wordorder.reordering.rules import RULES_FOLDER
from wordorder.training import RuleSettings
from wordorder.training.rules.training import RuleTraining, comments_on
from wordorder.training.rules.trials import Trials

NAME = "learned-en-ja"
ABOUT = "English into Japanese: R5, improved on the dev set of KFTT"
HEADER = f"""English into Japanese: R5 (sets/R5.toml explains it), improved on the dev set of KFTT.
Made by tools/shipped/make_learned_rules.py. KFTT is the Kyoto Free Translation Task, made by Graham
Neubig from a corpus of the National Institute of Information and Communications Technology, Japan;
CC BY-SA 3.0.

Trained on {{trained}} sentences with links by hand and trees by the model `en`; words without a
link dropped; caution {CAUTION}; {{edits}} edits.
Metric {{metric}}
FRS on the training sentences: {{before:.4f}} -> {{after:.4f}}. On PUD, not trained on: {{pud}}.

Beside each part: how often it fires in the training sentences, and what it brings: the score with
it less the score without it, and the interval of 95 %; then the same on 500 sentences of PUD."""
RESULT = Path(__file__).resolve().parent / "learned_en_ja.json"


def main() -> None:
    """Train the rules, write them and keep their scores."""
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--output", type=Path, default=RULES_FOLDER / f"{NAME}.toml")
    arguments.add_argument("--result", type=Path, default=RESULT)
    given = arguments.parse_args()
    data = Path(os.environ["WORDORDER_DATA"])
    kftt, pud, small = (read(data, name) for name in ("kftt-dev", "pud", "small-parallel"))
    start = open_rules("R5")
    assert isinstance(start, PrecedenceRules)
    training = RuleTraining(
        kftt.trees,
        kftt.reference("talbot"),
        start,
        settings=RuleSettings(held_out=0.0, caution=CAUTION),
    )
    training.run()
    found = training.learned(NAME)
    file = found.rules.file
    rules = PrecedenceRules(type(file)(**{**vars(file), "about": ABOUT}))
    inside = np.flatnonzero(pud.fold < 0)
    pairs = {"kftt-dev": kftt, "pud": pud, "small-parallel": small}
    scores = {name: scores_of(corpus, start, rules) for name, corpus in pairs.items()}
    header = HEADER.format(
        trained=len(kftt.trees),
        edits=found.edits,
        metric=found.metric,
        before=found.before,
        after=found.after,
        pud="{:.4f} -> {:.4f}".format(*scores["pud"]["FRS"]),
    )
    metric = wo.metric("frs")
    samples = [
        ("", training.training),
        ("PUD ", Trials(pud.trees.take(inside), pud.reference("talbot").take(inside), metric)),
    ]
    write_rules(rules, given.output, header=header, comments=comments_on(rules, samples))
    digest = hashlib.sha256(given.output.read_bytes()).hexdigest()
    kept = {
        "file": given.output.name,
        "sha256": digest,
        "edits": found.edits,
        "all sentences, R5 and learned-en-ja": scores,
    }
    write(given.result.parent, given.result.stem, kept)
    print(json.dumps(kept, indent=1))


def scores_of(corpus: Corpus, *rules: PrecedenceRules) -> dict[str, list[float]]:
    """Return the scores of rule sets on all sentences of a corpus."""
    whole = Corpus(corpus.trees, corpus.words, corpus.links, np.zeros(len(corpus.words), np.int64))
    values = [Scores.of(whole, ordered(whole, {0: each})).values() for each in rules]
    return {measure: [each[measure] for each in values] for measure in values[0]}


if __name__ == "__main__":
    main()
