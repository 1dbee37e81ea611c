"""``wordorder tune`` of a translation model."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.running import ALIGNMENTS, SOURCE, TARGET, call, write
from tests.schemas.test_outputs import check

from wordorder.metrics.registry import metric as made_metric
from wordorder.segments import Segments
from wordorder.training.tuning.weights_file import read_start
from wordorder.translation import Decoder, DecoderSearch, load_translation_model, tune_translation
from wordorder.translation.model import FEATURES

FEW = ("--method", "mert", "-O", "points=2", "-O", "kbest=10", "-O", "beam=10")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model of the first part of the sample, put in order first."""
    folder = tmp_path_factory.mktemp("model")
    for name, path in (("s", SOURCE), ("t", TARGET), ("a", ALIGNMENTS)):
        lines = Path(path).read_text("utf-8").splitlines(keepends=True)
        (folder / name).write_text("".join(lines[:40]), "utf-8")
        (folder / f"{name}.dev").write_text("".join(lines[30:45]), "utf-8")
    args = (folder / "s", folder / "t", "--alignments", folder / "a", "--rules", "R5")
    call("train", "translation", *args, "-o", folder / "m").good()
    return str(folder / "m")


@pytest.fixture(scope="module")
def dev(model: str) -> tuple[str, str, str]:
    folder = Path(model).parent
    return str(folder / "s.dev"), str(folder / "t.dev"), str(folder / "a.dev")


def test_the_value_is_that_of_the_translations(
    model: str, dev: tuple[str, str, str], tmp_path: Path
) -> None:
    source, reference, _ = dev
    weights = tmp_path / "w"
    args = ("tune", model, source, reference, "-m", "0.6*cder+0.4*per", *FEW, "-O", "rounds=3")
    answer = call(*args, "-o", weights, "-O", "runs=2", "--confidence", "--format", "json").good()
    check("tune-model", answer.json)
    assert "wordorder: run 1, round 0: " in answer.stderr
    assert "wordorder: run 2, round 1: " in answer.stderr
    found, _ = read_start(weights, FEATURES)
    assert found.tolist() == answer.json["weights"]
    opened = load_translation_model(model)
    lines = Path(source).read_text("utf-8").splitlines()
    from wordorder.text.raw_lines import RawLines

    assert opened.preordering is not None
    orders = opened.preordering.begin("dev").orders(RawLines.from_strings(lines))
    made = Decoder(opened, weights=found, beam=10, nbest=10).translate(lines, orders)
    segments = Segments.from_text(made.lines, Path(reference).read_text("utf-8").splitlines())
    metric = made_metric("mix", formula="0.6*cder+0.4*per")
    assert metric.corpus_score(segments).value == pytest.approx(answer.json["value"], abs=1e-12)
    assert answer.json["value"] <= answer.json["before"]
    assert not (tmp_path / "w.checkpoint").exists()
    text = call(*args, "-O", "runs=2").good().text
    assert "before), 15 sentences; round " in text
    assert "mean of the runs: " in text
    rows = call(*args, "--format", "tsv").good().text.splitlines()
    assert [row.split("\t")[0] for row in rows] == ["feature", *FEATURES]


def test_mira_unless_another_method_is_given(
    model: str, dev: tuple[str, str, str], tmp_path: Path
) -> None:
    source, reference, _ = dev
    few = ("-O", "kbest=10", "-O", "beam=10", "-O", "rounds=1", "-m", "cder")
    args = ("tune", model, source, reference, *few, "-o", tmp_path / "w")
    assert call(*args, "--format", "json").good().json["method"] == "mira"
    assert (tmp_path / "w").read_text().splitlines()[0].endswith(" before), mira")
    assert "; mira\n" in call(*args).good().text
    call(*args, "-O", "points=2").refused(2, "-O points is for --method mert; without --method a")
    call(*args, "--method", "mira", "-O", "points=2").refused(2, "-O points is for --method mert")
    mert = call(*args, "--method", "mert", "-O", "points=2", "--format", "json").good().json
    assert mert["method"] == "mert"


@pytest.mark.allow_notes(".*have the same features as an earlier one")
def test_lrscore_sees_the_links_of_the_decoder(model: str, dev: tuple[str, str, str]) -> None:
    source, reference, links = dev
    args = ("tune", model, source, reference, "-m", "lr-kb1", *FEW, "-O", "rounds=1")
    call(*args).refused(2, "lr-kb1 needs word orders: give --aligner exact+stem")
    found = call(*args, "--reference-alignments", links, "--format", "json").good().json
    assert 0 < found["before"] <= found["value"] <= 1
    few: dict[str, Any] = {"method": "mert", "starts": 2, "rounds": 1}
    few["search"] = DecoderSearch(kbest=10, beam=10)
    given = (model, source, reference, "lr-kb1")
    tuned = tune_translation(*given, reference_alignments=[links], **few)
    assert np.array_equal(tuned.weights, np.array(found["weights"]))
    assert json.dumps(found["value"]) == json.dumps(tuned.value)


def test_wrong_commands(model: str, dev: tuple[str, str, str], tmp_path: Path) -> None:
    source, reference, _ = dev
    tuning = ("tune", model, source, reference)
    for option in ("--reranked", "--nbest", "--source"):
        call(*tuning, option, tmp_path / "x").refused(2, f"{option} is for n-best lists; MODEL")
    call(*tuning, "-O", "retune=2").refused(2, "-O retune is for n-best lists; MODEL")
    call(*tuning, "--resume").refused(2, "are for -o")
    call(*tuning, "-o", source).refused(2, "is an input too")
    call("tune", model, "-", reference).refused(2, "tuning a model needs files")
    call("tune", source, source, reference).refused(1, "s.dev")
    one = write(tmp_path, "one", "a\n")
    call("tune", model, source, one).refused(1, "one: 1 line, but")
