"""Several runs of one system: -i NAME=FILE,FILE gives means, the spread and tests over runs."""

import json
from fractions import Fraction
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
import pytest
from tests.cli.running import call, write
from tests.notes import any_notes, noted
from tests.oracles_statistics import draw_counts

import wordorder as wo
from wordorder.errors import InputError, UsageError
from wordorder.statistics.measurement import resample_keys
from wordorder.statistics.runs import drawn_runs

pytestmark = pytest.mark.allow_notes

REFERENCE = ["a b c d", "e f g h", "i j k l", "m n o p", "q r s t", "u v w x"]
RUNS = {
    "a.1": ["a b c d", "f e g h", "i j l k", "m n o p", "t s r q", "u v w x"],
    "a.2": ["b a c d", "f e g h", "i j l k", "m n o p", "t s r q", "x w v u"],
    "a.3": ["a b c d", "e f g h", "i j l k", "n m p o", "t s r q", "u v w x"],
    "b.1": ["b a c d", "e f g h", "i j k l", "n m o p", "q r s t", "u v w x"],
    "b.2": ["a b c d", "e f g h", "j k l", "n m o p", "q r s t", "u v w x"],
}
# FRS by hand: 1 - (chunks - 1) / (words - 1).
FRS = {
    "a.1": [1, 1 / 3, 1 / 3, 1, 0, 1],
    "a.2": [1 / 3, 1 / 3, 1 / 3, 1, 0, 0],
    "a.3": [1, 1, 1 / 3, 0, 0, 1],
    "b.1": [1 / 3, 1, 1, 1 / 3, 1, 1],
    "b.2": [1, 1, 1, 1 / 3, 1, 1],
}


def lines(rows: list[str]) -> str:
    return "".join(f"{row}\n" for row in rows)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    return {n: write(tmp_path, n, lines(rows)) for n, rows in ({"ref": REFERENCE} | RUNS).items()}


@pytest.fixture
def command(files: dict[str, str]) -> list[str]:
    a = ",".join(files[f"a.{run}"] for run in (1, 2, 3))
    b = ",".join(files[f"b.{run}"] for run in (1, 2))
    return [files["ref"], "-i", f"A={a}", f"B={b}", "-m", "frs", "--aligner", "exact"]


def resampled(names: list[str], shares: Any, counts: list[list[int]]) -> list[float]:
    """The means of the drawn runs on the drawn segments."""
    found = []
    for share, drawn in zip(shares, counts, strict=True):
        means = [
            sum(n * score for n, score in zip(drawn, FRS[name], strict=True)) / 6 for name in names
        ]
        found.append(sum(s * mean for s, mean in zip(share, means, strict=True)))
    return found


def test_means_spread_and_intervals(command: list[str]) -> None:
    drawn = ["--confidence", "--resamples", "200"]
    answer = call("score", *command, *drawn, "--format", "json").good()
    shares = drawn_runs([3, 2], 200, 12345)
    counts = [draw_counts(key, 6)[0] for key in resample_keys(200, 12345).tolist()]
    for number, (name, runs) in enumerate((("A", ["a.1", "a.2", "a.3"]), ("B", ["b.1", "b.2"]))):
        system = answer.json["systems"][number]
        (scored,) = system["scores"]
        values = [fmean(FRS[run]) for run in runs]
        assert system["system"] == name
        assert scored["runs"] == pytest.approx(values)
        assert scored["value"] == pytest.approx(fmean(values))
        assert scored["spread"] == pytest.approx(stdev(values))
        means = sorted(resampled(runs, shares[number], counts))
        assert (scored["low"], scored["high"]) == pytest.approx((means[5], means[194]))
        assert "|runs:3,2|" in scored["signature"]
    rows = call("score", *command, "--format", "tsv").good().rows
    assert [float(row["spread"]) for row in rows] == pytest.approx(
        [stdev(fmean(FRS[run]) for run in runs) for runs in (["a.1", "a.2", "a.3"], ["b.1", "b.2"])]
    )
    assert [len(row["runs"].split(",")) for row in rows] == [3, 2]
    text = " ".join(call("score", *command, *drawn).good().text.split())
    assert "system metric spread run 1 run 2 run 3" in text
    assert "by bootstrap resampling of segments and of runs" in text
    assert "; values are means of runs; spread: their standard deviation; [low" in text
    (row,) = call("compare", *command, "--format", "tsv").good().rows
    for side, runs in (("a", ["a.1", "a.2", "a.3"]), ("b", ["b.1", "b.2"])):
        values = [fmean(FRS[run]) for run in runs]
        assert list(map(float, row[f"runs_{side}"].split(","))) == pytest.approx(values)
        assert float(row[f"spread_{side}"]) == pytest.approx(stdev(values))
    text = " ".join(call("compare", *command).good().text.split())
    assert "; values are means of runs; spread: their standard deviation" in text


@pytest.mark.parametrize("verb", ["score", "compare"])
def test_one_file_as_several_runs_is_noted(verb: str, files: dict[str, str]) -> None:
    runs = f"A={files['a.1']},{files['a.2']},{files['a.1']}"
    answer = call(verb, files["ref"], "-i", runs, f"B={files['b.1']},{files['b.2']}").good()
    assert answer.stderr.count("A: a.1 is given as several runs") == 1
    assert "B: " not in answer.stderr


def test_the_test_counts_runs_and_segments(command: list[str]) -> None:
    options = ["--words", "own", "--test", "bootstrap", "--resamples", "200", "--format", "json"]
    (metric,) = call("compare", *command, *options).good().json["metrics"]
    (pair,) = metric["pairs"]
    shares = drawn_runs([3, 2], 200, 12345)
    counts = [draw_counts(key, 6)[0] for key in resample_keys(200, 12345).tolist()]
    a = resampled(["a.1", "a.2", "a.3"], shares[0], counts)
    b = resampled(["b.1", "b.2"], shares[1], counts)
    differences = np.subtract(b, a)
    real = fmean(fmean(FRS[run]) for run in ("b.1", "b.2"))
    real -= fmean(fmean(FRS[run]) for run in ("a.1", "a.2", "a.3"))
    assert pair["difference"] == pytest.approx(real)
    ends = [sorted(differences)[5], sorted(differences)[194]]
    assert [pair["low95"], pair["high95"]] == pytest.approx(ends)
    extreme = np.count_nonzero(np.abs(differences - differences.mean()) >= abs(real) - 1e-12)
    assert pair["p"] == pytest.approx((1 + extreme) / 201)
    assert [len(system["runs"]) for system in metric["systems"]] == [3, 2]


def test_pairs_of_runs_are_compared_on_common_words(command: list[str]) -> None:
    """b.2 lacks i: beside it the third line of A is j l k, three chunks of three words."""
    options = ["--test", "bootstrap", "--resamples", "50", "--format", "json"]
    (metric,) = call("compare", *command, *options).good().json["metrics"]
    (pair,) = metric["pairs"]
    differences = []
    for a in ("a.1", "a.2", "a.3"):
        beside = [*FRS[a][:2], 0, *FRS[a][3:]]
        differences += [fmean(FRS["b.1"]) - fmean(FRS[a]), fmean(FRS["b.2"]) - fmean(beside)]
    assert pair["difference"] == pytest.approx(fmean(differences))
    assert pair["common"] == pytest.approx((3 * 24 + 3 * 23) / (6 * 24))
    assert "|runs:3,2|words:common|" in metric["signature"]


def test_pairs_of_runs_without_common_words_are_left_out(
    files: dict[str, str], tmp_path: Path
) -> None:
    """The difference is that of the runs with words; without any there is none."""
    none = write(tmp_path, "none", "\n" * 6)
    common = [files["ref"], "-m", "frs", "--aligner", "exact", "--test", "bootstrap"]
    common += ["--format", "json"]

    def compared(*systems: str) -> tuple[dict[str, Any], str]:
        answer = call("compare", *common, "-i", *systems).good()
        return answer.json["metrics"][0]["pairs"][0], answer.stderr

    b = f"B={files['b.2']}"
    alone, _ = compared(f"A={files['a.1']}", b)
    pair, said = compared(f"A={none},{files['a.1']}", b)
    for name in ("difference", "low95", "high95", "p", "common"):
        assert pair[name] == pytest.approx(alone[name])
    assert "A and B: 1 of 2 pairs of runs without common words; order metrics leave it out" in said
    two, _ = compared(f"A={files['a.1']},{files['a.2']}", b)
    pair, said = compared(f"A={files['a.1']},{none},{files['a.2']}", f"{b},{none}")
    for name in ("difference", "low95", "high95", "p", "common"):
        assert pair[name] == pytest.approx(two[name])
    assert "A and B: 4 of 6 pairs of runs without common words" in said
    pair, said = compared(f"A={none},{none}", b)
    assert pair["difference"] is None
    assert pair["p"] is None
    assert "pairs of runs without" not in said


def test_runs_may_share_words_with_some_runs_of_the_other_alone(tmp_path: Path) -> None:
    """Each run of A has the words of one run of B: the difference is the mean of two of four."""
    reference = write(tmp_path, "ref", "a b c d\ne f g h\n")
    texts = {"1": "b a c d\n\n", "2": "\nf e h g\n", "3": "a b c d\n\n", "4": "\nf e g h\n"}
    one, two, three, four = (write(tmp_path, name, text) for name, text in texts.items())
    options = ["-m", "frs", "--aligner", "exact", "--format", "json"]

    def compared(a: str, b: str) -> tuple[dict[str, Any], str]:
        answer = call("compare", reference, "-i", f"A={a}", f"B={b}", *options).good()
        return answer.json["metrics"][0]["pairs"][0], answer.stderr

    pair, said = compared(f"{one},{two}", f"{three},{four}")
    assert "A and B: 2 of 4 pairs of runs without common words; order metrics leave them" in said
    apart = [compared(*each)[0]["difference"] for each in ((one, three), (two, four))]
    assert pair["difference"] == pytest.approx(fmean(apart))
    assert pair["low95"] <= pair["difference"] <= pair["high95"]


def test_runs_that_are_the_same_add_nothing(files: dict[str, str]) -> None:
    common = [files["ref"], "-m", "frs,bleu", "--aligner", "exact", "--test", "bootstrap"]
    common += ["--format", "json"]
    single = [f"{name}={files[path]}" for name, path in (("A", "a.1"), ("B", "b.2"))]
    double = [f"{each},{each[2:]}" for each in single]
    plain = call("compare", *common, "-i", *single).good().json["metrics"]
    twice = call("compare", *common, "-i", *double).good().json["metrics"]
    for one, two in zip(plain, twice, strict=True):
        for name in ("difference", "p", "low95", "high95", "common"):
            assert two["pairs"][0][name] == pytest.approx(one["pairs"][0][name])


def test_few_segments_take_the_more_careful_test(command: list[str]) -> None:
    """p is at least the share of the 64 ways to swap that are as extreme as the outputs."""
    (metric,) = (
        call("compare", *command, "--words", "own", "--format", "json").good().json["metrics"]
    )
    a = [fmean(FRS[f"a.{run}"][i] for run in (1, 2, 3)) for i in range(6)]
    b = [fmean(FRS[f"b.{run}"][i] for run in (1, 2)) for i in range(6)]
    gains = [Fraction(y - x).limit_denominator(1000) for x, y in zip(a, b, strict=True)]
    ways = [
        abs(sum((gain * (1 - 2 * (way >> i & 1)) for i, gain in enumerate(gains)), Fraction()))
        for way in range(64)
    ]
    share = sum(way >= ways[0] for way in ways) / 64
    assert metric["pairs"][0]["p"] >= share


def test_a_file_with_a_comma_is_one_file(files: dict[str, str], tmp_path: Path) -> None:
    whole = write(tmp_path, "x,y", lines(RUNS["a.1"]))
    answer = call(
        "score", files["ref"], "-i", f"A={whole}", "-m", "bleu", "--format", "json"
    ).good()
    assert answer.json["systems"][0]["scores"][0]["runs"] is None


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_runs_are_columns_of_one_table(tmp_path: Path, kind: str) -> None:
    """A column whose name has the comma is one system."""

    def table(name: str, header: list[str]) -> str:
        columns = [REFERENCE, RUNS["a.1"], RUNS["a.2"]]
        rows = [dict(zip(header, row, strict=True)) for row in zip(*columns, strict=True)]
        if kind == "jsonl":
            return write(tmp_path, f"{name}.jsonl", lines([json.dumps(row) for row in rows]))
        quoted = [
            ",".join(f'"{cell}"' for cell in row) for row in (header, *map(dict.values, rows))
        ]
        return write(tmp_path, f"{name}.csv", lines(quoted))

    def scored(path: str, system: str) -> Any:
        command = ["score", f"{path}#ref", "-i", system, "-m", "frs", "--aligner", "exact"]
        return call(*command, "--format", "json").good().json["systems"][0]["scores"][0]

    path = table("t", ["ref", "A", "B"])
    expected = [fmean(FRS["a.1"]), fmean(FRS["a.2"])]
    assert scored(path, f"X={path}#A,{path}#B")["runs"] == pytest.approx(expected)
    plain = write(tmp_path, "plain", lines(RUNS["a.2"]))
    assert scored(path, f"X={path}#A,{plain}")["runs"] == pytest.approx(expected)
    whole = table("u", ["ref", "A,B", f"A,{path}#B"])
    for column, value in zip(("A,B", f"A,{path}#B"), expected, strict=True):
        one = scored(whole, f"X={whole}#{column}")
        assert one["value"] == pytest.approx(value)
        assert one["runs"] is None
    wrong = call("score", f"{path}#ref", "-i", f"X={path}#A,B", "-m", "frs")
    wrong.refused(1, "no column 'A,B'")


@pytest.mark.parametrize(
    ("verb", "system", "options", "status", "said"),
    [
        ("score", "{a.1},{a.2}", [], 2, "several runs of a system are NAME=FILE,FILE"),
        ("score", "A={a.1},,{a.2}", [], 2, "a run has no name; expected NAME=FILE,FILE"),
        ("score", "A={a.1},{a.2}x", [], 1, "a.2x: "),
        ("score", "A={a.1},{a.2}", ["-i", "A (run 2)={a.1}"], 2, "name of a run of another"),
        ("score", "A={a.1},{a.2}", ["--engine", "local"], 2, "without --engine"),
        ("analyze", "A={a.1},{a.2}", [], 2, "several runs of a system are for"),
        ("score", "A={a.1},{a.2}", ["--figures", "figures"], 2, "--figures is for single runs"),
        ("compare", "A={a.1},{a.2}", ["--test", "randomization"], 2, "would not count runs"),
    ],
)
def test_refused_runs(
    files: dict[str, str], verb: str, system: str, options: list[str], status: int, said: str
) -> None:
    for name, path in files.items():
        system = system.replace(f"{{{name}}}", path)
        options = [option.replace(f"{{{name}}}", path) for option in options]
    systems = [system, f"B={files['b.1']}"]
    call(verb, files["ref"], "-i", *systems, "-m", "frs", *options).refused(status, said)


def test_a_single_run_is_noted(files: dict[str, str]) -> None:
    systems = [f"A={files['a.1']},{files['a.2']}", f"B={files['b.1']}"]
    answer = call("compare", files["ref"], "-i", *systems, "-m", "bleu").good()
    assert "a single run of B: intervals and tests do not count its spread" in answer.stderr


def test_runs_in_python(files: dict[str, str]) -> None:
    expected = [fmean(FRS[run]) for run in ("a.1", "a.2", "a.3")]
    texts = [RUNS["a.1"], RUNS["a.2"], RUNS["a.3"]]
    paths = [Path(files[name]) for name in ("a.1", "a.2", "a.3")]
    words = [[line.split() for line in run] for run in texts]
    for runs, reference in (
        (texts, REFERENCE),
        (paths, files["ref"]),
        (texts, files["ref"]),
        (words, [line.split() for line in REFERENCE]),
    ):
        found = wo.score({"A": runs}, reference, "frs", aligner="exact")
        assert found.to_dict()["systems"][0]["scores"][0]["runs"] == pytest.approx(expected)
    with noted("6 segments: intervals and tests of so few"):
        compared = wo.compare({"A": texts, "B": texts[:2]}, REFERENCE, "frs", aligner="exact")
    assert len(compared.to_dict()["metrics"][0]["systems"][0]["runs"]) == 3
    # Lists of words stay lists of words.
    alone = wo.score({"A": words[0]}, [line.split() for line in REFERENCE], "frs", aligner="exact")
    assert alone.values()["A"]["frs"] == pytest.approx(expected[0])
    with pytest.raises(UsageError, match="several runs of a system are for score"):
        wo.analyze({"A": texts, "B": RUNS["b.1"]}, REFERENCE)


def test_one_run_in_python_is_the_system(files: dict[str, str]) -> None:
    text = RUNS["a.1"]
    words = [line.split() for line in text]
    path = Path(files["a.1"])
    for runs, reference in (
        ([text], REFERENCE),
        ([path], files["ref"]),
        ([path], REFERENCE),
        ([text], files["ref"]),
        ([words], [line.split() for line in REFERENCE]),
    ):
        found = wo.score({"A": runs}, reference, "frs", aligner="exact")
        assert found.values()["A"]["frs"] == pytest.approx(fmean(FRS["a.1"]))
        assert found.to_dict()["systems"][0]["scores"][0]["runs"] is None
    # A list of one list of words is one segment, whatever is wrong with the words.
    with pytest.raises(InputError, match="strings without blanks"):
        wo.score({"A": [["a b"]]}, [["a b"]], "frs", aligner="exact")
    with pytest.raises(UsageError, match="two systems are called '1'"):
        wo.score({1: [text], "1": [text]}, REFERENCE)  # type: ignore[dict-item]


def test_names_and_kinds_of_runs_in_python(files: dict[str, str]) -> None:
    a, b = RUNS["a.1"], RUNS["a.2"]
    with pytest.raises(UsageError, match=r"the name of a run of another: 'A \(run 2\)'"):
        wo.score({"A": [a, b], "A (run 2)": a}, REFERENCE)
    mixed: list[list[Any]] = [[a, Path(files["a.2"])], [Path(files["a.2"]), a]]
    for runs in mixed:
        with pytest.raises(InputError, match="both paths and texts; expected paths alone"):
            wo.score({"A": runs}, REFERENCE)


def test_a_run_without_a_value_has_an_empty_cell(tmp_path: Path) -> None:
    one = write(tmp_path, "one.orders", "0\n0\n")
    command = [one, "-i", f"A={one},{one}", "-m", "frs,kendall", "-O", "kendall.degenerate=skip"]
    shown = [line.split() for line in call("score", *command).good().text.splitlines()]
    assert ["A", "frs", "0.0000", "1.0000", "1.0000"] in shown
    assert ["A", "kendall"] in shown


def test_lists_of_words_are_no_runs() -> None:
    """As many words as there are segments: they were read as runs of one-word lines."""
    words = {"A": [["a", "b"], ["d", "e"]]}
    with pytest.raises(InputError, match="references, entry 1: 'a b'; expected a list of words"):
        wo.score(words, ["a b", "d e"], "bleu")
    found = wo.score({"A": [["東京", "京都"], ["東京", "大阪"]]}, ["東京", "京都"], "cder")
    # Two of the four characters of the second run.
    assert found.to_columns()["value"] == [0.25]


@pytest.mark.parametrize("call_", ["score", "corpus_score"])
def test_references_that_look_like_the_words_of_one(call_: str) -> None:
    with any_notes() as found:
        for references in ([["a", "b", "c"]], [["a b", "c"]], [["abc"]]):
            if call_ == "score":
                wo.score({"A": ["a b c"]}, references, "cder")
            else:
                wo.metric("cder").corpus_score(["a b c"], references)
    said = [text for text in found if "single words" in text]
    assert len(said) == 1
    assert "several references of a segment, here up to 3" in said[0]
