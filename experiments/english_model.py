#!/usr/bin/env python3
"""Make the English model that ships with the package, and say how good it is.

Trained on the train part of UD English EWT (CC BY-SA 4.0), the best epoch chosen on its dev part:
a perceptron tagger, and a transition parser that learns from jackknifed tags. The weights nearest
to zero are then left out, so that the file stays small. The same treebank gives the same bytes.

    python experiments/english_model.py FOLDER

FOLDER holds en_ewt-ud-{train,dev,test}.conllu.gz. Takes three to ten minutes on one core.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import wordorder as wo
from wordorder.parsing import PerceptronTagger, TransitionParser, load_models, save_models
from wordorder.parsing import train_parser_files as train
from wordorder.parsing.learner import Model
from wordorder.parsing.training.compaction import compact, pruned
from wordorder.treebank import Treebank, read_treebank

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "src" / "wordorder" / "samples" / "models" / "en.safetensors"
RESULTS = ROOT / "experiments" / "results" / "english_model.json"
LICENCE = "CC BY-SA 4.0. Trained on UD English EWT, https://github.com/UniversalDependencies/UD_English-EWT"
# Bytes that the weights of each may take, chosen on the dev part.
TAGGER_SIZE = 3_500_000
PARSER_SIZE = 8_700_000
SEED = 1
METRICS = ("uas", "las", "upos", "xpos")


def scores(tagger: Any, parser: Any, gold: Treebank, *, tags: str) -> dict[str, float]:
    """Return the scores of a parser on gold tags, or on those of its tagger."""
    tagged = tagger.tag(gold) if tags == "own" else gold
    segments = wo.Segments.from_treebanks(parser.parse(tagged), gold)
    return {name: round(wo.metric(name).corpus_score(segments).value, 4) for name in METRICS}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--epochs", type=int, default=16)
    arguments.add_argument("--output", type=Path, default=OUTPUT)
    arguments.add_argument("--results", type=Path, default=RESULTS)
    given = arguments.parse_args()
    parts = {
        part: given.folder / f"en_ewt-ud-{part}.conllu.gz" for part in ("train", "dev", "test")
    }
    with tempfile.TemporaryDirectory() as folder:
        full = Path(folder, "full.safetensors")
        train(
            parts["train"],
            full,
            dev=parts["dev"],
            tags="jackknife",
            epochs=given.epochs,
            seed=SEED,
            licence=LICENCE,
            say=lambda line: print(line, file=sys.stderr, flush=True),
        )
        whole = load_models(full)
        size = full.stat().st_size
        assert isinstance(whole.tagger, PerceptronTagger)
        assert isinstance(whole.parser, TransitionParser)
        small: dict[str, Model] = {
            "tagger": PerceptronTagger(
                whole.tagger.model, compact(pruned(whole.tagger.weights, size=TAGGER_SIZE))
            ),
            "parser": TransitionParser(
                whole.parser.system,
                compact(pruned(whole.parser.weights, size=PARSER_SIZE)),
                beam=whole.parser.beam,
            ),
        }
        about = {**whole.about, "compact": True, "made_by": "experiments/english_model.py"}
        given.output.parent.mkdir(exist_ok=True)
        save_models(given.output, small, about)
        shipped = load_models(given.output)
        results: dict[str, Any] = {
            "bytes": {"full": size, "shipped": given.output.stat().st_size},
            "blake2b": hashlib.blake2b(given.output.read_bytes(), digest_size=16).hexdigest(),
        }
        for part in ("dev", "test"):
            gold = read_treebank(parts[part])
            for name, models in (("full", whole), ("shipped", shipped)):
                results[f"{part}, {name}"] = {
                    f"{tags} tags": scores(models.tagger, models.parser, gold, tags=tags)
                    for tags in ("own", "gold")
                }
    given.results.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
