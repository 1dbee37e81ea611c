"""Each verb's tables fit the terminal, whatever systems are called and however many metrics."""

import shutil
from pathlib import Path

import pytest
from tests.cli.running import ALIGNMENTS, REFERENCE, SOURCE, SYSTEMS, TARGET, TREES, call, write

from wordorder.samples import sample_path
from wordorder.text.shown import display_width

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


def systems(files: Path) -> list[str]:
    return [str(files / f"{LONG}-{number}.orders") for number in range(3)]


def verbs(files: Path) -> dict[str, list[str]]:
    judged = str(sample_path("judged.toml", "judged"))
    ratings = str(files / "ratings.tsv")
    orders = [REFERENCE, "-i", *systems(files)]
    trees = [f"{LONG}-{n}={files / 'trees.conllu'}" for n in range(2)]
    text = ["-m", "wer,per,cder,cder(penalty=length),0.3*cder+0.7*per,ter,bleu,chrf,ribes"]
    drawn = ["--resamples", "20"]
    return {
        "score": ["score", *orders, "-m", "all"],
        "score segments": ["score", *orders, "-m", "frs,kendall,ulam", "--segments"],
        "score confidence": ["score", *orders, "-m", "all", "--confidence", *drawn],
        "score text": ["score", TARGET, "-i", f"{LONG}={TARGET}", f"b{LONG}={SOURCE}", *text],
        "score trees": ["score", TREES, "-i", str(files / f"{LONG}-parser.conllu"), "-m", "all"],
        "score compat": [
            *("score", ALIGNMENTS, "-i", *systems(files)),
            *("--source", SOURCE, "--compat", "lader"),
        ],
        "compare": ["compare", *orders, "-m", "frs,kendall", *drawn],
        "evaluate": [
            *("evaluate", REFERENCE, "--trees", *trees, "--rules", "R1", f"{LONG}-rules=R5"),
            *("-m", "frs,kendall,exact,ulam,spearman", *drawn),
        ],
        "evaluate sensitivity": [
            *("evaluate", ALIGNMENTS, "--trees", trees[0], "--rules", "R1", f"{LONG}-rules=R5"),
            *("-m", "frs", "--sensitivity", *drawn),
        ],
        "analyze": ["analyze", *orders, "--source", SOURCE, "--top", "5", *drawn],
        "analyze trees": [
            *("analyze", ALIGNMENTS, "--trees", *trees, "--rules", "R1", f"{LONG}-rules=R5"),
            *("--gold-trees", TREES, "--top", "5", *drawn),
        ],
        "reference check": ["reference", ALIGNMENTS, "--source", SOURCE, "--check"],
        "correlate": ["correlate", judged, "-m", "frs,kendall,per", "--aligner", "exact+stem"],
        "rank": ["rank", ratings, "--by", "z"],
        "tune": ["tune", str(files / "lists.txt"), str(files / "reference.txt"), "-m", "wer"],
        "agreement": ["agreement", ratings],
        "rules list": ["rules", "list"],
        "rules explain": [
            *("rules", "explain", "R5", "--text", "I saw the man who sold the horse .")
        ],
        "list metrics": ["list", "metrics"],
        "list aligners": ["list", "aligners"],
        "list parsers": ["list", "parsers"],
        "list rules": ["list", "rules"],
        "list compat": ["list", "compat"],
    }


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("verb", verbs(Path()))
def test_no_line_is_wider_than_the_terminal(
    verb: str, width: int, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    answer = call(*verbs(files)[verb])
    assert answer.status in (0, 1), answer.stderr
    assert answer.text
    wide = [
        line
        for line in answer.text.splitlines()
        if display_width(line) > width and not any(sign in line for sign in WHOLE)
    ]
    assert wide == []
