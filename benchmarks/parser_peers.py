"""Parsers and taggers of others, trained on the same treebank."""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

from parsing_task import Figures, Task, rows, timed, tried


def udpipe_train(task: Task) -> Figures:
    udpipe = importlib.import_module("ufal.udpipe")

    def sentences(part: str) -> Any:
        reader = udpipe.InputFormat.newConlluInputFormat()
        reader.setText(task.text(part))
        found, sentence, error = udpipe.Sentences(), udpipe.Sentence(), udpipe.ProcessingError()
        while reader.nextSentence(sentence, error):
            found.append(sentence)
            sentence = udpipe.Sentence()
        return found

    train, dev = sentences("train"), sentences("dev")
    epochs = 1 if task.quick else 5
    tagger = f"iterations={epochs};use_lemma=0;provide_lemma=0"
    parser = f"iterations={epochs};embedding_xpostag=20;structured_interval=0"
    seconds = []
    for name, options in (
        ("tagger", (tagger, "none")),
        ("parser", ("none", parser)),
    ):
        error = udpipe.ProcessingError()
        arguments = ("morphodita_parsito", train, dev, "none", *options, error)
        model, spent = timed(partial(udpipe.Trainer.train, *arguments))
        if error.occurred():
            raise RuntimeError(error.message)
        (task.models / f"{name}.udpipe").write_bytes(model)
        seconds.append(spent)
    return {
        "epochs": epochs,
        "tagger_cpu": seconds[0],
        "parser_cpu": seconds[1],
        "cpu_an_epoch": seconds[1] / epochs,
        "settings": f"tagger {tagger}; parser {parser}; no embeddings",
    }


def udpipe_try(task: Task) -> Figures:
    adapter = importlib.import_module("wordorder.parsing.adapters.external").UDPipeParser
    tagger = adapter(task.models / "tagger.udpipe")
    parser = adapter(task.models / "parser.udpipe", tags="given")
    greedy = adapter(task.models / "parser.udpipe", tags="given", beam=1)
    gold = task.bank("test")
    return {
        "gold": tried(parser.predict, gold, tags=True),
        "gold_greedy": tried(greedy.predict, gold, tags=True),
        "own": tried(lambda words: parser.predict(tagger.tag(words)), gold, tags=False),
    }


def spacy_train(task: Task) -> Figures:
    spacy = importlib.import_module("spacy")
    tokens = importlib.import_module("spacy.tokens")
    init = importlib.import_module("spacy.cli.init_config").init_config
    train = importlib.import_module("spacy.cli.train").train
    vocab = spacy.blank("en").vocab
    overrides: Figures = {"training.max_steps": 40} if task.quick else {}
    for part in ("train", "dev"):
        bank = task.bank(part)
        kept = tokens.DocBin(attrs=["TAG", "HEAD", "DEP", "SENT_START"])
        bounds = bank.offsets.tolist()
        for row, (form, tag, label) in enumerate(
            zip(rows(bank, "form"), rows(bank, "xpos"), rows(bank, "label"), strict=True)
        ):
            heads = bank.heads[bounds[row] : bounds[row + 1]].tolist()
            kept.add(
                tokens.Doc(
                    vocab,
                    words=form,
                    tags=tag,
                    heads=[i if head == 0 else head - 1 for i, head in enumerate(heads)],
                    deps=["ROOT" if h == 0 else d for h, d in zip(heads, label, strict=True)],
                )
            )
        kept.to_disk(task.models / f"{part}.spacy")
        overrides[f"paths.{part}"] = str(task.models / f"{part}.spacy")
    config = init(lang="en", pipeline=["tagger", "parser"], optimize="efficiency", gpu=False)
    config.to_disk(task.models / "config.cfg")
    arguments = (task.models / "config.cfg", task.models / "pipeline")
    _, seconds = timed(lambda: train(*arguments, use_gpu=-1, overrides=overrides))
    return {"cpu": seconds, "settings": "init config, optimize efficiency, no vectors"}


def spacy_try(task: Task) -> Figures:
    adapter = importlib.import_module("wordorder.parsing.adapters.external").SpacyParser
    parser = adapter(task.models / "pipeline" / "model-best")
    return {"own": tried(parser.predict, task.bank("test"), tags=False)}


def nltk_tnt(task: Task) -> Figures:
    """Tag with XPOS."""
    tagger = importlib.import_module("nltk.tag.tnt").TnT()
    train, gold = task.bank("train"), task.bank("test")
    pairs = zip(rows(train, "form"), rows(train, "xpos"), strict=True)
    tagged = [list(zip(form, tags, strict=True)) for form, tags in pairs]
    _, learnt = timed(lambda: tagger.train(tagged))
    found, seconds = timed(lambda: tagger.tag_sents(rows(gold, "form")))
    right = zip((tag for row in found for _, tag in row), gold.xpos.strings(), strict=True)
    share = 100 * sum(a == b for a, b in right) / gold.words
    return {"xpos": share, "words_a_second": gold.words / seconds, "cpu": learnt}
