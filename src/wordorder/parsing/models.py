"""The kinds of models that are installed."""

from __future__ import annotations

from wordorder.registry import Registry

# What a model file may hold; a further package brings its own kinds as entry points.
MODELS = Registry(
    "kind of model",
    "wordorder.models",
    {
        "transition": "wordorder.parsing.transition.parser:TransitionParser",
        "graph": "wordorder.parsing.graph.parser:GraphParser",
        "reranker": "wordorder.parsing.reranker:Reranker",
        "perceptron-tagger": "wordorder.parsing.tagging.perceptron:PerceptronTagger",
        "tnt": "wordorder.parsing.tagging.tnt:TnT",
    },
    needs=("from_parts",),
    class_methods=True,
)
