"""Taggers and parsers of eight languages, trained on the same files beside UDPipe 1.2.

WORDORDER_DATA names a folder with ud-other/{tr,fr,...}/{train,dev}.conllu.gz. Both programs train
with their default options on the first sentences of the training part, up to so many words (all of
Hungarian's, the smallest), without a development part, and tag and parse the words of the
development part, on one thread. UDPipe's training is dear: its models and what they found are kept
in WORDORDER_MODELS if that is set, and used again. The development part of Japanese is of a
release with other columns than its training part: there, the last sentences of the training part
are used.
"""

from __future__ import annotations

import gzip
import importlib
import importlib.util
import os
import tempfile
from pathlib import Path
from typing import Any

from measuring import Report, benchmark, main
from parsing_task import Figures, agreement, attachment, blank, timed

from wordorder import set_threads
from wordorder.parsing import open_parser, train_parser_files
from wordorder.parsing.training.training_run import TrainingRun
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import Treebank

LANGUAGES = ("hu", "tr", "el", "fr", "vi", "zh", "ko", "ja")

# Words to learn from: all of hu's.
WORDS = {"hu": 30_000, "zh": 3_000, "fr": 3_000, "vi": 3_000}
USUAL = 6_000
HELD_OUT = 800

# What is asked: how far below UDPipe's a figure may be.
LAS_BELOW, FEATS_BELOW = 0.3, 0.5


@benchmark("parsing kernels", regular=False, needs="ud-other")
def languages(report: Report) -> None:
    """Add the figures of each language, or of those that ``--only`` names."""
    set_threads(1)
    installed = importlib.util.find_spec("ufal") is not None
    kept = os.environ.get("WORDORDER_MODELS")
    gains = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(kept or scratch)
        for language in report.only or LANGUAGES:
            words = 1500 if report.quick else WORDS.get(language, USUAL)
            files = write_parts(report.data / language, folder, language, words)
            ours = trained(*files, folder / f"{language}.model")
            theirs = udpipe(*files, folder / f"{language}.udpipe") if installed else {}
            add(report, language, ours, theirs)
            if theirs:
                gains.append(ours["las"] - theirs["las"])
    if gains:
        mean = sum(gains) / len(gains)
        report.add("mean gain over UDPipe", mean, "% LAS", at_least=1.5, languages=len(gains))


def write_parts(source: Path, folder: Path, language: str, words: int) -> tuple[Path, Path]:
    """Write what is learnt from and what is parsed; return the two files."""
    parts = {}
    for part in ("train", "dev"):
        with gzip.open(source / f"{part}.conllu.gz", "rt", encoding="utf-8") as file:
            parts[part] = file.read().strip("\n").split("\n\n")
    if language == "ja":
        parts = {"train": parts["train"][:-HELD_OUT], "dev": parts["train"][-HELD_OUT:]}
    chosen, number = [], 0
    for sentence in parts["train"]:
        if number >= words:
            break
        chosen.append(sentence)
        number += sum(row.split("\t", 1)[0].isdigit() for row in sentence.split("\n"))
    parts["train"] = chosen
    files = []
    for part, sentences in parts.items():
        files.append(folder / f"{language}-{part}-{words}.conllu")
        files[-1].write_text("\n\n".join(sentences) + "\n\n", encoding="utf-8")
    return files[0], files[1]


def scores(found: Treebank, gold: Treebank) -> Figures:
    """Return what is right of tags and trees."""
    tags = {name: agreement(found, gold, name) for name in ("upos", "xpos", "feats")}
    return {**attachment(found, gold), **tags}


def trained(train: Path, dev: Path, model: Path) -> Figures:
    """Train ours and parse words without tags."""
    _, seconds = timed(lambda: train_parser_files(train, TrainingRun(model, restart=True)))
    gold = read_treebank(dev, single_root=False)
    parser: Any = open_parser(model)
    words = blank(gold, tags=False)
    found, spent = timed(lambda: parser.parse(words))
    tagged = parser.tagged(words, "", 0)
    _, parsing = timed(lambda: parser.parsed(tagged))
    return {
        **scores(found, gold),
        "train_sentences": len(read_treebank(train, single_root=False)),
        "train_cpu": seconds,
        "sentences_a_second": len(gold) / spent,
        "words_a_second": gold.words / spent,
        "parsed_a_second": len(gold) / parsing,
        "words_a_sentence": gold.words / len(gold),
        "feats_of_tags": list(parser.parser.system.encoding.feats),
        "bytes": model.stat().st_size,
    }


def udpipe(train: Path, dev: Path, model: Path) -> Figures:
    """Train UDPipe, unless its model is kept, and parse the same words."""
    package: Any = importlib.import_module("ufal.udpipe")
    error = package.ProcessingError()
    seconds = None
    if not model.exists():
        sentences = package.Sentences()
        reader, sentence = package.InputFormat.newConlluInputFormat(), package.Sentence()
        reader.setText(train.read_text(encoding="utf-8"))
        while reader.nextSentence(sentence, error):
            sentences.append(sentence)
            sentence = package.Sentence()
        nothing = package.Sentences()
        options = ("morphodita_parsito", sentences, nothing, "none", "", "", error)
        made, seconds = timed(lambda: package.Trainer.train(*options))
        if error.occurred():
            raise RuntimeError(error.message)
        model.write_bytes(made)
    default = package.Pipeline.DEFAULT
    # The pipeline does not keep the model alive.
    loaded = package.Model.load(str(model))
    pipeline = package.Pipeline(loaded, "conllu", default, default, "conllu")
    text, spent = timed(lambda: pipeline.process(dev.read_text(encoding="utf-8"), error))
    if error.occurred():
        raise RuntimeError(error.message)
    output = model.with_suffix(".conllu")
    output.write_text(text, encoding="utf-8")
    gold = read_treebank(dev, single_root=False)
    found = read_treebank(output, single_root=False)
    return {
        **scores(found, gold),
        **({} if seconds is None else {"train_cpu": seconds}),
        "sentences_a_second": len(gold) / spent,
        "bytes": model.stat().st_size,
    }


def add(report: Report, language: str, ours: Figures, theirs: Figures) -> None:
    """Add the figures of one language."""
    details: dict[str, Any] = {"found": ours, "udpipe": theirs}
    if theirs:
        report.add(f"{language}: LAS of UDPipe", theirs["las"], "%")
    for name, below in (("las", LAS_BELOW), ("upos", None), ("feats", FEATS_BELOW)):
        bounds: dict[str, Any] = {}
        if theirs and below is not None and not report.quick:
            bounds = {"at_least": theirs[name] - below}
        report.add(f"{language}: {name.upper()}", ours[name], "%", **bounds, **details)
        details = {}


if __name__ == "__main__":
    main(__doc__)
