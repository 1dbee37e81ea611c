"""The public functions that take files give the numbers of the command line, as columns too."""

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.running import ALIGNMENTS, REFERENCE, SOURCE, SYSTEMS, TARGET, TREES, call, write
from tests.notes import noted
from tests.refusing import refuses

from wordorder.errors import InputError, UsageError
from wordorder.metrics.registry import metric
from wordorder.report.compat import compat_output
from wordorder.samples import sample_path
from wordorder.scoring import compat_scores
from wordorder.scoring.comparisons import compare_files as compare
from wordorder.scoring.result_records import comparison_table, score_table
from wordorder.scoring.scores import score_files as score
from wordorder.segments import Segments

pytestmark = pytest.mark.allow_notes

LINKS = {"source": SOURCE, "hypothesis_alignments": ALIGNMENTS, "reference_alignments": ALIGNMENTS}
# Of each kind of input: reference, systems, metrics, options as arguments and on the command line.
KINDS: dict[str, tuple[str, list[str], str, dict[str, Any], list[str]]] = {
    "orders": (REFERENCE, SYSTEMS, "frs,0.5*kendall+0.5*ulam", {}, []),
    "text": (
        TARGET,
        [SOURCE, f"same={TARGET}"],
        "cder,bleu,nist",
        {"tokenizer": "13a", "lowercase": True},
        ["--tokenizer", "13a", "--lowercase"],
    ),
    "aligned text": (
        TARGET,
        [TARGET],
        "frs,lrscore",
        LINKS | {"links": "sure"},
        [
            *("--source", SOURCE, "--hypothesis-alignments", ALIGNMENTS),
            *("--reference-alignments", ALIGNMENTS, "-O", "links=sure"),
        ],
    ),
    "alignments": (ALIGNMENTS, [ALIGNMENTS], "", {}, []),
    "trees": (TREES, [TREES], "uas,upos", {}, []),
}
EACH = pytest.mark.parametrize("kind", list(KINDS))


def without_notes(found: Any) -> Any:
    return {key: value for key, value in found.items() if key not in ("version", "notes")}


@EACH
def test_scores_are_those_of_the_command_line(kind: str) -> None:
    reference, systems, metrics, options, written = KINDS[kind]
    args = ["score", reference, "-i", *systems, *(["-m", metrics] if metrics else []), *written]
    args += ["--confidence", "--segments", "--resamples", "20", "--seed", "3", "--level", "0.9"]
    printed = call(*args, "--format", "json").good().json
    found = score(
        systems, reference, metrics, level=0.9, resamples=20, seed=3, segments=True, **options
    )
    shown = score_table(found.evaluation, found.estimates, found.metrics, found.segments).to_json()
    assert shown == without_notes(printed)
    assert {name: list(scores.values()) for name, scores in found.values().items()} == {
        system["system"]: [each["value"] for each in system["scores"]]
        for system in printed["systems"]
    }


@EACH
def test_comparisons_are_those_of_the_command_line(kind: str) -> None:
    reference, systems, metrics, options, written = KINDS[kind]
    args = ["compare", reference, "-i", *systems, *(["-m", metrics] if metrics else []), *written]
    printed = call(*args, "--resamples", "50", "--seed", "3", "--format", "json").good().json
    found = compare(systems, reference, metrics, resamples=50, seed=3, **options)
    shown = comparison_table(found.evaluation, found.comparisons, found.metrics).to_json()
    assert shown == without_notes(printed)


def test_figures_of_other_evaluators_are_those_of_the_command_line() -> None:
    args = ["score", ALIGNMENTS, "-i", "none", *SYSTEMS, "--compat", "lader", "--source", SOURCE]
    printed = call(*args, "--format", "json").good().json
    found = compat_scores("lader", ALIGNMENTS, ["none", *SYSTEMS], source=Path(SOURCE))
    assert compat_output(found, "lader", printed["tool"]).data() == without_notes(printed)


def test_scores_are_those_of_segments() -> None:
    (value,) = score(SYSTEMS[0], REFERENCE, "kendall").values()["unchanged"].values()
    segments = Segments.from_orders(SYSTEMS[0], REFERENCE)
    assert value == metric("kendall").corpus_score(segments).value
    found = score(SYSTEMS[:2], REFERENCE, "frs(degenerate=skip),kendall", segments=True)
    for m, metric_ in enumerate(found.metrics):
        scores = found.segment_scores(m)
        for s, system in enumerate(SYSTEMS[:2]):
            segments = Segments.from_orders(system, REFERENCE)
            expected = metric_.segment_scores(segments)
            missing = np.isnan(scores[s])
            shown = np.flatnonzero(missing).tolist()
            assert shown == np.flatnonzero(~metric_.statistics(segments).any(axis=1)).tolist()
            np.testing.assert_array_equal(scores[s][~missing], expected[~missing])
    refuses(UsageError, "segments=True", score(SYSTEMS[0], REFERENCE, "frs").segment_scores, 0)


def test_systems_come_by_name_by_path_and_as_one(tmp_path: Path) -> None:
    by_name = score({"a": Path(SYSTEMS[0]), "b": SYSTEMS[1]}, Path(REFERENCE), ["frs", "ulam"])
    written = score([f"a={SYSTEMS[0]}", f"b={SYSTEMS[1]}"], REFERENCE, "frs,ulam")
    assert by_name.values() == written.values()
    assert list(by_name.values()) == ["a", "b"]
    assert list(score(Path(SYSTEMS[0]), REFERENCE).values()) == ["unchanged"]
    refuses(UsageError, "there are no systems", score, [], REFERENCE)
    with pytest.raises(UsageError, match="two systems have the same name"):
        score([f"a={SYSTEMS[0]}", f"a={SYSTEMS[1]}"], REFERENCE)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tokeniser": "13a"}, "unknown option 'tokeniser' (did you mean 'tokenizer'?)"),
        ({"kind": "txt"}, "legal names: alignments, auto, conllu, orders, text"),
        ({"links": "some"}, 'links="some": expected all, sure, or the lowest score'),
        ({"lowercase": True}, "lowercase=True is for translations, but"),
        ({"references": TARGET}, "references= is for translations, but"),
        ({"resamples": 5}, "resamples= is for confidence="),
        ({"settings": ["x=1"]}, 'settings="x=1": none of the metrics frs has an option'),
    ],
)
def test_messages_name_arguments(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as error:
        score(SYSTEMS[0], REFERENCE, "frs", **options)
    assert message in str(error.value)
    assert "--" not in str(error.value)


def test_the_command_line_still_names_options_after_python_did() -> None:
    for _ in range(2):
        message = "^lowercase=True is for translations"
        refuses(UsageError, message, score, SYSTEMS[0], REFERENCE, lowercase=True)
        call("score", REFERENCE, "-i", SYSTEMS[0], "--lowercase").refused(2, "--lowercase is for")


def test_errors_name_the_line_and_notes_are_warnings(tmp_path: Path) -> None:
    short = write(tmp_path, "short.txt", "a b\n")
    long = write(tmp_path, "long.txt", "a b\nb a\n")
    refuses(InputError, "short.txt: 1 line, but .*long.txt has 2", score, long, short, "cder")
    with noted("^tokenizer= does not reach ter: "):
        score(long, long, "cder,ter", tokenizer="13a")
    empty = write(tmp_path, "empty.txt", "")
    with pytest.raises(InputError, match="empty.txt: no segments; expected at least one"):
        score(empty, empty, "cder")
    with pytest.raises(UsageError, match="wordorder score GOLD.conllu -i SYS.conllu -m uas,las"):
        score(TARGET, TARGET, "uas,cder")


# -- Results as columns, and the tables that libraries make of them.


TWO = [SYSTEMS[0], SYSTEMS[2]]


def cells(text: str) -> list[dict[str, str]]:
    """Return what TSV holds, row by row."""
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


def rows(columns: dict[str, list[Any]]) -> list[dict[str, str]]:
    """Return columns row by row, as TSV writes them."""
    found = zip(*columns.values(), strict=True)
    return [
        {name: "" if v is None else str(v) for name, v in zip(columns, row, strict=True)}
        for row in found
    ]


def test_scores_and_comparisons_are_those_of_tsv() -> None:
    found = score(TWO, REFERENCE, "frs,kendall", level=0.95, resamples=20)
    options = ["-m", "frs,kendall", "--confidence", "--resamples", "20", "--format", "tsv"]
    printed = cells(call("score", REFERENCE, "-i", *TWO, *options).good().text)
    shared = ["system", "metric", "value", "low", "high", "signature"]
    assert [{n: row[n] for n in shared} for row in rows(found.to_columns())] == [
        {n: row[n] for n in shared} for row in printed
    ]
    assert score(TWO, REFERENCE, "frs").to_columns()["low"] == [None, None]
    compared = compare(TWO, REFERENCE, "frs,kendall", resamples=20)
    options = ["-m", "frs,kendall", "--resamples", "20", "--format", "tsv"]
    printed = cells(call("compare", REFERENCE, "-i", *TWO, *options).good().text)
    # A leading sign is a formula to a spreadsheet: TSV puts an apostrophe before it.
    unmarked = [row | {"mark": row["mark"].lstrip("'")} for row in printed]
    assert rows(compared.to_columns()) == unmarked


def test_segments_one_a_row() -> None:
    found = score(TWO, REFERENCE, "frs,kendall", segments=True)
    columns = found.segment_columns()
    assert list(columns) == ["system", "metric", "segment", "value"]
    kept = (columns["system"] == "head-final") & (columns["metric"] == "kendall")
    assert np.array_equal(columns["segment"][kept], np.arange(1, 72 + 1))
    assert np.array_equal(columns["value"][kept], found.segment_scores(1)[1], equal_nan=True)
    refuses(UsageError, "segments=True", score(TWO, REFERENCE, "frs").segment_columns)
    one = metric("frs").corpus_score(Segments.from_orders([[0, 2, 1]], [[0, 1, 2]]))
    made = one.to_dict()
    assert (made["metric"], made["segments"], made["skipped"]) == ("frs", 1, 0)
    assert (made["value"], made["signature"]) == (one.value, str(one.signature))
    assert str(one) == f"{one.value:.4f} ({one.signature}, 1 segment)"


def test_grids_and_sections() -> None:
    from wordorder.analysis.files import analyze_files

    found = analyze_files(
        REFERENCE, trees=[TREES], gold_trees=TREES, rule_sets=["R1", "R5"], resamples=20
    )
    assert found.grid is not None
    columns = found.grid.to_columns()
    assert columns["rules"][:2] == ["R1", "R5"]
    assert len({len(column) for column in columns.values()}) == 1
    section = found.sections[0]
    assert list(zip(*section.to_columns().values(), strict=True)) == list(section.rows)


def test_libraries_take_columns() -> None:
    pa = pytest.importorskip("pyarrow")
    found = score(TWO, REFERENCE, "frs", segments=True)
    assert pa.table(found.to_columns()).num_rows == 2
    assert pa.table(found.segment_columns()).num_rows == 2 * 72
    scores = metric("frs").segment_scores(Segments.from_orders([[0, 2, 1]], [[0, 1, 2]]))
    # Without a copy: the column looks into the same memory.
    assert pa.array(scores).buffers()[1].address == scores.ctypes.data


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames(library: str) -> None:
    module = pytest.importorskip(library)
    found = score(TWO, REFERENCE, "frs,kendall", segments=True)
    frame = module.DataFrame(found.to_columns())
    assert frame.shape == (4, 9)
    assert module.DataFrame(found.segment_columns()).shape == (4 * 72, 4)


# -- Tables where a text is expected: the message names the verb that reads them.


RANK = "`wordorder rank` (--pairs tests the systems) and `wordorder agreement`"
VERBS = ("score", "compare", "analyze")


def judged(name: str) -> str:
    return str(sample_path(name, "judged"))


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    ("name", "held", "reader"),
    [
        ("ratings.tsv", "judgements (columns rater, item, system, value and time)", RANK),
        ("rankings.csv", "judgements (columns srclang, trglang, srcIndex, ", RANK),
        ("human.seg.score", "scores (a system and its score per line)", "`wordorder correlate`"),
    ],
)
def test_tables_of_the_sample_are_no_texts(verb: str, name: str, held: str, reader: str) -> None:
    """A table of ratings against itself was scored as a perfect translation."""
    path = judged(name)
    said = (f"{path} looks like a table of {held}", reader, "--input text")
    call(verb, path, "-i", path).refused(2, *said)


@pytest.mark.parametrize("verb", ["score", "compare"])
@pytest.mark.parametrize("more", [[], ["-m", "cder"], ["-r"]])
def test_a_table_among_the_systems_or_the_further_references(verb: str, more: list[str]) -> None:
    files = [judged("reference.en"), "-i", judged("elm.en")]
    table = ["-r", judged("ratings.tsv")] if more == ["-r"] else [judged("ratings.tsv"), *more]
    said = "ratings.tsv looks like a table of judgements"
    call(verb, *files, *table).refused(2, said)


def test_scores_of_this_program_are_no_text(tmp_path: Path) -> None:
    form = ("score", judged("reference.en"), "-i", judged("elm.en"), "--format", "tsv")
    table = write(tmp_path, "scores.tsv", call(*form).good().stdout)
    call("score", table, "-i", table).refused(2, "a table of scores", "`wordorder correlate`")
    path = write(tmp_path, "a.txt", "1\twe met\n2\tyes , we\n3\tno\n")
    answer = call("score", path, "-i", path, "-m", "cder").good()
    assert answer.stderr.count("looks like a table of 2 columns between tabs") == 1
    assert "looks" not in call("score", path, "-i", path, "-m", "cder", "--input", "text").stderr


@pytest.mark.parametrize("verb", VERBS)
def test_whoever_says_text_means_text(verb: str) -> None:
    path = judged("ratings.tsv")
    answer = call(verb, path, "-i", path, "--input", "text", "-m", "cder").good()
    assert "looks like" not in answer.stderr


@pytest.mark.parametrize(
    "text",
    [
        "a system , a score\nyes , no\n",
        "it 1\nis 2\nso 3\n",
        "one\tline\n",
        "a\tb\nc\n\nd\te\n",
        "score the system\nrank the item\n",
        'a "quote, b\nsystem, score\n',
        "\n\n",
        "It cost 1,000\nIt cost 2,000\n",
        "Hello, segment, value, what\nGood, morning, day, x\n",
    ],
)
def test_plain_text_is_no_table(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, "a.txt", text)
    assert "looks" not in call("score", path, "-i", path, "-m", "cder").good().stderr


@pytest.mark.parametrize("option", ["-i", "-r"])
def test_analyze_refuses_a_table_wherever_it_is_given(option: str) -> None:
    reference, table = judged("reference.en"), judged("ratings.tsv")
    systems = ["-i", judged("elm.en")] if option == "-r" else []
    call("analyze", reference, *systems, option, table).refused(2, "a table of judgements")
