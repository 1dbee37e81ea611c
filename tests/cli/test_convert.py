"""``wordorder convert``, as a user calls it."""

from pathlib import Path

from tests.cli.running import call

TREE = "( (S (NP-SBJ (PRP It)) (VP (MD will) (VP (VB rain)))) )\n"


def test_trees_become_conllu(tmp_path: Path) -> None:
    (tmp_path / "a.mrg").write_text(TREE)
    answer = call("convert", str(tmp_path / "a.mrg")).good()
    rows = [line.split("\t") for line in answer.text.strip().split("\n")[1:]]
    assert [(row[1], row[4], row[6], row[7]) for row in rows] == [
        ("It", "PRP", "3", "nsubj"),
        ("will", "MD", "3", "aux"),
        ("rain", "VB", "0", "root"),
    ]
    assert "1 sentence, 3 words" in answer.stderr
    surface = call("convert", str(tmp_path / "a.mrg"), "--heads", "surface").good().text
    assert [line.split("\t")[6] for line in surface.strip().split("\n")[1:]] == ["2", "0", "2"]
