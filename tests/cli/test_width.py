"""Each verb's tables fit the terminal, whatever systems are called and however many metrics."""

import shlex
import shutil
from pathlib import Path

import pytest
from tests.cli.running import ALIGNMENTS, REFERENCE, SOURCE, SYSTEMS, TARGET, TREES, call, write

from wordorder.samples import sample_path
from wordorder.text.display import display_width

WIDTHS = (80, 60)
LONG = "a-system-with-a-very-long-name-from-an-experiment-of-last-year"
# What is copied as it is: signatures, sentences, and trees of operators.
WHOLE = ("|", "⟨", "┌", "│", "└", "├")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("long")
    for number, path in enumerate(SYSTEMS[:3]):
        shutil.copy(path, folder / f"{LONG}-{number}.orders")
    shutil.copy(TREES, folder / f"{LONG}-parser.conllu")
    shutil.copy(TREES, folder / "trees.conllu")
    ratings = sample_path("ratings.tsv", "judged").read_text("utf-8")
    for name in ("alder", "birch", "ann", "rater1"):
        ratings = ratings.replace(f"\t{name}\t", f"\t{LONG} {name}-{LONG}\t")
    write(folder, "ratings.tsv", ratings)
    features = " ".join(f"{LONG}-{n}= {n}.5" for n in range(3))
    both = [f"{n} ||| {words} ||| {features} ||| 1\n" for n in (0, 1) for words in ("a b", "b a")]
    write(folder, "lists.txt", "".join(both))
    write(folder, "reference.txt", "a b\nb a\n")
    return folder


SEVERAL = " ".join(f"FOLDER/{LONG}-{number}.orders" for number in range(3))
GIVEN = f"{REFERENCE} -i {SEVERAL}"
TREE, TWO = f"{LONG}-0=FOLDER/trees.conllu", f"{LONG}-0=FOLDER/trees.conllu {LONG}-1={TREES}"
RULES = f"--rules R1 {LONG}-rules=R5"
TEXT = "wer,per,cder,cder(penalty=length),0.3*cder+0.7*per,ter,bleu,chrf,ribes"
COMMANDS = f"""
score {GIVEN} -m all
score {GIVEN} -m frs,kendall,ulam --segments
score {GIVEN} -m all --confidence --resamples 20
score {TARGET} -i {LONG}={TARGET} b{LONG}={SOURCE} -m {TEXT}
score {TREES} -i FOLDER/{LONG}-parser.conllu -m all
score {ALIGNMENTS} -i {SEVERAL} --source {SOURCE} --compat lader
compare {GIVEN} -m frs,kendall --resamples 20
evaluate {REFERENCE} --trees {TWO} {RULES} -m frs,kendall,exact,ulam,spearman --resamples 20
evaluate {ALIGNMENTS} --trees {TREE} {RULES} -m frs --sensitivity --resamples 20
analyze {GIVEN} --source {SOURCE} --top 5 --resamples 20
analyze {ALIGNMENTS} --trees {TWO} {RULES} --gold-trees {TREES} --top 5 --resamples 20
reference {ALIGNMENTS} --source {SOURCE} --check
correlate {sample_path("judged.toml", "judged")} -m frs,kendall,per --aligner exact+stem
rank FOLDER/ratings.tsv --by z
tune FOLDER/lists.txt FOLDER/reference.txt -m wer
agreement FOLDER/ratings.tsv
rules list
rules explain R5 --text 'I saw the man who sold the horse .'
list metrics
list aligners
list parsers
list rules
list compat
""".strip().splitlines()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.partition(" ")[0])
def test_no_line_is_wider_than_the_terminal(
    command: str, width: int, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    answer = call(*shlex.split(command.replace("FOLDER", str(files))))
    assert answer.status in (0, 1), answer.stderr
    assert answer.text
    wide = [
        line
        for line in answer.text.splitlines()
        if display_width(line) > width and not any(sign in line for sign in WHOLE)
    ]
    assert wide == []
