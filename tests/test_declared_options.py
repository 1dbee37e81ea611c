"""Each declared option is read: with another value there is another result, or a refusal."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wordorder.analysis import evaluate_files
from wordorder.errors import WordOrderError
from wordorder.options import (
    AlignedOptions,
    FileOptions,
    GridOptions,
    MetricOptions,
    NotationOptions,
    OrderOptions,
    options_of,
)
from wordorder.report.grids import grid_output
from wordorder.report.scores import score_output
from wordorder.scoring.scores import score_files
from wordorder.training.references import ReferenceFile, ReferenceReader

pytestmark = pytest.mark.allow_notes

FILES = {
    "ref.txt": "The caf\u00e9 , it opens running late\nhe ran home\n",
    "more.txt": "\nhe ran to his house\n",
    "sys.txt": "late it opens the cafe\u0301, run\nhome he runs\n",
    "src.txt": "a b c d e f g\na b c\n",
    "ref.align": "0-0 1-1 2-2 3-3 4-4 5-5 6-6\n0-0 1-1 2-2\n",
    "sys.align": "0-4 1-1 1-1 2-0 3?2 4p3 5-0\n0-2 1-0\n",
    "order.txt": "0 2 1\n1 0\n",
    "synonyms.txt": "late running\n",
    "paraphrases.txt": "0.5\nhe ran\nhome he\n",
    "two.conllu": (
        "1\ta\ta\tNOUN\tN\t_\t0\troot\t_\t_\n2\tb\tb\tVERB\tV\t_\t0\troot\t_\t_\n\n"
        "1\ta\ta\tNOUN\tN\t_\t2\tnsubj\t_\t_\n2\tb\tb\tVERB\tV\t_\t0\troot\t_\t_\n\n"
    ),
    "one.conllu": (
        "1\ta\ta\tNOUN\tN\t_\t0\troot\t_\t_\n2\tb\tb\tVERB\tV\t_\t1\tobj\t_\t_\n\n"
        "1\ta\ta\tNOUN\tN\t_\t2\tnsubj\t_\t_\n2\tb\tb\tVERB\tV\t_\t0\troot\t_\t_\n\n"
    ),
    "two.txt": "a b\na b\n",
    "three.align": "0-1 1-1 2?0\n0-1 2-0 2-0\n",
    "two.align": "0-1 1?0 1-1\n0-1 0-1\n",
}

# Of orders, links and trees.
LINKS = {
    "source": "src.txt",
    "reference_alignments": ["ref.align"],
    "hypothesis_alignments": ["sys.align"],
}
SYNONYMS = {"aligner": "exact+synonym", "synonyms": "synonyms.txt"}
PARAPHRASES = {"aligner": "exact+paraphrase", "paraphrases": "paraphrases.txt"}
# By option: reference, system, metrics, options, and another value.
SCORES: dict[str, tuple[str, str, str, dict[str, Any], Any]] = {
    "source": ("ref.txt", "sys.txt", "frs", LINKS, "two.txt"),
    "kind": ("order.txt", "order.txt", "frs", {}, "text"),
    "references": ("ref.txt", "sys.txt", "cder", {}, ["sys.txt"]),
    "empty_references": ("more.txt", "sys.txt", "bleu", {}, "none"),
    "tokenizer": ("ref.txt", "sys.txt", "cder", {}, "none"),
    "lowercase": ("ref.txt", "sys.txt", "cder", {}, True),
    "normalization": ("ref.txt", "sys.txt", "cder", {}, "NFC"),
    "aligner": ("ref.txt", "sys.txt", "frs", {"aligner": "exact"}, "exact+stem"),
    "language": ("ref.txt", "sys.txt", "frs", {"aligner": "exact+stem"}, "fi"),
    "synonyms": ("ref.txt", "sys.txt", "frs", SYNONYMS, "paraphrases.txt"),
    "paraphrases": ("ref.txt", "sys.txt", "frs", PARAPHRASES, "synonyms.txt"),
    "hypothesis_alignments": ("ref.txt", "sys.txt", "frs", LINKS, ["ref.align"]),
    "reference_alignments": ("ref.txt", "sys.txt", "frs", LINKS, ["sys.align"]),
    "rule": ("ref.txt", "sys.txt", "frs", LINKS, "talbot"),
    "unaligned": ("ref.txt", "sys.txt", "frs", LINKS, "drop"),
    "links": ("ref.txt", "sys.txt", "frs", LINKS, "sure"),
    "alignment_format": ("ref.txt", "sys.txt", "frs", LINKS, "talbot"),
    "one_based": ("ref.txt", "sys.txt", "frs", LINKS, True),
    "strict": ("ref.txt", "sys.txt", "frs", LINKS, True),
    "one_based_reference": ("ref.txt", "sys.txt", "frs", LINKS, True),
    "multiple_roots": ("two.conllu", "one.conllu", "uas", {}, True),
    "settings": ("order.txt", "order.txt", "frs", {}, "frs.average=micro"),
}
TREES = {"trees": ["P=one.conllu"], "rule_sets": ["R1"]}
# By option: reference, options, and another value.
GRIDS: dict[str, tuple[str, dict[str, Any], Any]] = {
    "trees": ("two.align", TREES, ["P=two.conllu"]),
    "parsers": ("two.align", {**TREES, "source": "two.txt"}, ["en"]),
    "source": ("two.align", TREES, "missing.txt"),
    "rule_sets": ("two.align", TREES, ["head-final"]),
    "kind": ("two.align", TREES, "orders"),
    "rule": ("two.align", TREES, "lrscore"),
    "unaligned": ("two.align", TREES, "previous"),
    "links": ("two.align", TREES, "sure"),
    "alignment_format": ("two.align", TREES, "talbot"),
    "one_based": ("two.align", TREES, True),
    "strict": ("two.align", TREES, True),
    "multiple_roots": ("two.align", {**TREES, "trees": ["P=two.conllu"]}, True),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)


def answer(function: Callable[..., Any], **options: Any) -> Any:
    """Return a result without its notes, or the text of an error."""
    try:
        result = function(**options)
    except WordOrderError as error:
        return str(error)
    return {name: value for name, value in result.items() if name != "notes"}


def test_each_option_has_a_case() -> None:
    assert set(SCORES) == set(options_of(FileOptions, MetricOptions))
    assert set(GRIDS) == set(options_of(GridOptions))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", SCORES)
def test_files_that_are_scored_read_it(name: str) -> None:
    reference, system, metrics, options, value = SCORES[name]

    def score(**options: Any) -> dict[str, Any]:
        return dict(
            score_output(score_files({"A": system}, reference, metrics, **options), 0.95).data()
        )

    assert answer(score, **options) != answer(score, **options | {name: value})


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", GRIDS)
def test_files_of_trees_read_it(name: str) -> None:
    reference, options, value = GRIDS[name]

    def evaluate(**options: Any) -> dict[str, Any]:
        return grid_output(
            evaluate_files(reference, resamples=10, **options).grid, all_triangles=True
        ).data()

    assert answer(evaluate, **options) != answer(evaluate, **options | {name: value})


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", options_of(AlignedOptions))
def test_references_of_training_read_it(name: str) -> None:
    value = GRIDS[name][2]

    def read(**options: Any) -> dict[str, Any]:
        with ReferenceReader(ReferenceFile("three.align", **options), "three.txt") as reader:
            return {"orders": [str(order) for order in reader.take(np.array([3, 3]))]}

    assert answer(read) != answer(read, **{name: value})


@pytest.mark.usefixtures("folder")
def test_orders_refuse_each_option_of_alignments() -> None:
    for name in options_of(OrderOptions, NotationOptions):
        with pytest.raises(WordOrderError, match=f"^{name}=.* is for alignments"):
            evaluate_files("order.txt", trees=["P=one.conllu"], **{name: GRIDS[name][2]})
