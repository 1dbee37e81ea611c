"""Each verb in the form that is fixed, and what it prints."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.cli.running import ALIGNMENTS, REFERENCE, SOURCE, SYSTEMS, TARGET, call, write

from wordorder.metrics import METRICS
from wordorder.metrics.registry import FULL_NAMES

ALL = (
    "frs frs-boundary kendall kendall-sqrt spearman hamming ulam exact pet pets maxop pef-recursive"
).split()
NAMES = [Path(path).stem for path in SYSTEMS]


def test_reference_orders_go_to_standard_output_or_a_file(tmp_path: Path) -> None:
    answer = call("reference", ALIGNMENTS, "--source", SOURCE).good()
    assert answer.stdout == Path(REFERENCE).read_bytes()
    assert answer.stderr.count("\n") == 1
    assert "72 sentences, 999 words: 98 unaligned (9.8 %)" in answer.stderr
    out = tmp_path / "out.orders"
    written = call("reference", ALIGNMENTS, "--source", SOURCE, "-o", out).good()
    assert (written.stdout, out.read_bytes()) == (b"", answer.stdout)
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == ["out.orders", "out.orders.unlinked"]


# Links, source words and options make an order; / is the end of a line.
FOUR = (("auto", "0_1,3"), ("talbot", "0_1,3"), ("auto", "0-0 1-0 3-1"), ("pharaoh", "0-0 1-0 3-1"))
# Of four words, 0 and 1 are on the first target word, 2 is unaligned, 3 on the second.
OF_FOUR = {
    "": "0,1 2 3",
    "--rule talbot": "0,1 2 3",
    "--rule talbot -O unaligned=next": "0,1 2 3",
    "--rule talbot -O unaligned=drop": "0,1 3",
    "--rule lrscore": "0 1 2 3",
    "--rule lrscore -O unaligned=drop": "0 1 3",
    "--rule aligned": "0 1 2",
}
EVALUATORS = ("0-0 0-1 1-1 1-2 2-3/0-1 1-0", "a b c/a b")
MADE = [
    *(
        (links, "a b c d", f"--format {name} {options}", order)
        for name, links in FOUR
        for options, order in OF_FOUR.items()
    ),
    ("2-0 0-1", "a b c", "-O unaligned=next", "1 2 0"),
    ("2-0 0-1", "a b c", "-O unaligned=previous", "2 0 1"),
    ("2,1", "a b", "--one-based", "1 0"),
    ("1-2 2-1", "a b", "--one-based", "1 0"),
    (*EVALUATORS, "--rule lader", "0,1 2/1 0"),
    (*EVALUATORS, "--rule topdown-btg", "0 1 2/1 0"),
    # Brackets of the source stand around what they enclose.
    ("1-1 3-0", "( a ) b", "--rule lader", "3 0 1 2"),
    ("1-1 3-0", "x a y b", "--rule lader", "2,3 0,1"),
]


@pytest.mark.parametrize(("links", "source", "options", "order"), MADE)
def test_links_make_orders(
    links: str, source: str, options: str, order: str, tmp_path: Path
) -> None:
    links, source, order = (f"{lines}\n".replace("/", "\n") for lines in (links, source, order))
    files = (write(tmp_path, "a.align", links), "--source", write(tmp_path, "s.txt", source))
    assert call("reference", *files, *options.split()).good().text == order


def test_spans_inside_others_have_no_order(tmp_path: Path) -> None:
    links = write(tmp_path, "a.align", "0-0 0-2 1-1 2-3\n0-1 1-0\n")
    source = write(tmp_path, "s", "a b c\na b\n")
    answer = call("reference", links, "--source", source, "--rule", "topdown-btg").good()
    assert answer.text == "\n1 0\n"
    assert "1 of 2 sentences have a target span inside another one" in answer.stderr


def test_a_file_that_looks_one_based_is_noted(tmp_path: Path) -> None:
    alignments = write(tmp_path, "a.align", "1-1\n" * 30)
    source = write(tmp_path, "s.txt", "a b\n" * 30)
    answer = call("reference", alignments, "--source", source).good()
    assert "wordorder: note: " in answer.stderr
    assert "--one-based" in answer.stderr


def test_check_reports_the_findings(tmp_path: Path) -> None:
    alignments = write(tmp_path, "a.align", "0-0 0-2\n0-0\n")
    source = write(tmp_path, "s.txt", "cat\ncat sat\n")
    target = write(tmp_path, "t.txt", "x y z\nx\n")
    form = ["reference", alignments, "--source", source, "--target", target, "--check"]
    text = call(*form).good().text
    assert "non-contiguous links to 0,2" in text
    found = call(*form, "--report", "json").good().json
    assert (found["unaligned"], found["unaligned_target"], found["non_contiguous"]) == (1, 1, 1)
    rows = call(*form, "--report", "tsv").good().rows
    assert [(row["line"], row["word"]) for row in rows] == [("1", "y"), ("1", "cat"), ("2", "sat")]
    assert call(*form, "-O", "max-unaligned=0.34").status == 0
    assert call(*form, "-O", "max-unaligned=0.33").status == 1
    allowed = write(tmp_path, "allowed.txt", "sat\n")
    assert call(*form, "-O", "max-unaligned=0", "-O", f"allow={allowed}").status == 0


def test_check_passes_the_sample() -> None:
    answer = call("reference", ALIGNMENTS, "--source", SOURCE, "--target", TARGET, "--check").good()
    assert "0 sentences with findings" in answer.text
    assert "1447 target words" in answer.text


def test_score_as_json() -> None:
    form = ["score", REFERENCE, "-i", *SYSTEMS, "-m", "frs,kendall", "--format", "json"]
    found = call(*form).good().json
    assert (found["segments"], found["skipped"]) == (72, 0)
    assert [system["system"] for system in found["systems"]] == NAMES
    for system in found["systems"]:
        assert [score["metric"] for score in system["scores"]] == ["frs", "kendall"]
        for score in system["scores"]:
            assert 0 <= score["value"] <= 1
            assert score["signature"].startswith(f"{score['metric']}|match:index|ties:best|")
            assert {score[key] for key in ("low", "high", "segments")} == {None}


def test_all_metrics_beside_others_are_all() -> None:
    form = ["score", REFERENCE, "-i", SYSTEMS[0], "--format", "json", "-m"]
    assert call(*form, "all,frs").good().stdout == call(*form, "all").good().stdout


def test_score_with_intervals_and_segments() -> None:
    form = ["score", REFERENCE, "-i", *SYSTEMS, "-m", "all", "--format", "json"]
    found = call(*form, "--confidence", "--segments").good().json
    for system in found["systems"]:
        assert [score["metric"] for score in system["scores"]] == ALL
        for score in system["scores"]:
            assert 0 <= score["low"] <= score["value"] <= score["high"] <= 1
            assert len(score["segments"]) == 72
            assert sum(score["segments"]) / 72 == pytest.approx(score["value"], abs=1e-12)


def test_an_interval_of_a_higher_level_is_wider() -> None:
    form = ["score", REFERENCE, "-i", SYSTEMS[2], "-m", "frs", "--format", "json", "--confidence"]
    bounds = [
        call(*form, "--level", level).good().json["systems"][0]["scores"][0]
        for level in ("0.5", "0.999")
    ]
    assert bounds[1]["low"] < bounds[0]["low"] < bounds[0]["high"] < bounds[1]["high"]
    text = call(*form[:-3], "--confidence", "--level", "0.999").good().text
    assert "the 99.9 % interval" in text


def test_score_as_text() -> None:
    answer = call("score", REFERENCE, "-i", *SYSTEMS, "-m", "frs", "--confidence").good()
    lines = answer.text.splitlines()
    assert lines[0].split() == ["system", "frs", "↑"]
    assert [line.split()[0] for line in lines[2:6]] == NAMES
    assert "72 segments, 0 skipped" in answer.text
    signature = "frs|match:index|ties:best|average:segment|degenerate:standard|few:zero|v:"
    assert signature in answer.text
    assert answer.stderr == ""


def test_score_as_tsv() -> None:
    form = ["score", REFERENCE, "-i", *SYSTEMS, "-m", "frs,ulam"]
    rows = call(*form, "--format", "tsv", "--segments").good().rows
    assert len(rows) == 4 * 2 * (1 + 72)
    totals = [row for row in rows if not row["segment"]]
    found = call(*form, "--format", "json").good().json
    expected = [score["value"] for system in found["systems"] for score in system["scores"]]
    assert [float(row["value"]) for row in totals] == expected
    assert {row["metric"] for row in totals} == {"frs", "ulam"}


def test_options_of_one_metric_and_of_all() -> None:
    form = ["score", REFERENCE, "-i", SYSTEMS[0], "-m", "frs,kendall", "--format", "json"]
    one = call(*form, "-O", "frs.ties=rank").good().json["systems"][0]["scores"]
    assert ["ties:rank" in score["signature"] for score in one] == [True, False]
    both = call(*form, "-O", "ties=rank", "-O", "average=micro").good().json["systems"][0]["scores"]
    assert all("ties:rank|average:micro" in score["signature"] for score in both)
    assert one[0]["value"] != both[0]["value"]


def test_systems_as_reordered_text(tmp_path: Path) -> None:
    """The text of an order must score as the order does; here by writing the text out."""
    words = [line.split() for line in Path(SOURCE).read_text().splitlines()]
    orders = Path(SYSTEMS[2]).read_text().splitlines()
    # Repeated words come back in the order of the source, so they are made to differ.
    words = [[f"{word}{i}" for i, word in enumerate(line)] for line in words]
    source = write(tmp_path, "source.txt", "".join(" ".join(line) + "\n" for line in words))
    reordered = [
        " ".join(line[int(i)] for i in order.replace(",", " ").split()) + "\n"
        for line, order in zip(words, orders, strict=True)
    ]
    text = write(tmp_path, "head-final", "".join(reordered))
    form = ["--source", source, "-m", "all", "--format", "json"]
    given = call("score", REFERENCE, "-i", text, SYSTEMS[2], *form).good().json["systems"]
    assert given[0]["scores"] == given[1]["scores"]
    forced = call(*("score", REFERENCE, "-i", text, "--input", "text", *form))
    assert forced.good().json["systems"][0]["scores"] == given[1]["scores"]


def test_words_can_be_matched_by_form() -> None:
    form = ["score", REFERENCE, "-i", SYSTEMS[1], "-m", "frs", "--format", "json"]
    options = ["--source", SOURCE, "-O", "match=first-unmatched"]
    score = call(*form, *options).good().json["systems"][0]["scores"][0]
    assert "match:first-unmatched" in score["signature"]
    assert score["value"] != call(*form).good().json["systems"][0]["scores"][0]["value"]
    assert (
        call(*form, *options, "--confidence").good().json["systems"][0]["scores"][0]["value"]
        == score["value"]
    )
    assert call("compare", REFERENCE, "-i", *SYSTEMS[:2], *options).good().text


def test_systems_are_named_after_their_files(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        write(tmp_path / folder, "same.orders", Path(SYSTEMS[0]).read_bytes())
    one, two = (str(tmp_path / folder / "same.orders") for folder in ("a", "b"))

    def names(*inputs: str) -> list[str]:
        answer = call("score", REFERENCE, "-i", *inputs, "-m", "frs", "--format", "json").good()
        return [system["system"] for system in answer.json["systems"]]

    assert names(one) == ["same"]
    assert names(one, two) == [one, two]
    assert names(f"first={one}", two) == ["first", "same"]
    assert names(f"first={one}", f"second={one}") == ["first", "second"]
    assert names(f"a name={one}") == ["a name"]
    odd = write(tmp_path, "a=b.orders", Path(SYSTEMS[0]).read_bytes())
    assert names(odd) == ["a=b"]
    call("score", REFERENCE, "-i", one, one).refused(2, f"two systems have the same name, '{one}'")
    call("score", REFERENCE, "-i", f"x={one}", f"x={two}").refused(
        2, "two systems have the same name"
    )


def test_inputs_may_be_repeated_or_end_at_two_dashes() -> None:
    expected = call("score", REFERENCE, "-i", *SYSTEMS[:2]).good().stdout
    assert call("score", REFERENCE, "-i", SYSTEMS[0], "-i", SYSTEMS[1]).good().stdout == expected
    assert call("score", "-i", *SYSTEMS[:2], "--", REFERENCE).good().stdout == expected
    assert call("score", "-i", *SYSTEMS[:2], "-m", "frs,kendall", REFERENCE).stdout == expected
    call("score", "-i", REFERENCE, *SYSTEMS).refused(2, "put REFERENCE before it")


@pytest.mark.parametrize("test", ["bootstrap", "randomization"])
def test_compare(test: str) -> None:
    form = ["compare", REFERENCE, "-i", *SYSTEMS[:3], "-m", "frs", "--test", test]
    form += ["--resamples", "1000", "--seed", "7"]
    text = call(*form).good().text
    assert "head-final is better than unchanged and reversed" in text
    assert "72 segments, 0 skipped" in text
    assert "1000 resamples, seed 7" in text
    found = call(*form, "--format", "json").good().json
    metric = found["metrics"][0]
    assert (metric["test"], metric["resamples"], metric["seed"]) == (test, 1000, 7)
    shown = [(pair["a"], pair["b"]) for pair in metric["pairs"]]
    assert shown == [(NAMES[0], NAMES[1]), (NAMES[0], NAMES[2]), (NAMES[1], NAMES[2])]
    assert all(0 < pair["p"] <= 1 for pair in metric["pairs"])
    rows = call(*form, "--format", "tsv").good().rows
    assert [float(row["p"]) for row in rows] == [pair["p"] for pair in metric["pairs"]]


@pytest.mark.parametrize("given", ["2 4 5 6 1 3", "1 3 4 5 0 2", " 2\t4 5 6  1 3 "])
def test_tree_counts_from_0_or_1(given: str) -> None:
    lines = call("tree", given).good().text.splitlines()
    assert lines[0].startswith("⟨2,4,1,3⟩")
    assert lines[-1] == "3 nodes, longest operator 4, 2 permutation trees"


def test_tree_of_a_file(tmp_path: Path) -> None:
    path = write(tmp_path, "two", "2 4 1 3\n\n0 1\n")
    answer = call("tree", path, "--format", "json").good().json["trees"]
    assert [tree["permutation"] for tree in answer] == [[2, 4, 1, 3], [1, 2]]
    assert [tree["max_arity"] for tree in answer] == [4, 2]
    assert [tree["trees"] for tree in answer] == [1, 1]
    text = call("tree", path).good().text
    assert f"{path}:1\n" in text
    assert f"{path}:3\n" in text
    assert text.endswith("1 node, longest operator 2, 1 permutation tree\n")
    assert len(call("tree", path, "--format", "tsv").good().rows) == 2
    assert "5 permutation trees" in call("tree", "1 2 3 4", "--forest").good().text


@pytest.mark.parametrize("forest", [[], ["--forest"]])
def test_tree_as_a_picture(tmp_path: Path, forest: list[str]) -> None:
    path = tmp_path / "tree.svg"
    words = "<b> & 語 d"
    call("tree", "1 2 3 4", *forest, "--svg", path, "--words", words).good()
    texts = ["".join(each.itertext()) for each in ElementTree.parse(path).iter()]
    assert "語" in "".join(texts)
    assert "<b>" in "".join(texts)
    picture = call("tree", "1 2 3 4", *forest, "--svg", "-", "--words", words).good()
    assert picture.stdout == path.read_bytes()


def test_one_system_needs_no_legend() -> None:
    text = call("compare", REFERENCE, "-i", SYSTEMS[0], "-m", "frs").good().text
    assert "There is only one system to rank." in text
    assert "A cell says" not in text


@pytest.mark.parametrize("kind", [[], ["metrics"]])
def test_list(kind: list[str]) -> None:
    found = call("list", *kind, "--format", "json").good().json["entries"]
    assert [entry["name"] for entry in found][: len(ALL)] == ALL
    assert {entry["name"] for entry in found} >= {"cder", "ter", "bleu", "lrscore", "aer"}
    assert all(entry["summary"] for entry in found)
    assert all("average" in entry["options"] for entry in found[: len(ALL)])
    text = call("list", *kind).good().text
    assert all(re.search(rf"^{name}: .* ↑$", text, re.MULTILINE) for name in ALL)
    assert "frs: fuzzy reordering score ↑\n" in text
    assert "ter: translation edit rate ↓\n" in text
    assert "\n\nMetrics of alignments\n\naer: alignment error rate ↓\n" in text
    headings = re.findall(r"^\n(.*)\n$", text, re.MULTILINE)
    assert len(headings) == len(set(headings)) == 6


@pytest.mark.parametrize(
    ("kind", "name"),
    [("aligners", "ibm1"), ("compat", "lader"), ("compat", "topdown-btg"), ("rules", "R5-sd")],
)
def test_list_of_other_things(kind: str, name: str) -> None:
    found = call("list", kind, "--format", "json").good().json["entries"]
    assert name in [entry["name"] for entry in found]
    assert all(entry["summary"] for entry in found)
    assert f"{name}\n    " in call("list", kind).good().text
    assert name in [row["name"] for row in call("list", kind, "--format", "tsv").rows]


def test_each_metric_is_spelt_out() -> None:
    assert list(FULL_NAMES) == list(METRICS.built_in)


def test_scores_of_many_segments_are_written_in_parts(tmp_path: Path) -> None:
    """Text and TSV have the rows of JSON, in order, on both sides of the ends of parts."""
    orders = ["0 1 2", "2 1 0", "0 2 1", "1 0 2", "2 0 1"] * 2_000
    reference = write(tmp_path, "r.orders", "0 1 2\n" * len(orders))
    system = write(tmp_path, "s.orders", "".join(f"{order}\n" for order in orders))
    command = "score", reference, "-i", system, "-m", "frs,kendall", "--segments", "--format"
    scores = call(*command, "json").good().json["systems"][0]["scores"]
    values = [score["segments"] for score in scores]
    assert list(map(len, values)) == [len(orders)] * 2
    rows = [row for row in call(*command, "tsv").good().rows if row["segment"]]
    assert [float(row["value"]) for row in rows] == [*values[0], *values[1]]
    assert [int(row["segment"]) for row in rows] == [*range(1, len(orders) + 1)] * 2
    lines = call(*command, "text").good().text.split("\n\n")[1].split("\n")[2:]
    expected = [
        [str(n), f"{a:.4f}", f"{b:.4f}"] for n, (a, b) in enumerate(zip(*values, strict=True), 1)
    ]
    assert [line.split() for line in lines] == expected
    assert {len(line) for line in lines} == {len(lines[0])}
