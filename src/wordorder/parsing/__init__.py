"""Taggers and parsers: trained from any treebank, with lists of the best and their scores.

What all parsers share is here; each kind has a folder, and so has their training. Trees and
treebanks themselves are in `treebank`. Costs and selection for a task are in `training`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from wordorder.parsing.base import ListParser, Parser, Tagger
    from wordorder.parsing.graph.parser import GraphLearner, GraphParser
    from wordorder.parsing.model_file import load_models, save_models
    from wordorder.parsing.opened import open_parser, open_tagger
    from wordorder.parsing.reranker import Reranker
    from wordorder.parsing.sentence_files import parse_files, tag_files
    from wordorder.parsing.tagging.perceptron import PerceptronTagger, TaggerLearner
    from wordorder.parsing.tagging.tnt import TnT, jackknife
    from wordorder.parsing.training.train_files import train_parser_files, train_tagger_files
    from wordorder.parsing.training.training import train
    from wordorder.parsing.transition.parser import TransitionLearner, TransitionParser

_PLACES = {
    name: module
    for module, names in {
        "base": "ListParser Parser Tagger",
        "graph.parser": "GraphLearner GraphParser",
        "model_file": "load_models save_models",
        "opened": "open_parser open_tagger",
        "reranker": "Reranker",
        "sentence_files": "parse_files tag_files",
        "tagging.perceptron": "PerceptronTagger TaggerLearner",
        "tagging.tnt": "TnT jackknife",
        "training.train_files": "train_parser_files train_tagger_files",
        "training.training": "train",
        "transition.parser": "TransitionLearner TransitionParser",
    }.items()
    for name in names.split()
}

__all__ = [
    "GraphLearner",
    "GraphParser",
    "ListParser",
    "Parser",
    "PerceptronTagger",
    "Reranker",
    "Tagger",
    "TaggerLearner",
    "TnT",
    "TransitionLearner",
    "TransitionParser",
    "jackknife",
    "load_models",
    "open_parser",
    "open_tagger",
    "parse_files",
    "save_models",
    "tag_files",
    "train",
    "train_parser_files",
    "train_tagger_files",
]

__getattr__, __dir__ = lazy_names(__name__, _PLACES)
