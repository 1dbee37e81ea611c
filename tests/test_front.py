"""The front door in Python gives what the program gives, whatever holds the texts."""

import dataclasses
import inspect
import json
import pickle
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest
import sacrebleu

import wordorder as wo
from tests.cli.running import call, python
from tests.notes import any_notes, noted
from tests.refusing import refuses
from wordorder import scoring
from wordorder.cli.messages import JSON_VERSION
from wordorder.errors import UsageError
from wordorder.front import JSON_VERSION as OURS
from wordorder.samples import sample_path
from wordorder.scoring import comparisons, scores

FILES = {n: sample_path(f"{n}.en", "judged") for n in ("reference", "alder", "birch", "cedar")}
LINES = {name: path.read_text().splitlines() for name, path in FILES.items()}
SOURCE = sample_path("source.ja", "judged")
REFERENCE = LINES["reference"]
SYSTEMS = {"A": LINES["alder"], "B": LINES["birch"]}
NAMED = [f"A={FILES['alder']}", f"B={FILES['birch']}"]

pytestmark = pytest.mark.allow_notes

HOLDERS: dict[str, Callable[[list[str]], Any]] = {
    "list": list,
    "tuple": tuple,
    "pandas": pandas.Series,
    "pandas of Arrow": lambda lines: pandas.Series(lines, dtype="string[pyarrow]"),
    "Polars": polars.Series,
    "Arrow": pyarrow.array,
    "chunks of Arrow": lambda lines: pyarrow.chunked_array([lines[:7], lines[7:]]),
}


def printed(*args: Any) -> str:
    """Return the program's JSON without its notes, which speak of options."""
    found = json.loads(call(*args, "--format", "json").good().stdout)
    assert found.pop("notes") is not None
    return json.dumps(found, indent=2)


def plain(result: Any) -> str:
    found = result.to_dict()
    assert found.pop("notes") == list(result.notes)
    return json.dumps(found, indent=2)


@pytest.mark.parametrize("holder", HOLDERS)
def test_scores_are_those_of_the_program(holder: str) -> None:
    hold = HOLDERS[holder]
    systems = {name: hold(lines) for name, lines in SYSTEMS.items()}
    form = ["score", FILES["reference"], "-i", *NAMED]
    result = wo.score(systems, hold(REFERENCE), source=hold(SOURCE.read_text().splitlines()))
    assert plain(result) == printed(*form, "--source", SOURCE)
    result = wo.score(
        systems, hold(REFERENCE), ["frs", "kendall", "bleu"], confidence=True, segments=True
    )
    chosen = [*form, "-m", "frs,kendall,bleu", "--confidence", "--segments"]
    assert plain(result) == printed(*chosen)
    assert result.notes[0].endswith('match by aligner="exact+stem", the default')


@pytest.mark.parametrize("holder", ["list", "Polars"])
@pytest.mark.parametrize("test", ["bootstrap", "randomization"])
def test_comparisons_are_those_of_the_program(holder: str, test: str) -> None:
    systems = {name: HOLDERS[holder](lines) for name, lines in SYSTEMS.items()}
    drawn: dict[str, Any] = {"test": test, "resamples": 60, "seed": 7}
    result = wo.compare(systems, REFERENCE, metrics=["frs", "kendall", "bleu"], **drawn)
    options = [part for name, value in drawn.items() for part in (f"--{name}", value)]
    form = ["compare", FILES["reference"], "-i", *NAMED, "-m", "frs,kendall,bleu", *options]
    assert plain(result) == printed(*form)


def test_an_analysis_is_that_of_the_program(tmp_path: Path) -> None:
    source = SOURCE.read_text().splitlines()
    report = wo.analyze(SYSTEMS, REFERENCE, source=source, resamples=60)
    form = ["analyze", FILES["reference"], "-i", *NAMED, "--source", SOURCE, "--resamples", 60]
    assert plain(report) == printed(*form)
    report.save(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert page.lower().startswith("<!doctype html>")
    assert report.answer.split(",")[0] in page
    assert report.answer.split(",")[0] in report._repr_html_()
    refuses(UsageError, "cannot be created", report.save, tmp_path / "no" / "report.html")


def test_files_are_read_where_paths_are_given() -> None:
    """Alone or beside texts in memory; orders as orders."""
    path = str(FILES["reference"])
    held = wo.score(SYSTEMS, REFERENCE, "cder")
    both: list[dict[str, Any]] = [
        {"A": FILES["alder"], "B": str(FILES["birch"])},
        SYSTEMS | {"A": NAMED[0][2:]},
    ]
    for systems in both:
        assert plain(wo.score(systems, path, "cder")) == plain(held)
        assert plain(wo.score(systems, REFERENCE, "cder")) == plain(held)
    found = list(wo.score([FILES["alder"], FILES["birch"]], path).values())
    assert found == ["alder.en", "birch.en"]
    reference = sample_path("reference.orders")
    orders = {"A": sample_path("head-final.orders")}
    assert wo.score(orders, reference).values()["A"]["frs"] == pytest.approx(0.7587, abs=5e-5)
    source = sample_path("source.en")
    report = wo.analyze(orders, reference, source=source, resamples=20)
    assert report.found.names[0] == "A"


def test_one_list_is_one_system() -> None:
    alone = wo.score(LINES["alder"], REFERENCE, "cder")
    assert alone.values() == {"system": wo.score(SYSTEMS, REFERENCE, "cder").values()["A"]}


def test_references_in_any_layout() -> None:
    """Two references are those of `-r`, and of sacreBLEU."""
    other = LINES["cedar"]
    files = [FILES["reference"], "-r", FILES["cedar"], "-i", *NAMED]
    expected = printed("score", *files, "-m", "bleu,chrf,ter,frs")
    for references in (
        [REFERENCE, other],
        [list(pair) for pair in zip(REFERENCE, other, strict=True)],
        list(zip(REFERENCE, other, strict=True)),
        [polars.Series(REFERENCE), pandas.Series(other)],
        polars.Series(list(map(list, zip(REFERENCE, other, strict=True)))),
        [FILES["reference"], FILES["cedar"]],
    ):
        assert plain(wo.score(SYSTEMS, references, "bleu,chrf,ter,frs")) == expected
    values = wo.score(SYSTEMS, [REFERENCE, other], "bleu,chrf,ter").values()["A"]
    given = LINES["alder"], [REFERENCE, other]
    assert 100 * values["bleu"] == pytest.approx(sacrebleu.corpus_bleu(*given).score)
    assert 100 * values["chrf"] == pytest.approx(sacrebleu.corpus_chrf(*given).score)
    assert 100 * values["ter"] == pytest.approx(sacrebleu.corpus_ter(*given).score)


class Column(Sequence[Any]):
    """A column of `datasets`: a sequence, but not a list."""

    def __init__(self, rows: list[Any]) -> None:
        self.rows = rows

    def __getitem__(self, place: Any) -> Any:
        return self.rows[place]

    def __len__(self) -> int:
        return len(self.rows)


def test_columns_of_lists_are_lists() -> None:
    """References of a segment, and words; they count as the lines that they make."""
    several = list(zip(REFERENCE, LINES["cedar"], strict=True))
    expected = plain(wo.score(SYSTEMS, several, "cder,bleu"))
    assert plain(wo.score(SYSTEMS, Column(list(map(list, several))), "cder,bleu")) == expected
    expected = plain(wo.score(SYSTEMS, several, "cder,bleu", tokenizer="none"))
    words = [[line.split() for line in pair] for pair in several]
    systems = {name: [line.split() for line in lines] for name, lines in SYSTEMS.items()}
    for column in (list, tuple, Column, pandas.Series):
        rows = {name: column(lines) for name, lines in systems.items()}
        assert plain(wo.score(rows, words, "cder,bleu")) == expected
    first = [line.split() for line in REFERENCE]
    alone = wo.score(pandas.Series(systems["A"]), pandas.Series(first), "cder").values()
    assert alone["system"] == wo.score(SYSTEMS, REFERENCE, "cder").values()["A"]


def test_files_are_scored_by_the_front_door_alone() -> None:
    """The functions of files have its order of arguments, and no name of its own."""
    for name, module in (("score", scores), ("compare", comparisons)):
        assert not hasattr(scoring, name)
        front = list(inspect.signature(getattr(wo, name)).parameters)
        behind = list(inspect.signature(getattr(module, f"{name}_files")).parameters)
        assert [each.rstrip("s") for each in behind[:3]] == [each.rstrip("s") for each in front[:3]]


def test_some_segments_have_fewer_references(tmp_path: Path) -> None:
    more = [line if number % 3 else "" for number, line in enumerate(LINES["cedar"])]
    (tmp_path / "more").write_text("".join(f"{line}\n" for line in more))
    rows = [[a, *([b] if b else [])] for a, b in zip(REFERENCE, more, strict=True)]
    form = ["score", FILES["reference"], "-r", tmp_path / "more", "-i", *NAMED, "-m", "cder,frs"]
    expected = printed(*form, "-O", "empty-references=none")
    assert plain(wo.score(SYSTEMS, rows, "cder,frs")) == expected
    with pytest.raises(wo.InputError, match="an empty reference; expected words"):
        wo.score(SYSTEMS, [["", "b"], *rows[1:]], "cder")


@pytest.mark.parametrize(
    ("systems", "references", "options", "said"),
    [
        (SYSTEMS, REFERENCE, {"lowercased": True}, "did you mean 'lowercase'?"),
        (SYSTEMS, REFERENCE, {"confidance": True}, "did you mean 'confidence'?"),
        (SYSTEMS, REFERENCE, {"tokenize": "13b"}, "did you mean '13a'?"),
        (SYSTEMS, REFERENCE, {"tokenize": "13a", "tokenizer": "zh"}, "which is given too"),
        (SYSTEMS, REFERENCE, {"metrics": "frss"}, "did you mean 'frs'?"),
        (SYSTEMS, REFERENCE, {"resamples": 9}, "resamples= is for confidence="),
        (SYSTEMS, REFERENCE[:3], {}, r"references: 3 lines, but systems\['A'\] has 40"),
        ({"A": ["a\nb"]}, ["a"], {}, r"systems\['A'\], entry 1: a line break"),
        ({"A": ["a", 1]}, ["a", "b"], {}, r"systems\['A'\], entry 2: 1; expected a string"),
        ({"A": [["a"]]}, ["a"], {}, "references, entry 1: 'a'; expected a list of words"),
        ({"A": [["a"], "a"]}, [["a"]] * 2, {}, r"systems\['A'\], entry 2: 'a'; expected a list"),
        ({"A": [["a b"]]}, [["a"]], {}, r"systems\['A'\], entry 1: the word 'a b'; expected"),
        ([float("nan"), "a"], ["a", "b"], {}, r"systems\['system'\], entry 1: nan; expected"),
        ([b"a", "a"], ["a", "b"], {}, r"systems\['system'\], entry 1: b'a'; expected a string"),
        ({"A": ["a", "b"]}, [float("nan"), "a"], {}, "references, entry 1: nan; expected a string"),
        (REFERENCE, SYSTEMS, {}, "references: a mapping names systems, which come first"),
        ({"A": 1}, ["a"], {}, r"systems\['A'\]: int; expected a list"),
        ({"A": ["a"]}, 1, {}, "references: int; expected a list"),
        ({}, ["a"], {}, "there are no systems"),
        ({"A": ["a", "b"]}, [["a", "b"], ["c", "d"]], {}, "2 lists of 2 lines, which may be"),
        ({"A": []}, [], {}, "references: no segments"),
        ({"A": "no-such-file"}, ["a"], {}, "no-such-file: "),
        (SYSTEMS, [REFERENCE, REFERENCE[:3]], {}, "2 lists of 3 to 40 lines for 40 segments; exp"),
        (SYSTEMS, [["a", "b"]] * 9, {}, "references: 9 lists of 2 lines for 40 segments"),
        ({"A": ["a"]}, [[]], {}, "references, entry 1: an empty list"),
        ({"A": ["a", "b"]}, [["a"], []], {}, "references, entry 2: an empty list"),
        (SYSTEMS, {}, {}, "references: a mapping names systems"),
        ({1: ["a"], "1": ["b"]}, ["a"], {}, "two systems are called '1': 1 and '1'"),
        ({"": ["a"]}, ["a"], {}, "a system has an empty name"),
        ([["a"], ["b"]], ["a"], {}, "several systems have names"),
        (SYSTEMS, REFERENCE, {"metrics": 5}, "metrics: 5; expected names"),
        (SYSTEMS, REFERENCE, {"metrics": ["frs", 5]}, "metrics: .'frs', 5.; expected names"),
        (SYSTEMS, REFERENCE, {"seed": "x"}, "seed is a whole number of at least 0, not 'x'"),
        (SYSTEMS, REFERENCE, {"lowercase": "no"}, "lowercase: 'no'; expected True or False"),
        (SYSTEMS, REFERENCE, {"segments": "no"}, "segments: 'no'; expected True or False"),
        (SYSTEMS, REFERENCE, {"confidence": 0.9}, "True or False, and level=0.95"),
        (SYSTEMS, REFERENCE, {"level": 95}, "level is a number between 0 and 1, not 95"),
        (SYSTEMS, REFERENCE, {"aligner": 5}, "aligner: 5; expected a string"),
        (SYSTEMS, REFERENCE, {"hypothesis_alignments": 5}, "5; expected the name of a file"),
        (SYSTEMS, REFERENCE, {"input": "texts"}, "did you mean 'text'?"),
        (SYSTEMS, REFERENCE, {"option": 5}, "option: 5; expected a string or a list of strings"),
    ],
)
def test_what_is_wrong_is_said(
    systems: Any, references: Any, options: dict[str, Any], said: str
) -> None:
    refuses(wo.WordOrderError, said, wo.score, systems, references, **options)


@pytest.mark.parametrize("function", [wo.score, wo.compare, wo.analyze])
def test_what_is_wrong_is_said_by_all(function: Callable[..., Any]) -> None:
    for wrong in (
        *({"metrics": 5}, {"seed": "x"}, {"seed": 1.5}, {"lowercase": "no"}, {"aligner": 5}),
        *({"resamples": "x", "confidence": True}, {"focus": 5}, {"rows": -1}, {"top": 0}),
    ):
        with pytest.raises(UsageError):
            function(SYSTEMS, REFERENCE, **wrong)
    refuses(wo.InputError, "entry 1: an empty list", function, {"A": ["a"]}, [[]])


def test_generators_are_read_once() -> None:
    expected = plain(wo.score(SYSTEMS, [REFERENCE, LINES["cedar"]], "cder", source=REFERENCE))
    for references in (
        [iter(REFERENCE), iter(LINES["cedar"])],
        [iter(REFERENCE), (line for line in LINES["cedar"])],
        zip(REFERENCE, LINES["cedar"], strict=True),
    ):
        systems = {name: (line for line in lines) for name, lines in SYSTEMS.items()}
        found = wo.score(systems, references, "cder", source=iter(REFERENCE))
        assert plain(found) == expected
    cder = wo.metric("cder")
    alone = cder.corpus_score(LINES["alder"], REFERENCE)
    assert cder.corpus_score(iter(LINES["alder"]), iter(REFERENCE)) == alone
    shown = wo.score(iter(LINES["alder"]), REFERENCE, "cder").values()["system"]
    assert shown == {"cder": alone.value}


@pytest.mark.parametrize("function", [wo.score, wo.compare, wo.analyze])
def test_results_pickle(function: Callable[..., Any], tmp_path: Path) -> None:
    result = function(SYSTEMS, REFERENCE, "frs,bleu", resamples=20, **CONFIDENCE.get(function, {}))
    again = pickle.loads(pickle.dumps(result))
    assert again == result
    assert (hash(again), repr(again), str(again)) == (hash(result), repr(result), str(result))
    assert again._repr_html_() == result._repr_html_()
    assert again != function(SYSTEMS, REFERENCE, "bleu,frs")
    assert again != result.found
    if isinstance(again, wo.front.Report):
        again.save(tmp_path / "again.html")
        result.save(tmp_path / "page.html")
        assert (tmp_path / "again.html").read_text() == (tmp_path / "page.html").read_text()
        with pytest.raises(UsageError, match="path: 5; expected the name of a file"):
            again.save(5)  # type: ignore[arg-type]
        with pytest.raises(UsageError, match="pictures is a whole number"):
            again.save(tmp_path / "page.html", pictures="x")  # type: ignore[arg-type]


CONFIDENCE: dict[Any, dict[str, Any]] = {wo.score: {"confidence": True, "segments": True}}


def test_paths_are_references_in_any_layout() -> None:
    """A path alone in a list; several of them only for text."""
    reference = sample_path("reference.orders")
    systems = {"A": sample_path("head-final.orders")}
    expected = plain(wo.score(systems, reference))
    assert plain(wo.score(systems, [reference])) == expected
    refuses(UsageError, "a mapping names systems", wo.score, reference, systems)
    found = plain(wo.analyze(systems, [reference], source=sample_path("source.en")))
    assert found == plain(wo.analyze(systems, reference, source=sample_path("source.en")))
    refuses(UsageError, "references= ", wo.score, systems, [reference, reference])


def test_options_of_metrics_are_text_or_pairs() -> None:
    expected = plain(wo.score(SYSTEMS, REFERENCE, "cder(penalty=length)"))
    for given in ("penalty=length", ["cder.penalty=length"], {"penalty": "length"}):
        assert plain(wo.score(SYSTEMS, REFERENCE, "cder", settings=given)) == expected


def test_options_have_the_names_of_the_program() -> None:
    form = ["score", FILES["reference"], "-i", *NAMED, "-m", "cder,frs", "--lowercase"]
    names: dict[str, Any] = {
        "lowercase": True,
        "normalize": "NFKC",
        "tokenize": "13a",
        "language": "de",
    }
    form += ["-O", "normalize=NFKC", "--tokenizer", "13a", "--language", "de"]
    assert plain(wo.score(SYSTEMS, REFERENCE, "cder,frs", **names)) == printed(*form)


def test_a_result_shows_itself() -> None:
    systems = {"<A>": LINES["alder"], "B": LINES["birch"]}
    result = wo.score(systems, REFERENCE, "bleu,cder")
    short = "<ScoreResult: <A>: bleu 0.8570, cder 0.0748; B: bleu 0.6720, cder 0.1657>"
    assert repr(result) == short
    page = result._repr_html_()
    assert "&lt;A&gt;" in page
    assert "<A>" not in page
    assert "<table>" in page
    assert "0.6720</td>" in page
    # Intervals where they were asked for.
    sure = wo.score(systems, REFERENCE, "bleu", confidence=True)
    (score,) = sure.to_dict()["systems"][1]["scores"]
    assert f"0.6720 [{score['low']:.4f}, {score['high']:.4f}]</td>" in sure._repr_html_()
    assert result.signature.splitlines()[0].startswith("bleu|")
    assert str(result).splitlines()[0].split() == ["system", "bleu", "↑", "cder", "↓"]
    compared = wo.compare(systems, REFERENCE, "bleu")
    assert repr(compared) == "<ComparisonResult: bleu: <A> is better than B (95 %).>"
    page = compared._repr_html_()
    (pair,) = compared.to_dict()["metrics"][0]["pairs"]
    low, high = pair["low95"], pair["high95"]
    assert f"{pair['difference']:+.4f} [{low:.4f}, {high:.4f}] **</td>" in page
    assert page.count("<table>") == 2
    assert "&lt;A&gt; is better than B" in page
    assert compared.signature == result.signature.split("\n")[0]
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.notes = ()  # type: ignore[misc]


def test_rows_are_those_of_tsv() -> None:
    result = wo.score(SYSTEMS, REFERENCE, "bleu,cder")
    frame = result.to_pandas()
    assert frame.columns.tolist()[:3] == ["system", "metric", "value"]
    assert frame["value"].tolist() == [
        value for scores in result.values().values() for value in scores.values()
    ]


def test_importing_costs_nothing() -> None:
    code = (
        "import sys, time, wordorder; used = time.process_time(); "
        "import wordorder as wo; assert callable(dir); "
        "print(*sorted(n for n in sys.modules if n.split('.')[0] in ('wordorder', 'numpy')))"
    )
    assert python("-c", code).good().text.split() == ["wordorder", "wordorder._version"]


def test_the_form_of_json_has_one_version() -> None:
    assert OURS == JSON_VERSION


@pytest.mark.parametrize("name", ["bleu", "chrf", "ter"])
def test_a_metric_takes_what_sacrebleu_takes(name: str) -> None:
    hypotheses, references = LINES["alder"], [REFERENCE, LINES["cedar"]]
    metric = wo.metric(name)
    theirs = getattr(sacrebleu, f"corpus_{name}")(hypotheses, references).score
    assert 100 * metric.corpus_score(hypotheses, references).value == pytest.approx(theirs)
    named = metric.corpus_score(hypotheses=hypotheses, references=references)
    assert 100 * named.value == pytest.approx(theirs)
    rows = list(zip(*references, strict=True))
    assert 100 * metric.corpus_score(hypotheses, rows).value == pytest.approx(theirs)
    of_one = getattr(sacrebleu, f"sentence_{name}")
    for number in (0, 3, 7):
        theirs = of_one(hypotheses[number], list(rows[number])).score
        ours = metric.sentence_score(hypotheses[number], list(rows[number]))
        assert 100 * ours.value == pytest.approx(theirs)
        assert "sacrebleu-eff:no" not in str(ours.signature)


def test_a_metric_takes_columns_and_options() -> None:
    frs = wo.metric("frs")
    segments = wo.Segments.from_text(
        LINES["alder"], REFERENCE, lowercase=True, aligner="exact+stem"
    )
    expected = frs.corpus_score(segments)
    for holder in HOLDERS.values():
        found = frs.corpus_score(holder(LINES["alder"]), holder(REFERENCE), lowercase=True)
        assert found == expected
    assert (
        frs.sentence_score(LINES["alder"][0], REFERENCE[0], lowercase=True).value
        == (frs.segment_scores(segments)[0])
    )
    with noted('match by aligner="exact", the default'):
        frs.corpus_score(["彼 は 東京 に 行く 。"] * 9, ["東京 に 彼 は 行く 。"] * 9)


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        ((["a"],), {}, "cder: give hypotheses and references"),
        ((["a", "b"], [["a", "b"], ["c", "d"]]), {}, "2 lists of 2 lines, which may be those"),
        ((["a", "b"], ["a"]), {}, "references: 1 entries for 2 hypotheses"),
        (([], []), {}, "no segments"),
        ((None,), {}, "cder: give hypotheses and references"),
        ((5, 5), {}, "hypotheses: int; expected a list"),
        ((["a"], [[]]), {}, "references, entry 1: an empty list"),
        ((["a", "b", "c"], [["a", "b", "c"], ["a"]]), {}, "2 lists of 1 to 3 lines for 3 segments"),
        ((wo.Segments.from_text(["a"], ["a"]), ["a"]), {}, "segments have their references"),
        ((["a"], ["a"]), {"lowercas": True}, "did you mean 'lowercase'"),
        ((["a"], ["a"]), {"lowercase": "no"}, "lowercase: 'no'; expected True or False"),
        ((["a"], ["a"]), {"tokenize": "13a", "tokenizer": "13a"}, "which is given too"),
    ],
)
def test_a_metric_says_what_is_wrong(given: Any, options: dict[str, Any], said: str) -> None:
    refuses(wo.WordOrderError, said, wo.metric("cder").corpus_score, *given, **options)


@pytest.mark.parametrize("wrong", [None, 5])
def test_a_sentence_has_references(wrong: Any) -> None:
    said = "references: .*; expected a list of strings"
    refuses(UsageError, said, wo.metric("cder").sentence_score, "a", wrong)


def test_a_metric_takes_the_names_of_the_program() -> None:
    given, cder = (LINES["alder"], REFERENCE), wo.metric("cder")
    for ours, theirs in (("normalization", "normalize"), ("tokenizer", "tokenize")):
        value = "NFKC" if theirs == "normalize" else "none"
        found = cder.corpus_score(*given, **{theirs: value})
        assert found == cder.corpus_score(*given, **{ours: value})
        assert found.signature != cder.corpus_score(*given).signature


def test_a_metric_is_named_as_on_the_command_line() -> None:
    """Leusch et al. (2006), section 5.5: the sum of the scores with their weights."""
    given = LINES["alder"], REFERENCE
    cder, per = (wo.metric(name).corpus_score(*given).value for name in ("cder", "per"))
    mixed = wo.metric("0.6*cder+0.4*per").corpus_score(*given)
    assert mixed.value == pytest.approx(0.6 * cder + 0.4 * per)
    assert mixed == wo.metric("mix", formula="0.6*cder+0.4*per").corpus_score(*given)
    assert wo.metric("CDER(penalty=length)").signature() == (
        wo.metric("cder", penalty="length").signature()
    )
    with pytest.raises(UsageError, match="options go into its parentheses"):
        wo.metric("cder(penalty=length)", direction="max")
    refuses(UsageError, "have weights: 1.cder.1.per", wo.metric, "cder+per")
    refuses(UsageError, "did you mean 'cder'", wo.metric, "0.5*cdr+0.5*per")


@pytest.mark.parametrize("held", ["source", "rest", "all"])
def test_an_aligner_of_the_source_reads_memory_too(held: str) -> None:
    """One model for the source and all translations, wherever they are."""
    paths: dict[str, Any] = {"A": FILES["alder"], "B": FILES["birch"]}
    on_disk = wo.score(paths, FILES["reference"], "frs", source=SOURCE, aligner="agreement")
    source: Any = SOURCE if held == "rest" else SOURCE.read_text("utf-8").splitlines()
    systems: Any = paths if held == "source" else SYSTEMS
    reference: Any = FILES["reference"] if held == "source" else REFERENCE
    mixed = wo.score(systems, reference, "frs", source=source, aligner="agreement")
    assert mixed.values() == on_disk.values()


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "x"])
def test_wrong_numbers_of_resamples_are_refused(wrong: Any) -> None:
    with pytest.raises(wo.WordOrderError, match="resamples"):
        wo.score(SYSTEMS, REFERENCE, "cder", confidence=True, resamples=wrong)


SENTENCES = ["we met on tuesday", "it rains"] * 20
MOVED = ["on tuesday we met", "it rains"] * 20


@pytest.mark.parametrize("verb", [wo.score, wo.compare, wo.analyze])
def test_a_notebook_shows_notes_with_the_result(
    verb: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are logged in a script; in a notebook they are folded below the result."""
    systems = {"A": SENTENCES, "B": MOVED}
    with noted():
        result = verb(systems, SENTENCES, "frs")
    assert result.notes
    folded = result._repr_html_().partition("<details><summary>")[2]
    for note in result.notes:
        assert escape(note) in folded
    monkeypatch.setattr("wordorder.notes.in_notebook", lambda: True)
    with any_notes() as logged:
        assert verb(systems, SENTENCES, "frs").notes == result.notes
    assert not logged


def test_an_error_in_a_notebook_comes_with_its_notes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wordorder.notes.in_notebook", lambda: True)
    systems = {"A": SENTENCES, "B": MOVED}
    with noted(), pytest.raises(UsageError, match="nobody"):
        wo.analyze(systems, SENTENCES, focus="nobody")


@pytest.mark.parametrize("verb", [wo.score, wo.compare, wo.analyze])
def test_signatures_list_all_options(verb: Callable[..., Any]) -> None:
    """Editors complete what `inspect` finds."""
    parameters = inspect.signature(verb).parameters
    assert {"lowercase", "tokenizer", "aligner", "language", "settings", "seed"} <= set(parameters)
    assert all(each.kind is not each.VAR_KEYWORD for each in parameters.values())
    assert ("top" in parameters) == (verb is wo.analyze)
    with any_notes():
        usual = {
            name: each.default
            for name, each in parameters.items()
            if each.default is not each.empty and name != "metrics"
        }
        chosen = verb({"A": SENTENCES, "B": MOVED}, SENTENCES, "frs", **usual)
        assert chosen == verb({"A": SENTENCES, "B": MOVED}, SENTENCES, "frs")


def test_a_report_has_its_findings() -> None:
    with any_notes():
        report = wo.analyze({"A": SENTENCES, "B": MOVED}, SENTENCES)
    sentences = [finding.sentence for finding in report.findings]
    assert "`report.sections` has the tables" in str(report)
    assert {finding for section in report.sections for finding in section.findings} >= set(
        report.findings
    )
    assert sentences == [each["sentence"] for each in report.to_dict()["findings"]]
    assert "A is better than B" in sentences[0]
