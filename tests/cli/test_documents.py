"""--by document: intervals and tests draw whole documents, and the output says so."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.running import call, write
from tests.oracles_statistics import draw_counts

import wordorder as wo
from wordorder.statistics.measurement import resample_keys

REFERENCE = ["a b c d", "e f g h", "i j k l", "m n o p", "q r s t", "u v w x"]
A = ["a b c d", "f e g h", "i j l k", "m n o p", "t s r q", "u v w x"]
B = ["b a c d", "e f g h", "i j k l", "n m o p", "q r s t", "u v w x"]
NAMES = ["news", "news", "talk", "talk", "talk", "web"]
# FRS by hand: 1 - (chunks - 1) / 3.
FRS = {"A": [1, 1 / 3, 1 / 3, 1, 0, 1], "B": [1 / 3, 1, 1, 1 / 3, 1, 1]}


def lines(rows: list[str]) -> str:
    return "".join(f"{row}\n" for row in rows)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    texts = {"ref": REFERENCE, "A": A, "B": B, "names": NAMES}
    files = {name: write(tmp_path, name, lines(rows)) for name, rows in texts.items()}
    rows = zip(REFERENCE, A, NAMES, strict=True)
    table = [json.dumps({"ref": r, "A": a, "document": n}) for r, a, n in rows]
    return files | {"table": write(tmp_path, "all.jsonl", lines(table))}


def by_hand(system: str, resamples: int, seed: int) -> list[float]:
    """The means of FRS on resamples of the three documents, from the lowest on."""
    unique = list(dict.fromkeys(NAMES))
    means = []
    for key in resample_keys(resamples, seed).tolist():
        counts = dict(zip(unique, draw_counts(key, len(unique))[0], strict=True))
        drawn = [
            score
            for score, name in zip(FRS[system], NAMES, strict=True)
            for _ in range(counts[name])
        ]
        means.append(sum(drawn) / len(drawn))
    return sorted(means)


@pytest.mark.allow_notes
def test_intervals_of_documents(files: dict[str, str]) -> None:
    command = ["score", files["ref"], "-i", files["A"], "-m", "frs", "--aligner", "exact"]
    command += ["--confidence", "--resamples", "200", "--by", "document"]
    answer = call(*command, "--documents", files["names"], "--format", "json").good()
    (scored,) = answer.json["systems"][0]["scores"]
    means = by_hand("A", 200, 12345)
    assert (scored["low"], scored["high"]) == pytest.approx((means[5], means[194]))
    assert "|resampled:documents|" in scored["signature"]
    assert answer.json["documents"] == 3
    text = " ".join(call(*command, "--documents", files["names"]).good().text.split())
    assert "by bootstrap resampling of 3 documents" in text
    options: dict[str, Any] = {
        "aligner": "exact",
        "confidence": True,
        "resamples": 200,
        "by": "document",
    }
    found = wo.score({"A": A}, REFERENCE, "frs", documents=NAMES, **options)
    assert found.to_columns()["low"] == pytest.approx([means[5]])


def test_names_from_a_table(files: dict[str, str]) -> None:
    command = ["score", f"{files['table']}#ref", "-i", f"{files['table']}#A", "-m", "frs"]
    command += ["--aligner", "exact", "--confidence", "--by", "document", "--format", "json"]
    of_file = call(*command, "--documents", files["names"]).good().json["systems"]
    assert call(*command).good().json["systems"] == of_file
    assert call(*command, "--documents", files["table"]).good().json["systems"] == of_file
    named = call(*command, "--documents", f"{files['table']}#document").good().json["systems"]
    assert named == of_file
    rows = zip(REFERENCE, A, NAMES, strict=True)
    table = [json.dumps({"ref": r, "A": a, "document": len(n)}) for r, a, n in rows]
    Path(files["table"]).write_text(lines(table))
    numbered = call(*command).good().json["systems"]
    # News and talk have one length: they are one document here.
    Path(files["names"]).write_text(lines([str(len(name)) for name in NAMES]))
    assert numbered == call(*command, "--documents", files["names"]).good().json["systems"]


@pytest.mark.parametrize("value", [1.5, True, None, [1]])
def test_a_cell_that_is_no_name(files: dict[str, str], tmp_path: Path, value: Any) -> None:
    table = write(tmp_path, "n.jsonl", lines([json.dumps({"n": v}) for v in (1, value, *"abcd")]))
    command = ["score", files["ref"], "-i", files["A"], "--confidence", "--by", "document"]
    answer = call(*command, "--documents", f"{table}#n")
    assert (answer.status, f"{table}#n:2: " in answer.stderr) == (1, True)


@pytest.mark.parametrize("verb", ["score", "compare", "analyze"])
def test_names_are_counted_before_systems_are_read(files: dict[str, str], verb: str) -> None:
    """The second system has a line too few, which would be found later."""
    Path(files["B"]).write_text(lines(B[:-1]))
    Path(files["names"]).write_text(lines(NAMES[:-1]))
    command = [verb, files["ref"], "-i", files["A"], files["B"], "--by", "document"]
    command += ["--confidence"] if verb == "score" else []
    answer = call(*command, "--documents", files["names"])
    answer.refused(1, f"{files['names']}: 5 names; expected 6: a document for each segment")


def test_alignments_of_several_lines_have_documents(tmp_path: Path) -> None:
    """NAACL has a line for each link, so there are more lines than names."""
    links = write(tmp_path, "gold.txt", "1 1 1\n1 2 2\n2 1 1\n2 2 1\n3 1 1\n")
    names = write(tmp_path, "names", "a\na\nb\n")
    command = ["score", links, "-i", links, "-m", "aer", "--confidence", "--by", "document"]
    answer = call(*command, "--documents", names, "--format", "json").good()
    assert answer.json["documents"] == 2


def test_tests_of_documents(files: dict[str, str]) -> None:
    """Of three documents one alone has a difference, so all eight ways to swap give the same."""
    command = ["compare", files["ref"], "-i", files["A"], files["B"], "-m", "frs"]
    command += ["--aligner", "exact", "--by", "document", "--documents", files["names"]]
    (metric,) = call(*command, "--format", "json").good().json["metrics"]
    (pair,) = metric["pairs"]
    # News: A and B 4/3. Talk: A 4/3, B 7/3. Web: both 1.
    assert pair["difference"] == pytest.approx(1 / 6)
    assert (pair["p"], metric["test"]) == (1.0, "randomization")
    assert "of 3 documents" in " ".join(call(*command).good().text.split())


def test_analyses_draw_documents(files: dict[str, str], tmp_path: Path) -> None:
    """Intervals are those of score by document, and the parts of the difference draw them too."""
    texts = {"ref": REFERENCE, "A": A, "B": B}
    # The last word differs, so that no sentence is repeated.
    for name, rows in texts.items():
        lines_of = [f"{row} w{n}" for n in range(40) for row in rows]
        Path(files[name]).write_text(lines(lines_of), encoding="utf-8")
    names = [f"{name}{n % 20}" for n in range(40) for name in ("x", "x", "y", "y", "y", "z")]
    documents = ["--by", "document", "--documents", write(tmp_path, "n", lines(names))]
    common = [files["ref"], "-i", files["A"], files["B"], "-m", "frs", "--aligner", "exact"]
    common += ["--resamples", "200", "--format", "json"]
    analysis = call("analyze", *common, *documents).good().json
    scored = call("score", *common, *documents, "--confidence").good().json["systems"]
    sections = {section["key"]: section for section in analysis["sections"]}
    values = {row["system"]: row for row in sections["systems"]["rows"]}
    for system in scored:
        (score,) = system["scores"]
        for name in ("low", "high"):
            assert values[system["system"]][name] == pytest.approx(score[name])
    assert "|resampled:documents|" in analysis["signatures"]["frs"]
    assert "randomization of documents" in sections["tests"]["note"]
    alone = call("analyze", *common).good().json["sections"]
    by_segment = {section["key"]: section for section in alone}["frs-difference"]["rows"]
    for one, other in zip(sections["frs-difference"]["rows"], by_segment, strict=True):
        assert one["FRS points"] == pytest.approx(other["FRS points"])
        assert one["low"] != other["low"] or one["FRS points"] == 0


def test_analyses_that_draw_no_documents(files: dict[str, str], tmp_path: Path) -> None:
    documents = ["--by", "document", "--documents", write(tmp_path, "one", "x\n" * 6)]
    command = ["analyze", files["ref"], "-i", files["A"], files["B"], *documents]
    call(*command).refused(1, "one: 1 document; expected at least 2, since documents are drawn")
    orders = write(tmp_path, "r.orders", "0 1\n1 0\n")
    call("analyze", orders, "-i", orders, "--by", "document").refused(2, "is for translations")


def test_one_document_shows_nothing(files: dict[str, str], tmp_path: Path) -> None:
    documents = ["--by", "document", "--documents", write(tmp_path, "one", "x\n" * 6)]
    common = [files["ref"], "-i", files["A"], files["B"], "-m", "bleu", "--format", "json"]
    answer = call("score", *common, "--confidence", *documents).good()
    bounds = [answer.json["systems"][0]["scores"][0][name] for name in ("low", "high")]
    assert bounds == [None, None]
    assert "1 document: no interval and no test, since documents are drawn" in answer.stderr
    (pair,) = call("compare", *common, *documents).good().json["metrics"][0]["pairs"]
    assert (pair["low95"], pair["p"], pair["mark"]) == (None, 1.0, "0")


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("x\ny\n", "names: 2 names; expected 6: a document for each segment"),
        ("x\nx\n\ny\ny\ny\n", "names:3: no name; expected the name of the segment's document"),
    ],
)
def test_names_that_do_not_fit(files: dict[str, str], names: str, said: str) -> None:
    Path(files["names"]).write_text(names, encoding="utf-8")
    command = ["compare", files["ref"], "-i", files["A"], files["B"], "-m", "bleu"]
    answer = call(*command, "--by", "document", "--documents", files["names"])
    answer.refused(1, said)


def test_lines_of_a_document_may_stand_apart(files: dict[str, str]) -> None:
    Path(files["names"]).write_text("x\ny\nx\ny\nz\nz\n", encoding="utf-8")
    command = ["compare", files["ref"], "-i", files["A"], files["B"], "-m", "bleu"]
    answer = call(*command, "--by", "document", "--documents", files["names"]).good()
    assert "2 documents have lines of other documents between their own" in answer.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--by", "document"], "--by document needs --documents"),
        (["--documents", "names"], "--documents is for --by document"),
        (["--by", "document", "--engine", "local"], "not with --engine"),
    ],
)
def test_options_that_need_each_other(files: dict[str, str], options: list[str], said: str) -> None:
    answer = call("compare", files["ref"], "-i", files["A"], files["B"], *options)
    answer.refused(2, said)


@pytest.mark.parametrize("verb", [["score", "--confidence"], ["compare"], ["analyze"]])
def test_names_and_texts_are_not_both_piped(files: dict[str, str], verb: list[str]) -> None:
    rest = ["-m", "bleu", "--by", "document", "--documents", "-"]
    for texts in (["-", "-i", files["A"], files["B"]], [files["ref"], "-i", files["A"], "-"]):
        answer = call(verb[0], *texts, *verb[1:], *rest, stdin=b"x\n")
        answer.refused(2, "only one input can be standard input")


@pytest.mark.allow_notes(".* documents. intervals")
def test_numbers_of_any_kind_name_documents() -> None:
    numbers = np.arange(len(REFERENCE)) // 2
    options: dict[str, Any] = {"confidence": True, "by": "document", "resamples": 50}
    expected = wo.score({"A": A}, REFERENCE, "cder", documents=numbers.tolist(), **options)
    for given in (numbers, list(numbers)):
        found = wo.score({"A": A}, REFERENCE, "cder", documents=given, **options)
        assert found.to_columns() == expected.to_columns()
