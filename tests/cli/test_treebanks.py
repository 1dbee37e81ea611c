"""`score` and `compare` on treebanks: trees for metrics of trees, words for metrics of text."""

import re
from itertools import starmap
from pathlib import Path

import pytest
from tests.cli.running import SAMPLE, call, write

from wordorder.people.items import read_input

JSON = ["--format", "json"]
TREES = str(SAMPLE / "trees.conllu")


def rows(*sentences: list[tuple[str, str, int | str, str]], comment: str = "") -> str:
    """Write words with tag, head and label as CoNLL-U."""
    blocks = []
    for words in sentences:
        lines = [
            f"{number}\t{form}\t_\t{tag}\t_\t_\t{head}\t{label}\t_\t_\n"
            for number, (form, tag, head, label) in enumerate(words, 1)
        ]
        blocks.append(comment + "".join(lines) + "\n")
    return "".join(blocks)


GOLD = rows(
    [("It", "PRON", 2, "nsubj"), ("rains", "VERB", 0, "root"), (".", "PUNCT", 2, "punct")],
    [("Go", "VERB", 0, "root"), ("home", "ADV", 1, "advmod")],
)
# One head, one label and one tag are wrong.
SYSTEM = rows(
    [("It", "NOUN", 2, "nsubj"), ("rains", "VERB", 0, "root"), (".", "PUNCT", 1, "punct")],
    [("Go", "VERB", 0, "root"), ("home", "ADV", 1, "obj")],
    comment="# a comment of the system's own\n",
)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    return write(tmp_path, "gold.conllu", GOLD), write(tmp_path, "sys.conllu", SYSTEM)


def test_the_default_of_treebanks(files: tuple[str, str]) -> None:
    gold, system = files
    assert call("score", gold, "-i", system, *JSON).values() == {"uas": 0.8, "las": 0.6}
    found = call("score", gold, "-i", gold, "-m", "all", *JSON).values()
    assert list(found)[:3] == ["uas", "las", "uem"]


def test_options_labels_and_sums(files: tuple[str, str]) -> None:
    gold, system = files
    form = ["score", gold, "-i", system, *JSON, "-m"]
    found = call(*form, "uas,las,upos", "-O", "punctuation=exclude").values()
    assert found == {"uas": 1, "las": 0.75, "upos": 0.75}
    found = call(*form, "nsubj,obj,label-f1", "-O", "label-f1.label=x").values()
    assert found == {"nsubj": 1, "obj": 0, "label-f1": 1}
    mixed = call(*form, "0.5*uas+0.5*nsubj:pass(head=ignore),uem", "-O", "uem.punctuation=exclude")
    assert mixed.values() == {"mix": 0.9, "uem": 1}
    signature = call(*form, "las").json["systems"][0]["scores"][0]["signature"]
    assert signature.startswith("las|subtypes:keep|punctuation:include|v:")


def test_words_for_metrics_of_text(files: tuple[str, str], tmp_path: Path) -> None:
    gold, system = files
    assert call("score", gold, "-i", system, "-m", "wer", *JSON).values() == {"wer": 0}
    text = write(tmp_path, "a.txt", "It rains .\nGo home\n")
    form = ["score", gold, "-i", text, "-O", "effective_order=true", *JSON]
    answer = call(*form).good()
    assert answer.values() == {"frs": 1, "cder": 0, "bleu": pytest.approx(1)}
    assert "tok:none" in answer.text


def test_other_names_than_conllu(files: tuple[str, str], tmp_path: Path) -> None:
    gold, system = (
        write(tmp_path, n, Path(f).read_text()) for n, f in zip("ab", files, strict=True)
    )
    assert call("score", gold, "-i", system, "-m", "uas", *JSON).values() == {"uas": 0.8}
    form = ["score", gold, "-i", system, "--input", "conllu", *JSON]
    assert call(*form).values() == {"uas": 0.8, "las": 0.6}
    assert call(*form, "-m", "wer").values() == {"wer": 0}


def test_intervals_tests_and_segments(files: tuple[str, str]) -> None:
    gold, system = files
    form = ["-m", "las", "--resamples", "50", *JSON]
    found = call("score", gold, "-i", system, "--confidence", "--segments", *form).good().json
    (score,) = found["systems"][0]["scores"]
    assert score["segments"] == pytest.approx([2 / 3, 1 / 2])
    assert score["low"] <= score["value"] <= score["high"]
    compared = call("compare", gold, "-i", system, f"gold={gold}", *form).good().json
    assert [entry["value"] for entry in compared["metrics"][0]["systems"]] == [0.6, 1]


def test_a_treebank_without_tags_says_so(tmp_path: Path) -> None:
    bare = write(tmp_path, "a.conllu", rows([("a", "_", 0, "root")], [("b", "X", 0, "root")]))
    answer = call("score", bare, "-i", bare, "-m", "upos", *JSON)
    assert (
        "skipped 1 segment that upos cannot score (50 % of segments): sentence 1" in answer.stderr
    )
    assert answer.values() == {"upos": 1}


def test_several_roots_are_scored(tmp_path: Path) -> None:
    gold = write(tmp_path, "g.conllu", rows([("a", "X", 0, "root"), ("b", "X", 1, "dep")]))
    system = write(tmp_path, "s.conllu", rows([("a", "X", 0, "root"), ("b", "X", 0, "root")]))
    answer = call("score", gold, "-i", system, "-m", "root-f1,uas", *JSON)
    assert answer.values() == {"root-f1": pytest.approx(2 / 3), "uas": 0.5}


@pytest.mark.parametrize(
    ("system", "parts"),
    [
        (GOLD.replace("home", "hone"), ["sys.conllu: sentence 2: word 2 is 'hone', but 'home' in"]),
        (f"{GOLD}{GOLD}", ["gold.conllu: 2 sentences, but", "sys.conllu has 4"]),
        (GOLD.replace("\t2\tpunct", "\t7\tpunct"), ["sys.conllu:3: head 7"]),
        (GOLD.replace("\t2\tnsubj", "\t_\tnsubj"), ["sys.conllu:1: "]),
        (
            rows(
                [("It", "X", "_", "_"), ("rains", "X", "_", "_"), (".", "X", "_", "_")],
                [("Go", "X", 0, "root"), ("home", "X", 1, "x")],
            ),
            ["sys.conllu: sentence 1: word 1 has no head; expected a head for each word"],
        ),
    ],
)
def test_wrong_files(tmp_path: Path, system: str, parts: list[str]) -> None:
    gold, wrong = (write(tmp_path, f"{n}.conllu", t) for n, t in (("gold", GOLD), ("sys", system)))
    call("score", gold, "-i", wrong).refused(1, *parts)


@pytest.mark.parametrize(
    "args",
    [
        ["reorder", "--rules", "R5", "TWO"],
        ["rules", "explain", "R5", "--trees", "TWO", "--sentence", "2"],
        ["score", "TWO", "-i", "TWO", "-m", "las"],
        ["compare", "TWO", "-i", "TWO", "x=TWO", "-m", "las"],
        ["evaluate", "ORDERS", "--trees", "TWO", "--rules", "R5"],
        ["analyze", "ORDERS", "--trees", "TWO", "--rules", "R5"],
        ["analyze", "ORDERS", "-i", "ORDERS", "--source", "TEXT", "--gold-trees", "TWO"],
    ],
)
def test_several_roots_are_an_error_unless_they_are_asked_for(
    args: list[str], tmp_path: Path
) -> None:
    row = "{}\t{}\t_\tX\t_\t_\t{}\tdep\t_\t_\n"
    one = row.format(1, "a", 2) + row.format(2, "b", 0)
    two = row.format(1, "a", 0) + row.format(2, "b", 0)
    files = {
        "TWO": write(tmp_path, "two.conllu", f"{one}\n{two}\n"),
        "ORDERS": write(tmp_path, "a.orders", "0 1\n1 0\n"),
        "TEXT": write(tmp_path, "a.txt", "a b\na b\n"),
    }
    real = [re.sub("TWO|ORDERS|TEXT", lambda name: files[name[0]], arg) for arg in args]
    call(*real).refused(1, "two.conllu:5: a second root; expected one word with head 0")
    call(*real, "-O", "multiple-roots").good()


@pytest.mark.parametrize(
    "args",
    [
        ["tag", "TAGGER", "TWO"],
        ["parse", "en", "TWO"],
        ["reorder", "--rules", "R5", "--parser", "en", "TWO"],
        ["rules", "explain", "R5", "--parser", "en", "--trees", "TWO"],
    ],
)
def test_trees_that_are_not_looked_at_may_have_several_roots(
    args: list[str], tmp_path: Path
) -> None:
    row = "{}\t{}\t_\tX\t_\t_\t0\troot\t_\t_\n"
    two = write(tmp_path, "two.conllu", row.format(1, "a") + row.format(2, "b"))
    model = tmp_path / "m"
    call("train", "tagger", two, "--model", "tnt", "-o", model).good()
    given = {"TWO": two, "TAGGER": str(model)}
    assert call(*(given.get(arg, arg) for arg in args)).good().text
    call("train", "parser", two, "-o", tmp_path / "n").refused(
        1, "two.conllu:2: a second root; train parser needs one root a sentence"
    )


def test_a_treebank_with_carriage_returns_alone_is_noted(tmp_path: Path) -> None:
    """All of it is one comment: one block without words, of which there is no score."""
    rows = "# sent_id = 1\n1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n\n"
    for end, noted in (("\r", True), ("\r\n", False), ("\n", False)):
        path = tmp_path / "a.conllu"
        path.write_bytes(rows.replace("\n", end).encode())
        answer = call("score", path, "-i", f"B={path}")
        assert answer.status == int(noted)
        known = "a.conllu:1: the first sentence is a comment with carriage" in answer.stderr
        assert known == noted


@pytest.mark.parametrize(
    "line",
    [
        "reference a.align --source SOURCE",
        "reference a.align --source SOURCE --target SOURCE",
        "reference a.align --source SOURCE --rule lader",
        "reference a.align --source SOURCE --check",
        "reference a.align --source SOURCE --engine local",
        "score a.orders -i b=reordered.txt --source SOURCE -m frs",
        "score a.orders -i b=SOURCE --source SOURCE -m frs --input text",
        "score a.orders -i b.orders --source SOURCE -m frs(match=first-unmatched)",
        "score a.align -i b=reordered.txt none --source SOURCE --compat lader",
        "score SOURCE -i SOURCE --source SOURCE --compat literalness "
        "--hypothesis-alignments a.align",
    ],
)
def test_treebanks_are_read_as_their_words(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    row = "{}\t{}" + "\t_" * 8 + "\n"
    files = {
        "a.align": "0-1 1-0 2-2\n0-1 1-0\n",
        "a.orders": "1 0 2\n1 0\n",
        "b.orders": "0 1 2\n0 1\n",
        "reordered.txt": "run I .\nhome Go\n",
        "s.txt": "I run .\nGo home\n",
        "s.conllu": "# text = I run.\n"
        + "".join(starmap(row.format, enumerate(["I", "run", "."], 1)))
        + "\n# sent_id = 2\n1-2\tGohome"
        + "\t_" * 8
        + "\n"
        + "".join(starmap(row.format, enumerate(["Go", "home"], 1)))
        + "\n",
    }
    for name, content in files.items():
        write(tmp_path, name, content)
    text, treebank = (
        call(*line.replace("SOURCE", name).split()).good() for name in ("s.txt", "s.conllu")
    )
    assert text.text == treebank.text
    assert "looks like CoNLL-U" not in treebank.stderr


def test_people_are_shown_the_words_of_a_treebank(tmp_path: Path) -> None:
    row = "{}\t{}" + "\t_" * 8 + "\n"
    path = write(tmp_path, "a.conllu", "# sent_id = x\n" + row.format(1, "Go") + row.format(2, "!"))
    assert read_input("SOURCE", path).lines == ["Go !"]
