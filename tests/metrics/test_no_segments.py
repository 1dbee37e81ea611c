"""A score of nothing: refused, for nothing is not perfect; parts of nothing are welcome."""

from __future__ import annotations

import pytest

import wordorder as wo
from wordorder.errors import InputError
from wordorder.metrics import METRICS
from wordorder.metrics.contract import BaseMetric
from wordorder.metrics.mix import is_formula, named_metric
from wordorder.segments import Segments

# Those that need an option have it.
NAMES = [
    {"mix": "0.6*cder + 0.4*per", "label-f1": "label-f1(label=nsubj)"}.get(name, name)
    for name in METRICS.names()
]


def made(name: str) -> BaseMetric:
    return wo.metric("mix", formula=name) if is_formula(name) else named_metric(name)


@pytest.mark.parametrize("name", NAMES)
def test_no_metric_scores_nothing(name: str) -> None:
    with pytest.raises(InputError, match="^no segments; expected at least one"):
        made(name).corpus_score(Segments.empty())
    # By segment there is nothing to score, and nothing wrong.
    assert made(name).segment_scores(Segments.empty()).tolist() == []


@pytest.mark.parametrize("name", ["cder", "frs", "ter", "0.6*cder + 0.4*per"])
def test_parts_may_be_empty_and_the_whole_may_not(name: str) -> None:
    metric = made(name)
    part, whole = wo.Accumulator(metric), wo.Accumulator(metric)
    part.update(Segments.empty())
    whole.merge(part)
    again = wo.Accumulator.from_bytes(part.to_bytes())
    assert again.segments == 0
    for empty in (part, whole, again):
        with pytest.raises(InputError, match="no segments"):
            empty.compute()
    some = Segments.from_text(["a b c"], ["a c b"], aligner="exact")
    whole.update(some)
    whole.merge(again)
    assert whole.compute().value == metric.corpus_score(some).value
