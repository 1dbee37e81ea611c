"""Evaluation sets: the folders of mt-metrics-eval, TOML files and long tables."""

import csv
import gzip
import json
import math
from pathlib import Path

import numpy as np
import pytest
from tests.notes import noted
from tests.refusing import refuses

from wordorder.errors import InputError, UsageError
from wordorder.judgement import agreement
from wordorder.judgement.evaluation_set import EvaluationSet
from wordorder.judgement.long_table import read_long_table
from wordorder.judgement.meta_evaluation import computed_scores
from wordorder.judgement.score_table import ScoreTable, read_scores, write_scores
from wordorder.judgement.set_files import read_evaluation_sets
from wordorder.judgement.set_parts import read_documents
from wordorder.samples import sample_path
from wordorder.scoring.scores import score_files as score

NAN = math.nan


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def _folder(folder: Path) -> Path:
    """Lay out a test set as the README of mt-metrics-eval says."""
    _write(folder / "sources/en-de.txt", "s1\ns2\ns3\n")
    _write(folder / "references/en-de.refA.txt", "r1\nr2\nr3\n")
    _write(folder / "references/en-de.refB.txt", "q1\nq2\nq3\n")
    _write(folder / "documents/en-de.docs", "news\td1\nnews\td1\nchat\td2\n")
    for name in ("sysA", "sys.B", "refA"):
        _write(folder / f"system-outputs/en-de/{name}.txt", "o1\no2\no3\n")
    human = folder / "human-scores"
    _write(human / "en-de.mqm.seg.score", "sysA\t-1\nsysA\tNone\nsysA\t-2.5\n" + "sys.B None\n" * 3)
    _write(human / "en-de.mqm.sys.score", "sysA\t-1.75\nsys.B\tNone\n")
    _write(human / "en-de.wmt-z.doc.score", "sys.B\t.5\nsys.B\t-1e-3\n")
    _write(human / "en-de.mqm.domain.score", "news\tsysA\t-1\n")
    scores = folder / "metric-scores/en-de"
    _write(scores / "BLEU-refA.sys.score", "sysA\t30\nsys.B\t20\n")
    _write(scores / "COMET-22-refA.seg.score", "sysA\t1\n" * 3 + "sys.B\t.5\n" * 3)
    return folder


def _same(a: ScoreTable, b: ScoreTable) -> None:
    assert a.systems == b.systems
    for name in ("segments", "whole", "documents"):
        x, y = getattr(a, name), getattr(b, name)
        assert (x is None) == (y is None), name
        if x is not None:
            np.testing.assert_array_equal(x, y)


def test_a_folder_of_mt_metrics_eval_is_read(tmp_path: Path) -> None:
    with noted(r"left out 1 file .*: mqm\.domain\.score"):
        found = EvaluationSet.read(_folder(tmp_path / "wmt99"))
    assert found.name == "wmt99 en-de"
    assert found.language_pair == "en-de"
    assert found.segments == 3
    assert set(found.systems) == {"sysA", "sys.B", "refA"}
    assert set(found.references) == {"refA", "refB"}
    assert found.human_translations == ("refA",)
    assert found.document_names == ("d1", "d2")
    assert found.document_of.tolist() == [0, 0, 1]
    assert found.domains == ["news", "news", "chat"]
    mqm = found.human["mqm"].of_systems(["sysA", "sys.B"])
    np.testing.assert_array_equal(mqm.segments, [[-1, NAN, -2.5], [NAN] * 3])
    np.testing.assert_array_equal(mqm.system_scores(), [-1.75, NAN])
    z = found.human["wmt-z"].of_systems(["sys.B"])
    np.testing.assert_array_equal(z.document_scores(found.document_of), [[0.5, -0.001]])
    assert set(found.metrics) == {"BLEU-refA", "COMET-22-refA"}
    bleu = found.metrics["BLEU-refA"].of_systems(["sysA", "sys.B"])
    assert bleu.system_scores().tolist() == [30, 20]
    assert np.isnan(bleu.segments).all()
    refuses(UsageError, "there are mqm and wmt-z; choose one with human=", found.human_scores)
    refuses(UsageError, "did you mean 'mqm'", found.human_scores, "mqn")


@pytest.mark.allow_notes("left out 1 file")
def test_what_is_written_reads_back(tmp_path: Path) -> None:
    first = EvaluationSet.read(_folder(tmp_path / "wmt99"))
    first.write(tmp_path / "copy/wmt99")
    again = EvaluationSet.read(tmp_path / "copy/wmt99")
    assert (again.name, again.segments) == (first.name, first.segments)
    assert again.systems == first.systems
    assert (again.documents, again.domains) == (first.documents, first.domains)
    for name in first.human:
        _same(again.human[name], first.human[name])
    for name in first.metrics:
        _same(again.metrics[name], first.metrics[name])
    for kind in ("references", "outputs"):
        for name, path in getattr(first, kind).items():
            assert Path(getattr(again, kind)[name]).read_text() == Path(path).read_text()


def test_metrics_without_a_reference_get_one_in_their_file_names(tmp_path: Path) -> None:
    table = ScoreTable("frs", ("A",), np.array([[0.5, NAN]]))
    given = EvaluationSet("t", ("A",), 2, "en-de", metrics={"frs": table})
    with noted(r"frs: 1 segment score missing \(None\), which mt-"):
        given.write(tmp_path)
    assert (tmp_path / "documents/en-de.docs").read_text() == "all\tall\n" * 2
    written = tmp_path / "metric-scores/en-de/frs-src.seg.score"
    assert written.read_text() == "A\t0.5\nA\tNone\n"
    blank = EvaluationSet("t", ("A B",), 2, "en-de")
    refuses(UsageError, "system 'A B': no blank", blank.write, tmp_path)
    refuses(UsageError, "names no language pair", EvaluationSet("t", (), 0).write, tmp_path)


@pytest.mark.allow_notes("left out 1 file")
def test_several_language_pairs_are_several_sets(tmp_path: Path) -> None:
    folder = _folder(tmp_path / "wmt99")
    _write(folder / "sources/zh-en.txt", "x\n")
    _write(folder / "human-scores/zh-en.mqm.seg.score", "A\t1\nB\t2\n")
    assert [each.name for each in read_evaluation_sets(folder)] == ["wmt99 en-de", "wmt99 zh-en"]
    assert EvaluationSet.read(f"{folder}:zh-en").systems == ("A", "B")
    refuses(UsageError, "several language pairs, en-de, zh-en", EvaluationSet.read, folder)
    refuses(UsageError, "did you mean 'zh-en'", EvaluationSet.read, f"{folder}:zh-enn")


@pytest.mark.allow_notes("left out 1 file")
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("sysA 2", r": 2 scores of sysA; expected 3: one per"),
        ("sysA two", r":2: score 'two'; expected a number, at most 1e.100 from 0, or None"),
        ("sysA", r":2: 'sysA'; expected a system and its"),
        ("sysA inf", r":2: score 'inf'"),
        ("sysA nan", r":2: score 'nan'; expected a number, at most"),
    ],
)
def test_wrong_scores_are_named(line: str, message: str, tmp_path: Path) -> None:
    folder = _folder(tmp_path / "wmt99")
    _write(folder / "human-scores/en-de.mqm.seg.score", f"sysA 1\n{line}\n")
    refuses(InputError, rf"mqm\.seg\.score{message}", EvaluationSet.read, folder)


def test_scores_keep_every_digit(tmp_path: Path) -> None:
    values = {"A": [0.1 + 0.2, NAN, -1e-300], "B C": [1 / 3, 0.0, 5.0]}
    write_scores(tmp_path / "a.seg.score.gz", values)
    again = read_scores(tmp_path / "a.seg.score.gz")
    assert list(again) == ["A", "B C"]
    for system, row in values.items():
        np.testing.assert_array_equal(again[system], row)


def _toml(folder: Path, text: str) -> Path:
    for name in ("A", "B"):
        _write(folder / f"out/{name}.1.txt", "one\ntwo\n")
    _write(folder / "ref.txt", "one\ntwo\n")
    _write(folder / "h.txt", "A 1\nA None\nB 3\nB 4\n")
    _write(folder / "s.txt", "A 1\nB 3\n")
    _write(folder / "p.tsv", "segment\tbetter\tworse\n1\tA\tB\n2\tB\tA\n")
    return _write(folder / "set.toml", text)


def test_a_toml_file_names_plain_files(tmp_path: Path) -> None:
    path = _toml(
        tmp_path / "my-set",
        '[set]\nreferences = ["ref.txt"]\noutputs = "out/*.1.txt"\nrankings = "p.tsv"\n'
        'segment_scores = { mqm = "h.txt" }\nmetric_system_scores = { COMET = "s.txt" }\n',
    )
    found = EvaluationSet.read(path)
    assert found.name == "my-set"
    assert found.systems == ("A", "B")
    assert set(found.references) == {"ref"}
    np.testing.assert_array_equal(found.human["mqm"].segments, [[1, NAN], [3, 4]])
    assert found.metrics["COMET"].system_scores().tolist() == [1, 3]
    assert found.rankings is not None
    assert len(found.rankings) == 2
    assert EvaluationSet.read(path.parent).name == "my-set"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("refernces = []", r"set\.toml:2: unknown key 'refernces' \(did you mean 'references'"),
        ("source = 3", r"set\.toml:2: source = 3; expected a text in quotes"),
        ("outputs = 'out/*/*.txt'", r"set\.toml:2: outputs = .*; expected a table of systems"),
        ("outputs = 'no/*.txt'", r"set\.toml:2: no file matches no/\*\.txt"),
        ("source = 'none.txt'", r"set\.toml:2: source: no file .*none\.txt"),
        ("segment_scores = 'h.txt'", r"set\.toml:2: segment_scores = h\.txt; expected a table"),
        ("rankings = 7", r"set\.toml:2: rankings = 7; expected a file, or a list"),
        ("segment_scores = { a = 'p.tsv' }", r"p\.tsv: rankings or pairs; expected ratings"),
        ("rankings = 'h.txt'", r"h\.txt: the header is"),
        ("system_scores = { a = 'h.txt' }", r"h\.txt: 2 scores of A; expected 1: one per system"),
    ],
)
def test_what_is_wrong_in_a_toml_file_is_named(tmp_path: Path, line: str, message: str) -> None:
    refuses(InputError, message, EvaluationSet.read, _toml(tmp_path, f"[set]\n{line}\n"))


def test_a_toml_file_without_a_set_or_without_its_documents(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"unknown key 'sets' \(did you mean 'set'"):
        EvaluationSet.read(_toml(tmp_path, "[sets]\nname = 'a'\n"))
    refuses(InputError, r"no table \[set\]", EvaluationSet.read, _toml(tmp_path, ""))
    _write(tmp_path / "doc.score", "A 1\nA 2\n")
    with pytest.raises(InputError, match=r"does not say which segments form a document; expected"):
        EvaluationSet.read(_toml(tmp_path, '[set]\ndocument_scores = { z = "doc.score" }\n'))


@pytest.mark.allow_notes("1 item")
def test_an_output_that_systems_share_has_one_name_in_all_files(tmp_path: Path) -> None:
    header = "ranking\tsegment\tjudge\tsystems\trank\n"
    _write(tmp_path / "1.tsv", header + "1\t1\tx\tA,B\t1\n1\t1\tx\tC\t2\n")
    _write(tmp_path / "2.tsv", header + "1\t1\ty\tC\t2\n1\t1\ty\tB,A\t1\n")
    found = EvaluationSet.read(_toml(tmp_path, '[set]\nrankings = ["1.tsv", "2.tsv"]\n')).rankings
    assert found is not None
    assert found.shared == {(0, 0): (1,)}
    kappa = agreement(found, resamples=2).measures[0]
    assert (kappa.n, kappa.observed) == (1, 1)
    assert found.expanded().wins().tolist() == [[0, 0, 2], [0, 0, 2], [0, 0, 0]]


def test_judgements_beyond_the_text_are_refused(tmp_path: Path) -> None:
    path = _toml(tmp_path, "[set]\noutputs = 'out/*.1.txt'\nrankings = 'p.tsv'\n")
    _write(tmp_path / "p.tsv", "segment\tbetter\tworse\n3\tA\tB\n")
    with pytest.raises(InputError, match=r"p\.tsv: a judgement of segment 3; expected segments 1"):
        EvaluationSet.read(path)
    _write(tmp_path / "p.tsv", "segment\tbetter\tworse\nx\tA\tB\n")
    with pytest.raises(InputError, match=r"p\.tsv: segment 'x'; expected the number of a line"):
        EvaluationSet.read(path)


def test_ratings_become_the_mean_of_the_raters(tmp_path: Path) -> None:
    path = _toml(tmp_path, "[set]\noutputs = 'out/*.1.txt'\nsegment_scores = { a = 'r.tsv' }\n")
    _write(
        tmp_path / "r.tsv",
        "rater\titem\tsystem\tvalue\ttime\nx\t2\tA\t3\t\ny\t2\tA\t4\t\nx\t1\tB\t1\t\n",
    )
    found = EvaluationSet.read(path)
    np.testing.assert_array_equal(found.human["a"].segments, [[NAN, 3.5], [1, NAN]])


def test_a_long_table_is_a_set(tmp_path: Path) -> None:
    rows = (
        "metric,system,value,segment\nbleu,A,.5,s1\nda,A,70,s1\nbleu,A,.25,\nda,B,,s1\nda,B,3,s2\n"
    )
    path = tmp_path / "all.csv.gz"
    with gzip.open(path, "wt") as stream:
        stream.write(rows)
    found = EvaluationSet.read(path, human="da")
    assert (found.name, found.segments, found.systems) == ("all", 2, ("A", "B"))
    assert found.segment_names == ("s1", "s2")
    np.testing.assert_array_equal(found.human["da"].segments, [[70, NAN], [NAN, 3]])
    np.testing.assert_array_equal(found.metrics["bleu"].system_scores(), [0.25, NAN])
    with pytest.raises(UsageError, match=r"human=NAME says which metric is human: bleu, da"):
        EvaluationSet.read(path)
    with pytest.raises(UsageError, match="unknown metric in .* 'blue'.*did you mean 'bleu'"):
        EvaluationSet.read(path, human="blue")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("system\tmetric\n", "no column value in 'system metric'; expected the columns"),
        ("system\tmetric\tvalue\tsegment\nA\tm\tx\t1\n", ":2: value is 'x'; expected a number"),
        ("system\tmetric\tvalue\nA\tm\t1\nA\tm\t1\n", ":3: m of A is given twice"),
        ("system\tmetric\tvalue\tsegment\nA\tm\t1\t7\nA\tm\t1\t7\n", ":3: m of A on segment 7"),
        ("system\tmetric\tvalue\n", "no scores"),
        ("", "an empty file"),
    ],
)
def test_what_is_wrong_in_a_long_table_is_named(tmp_path: Path, text: str, message: str) -> None:
    refuses(InputError, message, read_long_table, _write(tmp_path / "all.tsv", text))


def test_other_folders_are_refused_and_other_columns_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"of mt-metrics-eval .*, set\.toml in it, or parts"):
        read_evaluation_sets(tmp_path)
    refuses(InputError, "no such folder", read_evaluation_sets, tmp_path / "none:en-de")
    path = _write(tmp_path / "a.tsv", "system\tmetric\tvalue\trater\nA\tm\t1\tx\n")
    with noted("columns that are not read: rater"):
        read_long_table(path)


@pytest.mark.allow_notes(".*the word orders leave out")
def test_our_metrics_score_the_outputs_as_score_does() -> None:
    given = EvaluationSet.read(sample_path("judged.toml", "judged"))
    found = computed_scores(given, "ter,kendall,senscore", aligner="exact+stem")
    assert [table.name for table in found.tables] == ["ter", "kendall", "senscore"]
    assert [table.higher_is_better for table in found.tables] == [False, True, True]
    plain = score(
        dict(given.outputs),
        given.references["ref"],
        "ter,kendall,senscore",
        segments=True,
        aligner="exact+stem",
    )
    assert plain.segments is not None
    for m, table in enumerate(found.tables):
        for s, system in enumerate(table.systems):
            assert table.system_scores()[s] == plain.values()[system][table.name]
            scored = ~np.isnan(table.segments[s])
            np.testing.assert_array_equal(table.segments[s][scored], plain.segments[s, m][scored])
            assert not plain.segments[s, m][~scored].any()
        turned = table.better_higher()
        sign = 1 if table.higher_is_better else -1
        np.testing.assert_array_equal(turned.system_scores(), sign * table.system_scores())
        assert turned.measurement is not None
        np.testing.assert_allclose(turned.measurement.values(), turned.system_scores())


def test_a_bilingual_aligner_reads_the_source_of_the_set() -> None:
    given = EvaluationSet.read(sample_path("judged.toml", "judged"))
    (table,) = computed_scores(given, "lr-kb1", aligner="ibm1").tables
    plain = score(
        dict(given.outputs), given.references["ref"], "lr-kb1", source=given.source, aligner="ibm1"
    )
    assert dict(zip(table.systems, table.system_scores(), strict=True)) == {
        name: values["lr-kb1"] for name, values in plain.values().items()
    }


def test_document_scores_of_a_metric_are_of_its_summed_statistics() -> None:
    given = EvaluationSet.read(sample_path("judged.toml", "judged"))
    (bleu,) = computed_scores(given, "bleu", systems=["alder", "hazel"]).tables
    document_of = np.repeat([0, 1], [10, 30])
    found = bleu.document_scores(document_of)
    assert bleu.measurement is not None
    rows = bleu.measurement.statistics
    assert found[1, 0] == bleu.measurement.scores(rows[1, :10].sum(axis=0))
    (mean,) = [ScoreTable("m", ("A",), np.array([[1.0, NAN, 3.0, NAN]]))]
    np.testing.assert_array_equal(mean.document_scores(np.array([0, 0, 1, 2])), [[1, 3, NAN]])


LONG = [
    {"system": system, "segment": segment, "metric": metric, "value": value}
    for system, segment, metric, value in [
        *(("A", "1", "human", -1.5), ("A", "2", "human", 0), ("B", "1", "human", -2)),
        *(("B", "2", "human", None), ("A", None, "x, y", 0.25), ("B", None, "x, y", 1e-7)),
    ]
]


@pytest.mark.parametrize(
    "name", ["a.parquet", "a.jsonl", "parts.parquet", "parts.jsonl", "parts.csv", "parts.tsv"]
)
def test_a_long_table_of_any_format_and_in_parts(tmp_path: Path, name: str) -> None:
    """The same set as from one file of text, from a folder and from a glob."""
    import pyarrow as pa
    from pyarrow import parquet

    text = "system\tsegment\tmetric\tvalue\n"
    text += "".join("\t".join("" if c is None else str(c) for c in r.values()) + "\n" for r in LONG)
    plain = tmp_path / "plain.tsv"
    plain.write_text(text)
    stem, suffix = name.split(".")
    folder = tmp_path / "parts"
    folder.mkdir()
    parts = [LONG] if stem == "a" else [LONG[:2], LONG[2:]]
    for number, rows in enumerate(parts):
        path = folder / f"part.{number}.{suffix}"
        if suffix == "parquet":
            schema = pa.schema([(key, pa.string()) for key in ("system", "segment", "metric")])
            table = pa.Table.from_pylist(rows, schema.append(pa.field("value", pa.float64())))
            parquet.write_table(table, path)
        elif suffix == "jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        else:
            with path.open("w", newline="") as file:
                writer = csv.DictWriter(
                    file, list(LONG[0]), delimiter="," if suffix == "csv" else "\t"
                )
                writer.writeheader()
                writer.writerows(rows)
    given = [str(folder / f"part.0.{suffix}")] if stem == "a" else []
    for form in (*given, str(folder), f"{folder}/part.*"):
        read, expected = read_long_table(form), read_long_table(plain)
        assert (read.systems, read.segments) == (expected.systems, expected.segments)
        assert list(read.tables) == list(expected.tables) == ["human", "x, y"]
        for metric, table in expected.tables.items():
            assert np.array_equal(read.tables[metric].segments, table.segments, equal_nan=True)
            found, whole = read.tables[metric].whole, table.whole
            assert (found is None) == (whole is None)
            assert whole is None or found is None or found.tolist() == whole.tolist()
    assert [each.systems for each in read_evaluation_sets(str(folder))] == [("A", "B")]


def test_faults_of_a_long_table_in_parts_name_the_part(tmp_path: Path) -> None:
    rows = [json.dumps(row) + "\n" for row in LONG]
    (tmp_path / "part.0.jsonl").write_text("".join(rows))
    bad = tmp_path / "part.1.jsonl"
    for text, said in (
        ('{"system": "A", "metric": "m", "value": "x"}\n', r"part\.1\.jsonl:1: value is 'x'"),
        (
            f'{{"system": "A", "metric": "m"}}\n{rows[0]}',
            r"part\.1\.jsonl:2: human of A on se.*twice",
        ),
        ('{"system": "A", "rater": 1}\n', r"part\.1\.jsonl:1: the columns system rater; exp"),
        ("[]\n", r"part\.1\.jsonl:1: \[\]; expected a JSON object"),
    ):
        bad.write_text(text)
        refuses(InputError, said, read_long_table, str(tmp_path))


def test_documents_may_have_a_header(tmp_path: Path) -> None:
    path = tmp_path / "documents.tsv"
    path.write_text("domain\tdocument\nnews\ta\nnews\tb\n")
    assert read_documents(path, 2) == (["news", "news"], ["a", "b"])
    path.write_text("Document\na\nb\n")
    assert read_documents(path, 2) == (None, ["a", "b"])
    # A document may be called so, and other headers are lines too many.
    path.write_text("document\nb\n")
    assert read_documents(path, 2) == (None, ["document", "b"])
    path.write_text("name\na\nb\n")
    refuses(InputError, "3 lines; expected 2: one per segment", read_documents, path, 2)


def test_a_folder_of_other_tables_is_no_evaluation_set(tmp_path: Path) -> None:
    (tmp_path / "documents.tsv").write_text("domain\tdocument\nnews\ta\n")
    message = r"without an evaluation set: documents\.tsv has the columns domain document; expected"
    refuses(InputError, message, read_evaluation_sets, tmp_path)
