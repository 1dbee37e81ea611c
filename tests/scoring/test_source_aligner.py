"""One bilingual aligner links all translations of a source with it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.running import SOURCE, TARGET, call
from tests.notes import noted

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.statistical.align import ALIGNERS
from wordorder.errors import UsageError
from wordorder.metrics.registry import metric
from wordorder.scoring.scores import score_files as score
from wordorder.segments import Segments
from wordorder.text import lockstep

NAMES = ("frs", "lrscore", "non-monotonicity", "cder")


def lines_of(path: str | Path) -> list[str]:
    return Path(path).read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def systems(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two translations of the sample's source: one with words left out, one turned around."""
    folder = tmp_path_factory.mktemp("systems")
    reference = lines_of(TARGET)
    made = {
        "short": [" ".join(line.split()[::2]) for line in reference],
        "turned": [" ".join(reversed(line.split())) for line in reference],
    }
    for name, lines in made.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {name: folder / name for name in made}


def found(systems: dict[str, Path], aligner: str, **options: Any) -> dict[str, list[np.ndarray]]:
    scores = score(systems, TARGET, NAMES, source=SOURCE, aligner=aligner, segments=True, **options)
    assert scores.segments is not None
    return {
        name: [scores.segments[s, m] for m in range(len(NAMES))] for s, name in enumerate(systems)
    }


def test_one_model_is_trained_on_the_source_with_reference_and_systems(
    systems: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, reference = lines_of(SOURCE), lines_of(TARGET)
    outputs = {name: lines_of(path) for name, path in systems.items()}
    targets = [line.lower() for lines in (reference, *outputs.values()) for line in lines]
    model = ALIGNERS.load("ibm1").train([line.lower() for line in source * 3], targets)

    def links(lines: list[str]) -> Alignments:
        linked: Alignments = model.align(
            [line.lower() for line in source], [line.lower() for line in lines]
        )
        return linked

    monkeypatch.setattr(lockstep, "CHUNK_LINES", 100)
    for name, values in found(systems, "ibm1").items():
        segments = Segments.from_alignments(
            source, outputs[name], reference, links(outputs[name]), links(reference)
        )
        for one, ours in zip(NAMES, values, strict=True):
            np.testing.assert_array_equal(ours, metric(one).segment_scores(segments))


def test_a_saved_model_scores_each_system_alone_as_among_others(
    systems: dict[str, Path], tmp_path: Path
) -> None:
    path = tmp_path / "en-ja.model"
    model = ALIGNERS.load("ibm1").train(lines_of(SOURCE), lines_of(TARGET))
    model.save(path)
    together = found(systems, str(path))
    for name, file in systems.items():
        (alone,) = found({name: file}, str(path)).values()
        np.testing.assert_array_equal(alone, together[name])
    with pytest.raises(UsageError, match="was trained on text with its case"):
        found(systems, str(path), lowercase=True)


def test_signatures_name_the_model(systems: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "en-ja.model"
    ALIGNERS.load("ibm1").train(lines_of(SOURCE), lines_of(TARGET)).save(path)
    said = []
    for aligner in ("ibm1", str(path)):
        scores = score(systems["short"], TARGET, "frs", source=SOURCE, aligner=aligner)
        fields = dict(scores.evaluation.systems[0].scores[0].signature.fields)
        assert fields["aligner"] == "ibm1"
        said.append(fields["trained"])
    assert said[0] == "on these systems"
    assert len(bytes.fromhex(said[1])) == 4


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (["--aligner", "imb1", "--source", SOURCE], ["did you mean 'ibm1'", "exact", "agreement"]),
        (["--aligner", "ibm1"], ["--aligner ibm1 links translations with --source"]),
        (["--aligner", "ibm1", "--source", SOURCE, "--language", "de"], ["--language is for"]),
        (["--aligner", "ibm1", "--source", "-"], ["reads all translations twice"]),
        (["--aligner", "ibm1", "--source", SOURCE, "-m", "cder"], ["which no metric here reads"]),
    ],
)
def test_what_does_not_go_together_is_refused(options: list[str], parts: list[str]) -> None:
    given = options if "-m" in options else [*options, "-m", "frs"]
    call("score", TARGET, "-i", TARGET, *given).refused(2, *parts)


def test_a_source_of_another_length_and_pairs_without_a_link(tmp_path: Path) -> None:
    (tmp_path / "source").write_text("a b\n", encoding="utf-8")
    options = ["--aligner", "ibm1", "--source", str(tmp_path / "source"), "-m", "frs"]
    call("score", TARGET, "-i", TARGET, *options).refused(1, "1 line", "72")
    reference = lines_of(TARGET)
    system = tmp_path / "short"
    system.write_text("\n".join(["", "", *reference[2:]]) + "\n", encoding="utf-8")
    with noted("short: no link in 2 of 72 sentence pairs"):
        score(system, TARGET, "frs", source=SOURCE, aligner="ibm1")


def test_sentence_pairs_of_all_references_are_counted(tmp_path: Path) -> None:
    files = {name: tmp_path / name for name in ("one", "two", "system")}
    for number, file in enumerate(files.values(), 1):
        file.write_text("\n".join([*[""] * number, *lines_of(TARGET)[number:]]) + "\n", "utf-8")
    with noted() as said:
        score(
            files["system"],
            TARGET,
            "frs",
            references=[files["one"], files["two"]],
            source=SOURCE,
            aligner="ibm1",
        )
    notes = said
    assert "the references: no link in 3 of 216 sentence pairs" in notes
    assert "system: no link in 3 of 72 sentence pairs" in notes
