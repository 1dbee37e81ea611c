"""``wordorder evaluate`` from the outside: its numbers are those of the other verbs."""

import gzip
import re
from pathlib import Path

import pytest
from tests.cli.running import ALIGNMENTS, REFERENCE, SAMPLE, SOURCE, Answer, call, process, write

TREES = str(SAMPLE / "trees.conllu")
RULES = ("R1", "R4", "R5")


@pytest.fixture(scope="module")
def parsed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The sample parsed by the shipped model."""
    folder = tmp_path_factory.mktemp("trees")
    return write(folder, "p2.conllu", call("parse", "en", SOURCE).good().stdout)


def evaluate(*arguments: str | Path) -> Answer:
    return call("evaluate", *arguments, "--resamples", "60")


def rows(answer: Answer) -> list[dict[str, str]]:
    return answer.good().rows


def test_numbers_are_those_of_reorder_score_and_compare(parsed: str, tmp_path: Path) -> None:
    trees = ("--trees", f"P1={TREES}", f"P2={parsed}", "--rules", *RULES)
    found = evaluate(REFERENCE, *trees, "--format", "json").good().json
    orders = []
    for parser, path in (("P1", TREES), ("P2", parsed)):
        for rules in RULES:
            by_hand = tmp_path / f"{parser}{rules}.orders"
            call("reorder", path, "--rules", rules, "--to", "orders", "-o", by_hand).good()
            orders.append(str(by_hand))
    metrics = ("-m", "frs,kendall,exact", "--resamples", "60", "--format", "json")
    scores = call("score", REFERENCE, "-i", *orders, *metrics, "--confidence").good().json
    for m, metric in enumerate(found["metrics"]):
        for system, scored in zip(metric["systems"], scores["systems"], strict=True):
            assert system["system"] == scored["system"]
            expected = scored["scores"][m]
            assert metric["metric"] == expected["metric"]
            assert [system[k] for k in ("value", "low", "high", "skipped")] == [
                expected[k] for k in ("value", "low", "high", "skipped")
            ]
            assert metric["signature"] == expected["signature"]
    for key, members in (
        ("parsers_compared", [[r, 3 + r] for r in range(3)]),
        ("rules_compared", [[3 * p + r for r in range(3)] for p in range(2)]),
    ):
        for number, some in enumerate(members):
            compared = call("compare", REFERENCE, "-i", *(orders[i] for i in some), *metrics)
            for m, expected in enumerate(compared.good().json["metrics"]):
                there = found["metrics"][m][key][number]
                # Orders of whole sources match all words.
                assert {system["matched"] for system in expected["systems"]} == {None}
                for part in ("clusters", "reading", "systems"):
                    assert there[part] == expected[part]
                # Resampled sums are rounded to a grid, which all systems that are scored share.
                for pair, other in zip(there["pairs"], expected["pairs"], strict=True):
                    for bounds in ("low90", "high90", "low95", "high95"):
                        assert pair.pop(bounds) == pytest.approx(other.pop(bounds), abs=1e-12)
                    assert pair == other


def test_the_same_in_all_formats(parsed: str) -> None:
    arguments = (REFERENCE, "--trees", f"P1={TREES}", f"P2={parsed}", "-m", "frs")
    text = evaluate(*arguments).good()
    everything = evaluate(*arguments, "--format", "json").good().json
    table = rows(evaluate(*arguments, "--format", "tsv"))
    (metric,) = everything["metrics"]
    assert [row["system"] for row in table] == [each["system"] for each in metric["systems"]]
    assert everything["rules"] == ["R1", "R2", "R3", "R4", "R5", "head-final"]
    for row, each in zip(table, metric["systems"], strict=True):
        assert float(row["value"]) == each["value"]
        shown = f"{each['value']:.4f} [{each['low']:.4f}, {each['high']:.4f}]"
        assert re.search(rf"^{re.escape(each['system'])} +{re.escape(shown)}$", text.text, re.M)
    assert everything["reference"] == {
        "file": REFERENCE,
        "holds": "orders",
        "provenance": {},
    }
    assert everything["trees"] == [
        {"name": name, "file": file, "model": None}
        for name, file in (("P1", TREES), ("P2", parsed))
    ]
    first = everything["rule_sets"][0]
    assert first == {"name": "R1", "rules": "R1", "identity": first["identity"]}
    assert first["identity"].startswith("R1@")
    assert "Rule sets with P1:" in text.text
    all_of_them = evaluate(*arguments, "-O", "triangles=all").good().text
    assert all_of_them.count("Parsers with") == 6


def test_alignments_become_the_orders_of_reference(parsed: str, tmp_path: Path) -> None:
    trees = ("--trees", f"P1={TREES}", f"P2={parsed}", "--rules", *RULES, "--format", "tsv")
    copied = write(tmp_path, "links.txt", Path(ALIGNMENTS).read_bytes())
    for options in (
        (),
        ("--rule", "lrscore", "-O", "unaligned=drop"),
        ("--rule", "lader"),
        ("--rule", "topdown-btg"),
        ("-O", "unaligned=previous", "-O", "links=sure"),
    ):
        orders = tmp_path / "made.orders"
        call("reference", ALIGNMENTS, "--source", SOURCE, *options, "-o", orders).good()
        expected = rows(evaluate(orders, *trees))
        for given in ((ALIGNMENTS,), (copied, "--input", "alignments")):
            found = rows(evaluate(*given, *trees, *options))
            for one, other in zip(found, expected, strict=True):
                assert {k: v for k, v in one.items() if k != "signature"} == {
                    k: v for k, v in other.items() if k != "signature"
                }
                assert "|rule:" in one["signature"]


def test_text_is_parsed_by_each_parser(parsed: str) -> None:
    options = ("--rules", "R4", "--format", "tsv", "-m", "frs")
    given = rows(evaluate(REFERENCE, "--trees", f"A={TREES}", f"B={parsed}", *options))
    mixed = evaluate(
        REFERENCE, "--trees", f"A={TREES}", "--parser", "B=en", "--source", SOURCE, *options
    )
    assert rows(mixed) == given
    assert mixed.stderr == ""
    alone = rows(evaluate(REFERENCE, "--parser", "en", "--source", SOURCE, *options))
    assert [row["system"] for row in alone] == ["en/R4"]
    assert alone[0]["value"] == given[1]["value"]


def test_names_come_from_files_and_rule_sets(tmp_path: Path) -> None:
    trees = Path(TREES).read_bytes()
    packed = write(tmp_path, "gold.conllu.gz", gzip.compress(trees))
    text = 'name = "{}"\nscheme = "any"\n[[rule]]\nname = "a"\norder = ["*", "self"]\n'
    mine = write(tmp_path, "mine.toml", text.format("own"))
    same = write(tmp_path, "same.toml", text.format("R4"))
    options = ("-m", "exact", "--format", "tsv")
    found = rows(evaluate(REFERENCE, "--trees", packed, "--rules", mine, "X=R4", same, *options))
    assert [row["system"] for row in found] == ["gold/own", "gold/X", "gold/R4"]
    found = rows(evaluate(REFERENCE, "--trees", packed, "--rules", same, "R4", *options))
    assert [row["rules"] for row in found] == [same, "R4"]
    assert len({row["signature"] for row in found}) == 2


def test_options_of_metrics_levels_seeds_and_tests() -> None:
    arguments = (REFERENCE, "--trees", TREES, "--rules", "R1", "R4", "--format", "json")
    default = evaluate(*arguments).good().json
    ranked = evaluate(*arguments, "-m", "frs", "-O", "average=micro", "--level", "0.5").good().json
    assert "average:micro" in ranked["metrics"][0]["signature"]
    assert ranked["level"] == 0.5
    other = evaluate(*arguments, "--seed", "1").good().json
    assert other["metrics"][0]["systems"][0]["low"] != default["metrics"][0]["systems"][0]["low"]
    tested = evaluate(*arguments, "--test", "randomization").good().json
    (compared,) = tested["metrics"][0]["rules_compared"]
    assert compared["test"] == "randomization"
    assert compared["pairs"][0]["low95"] is None
    assert evaluate(*arguments, "--threads", "1").stdout == evaluate(*arguments).stdout
    several = evaluate(*arguments, "-m", "all").good().json
    assert {"frs", "ulam", "pet"} < {each["metric"] for each in several["metrics"]}


def test_words_that_the_reference_lacks_are_counted(tmp_path: Path) -> None:
    lines = Path(REFERENCE).read_text().splitlines()
    short = ["", lines[1].split()[0], *lines[2:]]
    orders = write(tmp_path, "short.orders", "\n".join(short) + "\n")
    answer = evaluate(orders, "--trees", TREES, "--rules", "R1", "--format", "tsv")
    assert {row["skipped"] for row in rows(answer)} == {"1"}
    gone = len(lines[0].split()) + len(lines[1].split()) - 1
    assert f"left out {gone} words that only one of system and reference has" in answer.stderr
    assert "skipped 1 segment without a word to order (" in answer.stderr


def test_trees_of_another_scheme_are_noted() -> None:
    answer = evaluate(REFERENCE, "--trees", TREES, "--rules", "R5-sd", "-m", "frs").good()
    (note,) = [line for line in answer.stderr.splitlines() if "Universal Dependencies" in line]
    assert note.startswith("wordorder: note: ")


def test_sensitivity_says_what_survives(parsed: str) -> None:
    arguments = (ALIGNMENTS, "--trees", f"P1={TREES}", f"P2={parsed}", "--rules", *RULES)
    text = evaluate(*arguments, "--sensitivity", "-m", "frs").good().text
    assert "Best under all" in text
    assert "P1R5 > P1R1" in text
    found = evaluate(*arguments, "--sensitivity", "-m", "frs", "--format", "json").good().json
    conventions = found["metrics"][0]["conventions"]
    assert [conventions[0][k] for k in ("rule", "unaligned", "ties")] == ["talbot", "next", "best"]
    for each in conventions:
        options = ["--rule", each["rule"], "-O", f"unaligned={each['unaligned']}", "-m", "frs"]
        ties = ["-O", f"ties={each['ties'] or 'best'}"]
        alone = evaluate(*arguments, *options, *ties, "--format", "json").good().json
        assert [system["value"] for system in each["systems"]] == [
            system["value"] for system in alone["metrics"][0]["systems"]
        ]
        assert each["best"] == alone["metrics"][0]["best"]
    table = rows(evaluate(*arguments, "--sensitivity", "-m", "frs", "--format", "tsv"))
    assert len(table) == 6 * len(conventions)


def test_sensitivity_of_given_orders_is_that_to_ties(tmp_path: Path) -> None:
    made = tmp_path / "made.orders"
    call("reference", ALIGNMENTS, "--source", SOURCE, "-o", made).good()
    answer = evaluate(made, "--trees", TREES, "--rules", "R1", "R5", "--sensitivity")
    assert (
        "holds orders, so the rule and the place of unaligned words are fixed"
    ) in answer.good().stderr
    assert "\nties rank " in answer.text
    assert "unaligned" not in answer.text


def test_the_program_does_it_too() -> None:
    answer = process("evaluate", REFERENCE, "--trees", f"P1={TREES}", "-m", "frs").good()
    assert answer.stderr == ""
    assert "P1R5" in answer.text
