#!/usr/bin/env python3
"""Make the English model that ships with the package, and say how good it is.

Trained on the train parts of UD English EWT and UD English Atis (both CC BY-SA 4.0) with copies in
lower case, and copies of some sentences in which letters take the place of nouns, as variables do;
the best epoch chosen on their dev parts: a perceptron tagger that learns with hidden words, and a
transition parser that learns from jackknifed tags and reads words in lower case. Atis has no XPOS;
its words get those that words of EWT with the same form, UPOS and features have. The weights
nearest to zero are then left out, so that the file stays small; a tokenizer and a profile of
letters are added. The same treebanks give the same bytes.

    python -m tools.shipped.english_model DATA

DATA holds ud-english-ewt/en_ewt-ud-{train,dev,test}.conllu.gz,
ud-english-atis/en_atis-ud-{train,dev}.conllu.gz and, only to be tried,
ud-pud/en_pud-ud-test.conllu.gz and ptb-sample-nltk/wsj_0001-0199.conllu.gz; sentences of other
kinds, tagged by hand, are in english_genres.txt. Takes some ten minutes on one core. With `--kept`
nothing is trained and the model that ships is tried again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import wordorder as wo
from papers.keeping import write
from wordorder.arrays import Int64
from wordorder.parsing import PerceptronTagger, TransitionParser, load_models, save_models
from wordorder.parsing.random_order import random_bits, shuffled
from wordorder.parsing.tagging.perceptron import TaggerLearner
from wordorder.parsing.tagging.tnt import jackknife
from wordorder.parsing.tokenizer import learn_tokenizer
from wordorder.parsing.training.compact_models import compact, prune_weights
from wordorder.parsing.training.scores import attachment_scores, tag_accuracy
from wordorder.parsing.training.training import train
from wordorder.parsing.training.training_text import data_signature
from wordorder.parsing.transition.parser import TransitionLearner
from wordorder.parsing.weights import Model
from wordorder.treebank import Treebank, read_treebank
from wordorder.treebank.preparation import with_lower_case
from wordorder.treebank.treebank import Column

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OUTPUT = ROOT / "src" / "wordorder" / "samples" / "models" / "en.safetensors"
GENRES = HERE / "english_genres.txt"
RESULTS = HERE / "english_model.json"
LICENCE = (
    "CC BY-SA 4.0. Trained on UD English EWT and UD English Atis, "
    "https://github.com/UniversalDependencies/UD_English-EWT and UD_English-Atis"
)
# Bytes that the weights of each may take, chosen on the dev parts.
TAGGER_SIZE = 3_690_000
PARSER_SIZE = 7_400_000
SEED = 1
TAGGER_EPOCHS, PARSER_EPOCHS = 6, 12
JACKKNIFE_FOLDS, JACKKNIFE_EPOCHS = 5, 5
# The share of words that are hidden from the tagger while it learns; then the share of sentences
# that are copied, and of their singular nouns that become one of these letters.
HIDDEN = 0.3
COPIED, REPLACED = 0.25, 0.05
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZαβγδεθλμπσφω"
TREEBANKS = {
    "EWT train": "ud-english-ewt/en_ewt-ud-train.conllu.gz",
    "EWT dev": "ud-english-ewt/en_ewt-ud-dev.conllu.gz",
    "EWT test": "ud-english-ewt/en_ewt-ud-test.conllu.gz",
    "Atis train": "ud-english-atis/en_atis-ud-train.conllu.gz",
    "Atis dev": "ud-english-atis/en_atis-ud-dev.conllu.gz",
    "PUD": "ud-pud/en_pud-ud-test.conllu.gz",
    "WSJ": "ptb-sample-nltk/wsj_0001-0199.conllu.gz",
}
# Brackets and quotation marks as the Penn Treebank writes them.
PENN = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "``": '"', "''": '"'}
CONFUSED = 6
METRICS = ("uas", "las", "root-f1", "upos", "xpos")
CASES: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "lower case": str.lower,
    "capitals": str.upper,
}


def with_xpos(treebank: Treebank, like: Treebank) -> Treebank:
    """Give words the XPOS that is most frequent in another treebank for what is known of them."""
    counts: dict[tuple[str, ...], Counter[str]] = {}
    for keys, xpos in zip(known(like), like.xpos.strings(), strict=True):
        for key in keys:
            counts.setdefault(key, Counter())[xpos] += 1
    best = {key: count.most_common(1)[0][0] for key, count in counts.items()}
    tags = [next(best[key] for key in keys if key in best) for keys in known(treebank)]
    return treebank.replace(xpos=Column.of(tags))


def known(treebank: Treebank) -> list[tuple[tuple[str, ...], ...]]:
    """Return what is known of each word, the most telling first."""
    columns = (treebank.form, treebank.upos, treebank.columns["feats"])
    words = zip(*(column.strings() for column in columns), strict=True)
    return [
        ((form.lower(), upos, feats), (upos, feats), (form.lower(), upos), (upos,))
        for form, upos, feats in words
    ]


def with_variables(treebank: Treebank) -> tuple[Treebank, Int64]:
    """Return copies of some sentences with letters in the place of nouns, and their numbers."""
    rows = np.sort(shuffled(len(treebank), SEED)[: int(COPIED * len(treebank))])
    copies = treebank.take(rows)
    drawn = random_bits(copies.words, SEED, 1)
    nouns = np.array([tag == "NN" for tag in copies.xpos.strings()])
    changed = nouns & (drawn < int(REPLACED * 2**64))
    forms = [
        LETTERS[bits % len(LETTERS)] if is_changed else form
        for form, bits, is_changed in zip(
            copies.form.strings(), drawn.tolist(), changed.tolist(), strict=True
        )
    ]
    return copies.replace(form=Column.of(forms)), rows


def questions(treebank: Treebank) -> Treebank:
    """Return the sentences with a question mark as their last word or the one before."""
    forms, cuts = treebank.form.strings(), treebank.offsets.tolist()
    asked = ["?" in forms[max(first, last - 2) : last] for first, last in pairwise(cuts)]
    return treebank.take(np.flatnonzero(asked))


def scores(tagger: Any, parser: Any, gold: Treebank, *, tags: str = "own") -> dict[str, float]:
    """Return the scores of a parser on gold tags, or on those of its tagger."""
    tagged = tagger.tag(gold) if tags == "own" else gold
    segments = wo.Segments.from_treebanks(parser.parse(tagged), gold)
    return {name: round(wo.metric(name).corpus_score(segments).value, 4) for name in METRICS}


def train_full(data: Path, full: Path) -> None:
    """Train on both treebanks and write all weights to a file."""
    ewt, atis = read(data, "EWT train"), read(data, "Atis train")
    dev, dev_atis = read(data, "EWT dev"), read(data, "Atis dev")
    held_out = [dev, dev.replace(form=dev.form.map(str.lower)), dev_atis]
    single = Treebank.concatenate([ewt, with_xpos(atis, ewt)])
    trees, copied = with_lower_case(single)
    variables, replaced = with_variables(ewt)
    trees = Treebank.concatenate([trees, variables])
    learning: dict[str, Any] = {"any_case": True, "hidden": HIDDEN, "symbols": True, "seed": SEED}

    def tagger_score(tagger: Any) -> float:
        found = [tag_accuracy(tagger.tag(bank), bank) for bank in held_out]
        return 2 * sum(found[0].values()) + sum(found[1].values()) + found[2]["upos"]

    def train_tagger(part: Treebank) -> PerceptronTagger:
        trained = train(TaggerLearner(part, **learning), epochs=JACKKNIFE_EPOCHS, seed=SEED)
        assert isinstance(trained.model, PerceptronTagger)
        return trained.model

    learner = TaggerLearner(trees, **learning)
    tagging = train(learner, epochs=TAGGER_EPOCHS, seed=SEED, dev=tagger_score)
    tagger: Any = tagging.model
    groups = np.concatenate([np.arange(len(single)), copied, replaced])
    seen = jackknife(trees, train_tagger, folds=JACKKNIFE_FOLDS, seed=SEED, groups=groups)
    tagged = [tagger.tag(bank) for bank in held_out]

    def parser_score(parser: Any) -> float:
        found = [
            attachment_scores(parser.parse(words), gold)[0]
            for words, gold in zip(tagged, held_out, strict=True)
        ]
        return 2 * found[0] + found[1] + found[2] / 2

    parsing = train(
        TransitionLearner(seen, lowercase=True), epochs=PARSER_EPOCHS, seed=SEED, dev=parser_score
    )
    about = described(trees, tagging.best_epoch, parsing.best_epoch)
    save_models(full, {"tagger": tagger, "parser": parsing.model}, about)


def described(trees: Treebank, tagger_epoch: int, parser_epoch: int) -> dict[str, Any]:
    """Return what the file says of its models."""
    case = {"lowercase": False, "any_case": True}
    hiding = {"hidden": HIDDEN, "symbols": True}
    beam = {"algorithm": "transition", "features": "zhang-nivre", "beam": 8, "update": "early"}
    return {
        "wordorder": wo.__version__,
        "data": "en_ewt-ud-train.conllu.gz, en_atis-ud-train.conllu.gz",
        "data_signature": data_signature(trees),
        "sentences": len(trees),
        "words": trees.words,
        "seed": SEED,
        "licence": LICENCE,
        "tagger": {**case, **hiding, "epochs": TAGGER_EPOCHS, "best_epoch": tagger_epoch},
        "parser": {
            **case,
            **beam,
            "tags": "jackknife",
            "epochs": PARSER_EPOCHS,
            "best_epoch": parser_epoch,
        },
    }


def read(data: Path, name: str) -> Treebank:
    """Read one of the treebanks."""
    return read_treebank(data / TREEBANKS[name])


def shrink(full: Path, output: Path, data: Path) -> None:
    """Write the model with fewer and rounded weights, and with how words are written."""
    whole = load_models(full)
    assert isinstance(whole.tagger, PerceptronTagger)
    assert isinstance(whole.parser, TransitionParser)
    small: dict[str, Model] = {
        "tagger": PerceptronTagger(
            whole.tagger.model, compact(prune_weights(whole.tagger.weights, max_bytes=TAGGER_SIZE))
        ),
        "parser": TransitionParser(
            whole.parser.system,
            compact(prune_weights(whole.parser.weights, max_bytes=PARSER_SIZE)),
            beam=whole.parser.beam,
        ),
    }
    trees = Treebank.concatenate([read(data, "EWT train"), read(data, "Atis train")])
    tokenizer = learn_tokenizer(trees, seed=SEED)
    assert tokenizer is not None
    small["tokenizer"] = tokenizer
    output.parent.mkdir(exist_ok=True)
    # The path that the shipped model names, whose bytes stay.
    about = {**whole.about, "compact": True, "made_by": "experiments/english_model.py"}
    save_models(output, small, about)


def tried(data: Path, models: dict[str, Path]) -> dict[str, Any]:
    """Return the scores of models on each treebank, in each case and on questions."""
    names = [name for name in TREEBANKS if "train" not in name and name != "WSJ"]
    gold = {name: read(data, name) for name in names}
    gold["questions of EWT dev and test"] = questions(
        Treebank.concatenate([gold["EWT dev"], gold["EWT test"]])
    )
    found: dict[str, Any] = {}
    for model, path in models.items():
        loaded = load_models(path)
        for name, bank in gold.items():
            for case, change in CASES.items():
                if model == "full" and case != "as it is":
                    continue
                changed = bank.replace(form=bank.form.map(change))
                own = scores(loaded.tagger, loaded.parser, changed)
                found[f"{name}, {case}, {model}"] = {"own tags": own}
            if name.startswith("EWT"):
                with_gold = scores(loaded.tagger, loaded.parser, bank, tags="gold")
                found[f"{name}, as it is, {model}"]["gold tags"] = with_gold
    return found


def other_text(data: Path, model: Path) -> dict[str, Any]:
    """Return how well a model tags text of other kinds, unknown words apart, and its mistakes."""
    pud, wsj, dev = (read(data, name) for name in ("PUD", "WSJ", "EWT dev"))
    seen = Treebank.concatenate([read(data, "EWT train"), read(data, "Atis train")])
    known = {word.lower() for word in seen.form.vocabulary.words}
    news = np.array([(margin.value("sent_id") or "").startswith("n") for margin in pud.margins])
    banks = {
        "EWT dev": dev,
        "EWT dev, each word with a capital": dev.replace(form=dev.form.map(_capital)),
        "PUD, news": pud.take(np.flatnonzero(news)),
        "PUD, Wikipedia": pud.take(np.flatnonzero(~news)),
        "proofs, syllabi, dictionaries": genres(),
        "WSJ": wsj.replace(form=wsj.form.map(lambda word: PENN.get(word, word))),
    }
    tagger: Any = load_models(model).tagger
    return {name: _mistakes(tagger.tag(bank), bank, known) for name, bank in banks.items()}


def genres() -> Treebank:
    """Return the sentences of other kinds that were tagged by hand."""
    lines = GENRES.read_text(encoding="utf-8").splitlines()
    rows = [[token.rsplit("/", 1) for token in line.split()] for line in lines]
    words, tags = ([[pair[part] for pair in row] for row in rows] for part in (0, 1))
    return Treebank.from_words(words, upos=tags)


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]


def _mistakes(found: Treebank, gold: Treebank, known: set[str]) -> dict[str, Any]:
    """Return the shares of words with the right tag, and which tags are taken for others."""
    column = "upos" if gold.upos.has_value().any() else "xpos"
    wanted, given = (bank.columns[column].strings() for bank in (gold, found))
    right = np.array([one == other for one, other in zip(wanted, given, strict=True)])
    unknown = np.array([word.lower() not in known for word in gold.form.strings()])
    wrong = Counter(
        f"{one} as {other}" for one, other in zip(wanted, given, strict=True) if one != other
    )
    return {
        "words": gold.words,
        column: round(float(right.mean()), 4),
        "unknown words": round(float(unknown.mean()), 4),
        f"{column} of unknown words": round(float(right[unknown].mean()), 4),
        "mistakes": dict(wrong.most_common(CONFUSED)),
    }


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--full", type=Path, help="where all weights are, or are kept")
    arguments.add_argument("--output", type=Path, default=OUTPUT)
    arguments.add_argument("--results", type=Path, default=RESULTS)
    arguments.add_argument("--kept", action="store_true", help="train nothing")
    given = arguments.parse_args()
    models = {"shipped": given.output}
    with tempfile.TemporaryDirectory() as folder:
        if not given.kept:
            models = {"full": given.full or Path(folder, "full.safetensors"), **models}
            if not models["full"].exists():
                train_full(given.data, models["full"])
            shrink(models["full"], given.output, given.data)
        results = {
            "bytes": {name: path.stat().st_size for name, path in models.items()},
            "blake2b": hashlib.blake2b(given.output.read_bytes(), digest_size=16).hexdigest(),
            **tried(given.data, models),
            "other text": other_text(given.data, given.output),
        }
    write(given.results.parent, given.results.stem, results)
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
