"""``wordorder analyze`` of translations from the outside."""

from pathlib import Path

import pytest
from tests.cli.running import REFERENCE, SOURCE, SYSTEMS, call, write

ENGLISH = [
    "we met the old man on tuesday at six .",
    "the cats sat on the mat and looked at us .",
    "nobody had expected that it would rain so much in the summer .",
]
ONE = [
    "on tuesday at six we met the old man .",
    "the cats sat on the mat and they looked at us .",
    "nobody had expected that it would so much rain in the summer .",
]
TWO = [
    "we met the man on tuesday .",
    "the cat on the mat sat and at us looked .",
    "in the summer nobody had expected that it would rain so much .",
]
GERMAN = [
    "wir haben den alten mann am dienstag um sechs uhr im dorf getroffen .",
    "die katzen haben auf der matte gesessen und uns angesehen .",
    "niemand hatte erwartet , dass es im sommer so viel regnen würde .",
]
FAST = ("--resamples", "20")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    lines = {"ref": ENGLISH, "one": ONE, "two": TWO, "src": GERMAN}
    return {
        name: write(tmp_path, f"{name}.txt", "".join(f"{line}\n" for line in text))
        for name, text in lines.items()
    }


def _given(files: dict[str, str]) -> tuple[str, ...]:
    """Without tags and trees, which take time."""
    return (files["ref"], "-i", files["one"], files["two"], "--language", "other", *FAST)


def _keys(found: dict[str, list[dict[str, str]]]) -> set[str]:
    return {section["key"] for section in found["sections"]}


def test_reference_and_outputs_are_enough(files: dict[str, str]) -> None:
    given = (files["ref"], "-i", files["one"], files["two"], *FAST)
    answer = call("analyze", *given, "--tables").good()
    assert "--aligner exact+stem, the default" in answer.stderr
    assert "fuzzy reordering score (FRS)" in answer.text.split("\n\n")[0]
    for title in ("Systems", "Which differences are significant", "Worst sentences: one"):
        assert f"\n{title}\n=" in answer.text
    found = call("analyze", *given, "--format", "json").json
    assert found["sentences"] == 3
    assert found["language"] == "en"
    assert {"systems", "tests", "words-by-tag", "length-differences"} <= _keys(found)


def test_tsv_names_section_row_and_column(files: dict[str, str]) -> None:
    table = call("analyze", *_given(files), "--format", "tsv").good().text
    cells = [line.split("\t") for line in table.splitlines()]
    assert cells[0] == ["section", "row", "column", "value"]
    assert {len(cell) for cell in cells} == {4}


def test_values_are_those_of_score(files: dict[str, str]) -> None:
    found = call("analyze", *_given(files), "--format", "json").json
    (overview,) = (each for each in found["sections"] if each["key"] == "systems")
    values = {(row["metric"], row["system"]): row["value"] for row in overview["rows"]}
    options = ("--aligner", "exact", "--language", "other", "-m", "frs,kendall,cder,ter,bleu")
    scores = call("score", *_given(files)[:4], *options, "--format", "json").json
    shown = ("FRS", "Kendall's tau", "CDER", "TER", "BLEU")
    for system in scores["systems"]:
        for name, score in zip(shown, system["scores"], strict=True):
            assert values[name, system["system"]] == score["value"]


def test_links_show_what_the_pair_needs(files: dict[str, str]) -> None:
    linked = (*_given(files), "--source", files["src"], "--aligner", "agreement")
    found = call("analyze", *linked, "--format", "json").good().json
    assert {"needed-reordering", "literalness"} <= _keys(found)
    without = call("analyze", *_given(files), "--source", files["src"]).good()
    assert "--aligner agreement" in without.stderr
    assert "needs" not in without.text.split("Worst sentences")[0]


def test_a_report_is_written_beside(files: dict[str, str], tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    options = ("--html", page, "--sentence", "2", "-O", "title=A <b> title")
    answer = call("analyze", *_given(files), *options).good()
    html = page.read_text("utf-8")
    assert "A &lt;b&gt; title" in html
    assert "<svg" in html
    assert "--aligner exact, the default" in html
    said, path = answer.text.split("\n\nThe report, with all tables and sentences, is in\n")
    assert path == f"{page}\n"
    assert "\n\nFindings\n" in said
    assert said.split(" (95 %")[0].replace("\n", " ") in html
    for form in ("json", "tsv"):
        whole = call("analyze", *_given(files), "--sentence", "2", "--format", form).good().stdout
        assert call("analyze", *_given(files), *options, "--format", form).good().stdout == whole


def test_alignments_have_two_names(files: dict[str, str], tmp_path: Path) -> None:
    align = write(tmp_path, "a.align", "0-0\n" * 3)
    given = (*_given(files), "--source", files["src"], "--hypothesis-alignments", align, align)
    first = call("analyze", *given, "--reference-alignments", align).good()
    second = call("analyze", *given, "--reference-alignments", align).good()
    assert first.stdout == second.stdout


def test_input_is_told_or_named(files: dict[str, str], tmp_path: Path) -> None:
    orders = Path(REFERENCE).read_text()
    plain = write(tmp_path, "orders.txt", orders)
    same = (REFERENCE, "-i", SYSTEMS[2], "--source", SOURCE, *FAST)
    assert call("analyze", plain, *same[1:]).good().stdout == call("analyze", *same).good().stdout
    numbers = write(tmp_path, "numbers.txt", "1 0\n0 1\n2 1 0\n")
    text = call(
        "analyze", numbers, "-i", numbers, "--input", "text", "--language", "other", *FAST
    ).good()
    assert "fuzzy reordering score" in text.text
    half = write(tmp_path, "half.txt", "1 0\n0 1\n2 1 0\n0 1\n0 1\nwe met\n")
    call("analyze", half, "-i", half).refused(2, "looks like orders", "--input orders, or text")


def test_lines_are_counted(files: dict[str, str], tmp_path: Path) -> None:
    short = write(tmp_path, "short.txt", "we met\n")
    call("analyze", files["ref"], "-i", files["one"], short).refused(1, "short.txt", "1", "3")


def test_other_languages_have_no_tags(files: dict[str, str]) -> None:
    given = (files["src"], "-i", files["src"], *FAST)
    answer = call("analyze", *given, "-m", "frs", "--format", "json").good()
    assert "--language de: tags and trees are for English" in answer.stderr
    assert answer.json["language"] == "de"
    assert not {"words-by-tag"} & _keys(answer.json)
    piped = ("-", *given[1:], "--input", "text", "--format", "json")
    found = call("analyze", *piped, stdin=Path(files["src"]).read_bytes()).good()
    assert found.json["signatures"] == answer.json["signatures"] | found.json["signatures"]
    assert not {"words-by-tag"} & _keys(found.json)
    named = call("analyze", *given, "--language", "de", "--format", "json").good()
    assert "stems:de" in named.json["signatures"]["frs"]
    assert "tags" in named.stderr


def test_words_are_matched_whatever_the_metrics_read(files: dict[str, str]) -> None:
    given = (*_given(files), "-m", "cder", "--format", "json")
    exact = call("analyze", *given, "--aligner", "exact").good().json
    assert exact["signatures"].keys() == {"cder"}
    assert "moved-blocks" in _keys(exact)
    linked = call("analyze", *given, "--source", files["src"], "--aligner", "agreement").good()
    assert "needed-reordering" in _keys(linked.json)


def test_standard_input_is_looked_at(files: dict[str, str]) -> None:
    """Text is text there too, and orders are orders; none of its bytes are lost."""
    given = Path(files["ref"]).read_bytes()
    options = ("-i", files["one"], *FAST, "--format", "json")
    assert call("analyze", "-", *options, stdin=given).good().json == (
        call("analyze", "-", "--input", "text", *options, stdin=given).good().json
    )
    call("analyze", "-", *options, stdin=b"1 0\n0 1\n").refused(2, "--source", "--input text")


def test_several_references(files: dict[str, str]) -> None:
    given = (*_given(files), "-r", files["one"], "--format", "json")
    found = call("analyze", *given).good().json
    (overview,) = (each for each in found["sections"] if each["key"] == "systems")
    best = next(row for row in overview["rows"] if row["metric"] == "CDER")
    assert (best["system"], best["value"]) == ("one", 0.0)


def test_a_tokenizer_cuts_words(tmp_path: Path) -> None:
    lines = "我们在星期二见面\n猫坐在垫子上\n"
    reference = write(tmp_path, "zh.txt", lines)
    system = write(tmp_path, "sys.txt", "星期二我们见面\n猫在垫子上坐\n")
    given = (reference, "-i", system, "--tokenizer", "zh", "--language", "other", *FAST)
    found = call("analyze", *given, "-m", "frs,cder", "--format", "json").good().json
    assert "tok:zh" in found["signatures"]["cder"]
    assert found["sentences"] == 2


def test_empty_lines(tmp_path: Path) -> None:
    lines = write(tmp_path, "lines.txt", "\n\nwe met\n")
    call("analyze", lines, "-i", f"A={lines}", "--language", "other", *FAST).good()
