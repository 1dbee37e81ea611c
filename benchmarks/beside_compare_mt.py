"""Tables of translations beside compare-mt's, on its own TED talks: the same figures, and time.

2,445 sentences and two systems, from the folder compare-mt-ted of WORDORDER_DATA. Each table that
both have is computed by both and compared row by row: in compare-mt's conventions, where the
figures should be the same, and as our page shows them, with what makes the difference. Times are
those of the tables from lines in memory, and of both programs as processes; needs compare-mt.
"""

from __future__ import annotations

import os
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from measuring import Report, main, measure, measure_process, wordorder_command

# Before what other packages install under the same name.
sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.analysis.translations.compare_mt_figures import (
    Tables,
    figures_of_compare_mt,
    figures_of_ours,
    frequency_counts,
    table_of,
)
from tests.analysis.translations.translated import Lines, ted_lines

import wordorder as wo
from wordorder.alignment.monolingual import MonolingualAligner
from wordorder.analysis.translations.files import translations_of
from wordorder.analysis.translations.lengths import (
    length_difference_section,
    score_by_length_sections,
)
from wordorder.analysis.translations.ngrams import ngram_sections
from wordorder.analysis.translations.translations import Translations
from wordorder.analysis.translations.words import word_sections
from wordorder.statistics.intervals import ResamplingPlan

# In its conventions the figures are the same but for rounding.
ROUNDING = 1e-9
WHY = {
    "word accuracy by frequency": "Our page matches words of one stem too; compare-mt and the "
    "aligner `exact` only equal ones. Which of several equal words are matched is chosen in "
    "another way, but not how many.",
    "BLEU by length": "compare-mt cuts words at blanks, gives each sentence at least one n-gram of "
    "every order, and takes the precision of an order without matches for 1; our page shows "
    "sacreBLEU's BLEU with its tokenizer 13a.",
    "sentences by length difference": "The same.",
    "n-grams right": "The same: matches are clipped by the reference of each sentence.",
    "n-gram differences": "The same: (a + 1) / (a + b + 2). compare-mt sorts by it, which puts "
    "rare n-grams first; our page sorts by the p-value of a sign test over sentences.",
}


def benchmark(report: Report) -> None:
    if "WORDORDER_DATA" not in os.environ:
        print("WORDORDER_DATA is not set: nothing to compare on", file=sys.stderr)
        return
    if find_spec("compare_mt") is None:
        print("compare-mt is not installed: nothing to compare with", file=sys.stderr)
        return
    lines = without_empty(ted_lines(300 if report.quick else None))
    wo.set_threads(1)
    translations = translations_of(lines.systems, lines.references, metrics="bleu")
    theirs, ours = figures_of_compare_mt(lines), figures_of_ours(translations)
    page = figures_of_the_page(translations, lines)
    for table, expected in theirs.items():
        details: dict[str, Any] = {"rows": sum(map(len, expected)), "page": WHY[table]}
        if table in page:
            details |= {"figures_of_compare_mt": shown(expected)}
            details |= {"figures_of_the_page": shown(page[table])}
        report.add(
            f"{table}: largest difference in compare-mt's conventions",
            largest_difference(ours[table], expected),
            "",
            at_most=ROUNDING,
            **details,
        )
    times(report, lines)
    whole_programs(report, lines)


def times(report: Report, lines: Lines) -> None:
    """Measure all these tables from lines in memory, ours with tests and intervals."""

    def made() -> None:
        translations = translations_of(lines.systems, lines.references, metrics="bleu")
        word_sections(translations)
        ngram_sections(translations, 0)
        score_by_length_sections(translations)
        length_difference_section(translations)

    report.add_seconds(
        "all tables of two systems",
        measure(made, 3),
        peers={"compare-mt": measure(lambda: figures_of_compare_mt(lines), 1).least_cpu},
    )


def whole_programs(report: Report, lines: Lines) -> None:
    """Measure both programs as processes: all tables and a page, from files."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        columns = {"reference": [row[0] for row in lines.references], **lines.systems}
        for column, each in columns.items():
            (folder / column).write_text("".join(f"{line}\n" for line in each), encoding="utf-8")
        reference, *systems = (folder / column for column in columns)
        page = ("--html", folder / "page.html")
        ours = wordorder_command("analyze", reference, "-i", *systems, *page)
        program = Path(sys.executable).with_name("compare-mt")
        theirs: list[str | Path] = [
            program,
            reference,
            *systems,
            "--output_directory",
            folder / "report",
        ]
        report.add_seconds(
            "the report of two systems as a page, the whole process",
            measure_process(ours, 3),
            peers={"compare-mt": measure_process(theirs, 1).least_cpu},
            page_megabytes=(folder / "page.html").stat().st_size / 1e6,
        )


def figures_of_the_page(translations: Translations, lines: Lines) -> Tables:
    """Return our figures as the page shows them, where compare-mt has others."""
    counts = frequency_counts(translations, MonolingualAligner())
    [by_length] = score_by_length_sections(translations, ResamplingPlan(resamples=1))
    names = list(lines.systems)
    return {
        "word accuracy by frequency": [table_of(each) for each in counts],
        "BLEU by length": [
            {row[0]: row[4] for row in by_length.rows if row[3] == name} for name in names
        ],
    }


def largest_difference(ours: list[dict[Any, Any]], theirs: list[dict[Any, Any]]) -> float:
    """Return by how much two tables differ at most; infinite if their rows do."""
    worst = 0.0
    for found, expected in zip(ours, theirs, strict=True):
        if found.keys() != expected.keys():
            return float("inf")
        for row, value in expected.items():
            pairs = zip(as_tuple(found[row]), as_tuple(value), strict=True)
            worst = max(worst, *(abs(one - other) for one, other in pairs))
    return worst


def as_tuple(value: Any) -> tuple[float, ...]:
    return value if isinstance(value, tuple) else (value,)


def shown(table: list[dict[Any, Any]]) -> list[dict[str, Any]]:
    """Return a table with few digits: of word accuracies F1 alone."""
    return [
        {str(row): round(float(as_tuple(value)[-1]), 4) for row, value in each.items()}
        for each in table
    ]


def without_empty(lines: Lines) -> Lines:
    """Leave out the segments with an empty line, which compare-mt takes for a word."""
    columns = [[row[0] for row in lines.references], *lines.systems.values()]
    kept = [row for row in zip(*columns, strict=True) if all(line.strip() for line in row)]
    left_out = len(lines.references) - len(kept)
    print(f"{left_out} segments with an empty line are left out", file=sys.stderr)
    references, *systems = (list(column) for column in zip(*kept, strict=True))
    return Lines([[line] for line in references], dict(zip(lines.systems, systems, strict=True)))


if __name__ == "__main__":
    main(__file__, __doc__, benchmark)
