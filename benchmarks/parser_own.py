"""Our own parsers and taggers, trained on the same treebank with the settings they come with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parsing_task import Figures, Task, agreement, blank, oracle, timed, tried

from wordorder.parsing.graph.parser import GraphLearner
from wordorder.parsing.model_file import load_models, save_models
from wordorder.parsing.tagging.perceptron import PerceptronTagger, TaggerLearner
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


def _train(task: Task, learner: Learner, dev: Callable[[Any], float]) -> tuple[Trained, Figures]:
    """Train with the best epoch chosen on the development part."""
    spent: list[float] = []

    def tried_dev(model: Any) -> float:
        score, seconds = timed(lambda: dev(model))
        spent.append(seconds)
        return score

    epochs = QUICK_EPOCHS if task.quick else EPOCHS
    trained, seconds = timed(lambda: train(learner, epochs=epochs, dev=tried_dev))
    return trained, {
        "epochs": epochs,
        "best_epoch": trained.best_epoch,
        "dev": [epoch.score for epoch in trained.history],
        "cpu": seconds,
        # Without what the development part takes.
        "cpu_an_epoch": (seconds - sum(spent)) / epochs,
    }


def _dev_las(gold: Treebank) -> Callable[[Any], float]:
    return lambda model: attachment_scores(model.parse(gold), gold)[0]


def _save(task: Task, **models: Any) -> Figures:
    path = task.models / MODEL
    save_models(path, models, {})
    return {"model_megabytes": path.stat().st_size / 1e6}


def transition_train(beam: int) -> Callable[[Task], Figures]:
    def work(task: Task) -> Figures:
        learner = TransitionLearner(task.bank("train"), beam=beam)
        trained, figures = _train(task, learner, _dev_las(task.bank("dev")))
        return {**figures, **_save(task, parser=trained.model)}

    return work


def transition_try(task: Task) -> Figures:
    parser: Any = load_models(task.models / MODEL).parser
    gold = task.bank("test")
    return {"gold": tried(parser.parse, gold, tags=True)}


def transition_lists(task: Task) -> Figures:
    """Lists of 8, and of 512 for some sentences."""
    parser: Any = load_models(task.models / MODEL).parser
    gold = task.bank("test")
    words = blank(gold, tags=True)
    lists, seconds = timed(lambda: parser.kbest(words, 8))
    some = words[: LONG // 10 if task.quick else LONG]
    long, spent = timed(lambda: parser.kbest(some, 512))
    return {
        "eight": {**oracle(lists, gold), "sentences_a_second": len(gold) / seconds},
        "long": {
            "sentences_a_second": len(some) / spent,
            "trees_a_sentence": len(long.trees) / len(some),
        },
    }


def wide_try(task: Task) -> Figures:
    """The parser that learnt with a beam of 8, searching with one of 64."""
    parser: Any = load_models(task.models / MODEL).parser
    wide = TransitionParser(parser.system, parser.weights, beam=64)
    return {"gold": tried(wide.parse, task.bank("test"), tags=True)}


def graph_train(task: Task) -> Figures:
    learner = GraphLearner(task.bank("train"))
    trained, figures = _train(task, learner, _dev_las(task.bank("dev")))
    return {**figures, **_save(task, parser=trained.model)}


def graph_try(task: Task) -> Figures:
    parser: Any = load_models(task.models / MODEL).parser
    gold = task.bank("test")
    words = blank(gold, tags=True)
    lists, seconds = timed(lambda: parser.kbest(words, 8))
    return {
        "gold": tried(parser.parse, gold, tags=True),
        "eight": {**oracle(lists, gold), "sentences_a_second": len(gold) / seconds},
    }


def _tagger(bank: Treebank, epochs: int) -> PerceptronTagger:
    model = train(TaggerLearner(bank), epochs=epochs).model
    assert isinstance(model, PerceptronTagger)
    return model


def _tagged(tagger: Any, gold: Treebank) -> Figures:
    found, seconds = timed(lambda: tagger.tag(blank(gold, tags=False)))
    return {
        **{name: agreement(found, gold, name) for name in ("xpos", "upos")},
        "words_a_second": gold.words / seconds,
    }


def tnt_try(task: Task) -> Figures:
    bank, gold = task.bank("train"), task.bank("test")
    tagger, seconds = timed(lambda: TnT.train(bank, tags="xpos"))
    found, spent = timed(lambda: tagger.tag(blank(gold, tags=False)))
    return {
        "xpos": agreement(found, gold, "xpos"),
        "words_a_second": gold.words / spent,
        "cpu": seconds,
    }


def pipeline_train(task: Task) -> Figures:
    """A tagger, and a parser that learns from jackknifed tags."""
    bank, dev = task.bank("train"), task.bank("dev")
    tagging, figures = _train(
        task, TaggerLearner(bank), lambda model: tag_accuracy(model.tag(dev), dev)["xpos"]
    )
    epochs = 1 if task.quick else JACKKNIFE_EPOCHS
    seen, seconds = timed(lambda: jackknife(bank, lambda part: _tagger(part, epochs)))
    model: Any = tagging.model
    # As it will be: the development part with predicted tags.
    predicted = model.tag(dev)
    parsing, parser = _train(
        task,
        TransitionLearner(seen),
        lambda model: attachment_scores(model.parse(predicted), dev)[0],
    )
    saved = _save(task, tagger=tagging.model, parser=parsing.model)
    return {"tagger": figures, "jackknife_cpu": seconds, "parser": parser, **saved}


def pipeline_try(task: Task) -> Figures:
    loaded: Any
    loaded, seconds = timed(lambda: load_models(task.models / MODEL))
    gold = task.bank("test")
    tagger, parser = loaded.tagger, loaded.parser
    return {
        "load_cpu": seconds,
        "tagger": _tagged(tagger, gold),
        "own": tried(lambda words: parser.parse(tagger.tag(words)), gold, tags=False),
    }
