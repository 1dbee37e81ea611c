"""Slow, obvious twins of the notations lader, naacl and giza, of subwords and of link counts."""

from collections.abc import Iterable, Sequence

Link = tuple[int, int]
Marked = tuple[int, int, bool]


def naacl_text(rows: Sequence[Sequence[Marked]]) -> str:
    """Write links as the shared task asks for."""
    text = ""
    for sentence, row in enumerate(rows, 1):
        for s, t, possible in row:
            text += f"{sentence:04d} {s + 1} {t + 1} {'P' if possible else 'S'}\n"
    return text


def giza_text(
    rows: Sequence[Sequence[Link]],
    sources: Sequence[Sequence[str]],
    targets: Sequence[Sequence[str]],
    order: Iterable[int],
) -> str:
    """Write links as GIZA++'s `printAlignToFile` does, the pairs in any order."""
    text = ""
    for number in order:
        row, source, target = rows[number], sources[number], targets[number]
        text += f"# Sentence pair ({number + 1}) source length {len(source)}"
        text += f" target length {len(target)} alignment score : 5.37486e-26\n"
        for word in target:
            text += f"{word} "
        text += "\n"
        for i, word in enumerate(["NULL", *source], -1):
            text += f"{word} ({{ "
            for t in range(len(target)):
                if i < 0 and all(other != t for _, other in row):
                    text += f"{t + 1} "
                if (i, t) in row:
                    text += f"{t + 1} "
            text += "}) "
        text += "\n"
    return text


def lader_text(rows: Sequence[Sequence[Link]], lengths: Sequence[tuple[int, int]]) -> str:
    """Write links as lader's `Alignment::ToString` does."""
    return "".join(
        f"{n}-{m} ||| {' '.join(f'{s}-{t}' for s, t in row)}\n"
        for row, (n, m) in zip(rows, lengths, strict=True)
    )


def word_links(
    links: Iterable[Marked], source_words: Sequence[int], target_words: Sequence[int]
) -> list[Marked]:
    """Link two words if any of their pieces are, surely if one such link is sure."""
    found: dict[Link, bool] = {}
    for s, t, possible in links:
        pair = source_words[s], target_words[t]
        found[pair] = found.get(pair, True) and possible
    return [(s, t, found[s, t]) for s, t in sorted(found)]


def link_counts(system: Iterable[Link], gold: Iterable[Marked]) -> tuple[int, int, int, int]:
    """Return |A|, |S|, |A & S| and |A & P| by sets."""
    a = set(system)
    gold = list(gold)
    sure = {(s, t) for s, t, possible in gold if not possible}
    p = {(s, t) for s, t, _ in gold}
    return len(a), len(sure), len(a & sure), len(a & p)
