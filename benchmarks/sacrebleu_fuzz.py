"""Compare bleu and chrf with sacreBLEU on random text: any difference is an error.

20,000 pairs of a hypothesis and a reference for each of the two: any characters of Unicode, all
white space, entities and other things that the tokenizer 13a replaces, numbers, words; one to
three references, empty lines. Options are drawn for every batch. Statistics, scores of segments
and corpora and signatures must be the same, to the last digit; half a minute.
"""

from __future__ import annotations

import argparse
import random
import time
from typing import Any

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

import wordorder as wo
from wordorder.metrics.text.ngrams import Bleu, Chrf

PAIRS = 20_000
LONGEST = 60
BATCH = 100
BLANKS = [char for char in map(chr, range(0x110000)) if char.isspace() and char != "\n"]
REPLACED = ["<skipped>", "&amp;", "&quot;", "&lt;", "&gt;", "&am<skipped>p;", "&amp;lt;", "<skip"]
WORDS = ["the", "The", "cat's", "3.5", "1,000", "x-y", "2-3", "U.S.", "(yes)", "Straße", "ΟΔΟΣ"]

Line = list[str]


def pieces(rng: random.Random) -> Line:
    """Draw what a segment is made of: a few kinds, or many."""
    kinds = [
        [chr(code) for code in range(32, 127)],
        [chr(code) for code in range(256) if code != 10],
        list("0123456789.,-"),
        BLANKS,
        REPLACED,
        [f"{word} " for word in WORDS],
        [char for char in map(chr, rng.choices(range(0x110000), k=40)) if _is_character(char)],
    ]
    chosen = [piece for kind in rng.sample(kinds, rng.randint(1, 4)) for piece in kind]
    return rng.choices(chosen, k=rng.choice([2, 5, 20, 60]))


def near(rng: random.Random, line: Line, some: Line) -> Line:
    """Move a block, then change and drop some pieces."""
    first, last = sorted(rng.randrange(len(line) + 1) for _ in range(2))
    place = rng.randrange(len(line) - (last - first) + 1)
    rest = line[:first] + line[last:]
    moved = rest[:place] + line[first:last] + rest[place:]
    changed = [rng.choice(some) if rng.random() < 0.1 else piece for piece in moved]
    return [piece for piece in changed if rng.random() > 0.05]


def segment(rng: random.Random) -> tuple[str, list[str]]:
    """Make a hypothesis and its references; some of both are empty, or the same."""
    some = pieces(rng)

    def line() -> Line:
        return rng.choices(some, k=rng.randrange(LONGEST + 1))

    ours = line()
    references = [
        near(rng, ours, some) if rng.random() < 0.8 else line()
        for _ in range(rng.choice([1, 1, 2, 3]))
    ]
    return "".join(ours), ["".join(reference) for reference in references]


def bleu_options(rng: random.Random) -> dict[str, Any]:
    method = rng.choice(["exp", "floor", "add-k", "none"])
    return {
        "tokenize": rng.choice(["13a", "13a", "none", "intl"]),
        "lowercase": rng.random() < 0.3,
        "smooth_method": method,
        "smooth_value": rng.choice([None, 0.01, 1, 2.5]) if method in ("floor", "add-k") else None,
        "max_ngram_order": rng.choice([1, 2, 4, 4, 4, 7]),
        "effective_order": rng.random() < 0.5,
    }


def chrf_options(rng: random.Random) -> dict[str, Any]:
    return {
        "char_order": rng.choice([1, 3, 6, 6, 6, 10]),
        "word_order": rng.choice([0, 0, 1, 2, 5]),
        "beta": rng.choice([1, 2, 2, 3]),
        "lowercase": rng.random() < 0.3,
        "whitespace": rng.random() < 0.3,
        "eps_smoothing": rng.random() < 0.3,
    }


def compare(
    ours: Bleu | Chrf, theirs: BLEU | CHRF, batch: list[tuple[str, list[str]]]
) -> tuple[float, float]:
    """Leave with 1 at the first difference; return the CPU seconds of both for statistics."""
    hypotheses, references = [h for h, _ in batch], [r for _, r in batch]
    most = max(map(len, references))
    files: list[Any] = [[r[i] if i < len(r) else None for r in references] for i in range(most)]
    segments = wo.Segments.from_text(hypotheses, references)
    begin = time.process_time()
    statistics = ours.statistics(segments)
    middle = time.process_time()
    wanted = theirs._extract_corpus_statistics(hypotheses, files)
    end = time.process_time()
    for row, (counted, counts) in enumerate(zip(statistics[:, :-1].tolist(), wanted, strict=True)):
        if counted != counts:
            _differ(ours, f"{counted}, not {counts}: {batch[row]!r}")
    scores = [min(theirs._aggregate_and_compute([list(row)]).score / 100, 1) for row in wanted]
    if ours.segment_scores(segments).tolist() != scores:
        _differ(ours, "other scores of segments")
    corpus = min(theirs.corpus_score(hypotheses, files).score / 100, 1)
    if ours.corpus_score(segments).value != corpus:
        _differ(ours, f"a corpus scores other than {corpus}")
    theirs.num_refs = 1
    fields = [f.split(":", 1) for f in theirs.get_signature().format().split("|")]
    signed = [(f"sacrebleu-{key}", value) for key, value in fields if key != "nrefs"]
    if list(ours.signature().fields)[-len(signed) :] != signed:
        _differ(ours, f"the signature lacks {signed}")
    return middle - begin, end - middle


def _differ(metric: Bleu | Chrf, what: str) -> None:
    raise SystemExit(f"{metric.signature()}: {what}")


def _is_character(char: str) -> bool:
    return char != "\n" and not "\ud800" <= char <= "\udfff"


def main() -> None:
    """Compare batch by batch."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    wo.set_threads(1)
    rng = random.Random(options.seed)
    for name in ("bleu", "chrf"):
        pairs = 0
        seconds = [0.0, 0.0]
        while pairs < options.pairs:
            batch = [segment(rng) for _ in range(BATCH)]
            if name == "bleu":
                drawn = bleu_options(rng)
                spent = compare(Bleu(**drawn), BLEU(**drawn, force=True), batch)
            else:
                drawn = chrf_options(rng)
                spent = compare(Chrf(**drawn), CHRF(**drawn), batch)
            seconds = [total + more for total, more in zip(seconds, spent, strict=True)]
            pairs += sum(len(references) for _, references in batch)
        print(
            f"{name}: {pairs} pairs are the same; pairs per CPU second: "
            f"{pairs / seconds[0]:,.0f} (sacreBLEU {pairs / seconds[1]:,.0f})",
            flush=True,
        )


if __name__ == "__main__":
    main()
