"""Learning curves: the scores that training itself reports, after each epoch."""

import csv
import re
from pathlib import Path
from unittest import mock

import pytest
from tests.cli.running import ALIGNMENTS, TREES, call

from wordorder.reordering.learned.learned_order import OrderCheckpoint

pytestmark = pytest.mark.usefixtures("only_data")


@pytest.fixture
def few(tmp_path: Path) -> list[Path]:
    """Some sentences with their links."""
    made = [tmp_path / "few.conllu", tmp_path / "few.talbot"]
    sentences = Path(TREES).read_text("utf-8").split("\n\n")[:12]
    made[0].write_text("\n\n".join(sentences) + "\n\n", "utf-8")
    links = Path(ALIGNMENTS).read_text("utf-8").splitlines()[:12]
    made[1].write_text("\n".join(links) + "\n", "utf-8")
    return made


def table(path: Path) -> list[dict[str, str]]:
    with open(path, newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def test_parser_and_tagger_draw_what_they_say(few: list[Path], tmp_path: Path) -> None:
    said = call(
        *("train", "parser", few[0], "--dev", few[0], "-o", tmp_path / "model"),
        *("--epochs", "3", "--figures", tmp_path / "f"),
    ).good()
    for role, score in (("parser", "LAS"), ("tagger", "tag accuracy")):
        rows = table(tmp_path / "f" / f"learning-{role}.tsv")
        lines = [line for line in said.stderr.splitlines() if f"{role}, epoch" in line]
        assert [row["epoch"] for row in rows] == [str(n + 1) for n in range(len(lines))]
        for row, line in zip(rows, lines, strict=True):
            assert f"{row['corrected']} of {row['examples']} sentences led to an update" in line
            if role == "parser":
                assert f"dev LAS {100 * float(row[score]):.2f}" in line
            else:
                tags = [float(share) for share in re.findall(r"(?:[UX]POS|FEATS) ([0-9.]+)", line)]
                assert 100 * float(row[score]) == pytest.approx(sum(tags) / len(tags), abs=0.01)
        assert (tmp_path / "f" / f"corrections-{role}.svg").exists()


@pytest.mark.parametrize("model", ["linear", "consensus"])
def test_an_order_ends_where_its_score_is(few: list[Path], tmp_path: Path, model: str) -> None:
    data = list(map(str, few))
    command = ["train", "order", *data, "--model", model, "--epochs", "2", "--dev", *data]
    members = ["--member", "linear", "2"] if model == "consensus" else []
    said = call(*command, *members, "-o", tmp_path / "a", "--figures", tmp_path / "f").good()
    rows = table(tmp_path / "f" / f"learning-{model}.tsv")
    scores = [float(row["frs"]) for row in rows if row["frs"]]
    assert len(scores) == 2
    assert len(rows) == (4 if members else 2)
    assert f": FRS {scores[-1]:.4f} [" in said.stderr
    # What is drawn changes nothing that is learned.
    call(*command, *members, "-o", tmp_path / "b").good()
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_curve_goes_on_where_training_does(few: list[Path], tmp_path: Path) -> None:
    data = list(map(str, few))
    command = ["train", "order", *data, "--model", "linear", "--epochs", "3", "--dev", *data]
    call(*command, "-o", tmp_path / "a", "--figures", tmp_path / "f").good()
    write = OrderCheckpoint.write

    def stops(self: OrderCheckpoint, history: list[object], learner: object) -> None:
        write(self, history, learner)  # type: ignore[arg-type]
        if len(history) == 2:
            raise KeyboardInterrupt

    with mock.patch.object(OrderCheckpoint, "write", stops), pytest.raises(KeyboardInterrupt):
        call(*command, "-o", tmp_path / "b", "--figures", tmp_path / "g")
    call(*command, "-o", tmp_path / "b", "--resume", "--figures", tmp_path / "g").good()
    one, other = (tmp_path / name / "learning-linear.tsv" for name in "fg")
    assert one.read_bytes() == other.read_bytes()


def test_without_dev_there_are_corrections_alone(few: list[Path], tmp_path: Path) -> None:
    call(*("train", "tagger", few[0], "-o", tmp_path / "m", "--figures", tmp_path / "f")).good()
    assert {path.stem for path in (tmp_path / "f").iterdir()} == {"corrections-tagger"}


def test_what_only_counts_has_no_curve(few: list[Path], tmp_path: Path) -> None:
    args: list[str | Path] = ["train", "tagger", few[0], "--model", "tnt", "-o", tmp_path / "m"]
    said = call(*args, "--figures", tmp_path / "f").good()
    assert "no figures: the result has nothing to draw" in said.stderr
    assert not (tmp_path / "f").exists()
