"""Lists of trees in brackets, as n-best parsers write them, and their way to `wordorder select`.

The files were written by hand, in the forms of the parsers: Charniak's by the description in
CoreNLP's `CharniakScoredParsesReaderWriter`, Stanford's by what CoreNLP's `TreePrint` writes.
"""

import gzip
import subprocess
import sys
from pathlib import Path

import pytest
from tests.refusing import refuses

from wordorder.errors import InputError
from wordorder.messages import WordOrderWarning
from wordorder.treebank import KBest, convert_files, read_brackets, read_kbest, read_treebank

# "Saw her duck": a noun phrase, or a clause; then "Go".
NOUN = "(S1 (S (VP (VBD Saw) (NP (PRP$ her) (NN duck)))))"
CLAUSE = "(S1 (S (VP (VBD Saw) (S (NP (PRP her)) (VP (VB duck))))))"
GO = "(S1 (S (VP (VB Go))))"

FORMS = {
    "charniak": f"2\t0\n-12.5\n{NOUN}\n-1.4e1\n{CLAUSE}\n\n1\tlast one\n-3\n{GO}\n",
    "berkeley": f"-12.5\t{NOUN}\n-14.0\t{CLAUSE}\n\n-3\t{GO}\n\n",
    "plain": f"-12.5 ( {NOUN} )\r\n-14 ( {CLAUSE} )\r\n-3 ( {GO} )",
    "stanford": (
        f"\n# Parse 1 with score -12.5\n{NOUN}\n\n# Parse 2 with score -14.0\n"
        "(ROOT\n  (S\n    (VP (VBD Saw)\n      (S\n        (NP (PRP her))\n\n"
        f"        (VP (VB duck))))))\n\n# Parse 1 with score -3.0\n{GO}\n"
    ),
}


def check(lists: KBest, name: str) -> None:
    """Compare with the heads and labels by the manual of Stanford Dependencies."""
    assert lists.offsets.tolist() == [0, 2, 3]
    assert lists.scores.tolist() == [-12.5, -14.0, -3.0]
    assert lists.rank.tolist() == [1, 2, 1]
    assert lists.trees.form.strings() == ["Saw", "her", "duck"] * 2 + ["Go"]
    assert lists.trees.xpos.strings() == ["VBD", "PRP$", "NN", "VBD", "PRP", "VB", "VB"]
    assert lists.trees.heads.tolist() == [0, 3, 1, 0, 3, 1, 0]
    labels = ["root", "poss", "dobj", "root", "nsubj", "ccomp", "root"]
    assert lists.trees.label.strings() == labels
    ids = [margin.value("sent_id") for margin in lists.trees.margins]
    assert ids == [f"{name}-1", f"{name}-1", f"{name}-2"]


def convert(*arguments: str, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "wordorder", *arguments]
    return subprocess.run(command, input=text, capture_output=True, check=False)


@pytest.mark.parametrize("form", FORMS)
def test_each_form_becomes_lists(form: str, tmp_path: Path) -> None:
    (tmp_path / "n.mrg").write_bytes(FORMS[form].encode())
    done = convert_files([tmp_path / "n.mrg"], tmp_path / "n.conllu")
    assert (done.sentences, done.trees, done.words, done.unsorted) == (2, 3, 7, 0)
    check(read_kbest(tmp_path / "n.conllu"), "n")
    with gzip.open(tmp_path / "g.mrg.gz", "wb") as stream:
        stream.write(FORMS[form].encode())
    convert_files([tmp_path / "g.mrg.gz"], tmp_path / "g.conllu")
    check(read_kbest(tmp_path / "g.conllu"), "g")


def test_standard_input(tmp_path: Path) -> None:
    lists = tmp_path / "n.conllu"
    run = convert("convert", "-", "-o", str(lists), text=FORMS["stanford"].encode())
    assert run.returncode == 0, run.stderr
    assert b"2 sentences, 3 trees, 7 words" in run.stderr
    check(read_kbest(lists), "stdin")


# "I saw cats with hats": the hats are with the cats, or with the seeing. With heads at the end of
# their phrases these are "I cats with hats saw" and "I with hats cats saw".
@pytest.mark.parametrize(("order", "head"), [("0 2 3 4 1", 3), ("0 3 4 2 1", 2)])
def test_select_takes_the_lists(order: str, head: int, tmp_path: Path) -> None:
    cats, hats = "(NP (NNS cats))", "(PP (IN with) (NP (NNS hats)))"
    tree = "(S1 (S (NP (PRP I)) (VP (VBD saw) {})))"
    noun, verb = tree.format(f"(NP {cats} {hats})"), tree.format(f"{cats} {hats}")
    (tmp_path / "n.mrg").write_text(f"2 0\n-12.5\n{noun}\n-14\n{verb}\n\n1 1\n-3\n{GO}\n")
    convert_files([tmp_path / "n.mrg"], tmp_path / "n.conllu")
    (tmp_path / "two.orders").write_text(f"{order}\n0\n")
    best = tmp_path / "best.conllu"
    files = [str(tmp_path / "n.conllu"), str(tmp_path / "two.orders")]
    run = convert("select", *files, "--rules", "headverb-sd", "-o", str(best))
    assert run.returncode == 0, run.stderr
    chosen = read_treebank(best)
    assert chosen.heads.tolist() == [2, 0, 2, head, 4, 0]
    assert [margin.value("sent_id") for margin in chosen.margins] == ["n-1", "n-2"]


def test_a_sentence_on_one_line(tmp_path: Path) -> None:
    text = b"-12.1 ( (S (NP (PRP It)) (VP (VBZ rains))) )\n"
    run = convert("convert", "-", text=text)
    assert run.stdout.decode() == (
        "# sent_id = stdin-1\n# rank = 1\n# score = -12.1\n"
        "1\tIt\t_\t_\tPRP\t_\t2\tnsubj\t_\t_\n2\trains\t_\t_\tVBZ\t_\t0\troot\t_\t_\n\n"
    )


def test_lists_of_the_same_words_behind_an_empty_line(tmp_path: Path) -> None:
    (tmp_path / "n.mrg").write_text(f"-1 {GO}\n-2 {GO}\n\n-1 {GO}\n")
    convert_files([tmp_path / "n.mrg"], tmp_path / "n.conllu")
    assert read_kbest(tmp_path / "n.conllu").offsets.tolist() == [0, 2, 3]


def test_lists_are_sorted_with_a_note(tmp_path: Path) -> None:
    (tmp_path / "n.mrg").write_text(f"-14 {CLAUSE}\n-12.5 {NOUN}\n-14 {NOUN}\n\n-3 {GO}\n")
    with pytest.warns(WordOrderWarning, match="1 list of trees was not best first: sorted"):
        convert_files([tmp_path / "n.mrg"], tmp_path / "n.conllu")
    lists = read_kbest(tmp_path / "n.conllu")
    assert lists.scores.tolist() == [-12.5, -14.0, -14.0, -3.0]
    # Of equal scores the first one of the file stays first.
    assert lists.trees.xpos.strings()[1::3][:3] == ["PRP$", "PRP", "PRP$"]


def test_many_lists_are_written_in_batches(tmp_path: Path) -> None:
    (tmp_path / "n.mrg").write_text(f"-1 {NOUN}\n-2 {CLAUSE}\n\n" * 700)
    done = convert_files([tmp_path / "n.mrg"], tmp_path / "n.conllu")
    assert (done.sentences, done.trees) == (700, 1400)
    lists = read_kbest(tmp_path / "n.conllu")
    assert len(lists) == 700
    ids = [margin.value("sent_id") for margin in lists.best().margins]
    assert ids == [f"n-{number}" for number in range(1, 701)]


WRONG = [
    (f"-1 {GO}\n-x {GO}\n", 2, "score '-x'; expected a finite number"),
    (f"-Infinity\t{GO}\n", 1, "score '-Infinity'; expected a finite number"),
    (f"1e999\t{GO}\n", 1, "score '1e999'; expected a finite number"),
    (f"-1 {GO}\n{GO}\n", 2, "'(S1 (S (VP (VB Go))))' among trees with scores"),
    (f"-1 {GO}\n\n# Parse 1 with score -2\n{GO}\n", 3, "'# Parse 1 with score -2' among trees"),
    (f"-1 {GO}\n2 a\n-2\n{GO}\n", 2, "'2 a' among trees with scores"),
    (f"-1 {GO} {GO}\n", 1, "a tree without a score"),
    (f"-1 {GO}\n\n\n-1 {GO}\n", 3, "a list without trees: two empty lines"),
    (f"-1 {GO}\n-2 (S (VB Go)\n", 2, "the tree that begins here lacks 1 ')'"),
    ("-1 (())\n", 1, "() is empty"),
    (f"1 a\n-1\n{GO}\n\n0 b\n", 5, "a list without trees; expected one or more a sentence"),
    (f"1 a\nx\n{GO}\n", 2, "score 'x'; expected a finite number"),
    (f"1 a\n-1\n{GO}\n3 b\n-1\n{GO}\n", 4, "a list of 3 trees has 1; expected as many as it says"),
    (f"2 a\n-1\n{GO}\n1 b\n-1\n{GO}\n", 4, "'1 b' behind 1 of 2 trees of the list of line 1"),
    (f"1 a\n-1\n{GO}\n-2\n{GO}\n", 4, "'-2' behind a list; expected the number of trees"),
    (f"2 a\n-1\n{GO}\n-2 {GO}\n", 4, "'-2 (S1 (S (VP (VB Go))))' behind 1 of 2 trees"),
    (f"2 a\n-1\n-2\n{GO}\n", 3, "'-2' behind a score; expected a tree"),
    (f"2 a\n-1\n{GO}\n-2\n{NOUN}\n", 5, "a tree with other words than the tree before"),
    ("1 a\n-1\n", 2, "a score without a tree"),
    ("1 a\n", 1, "a list of 1 trees has 0"),
    (f"# Parse 1 with score minus\n{GO}\n", 1, "score 'minus'; expected a finite number"),
    (f"# Parse 2 with score -1\n{GO}\n", 1, "parse 2; expected 1"),
    (f"# Parse 1 with score -1\n{GO}\n# Parse 3 with score -1\n", 3, "parse 3; expected 2, or 1"),
    ("# Parse 1 with score -1\n\n# Parse 1 with score -2\n", 1, "a score without a tree"),
    (f"# Parse 1 with score -1\n{GO}\n{GO}\n", 3, "a tree without a score"),
    (
        f"# Parse 1 with score -1\n{GO}\n-2 {GO}\n",
        3,
        "'-2 (S1 (S (VP (VB Go))))' between the trees",
    ),
    (f"{GO}\n-2 {GO}\n", 2, "'-2' outside all brackets"),
    (f"{GO}\n# Parse 1 with score -2\n{GO}\n", 2, "'#' outside all brackets"),
]


@pytest.mark.parametrize(("text", "line", "message"), WRONG)
def test_lists_that_are_wrong(text: str, line: int, message: str, tmp_path: Path) -> None:
    (tmp_path / "bad.mrg").write_text(text)
    with pytest.raises(InputError) as caught:
        convert_files([tmp_path / "bad.mrg"], tmp_path / "bad.conllu")
    assert str(caught.value).startswith(f"{tmp_path}/bad.mrg:{line}: {message}")
    assert not (tmp_path / "bad.conllu").exists()


@pytest.mark.parametrize(("order", "found"), [("ab", "lists of trees"), ("ba", "single trees")])
def test_files_of_both_kinds(order: str, found: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text(GO)
    (tmp_path / "b").write_text(FORMS["plain"])
    with pytest.raises(InputError, match=f"/{order[1]}: {found}.*expected files of one kind"):
        convert_files([tmp_path / each for each in order], tmp_path / "c.conllu")
    assert not (tmp_path / "c.conllu").exists()


def test_lists_are_no_single_trees(tmp_path: Path) -> None:
    (tmp_path / "n.mrg").write_text(FORMS["plain"])
    refuses(InputError, "'-12.5' outside all brackets", list, read_brackets(tmp_path / "n.mrg"))
