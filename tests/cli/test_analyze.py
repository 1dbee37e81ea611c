"""``wordorder analyze`` from the outside."""

from pathlib import Path

from tests.cli.running import ALIGNMENTS, REFERENCE, SAMPLE, SOURCE, SYSTEMS, TARGET, call, write

from wordorder.samples import sample_path

TREES = str(SAMPLE / "trees.conllu")
FAST = ("--resamples", "20")
GRID = (REFERENCE, "--trees", f"P1={TREES}", "--rules", "R1", "R4", *FAST)
# Two systems that no test tells apart.
EQUAL = (REFERENCE, "--trees", f"P1={TREES}", "--rules", "R1", "R4=R4-literal", *FAST)
PLAIN = (REFERENCE, "-i", *SYSTEMS[:3], "--source", SOURCE, *FAST)


def keys(found: dict[str, list[dict[str, object]]]) -> list[object]:
    return [section["key"] for section in found["sections"]]


def test_trees_and_rules_are_analysed_as_a_grid() -> None:
    answer = call("analyze", *GRID, "--gold-trees", TREES, "-O", "word=Press", "--tables").good()
    assert answer.stderr == ""
    for title in ("Rule sets with P1:", "Words most often misordered, by label: P1R4", "Rules of"):
        assert title in answer.text
    found = call("analyze", *GRID, "--gold-trees", TREES, "--format", "json").json
    assert found["sentences"] == 72
    assert [system["name"] for system in found["systems"]] == ["P1R1", "P1R4"]
    assert {"rules", "set-right", "score-by-depth", "imperatives"} <= set(keys(found))
    assert found["grid"]


def test_the_sentence_scores_are_those_of_score() -> None:
    """One number, whichever verb says it."""
    found = call("analyze", *PLAIN, "--format", "json").json
    scores = call("score", REFERENCE, "-i", *SYSTEMS[:3], "-m", "frs", "--format", "json").json
    overview = next(each for each in found["sections"] if each["key"] == "systems")
    values = {row["system"]: row["frs"] for row in overview["rows"]}
    for system in scores["systems"]:
        assert values[system["system"]] == system["scores"][0]["value"]
    segments = call(
        *("score", REFERENCE, "-i", SYSTEMS[0], "-m", "frs", "--segments", "--format", "json")
    ).json
    assert found["systems"][0]["scores"]["frs"] == segments["systems"][0]["scores"][0]["segments"]


def test_reordered_text_is_matched_with_the_source_as_score_matches_it(tmp_path: Path) -> None:
    words = [line.split() for line in Path(SOURCE).read_text().splitlines()]
    orders = [list(map(int, line.split())) for line in Path(SYSTEMS[2]).read_text().splitlines()]
    lines = [" ".join(w[i] for i in row) for w, row in zip(words, orders, strict=True)]
    text = write(tmp_path, "system.txt", "\n".join(lines) + "\n")
    given = (REFERENCE, "-i", text, "--source", SOURCE, "--format", "json")
    answer = call("analyze", *given, *FAST).good()
    assert "there are no tables by label" in answer.stderr
    (score,) = call("score", *given, "-m", "frs").json["systems"]
    overview = next(each for each in answer.json["sections"] if each["key"] == "systems")
    assert overview["rows"][0]["frs"] == score["scores"][0]["value"]
    unchanged = call("analyze", *PLAIN[:2], f"A={SYSTEMS[0]}", *PLAIN[5:]).good()
    source = call("analyze", *PLAIN[:2], f"A={SOURCE}", *PLAIN[5:]).good()
    assert unchanged.text == source.text


def test_gold_trees_serve_as_source() -> None:
    answer = call(
        "analyze", REFERENCE, "-i", SYSTEMS[2], "--gold-trees", TREES, "--tables", *FAST
    ).good()
    assert "Words most often misordered, by label: head-final" in answer.text
    assert "Score by depth" in answer.text


def test_alignments_are_a_reference_too() -> None:
    one = call("analyze", ALIGNMENTS, *GRID[1:], "--format", "json").good().json
    two = call("analyze", *GRID, "--format", "json").good().json
    assert one["systems"] == two["systems"]
    assert "|rule:talbot|" in one["signature"]


def test_other_parsers_parse_the_source() -> None:
    answer = call(
        *("analyze", *GRID, "--parser", "P2=en", "--source", SOURCE, "--format", "json")
    ).good()
    assert answer.stderr == ""
    found = answer.json
    assert [system["name"] for system in found["systems"]] == ["P1R1", "P1R4", "P2R1", "P2R4"]
    assert {"relation-errors", "label-confusions"} & set(keys(found))


def test_tsv_names_section_row_and_column() -> None:
    answer = call("analyze", *GRID, "--format", "tsv").good()
    cells = [line.split("\t") for line in answer.text.splitlines()]
    assert cells[0] == ["section", "row", "column", "value"]
    assert all(len(cell) == 4 for cell in cells)
    assert {"grid", "systems", "words-by-form"} <= {cell[0] for cell in cells}
    assert "no errors of parsers and taggers" in answer.stderr


def test_a_report_is_written_beside(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    options = ("--html", page, "-O", "pictures=2", "--sentence", "7", "-O", "title=A <b> title")
    given = (*EQUAL, "--target", TARGET, "--reference-alignments", ALIGNMENTS, "--source", SOURCE)
    answer = call("analyze", *given, *options).good()
    assert answer.text.startswith("No system is surely best: ")
    # The tables are in the report: the terminal gets the answer, findings and where it is.
    assert answer.text.endswith(f"\n\nThe report, with all tables and sentences, is in\n{page}\n")
    assert "\n\nFindings\n" in answer.text
    assert len(answer.text.splitlines()) <= 40
    html = page.read_text("utf-8")
    assert "A &lt;b&gt; title" in html
    assert "<svg" in html
    assert "エンター" in html


def test_a_raw_text_is_shown_beside_the_trees(tmp_path: Path) -> None:
    raw = write(tmp_path, "raw.en", "".join(f"Raw line <{i}>\n" for i in range(72)))
    page = tmp_path / "report.html"
    call("analyze", *EQUAL, "--source", raw, "--html", page, "-O", "pictures=0").good()
    html = page.read_text("utf-8")
    assert "Raw line &lt;71&gt;" in html
    call("analyze", *EQUAL, "--source", TREES, "--html", page, "-O", "pictures=0").good()
    assert "Raw line" not in page.read_text("utf-8")


def test_tables_have_as_many_rows_as_are_asked_for() -> None:
    found = call("analyze", *PLAIN, "--top", "2", "--format", "json").json
    words = next(each for each in found["sections"] if each["key"] == "words-by-form")
    assert len(words["rows"]) == 2
    assert words["note"].endswith("more rows are not shown.")


def test_focus_and_metric_choose_what_is_looked_at() -> None:
    options = ("--focus", "reversed", "--focus", "unchanged", "-O", "sentence-metric=kendall")
    found = call("analyze", *PLAIN, *options, "--format", "json").good().json
    assert found["signature"].startswith("kendall|")
    titles = [section["title"] for section in found["sections"]]
    assert "Worst sentences: reversed" in titles
    assert "Sentences where two systems differ most: reversed and unchanged" in titles
    assert not any("head-final" in title for title in titles)


def test_the_same_command_prints_the_same() -> None:
    first = call("analyze", *GRID, "--threads", "1").good()
    again = call("analyze", *GRID, "--threads", "4").good()
    assert first.stdout == again.stdout
    other = call("analyze", *GRID, "--seed", "1").good()
    assert other.stdout != first.stdout


def test_skipped_sentences_are_named(tmp_path: Path) -> None:
    reference = write(tmp_path, "r.orders", "1 0\n\n0\n")
    system = write(tmp_path, "s.orders", "0 1\n0\n0\n")
    source = write(tmp_path, "s.txt", "a b\nc\nd\n")
    answer = call("analyze", reference, "-i", system, "--source", source).good()
    assert "skipped 1 sentence without a word to order (33 % of sentences): line 2" in answer.stderr


def test_chosen_sentences_are_shown_first_in_every_format(tmp_path: Path) -> None:
    reference = write(tmp_path, "ref.txt", "a b c d\nthe cat sat\n")
    systems = [write(tmp_path, name, text) for name, text in (("A", "b a c d\nthe cat sat\n"),)]
    orders = write(tmp_path, "ref.orders", "0 1 2\n0 1\n")
    system = write(tmp_path, "s.orders", "1 0 2\n0 1\n")
    words = write(tmp_path, "source.txt", "x y z\nv w\n")
    for command in (
        ["analyze", reference, "-i", *systems],
        ["analyze", orders, "-i", system, "--source", words],
    ):
        chosen = [*command, "--sentence", "2", "--sentence", "1"]
        table = call(*chosen, "--format", "json").good().json["sections"][0]
        assert table["key"] == "chosen-sentences"
        assert [row["sentence"] for row in table["rows"]] == [2, 1]
        assert "Chosen sentences: " in call(*chosen).good().text
        call(*command, "--sentence", "3").refused(2, "--sentence 3: there are 2 sentences")


def test_tables_are_printed_where_they_are_asked_for() -> None:
    judged = Path(sample_path("", "judged"))
    given = (judged / "reference.en", "-i", judged / "alder.en", judged / "fir.en", *FAST)
    for files in (given, PLAIN, GRID):
        short, tables = call("analyze", *files).good().text, call("analyze", *files, "--tables")
        assert len(short.splitlines()) <= 40
        assert short.split("\n\nFindings\n")[0] == tables.good().text.split("\n\n\nFindings\n")[0]
        assert "--tables prints all; --html FILE writes a page" in " ".join(short.split())
        assert len(tables.text.splitlines()) > 150
    # A sentence that is asked for is shown.
    assert "Chosen sentences: alder" in call("analyze", *given, "--sentence", "2").good().text
    answer = call("analyze", *given, "--tables", "--format", "tsv")
    assert answer.status == 2
    assert "--tables is for --format text" in answer.stderr
