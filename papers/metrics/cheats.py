#!/usr/bin/env python3
"""What does each metric give an output that cheats: one that is silent, repeats, or says too much?

    python -m papers.metrics.cheats

Needs no data: one output of the package's sample of judged translations, `HONEST`, is changed by
each cheat, and scored beside what it was. Links are made up by a rule. A second part compares
400 random outputs with themselves after each of nine manipulations.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import wordorder as wo
from papers.keeping import OUTPUT, keep
from wordorder.metrics.contract import complete_metric
from wordorder.metrics.registry import metrics_for
from wordorder.notes import held_notes
from wordorder.samples import sample_path

Lines = list[str]
Links = list[list[tuple[int, int]]]

# The output that cheats, and a worse one that is joined to it.
HONEST, OTHER = "fir", "hazel"
ALIGNER = "exact+stem"
MATCHED: dict[str, Any] = {"aligner": ALIGNER, "language": "en", "tokenizer": "none"}
ORDER_METRICS = (*metrics_for({"permutation"}), "tree-cost")
TEXT_METRICS = (
    *("wer", "per", "cder", "cder(direction=candidate)", "long-jump", "inversion-wer", "ter"),
    *("bleu", "bleu-s", "nist", "chrf", "f1", "gtm", "ribes", "meteor", "senscore"),
    *("lrscore", "mix(formula=0.6*cder + 0.4*per)"),
)
LINK_METRICS = (
    *("aer", "precision", "recall"),
    *("anticipation", "synchrony", "non-monotonicity", "unaligned"),
    *("frs", "kendall", "lrscore"),
)
UNRELATED = "an unrelated reference"


def text_of(name: str) -> Lines:
    """Return a text of the sample."""
    return sample_path(name, "judged").read_text("utf-8").splitlines()


def every_second(lines: Lines, others: Lines) -> Lines:
    """Return lines of which every second one is that of another text."""
    pairs = zip(lines, others, strict=True)
    return [other if number % 2 else line for number, (line, other) in enumerate(pairs)]


def cheating_texts() -> dict[str, Lines]:
    """Return the honest output, and what each cheat makes of it."""
    honest, reference, source = map(text_of, (f"{HONEST}.en", "reference.en", "source.ja"))
    words = [line.split() for line in honest]
    return {
        "honest": honest,
        "empty": [""] * len(honest),
        "half of the lines blank": every_second(honest, [""] * len(honest)),
        "one word": [row[0] for row in words],
        "first words": [" ".join(row[:5]) for row in words],
        "half another language": every_second(honest, source),
        "one word repeated": [" ".join([row[0]] * len(row)) for row in words],
        "each word twice": [" ".join(word for word in row for _ in range(2)) for row in words],
        "output twice": [f"{line} {line}" for line in honest],
        "two outputs joined": [
            f"{line} {other}" for line, other in zip(honest, text_of(f"{OTHER}.en"), strict=True)
        ],
        "reference sorted": [" ".join(sorted(line.split(), key=str.lower)) for line in reference],
        "source copied": source,
    }


def text_segments() -> dict[str, wo.Segments]:
    """Return the segments of each cheat of `cheating_texts`, and with one more reference."""
    reference = text_of("reference.en")
    texts = cheating_texts()
    made = {
        cheat: wo.Segments.from_text(lines, reference, tokenizer="none", aligner=ALIGNER)
        for cheat, lines in texts.items()
    }
    # The reference of the next line.
    both = [list(pair) for pair in zip(reference, reference[1:] + reference[:1], strict=True)]
    made[UNRELATED] = wo.Segments.from_text(
        texts["honest"], both, tokenizer="none", aligner=ALIGNER
    )
    return made


def cheating_links() -> dict[str, tuple[Lines, Links]]:
    """Return a text with its links from the source, by cheat; the honest links are made up.

    As `gold_links`, but every fifth word is not linked, and every third is linked one word further.
    """
    source, output = (text_of(name) for name in ("source.ja", f"{HONEST}.en"))
    lengths = [(len(a.split()), len(b.split())) for a, b in zip(source, output, strict=True)]
    honest = [
        [
            (i, min(j + (i % 3 == 2), target - 1))
            for i, j in halves_exchanged(words, target)
            if i % 5 != 4
        ]
        for words, target in lengths
    ]
    everything = [[(i, j) for i in range(s) for j in range(t)] for s, t in lengths]
    return {
        "honest": (output, honest),
        "no links": (output, [[] for _ in honest]),
        "no output": ([""] * len(output), [[] for _ in honest]),
        "half of the lines blank": (
            every_second(output, [""] * len(output)),
            [[] if number % 2 else row for number, row in enumerate(honest)],
        ),
        "one link": (output, [row[:1] for row in honest]),
        "all links to one word": (output, [[(i, 0) for i in range(s)] for s, _ in lengths]),
        "all possible links": (output, everything),
        "source copied": (source, [[(i, i) for i in range(s)] for s, _ in lengths]),
    }


def gold_links() -> Links:
    """Return made-up gold links of source and reference: the second half comes first."""
    source, reference = text_of("source.ja"), text_of("reference.en")
    lengths = [(len(a.split()), len(b.split())) for a, b in zip(source, reference, strict=True)]
    return [halves_exchanged(*pair) for pair in lengths]


def halves_exchanged(words: int, target: int) -> list[tuple[int, int]]:
    """Link words with as many others, spread evenly, of which the second half comes first."""
    return [(i, (i + words // 2) % words * target // words) for i in range(words)]


def link_segments(name: str) -> dict[str, wo.Segments]:
    """Return the segments of each cheat of `cheating_links`, as a metric reads them."""
    source, reference, gold = text_of("source.ja"), text_of("reference.en"), gold_links()
    made = {}
    for cheat, (output, links) in cheating_links().items():
        if name in ("aer", "precision", "recall"):
            made[cheat] = wo.Segments.from_links(links, gold)
        else:
            rows = wo.Alignments.from_rows(links)
            made[cheat] = wo.Segments.from_alignments(
                source, output, reference, rows, wo.Alignments.from_rows(gold)
            )
    return made


def scored(name: str, segments: dict[str, wo.Segments]) -> dict[str, Any]:
    """Return the score of each cheat under a metric, and the cheats that gain."""
    metric = complete_metric(wo.metric(name))
    values = {}
    for cheat, each in segments.items():
        score = metric.corpus_score(each)
        values[cheat] = None if score.skipped == len(each) else round(float(score.value), 6)
    honest = values["honest"]
    assert honest is not None
    sign = 1 if metric.higher_is_better else -1
    known = {cheat: value for cheat, value in values.items() if value is not None}
    gains = [cheat for cheat, value in known.items() if sign * (value - honest) > 0]
    return {"higher is better": metric.higher_is_better, "values": values, "gains": gains}


def matched_share(segments: wo.Segments) -> float:
    """Return the share of the words of the references that the output matches."""
    dropped = segments.dropped_words
    return round(1 - dropped.reference / dropped.reference_words, 4)


def compared(names: Sequence[str], systems: dict[str, Lines], reference: Lines) -> dict[str, Any]:
    """Compare two outputs, the second being the one that cheats; return its difference and mark."""
    result = wo.compare(systems, reference, list(names), resamples=1000, **MATCHED)
    columns = result.to_columns()
    rows = zip(columns["metric"], columns["difference"], columns["mark"], strict=True)
    return {
        name: [None if difference is None else round(difference, 6), mark]
        for name, difference, mark in rows
    }


def common_words() -> dict[str, Any]:
    """Compare the honest output with each cheat on the words that both match."""
    texts, reference = cheating_texts(), text_of("reference.en")
    names = metrics_for({"permutation"})
    return {
        cheat: compared(names, {"honest": texts["honest"], "cheat": lines}, reference)
        for cheat, lines in texts.items()
        if cheat != "honest"
    }


VOCABULARY = [f"{a}{b}{c}" for a in "bdgk" for b in "aeiou" for c in "lmn"]
FOREIGN = [f"z{word}" for word in VOCABULARY]
CORPORA, SEGMENTS = 400, 30
COMPARED = ("frs", "kendall")
Change = Callable[[random.Random, list[str]], list[str]]


def moved(draw: random.Random, words: list[str]) -> list[str]:
    """Return an output: the words with some blocks moved, lost and replaced."""
    words = list(words)
    for _ in range(draw.randint(0, 3)):
        start = draw.randrange(len(words))
        block = words[start : start + draw.randint(1, 3)]
        del words[start : start + len(block)]
        place = draw.randint(0, len(words))
        words[place:place] = block
    return [
        draw.choice(FOREIGN) if draw.random() < 0.1 else word
        for word in words
        if draw.random() > 0.1
    ]


def disorder(words: list[str], reference: list[str]) -> int:
    """Return how many neighbours of the reference's words an output has in the wrong order."""
    places = [reference.index(word) for word in words if word in reference]
    return sum(a > b for a, b in pairwise(places))


def without_disorder(words: list[str], reference: list[str]) -> list[str]:
    """Leave out every word of the reference that comes before one of those in front of it."""
    rows, last = [], -1
    for word in words:
        place = reference.index(word) if word in reference else None
        if place is None or place > last:
            rows.append(word)
            last = last if place is None else place
    return rows


def repeated_elsewhere(draw: random.Random, words: list[str]) -> list[str]:
    """Repeat three words at other places."""
    words = list(words)
    for word in draw.sample(words, min(3, len(words))):
        words.insert(draw.randint(0, len(words)), word)
    return words


def inflected_copies(draw: random.Random, words: list[str]) -> list[str]:
    """Give three words two endings each, one at its place and one at another."""
    words = list(words)
    for word in draw.sample(words, min(3, len(words))):
        words[words.index(word)] = f"{word}s"
        words.insert(draw.randint(0, len(words)), f"{word}'s")
    return words


def half(draw: random.Random, lines: list[list[str]], change: Change) -> list[list[str]]:
    """Change half of the lines, drawn at random."""
    chosen = set(draw.sample(range(len(lines)), len(lines) // 2))
    return [change(draw, row) if n in chosen else row for n, row in enumerate(lines)]


def manipulated(
    draw: random.Random, lines: list[list[str]], references: list[list[str]]
) -> dict[str, list[list[str]]]:
    """Return the output after each of nine manipulations."""
    pairs = list(zip(lines, references, strict=True))
    worst = sorted(range(len(lines)), key=lambda n: -disorder(*pairs[n]))[: len(lines) // 2]
    return {
        "half of the lines blank": half(draw, lines, lambda _, row: []),
        "the worst half blank": [[] if n in worst else row for n, row in enumerate(lines)],
        "cut after five words": [row[:5] for row in lines],
        "words left out": [[word for word in row if draw.random() > 0.3] for row in lines],
        "words out of order left out": [without_disorder(*pair) for pair in pairs],
        "words repeated": [
            [word for word in row for _ in range(1 + (draw.random() < 0.3))] for row in lines
        ],
        "words repeated elsewhere": [repeated_elsewhere(draw, row) for row in lines],
        "inflected copies": [inflected_copies(draw, row) for row in lines],
        "half another language": half(draw, lines, lambda d, row: d.choices(FOREIGN, k=len(row))),
    }


def worse_reference(draw: random.Random, row: list[str], reference: list[str]) -> list[str]:
    """Return a reference that shares one word with an output, which matches the other better."""
    shared = sum(word in row for word in reference)
    return draw.choices(FOREIGN[:5], k=9) + (draw.sample(row, 1) if row and shared > 1 else [])


def random_corpora(number: int = CORPORA) -> dict[str, Any]:
    """Count the comparisons that the manipulated side of random corpora wins, and loses."""
    counts: dict[str, dict[str, list[int]]] = {}
    changed = 0
    for seed in range(number):
        draw = random.Random(seed)
        references = [draw.sample(VOCABULARY, draw.randint(4, 14)) for _ in range(SEGMENTS)]
        honest = [moved(draw, row) for row in references]
        lines = [" ".join(row) for row in honest]
        reference = [" ".join(row) for row in references]
        for name, rows in manipulated(draw, honest, references).items():
            systems = {"honest": lines, "cheat": [" ".join(row) for row in rows]}
            for metric, (difference, mark) in compared(COMPARED, systems, reference).items():
                of = counts.setdefault(name, {each: [0, 0, 0] for each in COMPARED})[metric]
                of[0] += mark == "+**"
                of[1] += mark == "-**"
                of[2] += bool(difference)
        both = [
            [text, " ".join(worse_reference(draw, *pair))]
            for text, pair in zip(reference, zip(honest, references, strict=True), strict=True)
        ]
        one, two = (
            wo.score({"honest": lines}, each, list(COMPARED), **MATCHED).values()
            for each in (reference, both)
        )
        changed += one != two
    return {"corpora": number, "segments": SEGMENTS, "counts": counts, "worse reference": changed}


def measured(corpora: int = CORPORA) -> dict[str, Any]:
    """Return everything."""
    with held_notes():
        segments = text_segments()
        return {
            "honest": HONEST,
            "joined with": OTHER,
            "matched": {
                cheat: matched_share(each) for cheat, each in segments.items() if cheat != UNRELATED
            },
            "texts": {name: scored(name, segments) for name in (*ORDER_METRICS, *TEXT_METRICS)},
            "links": {name: scored(name, link_segments(name)) for name in LINK_METRICS},
            "common words": common_words(),
            "random": random_corpora(corpora),
        }


def cell(of: dict[str, Any], cheat: str) -> str:
    """Write a score; in bold where the cheat gains."""
    value = of["values"][cheat]
    if value is None:
        return "none"
    return f"**{value:.3f}**" if cheat in of["gains"] else f"{value:.3f}"


def table(rows: dict[str, dict[str, Any]], names: Sequence[str] = ()) -> list[str]:
    """Write the scores of metrics, a row each, and a column for each cheat."""
    cheats = list(next(iter(rows.values()))["values"])
    lines = [f"| metric | {' | '.join(cheats)} |", f"|---|{'---:|' * len(cheats)}"]
    for name in names or rows:
        of = rows[name]
        arrow = "↑" if of["higher is better"] else "↓"
        lines.append(f"| `{name}` {arrow} | {' | '.join(cell(of, cheat) for cheat in cheats)} |")
    return lines


def markdown(results: dict[str, Any]) -> str:
    """Write the tables as a page."""
    common, drawn = results["common words"], results["random"]
    names = list(next(iter(common.values())))
    matched = [f"{100 * share:.0f} %" for share in results["matched"].values()]
    lines = [
        "# What a cheat gains",
        "",
        f"`{results['honest']}` of the sample of judged translations against its reference, and "
        f"after each cheat ({results['honest']} joined with {results['joined with']}). **Bold**: "
        "better than the honest output. None: the metric leaves all segments out.",
        "",
        *table(results["texts"]),
        f"| words of the reference that match | {' | '.join(matched)} | – |",
        "",
        "## Links",
        "",
        "The links are made up.",
        "",
        *table(results["links"]),
        "",
        "## Pairs: cheat − honest on the words that both match",
        "",
        f"| cheat | {' | '.join(f'`{name}`' for name in names)} |",
        f"|---|{'---:|' * len(names)}",
    ]
    for cheat, of in common.items():
        cells = [
            f"{difference:+.3f} {mark}" if difference else mark for difference, mark in of.values()
        ]
        lines.append(f"| {cheat} | {' | '.join(cells)} |")
    lines += [
        "",
        "## Random outputs",
        "",
        f"{drawn['corpora']} corpora of {drawn['segments']} segments, each compared with itself "
        "after a manipulation, on the words that both match (95 %, two-sided).",
        "",
        "| manipulation | metric | wins | loses | differs |",
        "|---|---|---:|---:|---:|",
        *(
            f"| {name} | `{metric}` | {wins} | {losses} | {differs} |"
            for name, of in drawn["counts"].items()
            for metric, (wins, losses, differs) in of.items()
        ),
        "",
        "A reference that matches worse, added to each segment, changes "
        f"{drawn['worse reference']} of {drawn['corpora']} scores.",
    ]
    return "\n".join([*lines, "", results["made"], ""])


def main() -> None:
    """Score all cheats and keep the tables."""
    started = time.process_time()
    keep(OUTPUT, Path(__file__).stem, measured(), markdown, started)


if __name__ == "__main__":
    main()
