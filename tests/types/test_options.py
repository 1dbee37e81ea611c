"""The types of the front door list what it takes."""

import inspect
from dataclasses import fields
from typing import get_type_hints

import jedi
import pytest

import wordorder as wo
from wordorder.options import AnalysisOptions, FileOptions
from wordorder.scoring.files import Files

# What has parameters of its own, or is made from what was given.
OWN = {"reference", "systems", "references", "source", "held", "streams"}


def test_options_of_files_are_typed() -> None:
    named = {each.name for each in fields(Files)} - OWN
    assert set(get_type_hints(FileOptions)) == named | {"settings"}


@pytest.mark.parametrize(
    ("verb", "options"),
    [("score", FileOptions), ("compare", FileOptions), ("analyze", AnalysisOptions)],
)
def test_signatures_list_the_typed_options(verb: str, options: type) -> None:
    parameters = inspect.signature(getattr(wo, verb)).parameters
    assert set(get_type_hints(options)) <= set(parameters)
    assert all(each.annotation is not inspect.Parameter.empty for each in parameters.values())


@pytest.mark.parametrize("verb", ["score", "compare", "analyze"])
@pytest.mark.parametrize(("start", "option"), [("lo", "lowercase="), ("tok", "tokenizer=")])
def test_jedi_completes_options(verb: str, start: str, option: str) -> None:
    call = jedi.Interpreter(f"wo.{verb}(1, 2, {start}", [{"wo": wo}])
    assert option in [each.name for each in call.complete()]
