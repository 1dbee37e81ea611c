"""One parser or tagger, trained or tried in a process of its own, for `parsers.py`.

    python parser_steps.py STEP FOLDER MODELS [--quick]

prints what it found as JSON, the last line.
"""

from __future__ import annotations

import argparse
import importlib
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from parsing_task import Figures, Task, agreement, blank, oracle, peak_megabytes, timed, tried

from wordorder.kernels._run import set_threads
from wordorder.parsing.graph.parser import GraphLearner
from wordorder.parsing.model_file import load_models, save_models
from wordorder.parsing.tagging.perceptron import TaggerLearner
from wordorder.parsing.tagging.tnt import TnT, jackknife
from wordorder.parsing.training.scores import attachment_scores, tag_accuracy
from wordorder.parsing.training.training import Trained, train
from wordorder.parsing.transition.parser import TransitionLearner, TransitionParser
from wordorder.parsing.weights import Learner
from wordorder.treebank.treebank import Treebank

EPOCHS, QUICK_EPOCHS = 10, 2
JACKKNIFE_EPOCHS = 5
MODEL = "model.safetensors"
# Sentences of the long lists.
LONG = 200


def trained(task: Task, learner: Learner, dev: Callable[[Any], float]) -> tuple[Trained, Figures]:
    """Train with the best epoch chosen on the development part."""
    spent: list[float] = []

    def tried_dev(model: Any) -> float:
        score, seconds = timed(lambda: dev(model))
        spent.append(seconds)
        return score

    epochs = QUICK_EPOCHS if task.quick else EPOCHS
    made, seconds = timed(lambda: train(learner, epochs=epochs, dev=tried_dev))
    return made, {
        "epochs": epochs,
        "best_epoch": made.best_epoch,
        "dev": [epoch.score for epoch in made.history],
        "cpu": seconds,
        # Without what the development part takes.
        "cpu_an_epoch": (seconds - sum(spent)) / epochs,
    }


def save(task: Task, **models: Any) -> Figures:
    path = task.models / MODEL
    save_models(path, models, {})
    return {"model_megabytes": path.stat().st_size / 1e6}


def train_parser(learner: Callable[[Treebank], Learner], task: Task) -> Figures:
    dev = task.bank("dev")
    made, figures = trained(
        task,
        learner(task.bank("train")),
        lambda model: attachment_scores(model.parse(dev), dev)[0],
    )
    return {**figures, **save(task, parser=made.model)}


def loaded(task: Task) -> Any:
    return load_models(task.models / MODEL)


def parser_try(task: Task) -> Figures:
    return {"gold": tried(loaded(task).parser.parse, task.bank("test"), tags=True)}


def best_of_8(task: Task) -> Figures:
    gold = task.bank("test")
    words, parser = blank(gold, tags=True), loaded(task).parser
    lists, seconds = timed(lambda: parser.kbest(words, 8))
    return {"eight": {**oracle(lists, gold), "rate": len(gold) / seconds}}


def transition_lists(task: Task) -> Figures:
    """Lists of 8, and of 512 for some sentences."""
    some = blank(task.bank("test"), tags=True)[: LONG // 10 if task.quick else LONG]
    parser = loaded(task).parser
    long, spent = timed(lambda: parser.kbest(some, 512))
    trees = len(long.trees) / len(some)
    return {**best_of_8(task), "long": {"rate": len(some) / spent, "trees_a_sentence": trees}}


def wide_try(task: Task) -> Figures:
    """The parser that learnt with a beam of 8, searching with one of 64."""
    parser = loaded(task).parser
    wide = TransitionParser(parser.system, parser.weights, beam=64)
    return {"gold": tried(wide.parse, task.bank("test"), tags=True)}


def graph_try(task: Task) -> Figures:
    return {**parser_try(task), **best_of_8(task)}


def tagged(tagger: Any, gold: Treebank, *names: str) -> Figures:
    found, seconds = timed(lambda: tagger.tag(blank(gold, tags=False)))
    scores = {name: agreement(found, gold, name) for name in names}
    return {**scores, "words_a_second": gold.words / seconds}


def tnt_try(task: Task) -> Figures:
    bank = task.bank("train")
    tagger, seconds = timed(lambda: TnT.train(bank, tags="xpos"))
    return {**tagged(tagger, task.bank("test"), "xpos"), "cpu": seconds}


def pipeline_train(task: Task) -> Figures:
    """A tagger, and a parser that learns from jackknifed tags."""
    bank, dev = task.bank("train"), task.bank("dev")
    tagging, figures = trained(
        task, TaggerLearner(bank), lambda model: tag_accuracy(model.tag(dev), dev)["xpos"]
    )
    epochs = 1 if task.quick else JACKKNIFE_EPOCHS

    def train_tagger(part: Treebank) -> Any:
        return train(TaggerLearner(part), epochs=epochs).model

    seen, seconds = timed(lambda: jackknife(bank, train_tagger))
    model: Any = tagging.model
    # As it will be: the development part with predicted tags.
    predicted = model.tag(dev)
    parsing, parser = trained(
        task,
        TransitionLearner(seen),
        lambda model: attachment_scores(model.parse(predicted), dev)[0],
    )
    saved = save(task, tagger=tagging.model, parser=parsing.model)
    return {"tagger": figures, "jackknife_cpu": seconds, "parser": parser, **saved}


def pipeline_try(task: Task) -> Figures:
    models, seconds = timed(lambda: loaded(task))
    gold, tagger, parser = task.bank("test"), models.tagger, models.parser
    return {
        "load_cpu": seconds,
        "tagger": tagged(tagger, gold, "xpos", "upos"),
        "own": tried(lambda words: parser.parse(tagger.tag(words)), gold, tags=False),
    }


def peer(name: str) -> Callable[[Task], Figures]:
    """Return a step of another package, which is imported when it runs."""
    return lambda task: getattr(importlib.import_module("parser_peers"), name)(task)


# The first word names the system, whose steps share a folder of models.
STEPS: dict[str, Callable[[Task], Figures]] = {
    **{
        f"{name} train": partial(train_parser, partial(TransitionLearner, beam=beam))
        for name, beam in (("greedy", 1), ("beam-8", 8), ("beam-64", 64))
    },
    **dict.fromkeys(("greedy try", "beam-8 try", "beam-64 try"), parser_try),
    "beam-8 lists": transition_lists,
    "beam-8 wide": wide_try,
    "graph train": partial(train_parser, GraphLearner),
    "graph try": graph_try,
    "tnt try": tnt_try,
    "pipeline train": pipeline_train,
    "pipeline try": pipeline_try,
    "nltk-tnt try": peer("nltk_tnt"),
    "udpipe train": peer("udpipe_train"),
    "udpipe try": peer("udpipe_try"),
    "spacy train": peer("spacy_train"),
    "spacy try": peer("spacy_try"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=sorted(STEPS))
    parser.add_argument("folder", type=Path)
    parser.add_argument("models", type=Path)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    set_threads(1)
    models = options.models / options.step.split(" ")[0]
    models.mkdir(parents=True, exist_ok=True)
    figures = STEPS[options.step](Task(options.folder, models, options.quick))
    # What a library printed must stand before it, on a line of its own.
    print(f"\n{json.dumps({**figures, 'megabytes': peak_megabytes()})}", flush=True)


if __name__ == "__main__":
    main()
