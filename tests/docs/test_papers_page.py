"""The page of papers has every line of the five papers, and what it names is there and runs."""

import importlib
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import call

from wordorder.cli.program import COMMAND_SUMMARIES
from wordorder.samples import sample_path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "papers.md").read_text("utf-8")
# Lines of each paper, tables, and places where it contradicts itself.
NUMBERS = {
    "TAL": [*range(1, 27), *(f"T{n}" for n in range(1, 9)), "E1", "E2"],
    "SS": [*range(1, 35), "T1", "T2", "T3", "E1"],
    "LEU": [*range(1, 24), "T3", "T4", "T5", "T6"],
    "KB": [*range(1, 21), *(f"T{n}" for n in range(1, 6))],
    "HALL": [*range(1, 18), "T1", "T2", "T3"],
    "BO": [*range(1, 13), "T6", "T7"],
}
LINES = [
    f"{paper}-{number:02}" if isinstance(number, int) else f"{paper}-{number}"
    for paper, numbers in NUMBERS.items()
    for number in numbers
]
ROW = re.compile(r"^\| ([A-Z]+-[A-Z]?\d+) \| (.+?) \| ([^|]+) \| (.+) \|$", re.MULTILINE)
ROWS = {name: where for name, _, _, where in ROW.findall(PAGE)}
STATES = {name: state for name, _, state, _ in ROW.findall(PAGE)}
CODE = re.compile(r"`([^`]+)`")
TWO = (
    "1\tit\t_\tPRON\tPRP\t_\t2\texpl\t_\t_\n2\trains\t_\tVERB\tVBZ\t_\t0\troot\t_\t_\n\n",
    "1\tgo\t_\tVERB\tVB\t_\t0\troot\t_\t_\n2\tnow\t_\tADV\tRB\t_\t1\tadvmod\t_\t_\n\n",
)
# Two trees of each: of the first both have one order, of the second the other one is better.
LISTS = (
    (TWO[0], TWO[0].replace("expl", "nsubj")),
    (TWO[1].replace("\t0\troot", "\t2\tdep").replace("\t1\tadvmod", "\t0\troot"), TWO[1]),
)
FILES = {
    "two.conllu": "".join(TWO),
    "lists.conllu": "".join(
        f"# sent_id = {number}\n# rank = {rank}\n# score = {-rank}\n{tree}"
        for number, trees in enumerate(LISTS, 1)
        for rank, tree in enumerate(trees, 1)
    ),
    "two.txt": "it rains\ngo now\n",
    "two.orders": "0 1\n1 0\n",
    "nbest.txt": "0 ||| a b ||| f= 1 2 ||| 0\n0 ||| b a ||| f= 2 1 ||| 0\n",
    "two.ref": "b a\n",
    "a.mrg": "( (S (NP-SBJ (PRP It)) (VP (VBZ rains))) )\n",
    "nbest.mrg": "-12.1 ( (S (NP (PRP It)) (VP (VBZ rains))) )\n-14 (FRAG (PRP It) (NNS rains))\n",
    # Two raters agree on three of four items; one says twice what it thinks of the first.
    "preferences.tsv": "rater\titem\tsystem_a\tsystem_b\tchoice\n"
    "x\t1\tA\tB\ta\nx\t1\tA\tB\ta\nx\t2\tA\tB\ta\nx\t3\tA\tB\tb\nx\t4\tA\tB\ttie\n"
    "y\t1\tA\tB\ta\ny\t2\tA\tB\tb\ny\t3\tA\tB\tb\ny\t4\tA\tB\ttie\n",
    # Three systems of the set of the sample: as if another pair of languages.
    "second.toml": '[set]\nname = "three"\nreferences = ["reference.en"]\n'
    'rankings = "rankings.csv"\n[set.outputs]\n'
    'alder = "alder.en"\ncedar = "cedar.en"\nfir = "fir.en"\n',
    # Of the first pair one word has two links that are apart, the other none.
    "careless.talbot": "0,,0\n0,1\n",
}


def kept(name: str) -> dict[str, Any]:
    """Return what an experiment kept."""
    (path,) = (ROOT / "papers").rglob(f"{name}.json")
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def named(start: str) -> list[str]:
    """Return what the third column names in code that begins with `start`, each once."""
    found = [code for where in ROWS.values() for code in CODE.findall(where)]
    return [code for code in dict.fromkeys(found) if code.startswith(start)]


def commands() -> Iterator[list[str]]:
    for code in named("wordorder "):
        yield shlex.split(code)[1:]


def test_every_line_is_there_once() -> None:
    listed = [name for name, *_ in ROW.findall(PAGE)]
    assert sorted(listed) == sorted(LINES)


def test_every_line_has_a_state() -> None:
    for name, state in STATES.items():
        assert re.fullmatch(r"works|no data|partly \(.{10,}\)", state), name
        assert ROWS[name].startswith("No") or state != "no data", name
    counts = [
        sum(state.startswith(start) for state in STATES.values())
        for start in ("works", "partly", "no data")
    ]
    said = re.search(r"(\d+) lines work, (\d+) work partly, and (\d+) have no data", PAGE)
    assert said
    assert [int(each) for each in said.groups()] == counts


def test_every_line_has_a_place_or_a_reason() -> None:
    for name, where in ROWS.items():
        place = CODE.search(where) or "](" in where or re.search(r"\b[A-Z]+-\d", where)
        assert place or where.startswith("No"), name


@pytest.fixture
def samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with the samples and the tiny files of the page."""
    for folder in (sample_path(""), sample_path("", "judged")):
        for path in folder.iterdir():
            if path.is_file():
                shutil.copy(path, tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    for name, sample in (
        ("few.en", "source.en"),
        ("few.ja", "target.ja"),
        ("few.talbot", "alignments.talbot"),
    ):
        rows = (tmp_path / sample).read_text("utf-8").splitlines(keepends=True)
        (tmp_path / name).write_text("".join(rows[:4]), "utf-8")
    monkeypatch.chdir(tmp_path)


def test_each_command_runs(samples: None) -> None:
    """Those with arguments run; a verb alone, which serves pages or takes long, has its help."""
    assert len(list(commands())) > 60
    for verb, *arguments in commands():
        assert verb in COMMAND_SUMMARIES
        plain = all(re.fullmatch(r"[a-z]+", each) for each in arguments)
        answer = call(verb, *arguments, *(["--help"] if plain else [])).good()
        assert answer.stdout or "-o" in arguments, verb


def test_each_function_is_there() -> None:
    for code in named("wordorder."):
        module, _, name = code.rpartition(".")
        try:
            importlib.import_module(code)
        except ModuleNotFoundError:
            assert hasattr(importlib.import_module(module), name), code


def test_each_test_and_experiment_is_there() -> None:
    places = named("tests/") + named("papers/")
    assert len(places) > 60
    for code in places:
        path, _, test = code.partition("::")
        assert (ROOT / path).exists(), code
        assert not test or f"def {test}(" in (ROOT / path).read_text("utf-8"), code
        # An experiment has kept its results.
        if path.startswith("papers/"):
            kept = (ROOT / path).parent.glob(f"{Path(path).stem}*.json")
            assert next(kept, None), code
