#!/usr/bin/env python3
"""Do the sentences that `wordorder analyze` cites show what its findings say?

    python -m papers.differences.judged_findings DATA > sentences.txt

Prints the findings about five pairs of systems with their cited sentences, reference and both
outputs below each other, and the verdict of the person who read them (`judged_findings.json`):
true, false, or uncheckable. A sentence that has no verdict yet is printed as "not judged". The
kept result counts the verdicts by table, for the findings of today and those of the commit that
the file names first; and the verdicts on three other pairs. These were read late: of their first 95
sentences 89 were true; then single quotation marks and the preference for rare words were added.
"""

from __future__ import annotations

import gzip
import json
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from papers.keeping import arguments_of, keep
from wordorder.analysis import analyze_translations
from wordorder.analysis.analysed import Analysis
from wordorder.analysis.findings import top_findings
from wordorder.analysis.section import Finding
from wordorder.analysis.translations.translations import Translations
from wordorder.analysis.translations.word_classes import is_punctuation
from wordorder.analysis.translations.words import FREQUENCIES
from wordorder.notes import held_notes

VERDICTS = Path(__file__).with_name("verdicts.json")
CHOICES = ("true", "false", "uncheckable", "not judged")
WMT13, MQM, WMT24 = (
    f"human/{n}" for n in ("wmt13-rr-pairs/de-en", "wmt21-da/zh-en", "wmt24-esa/en-ja")
)


@dataclass(frozen=True)
class Pair:
    """A reference and the outputs of two systems, by name, and how words are cut."""

    title: str
    folder: str
    reference: str
    systems: dict[str, str]
    tokenizer: str


PAIRS = (
    Pair(
        *("WMT13 de-en, online-B and rbmt-1", WMT13, "reference.en.gz"),
        {"online-B": "outputs/online-B.en.gz", "rbmt-1": "outputs/rbmt-1.en.gz"},
        "13a",
    ),
    Pair(
        *("WMT13 de-en, uedin-syntax and JHU", WMT13, "reference.en.gz"),
        {"uedin-syntax": "outputs/uedin-syntax.2605.en.gz", "JHU": "outputs/JHU.2887.en.gz"},
        "13a",
    ),
    Pair(
        *("TED, sys1 and sys2", "compare-mt-ted", "ted.ref.eng.gz"),
        {"sys1": "ted.sys1.eng.gz", "sys2": "ted.sys2.eng.gz"},
        "none",
    ),
    Pair(
        *("MQM news21 zh-en, Facebook-AI and Online-B", MQM, "reference.A.en.gz"),
        {"Facebook-AI": "outputs/Facebook-AI.en.gz", "Online-B": "outputs/Online-B.en.gz"},
        "13a",
    ),
    Pair(
        *("WMT24 en-ja, Claude-3.5 and IKUN-C", WMT24, "reference.ja.gz"),
        {"Claude-3.5": "outputs/Claude-3.5.ja.gz", "IKUN-C": "outputs/IKUN-C.ja.gz"},
        "char",
    ),
)

OTHER_PAIRS = (
    Pair(
        *("WMT12 de-en, onlineB and jhu-hiero", "human/wmt12-rr/de-en", "reference.en.gz"),
        {"onlineB": "outputs/onlineB.en.gz", "jhu-hiero": "outputs/jhu-hiero.en.gz"},
        "13a",
    ),
    Pair(
        *("WMT13 cs-en, uedin and Shef", "human/wmt13-rr-pairs/cs-en", "reference.en.gz"),
        {"uedin": "outputs/uedin-wmt13.2834.en.gz", "Shef": "outputs/Shef-wproa.2679.en.gz"},
        "13a",
    ),
    Pair(
        *("WMT12 en-cs, CU_TectoMT and onlineA", "human/wmt12-rr/en-cs", "reference.cs.gz"),
        {"CU_TectoMT": "outputs/CU_TectoMT.cs.gz", "onlineA": "outputs/onlineA.cs.gz"},
        "13a",
    ),
)


def read_lines(path: Path) -> list[str]:
    """Read the lines of a compressed file."""
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return file.read().removesuffix("\n").split("\n")


def analyze_pair(lines: dict[str, list[str]], tokenizer: str) -> Analysis[Translations]:
    """Analyze the outputs as a user would: the first lines are the reference."""
    with tempfile.TemporaryDirectory() as folder, held_notes():
        for name, texts in lines.items():
            Path(folder, name).write_text("\n".join(texts) + "\n", encoding="utf-8")
        reference, *systems = lines
        paths = {name: Path(folder, name) for name in systems}
        return analyze_translations(Path(folder, reference), paths, tokenizer=tokenizer)


def facts(report: Analysis[Translations], key: str, finding: Finding, sentence: int) -> str:
    """Describe what a reader cannot see: the CDER of a sentence, and how rare missing words are."""
    described = [
        f"{system.name} CDER {system.distances[sentence] / len(system.references[sentence]):.2f}"
        for system in report.analysed.systems
        if len(system.references[sentence])
    ]
    if key.startswith("words-by-frequency"):
        texts = report.analysed.texts
        counts = np.bincount(texts.references.values, minlength=len(texts.vocabulary))
        for system in report.analysed.systems:
            output = set(system.texts.hypothesis[sentence].tolist())
            missing = [
                f"{texts.vocabulary.words[word]} ({FREQUENCIES.names[number]})"
                for word in system.references[sentence].tolist()
                for number in FREQUENCIES.of(counts[[word]]).tolist()
                if word not in output and not is_punctuation(texts.vocabulary.words[word])
            ]
            described.append(f"not in {system.name}: {', '.join(missing)}")
    return "; ".join(described)


def print_finding(
    report: Analysis[Translations],
    lines: dict[str, list[str]],
    row: dict[str, Any],
    finding: Finding,
) -> None:
    """Print a finding with its cited sentences and their verdicts."""
    print(f"\n## {row['finding']}\n(table {row['table']})")
    for sentence in finding.examples:
        verdict = row["cited"][str(sentence + 1)]
        print(f"\n  sentence {sentence + 1}: {verdict}")
        for name, texts in lines.items():
            print(f"    {name:>14}: {texts[sentence]}")
        print(f"    {'':>14}  [{facts(report, row['table'], finding, sentence)}]")


def table_of(key: str) -> str:
    """Return the name of a table without its number."""
    return key.rstrip("0123456789").rstrip("-")


def words_of(finding: str) -> str:
    """Return what a finding says without its numbers, which may move a little."""
    return re.sub(r"[-+\d.,<=\s]+", " ", finding)


def judged(data: Path, pairs: Sequence[Pair]) -> Iterator[dict[str, Any]]:
    """Yield the findings of today about some pairs with the verdicts; print them."""
    known = {
        (row["pair"], words_of(row["finding"]), sentence): verdict
        for name in ("after", "other")
        for row in json.loads(VERDICTS.read_text(encoding="utf-8"))[name]
        for sentence, verdict in row["cited"].items()
    }
    for pair in pairs:
        files = {"reference": pair.reference, **pair.systems}
        lines = {name: read_lines(data / pair.folder / file) for name, file in files.items()}
        report = analyze_pair(lines, pair.tokenizer)
        print(f"\n# {pair.title}\n\n{report.answer}")
        for finding, key in top_findings(report.sections):
            table = table_of(key)
            place = pair.title, words_of(finding.sentence)
            cited = {
                number: known.get((*place, number), "not judged")
                for number in (str(sentence + 1) for sentence in finding.examples)
            }
            row = {"pair": pair.title, "table": table, "finding": finding.sentence, "cited": cited}
            print_finding(report, lines, row, finding)
            yield row


def counts_by_table(rows: list[dict[str, Any]]) -> dict[str, Counter[str]]:
    """Count the verdicts of each table; a finding without sentences is uncheckable."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        verdicts = [verdict.split(":")[0] for verdict in row["cited"].values()]
        counts.setdefault(row["table"], Counter()).update(verdicts or ["uncheckable"] * 5)
    return counts


def is_shown(row: dict[str, Any]) -> bool:
    """Return whether at least four of five cited sentences show a finding."""
    verdicts = [verdict.split(":")[0] for verdict in row["cited"].values()]
    return bool(verdicts) and 5 * verdicts.count("true") >= 4 * len(verdicts)


def markdown(results: dict[str, Any]) -> str:
    """Write the page of the results."""
    lines = [
        "# Do the cited sentences show the findings?",
        "",
        "Five pairs of systems; each printed finding cites up to five sentences. One reader judged "
        "each: true if the sentence shows what the finding says, false if it shows the contrary or "
        "something else, uncheckable if that cannot be seen. The sentences are in the corpora; "
        "`judged_findings.py` prints them below the findings.",
        "",
        "| table | before: true | false | uncheckable | now: true | false | uncheckable | not "
        "judged |",
        "|---|---|---|---|---|---|---|---|",
    ]
    before, now = (counts_by_table(results[name]) for name in ("before", "after"))
    for table in dict.fromkeys((*before, *now)):
        cells = [before.get(table, Counter())[name] for name in CHOICES[:3]]
        cells += [now.get(table, Counter())[name] for name in CHOICES]
        lines.append(f"| {table} | {' | '.join(map(str, cells))} |")
    for name, text in (
        ("before", f"Commit {results['before_commit']}"),
        ("after", "Now"),
        (
            "other",
            "Three other pairs, read late (at first 89 of 95 sentences were true)",
        ),
    ):
        rows, shown = results[name], sum(map(is_shown, results[name]))
        verdicts = sum(counts_by_table(rows).values(), Counter())
        lines += [
            "",
            f"{text}: {shown} of {len(rows)} findings are true in four of five sentences; "
            f"{verdicts['true']} of {verdicts.total()} sentences are.",
        ]
    lines += ["", "## The findings"]
    for row in (*results["after"], *results["other"]):
        lines += ["", f"**{row['pair']}** (`{row['table']}`): {row['finding']}", ""]
        lines += [f"- {sentence}: {verdict}" for sentence, verdict in row["cited"].items()]
    return "\n".join([*lines, "", results["made"], ""])


def main() -> None:
    """Print all findings and keep the verdicts."""
    started, given = time.process_time(), arguments_of(__doc__)
    earlier = json.loads(VERDICTS.read_text(encoding="utf-8"))
    results = {"before_commit": earlier["before_commit"], "before": earlier["before"]}
    results["after"] = list(judged(given.data, PAIRS))
    results["other"] = list(judged(given.data, OTHER_PAIRS))
    keep(given.output, Path(__file__).stem, results, markdown, started)


if __name__ == "__main__":
    main()
