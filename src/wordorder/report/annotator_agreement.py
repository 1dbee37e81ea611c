"""How far annotators agree on links: as a table, as TSV."""

from __future__ import annotations

from typing import Any

from wordorder.counts import counted
from wordorder.report.tables import Cell, table, tsv

# More words are in the JSON.
_WORDS = 10


def annotator_agreement_text(found: dict[str, Any]) -> str:
    """Lay out each two annotators, the words on which they differ most, and the sentences."""
    rows: list[list[Cell]] = [
        [each["first"], each["second"], each["sentences"], each["f1"], each["kappa"]]
        for each in found["pairs"]
    ]
    parts = [table(rows, ["first", "second", "sentences", "F1", "kappa"])]
    for each in found["pairs"]:
        who = f"{each['first']} and {each['second']}"
        if each["words"]:
            shown = [[word["word"], word["differ"], word["of"]] for word in each["words"][:_WORDS]]
            parts.append(
                f"Words on which {who} differ most\n"
                + table(shown, ["word", "links differ", "occurrences"])
            )
        lines = [
            f"  {row['sentence']}: {_words(row, 'only_first', each['first'])}"
            f"{_words(row, 'only_second', each['second'])}".rstrip("; ")
            for row in each["differences"]
        ]
        if lines:
            number = counted(len(lines), "sentence")
            verb = "differs" if len(lines) == 1 else "differ"
            parts.append("\n".join([f"{number} of {who} {verb}", *lines]))
        if each["not_compared"]:
            listed = ", ".join(map(str, each["not_compared"]))
            parts.append(f"Not compared, since their translations differ: {listed}")
    parts.append(
        "F1: 2 x links of both / (links of the one + links of the other)\n"
        "kappa: Cohen's, of linked or not over all pairs of words\n"
        f"signature: {found['signature']}"
    )
    return "\n\n".join(parts) + "\n"


def annotator_agreement_tsv(found: dict[str, Any]) -> str:
    """Write a row for each two annotators, in full precision."""
    header = ["first", "second", "sentences", "f1", "kappa"]
    rows: list[list[Cell]] = [[each[name] for name in header] for each in found["pairs"]]
    return tsv(rows, header, decimals=None) + "\n"


def _words(row: dict[str, Any], key: str, name: str) -> str:
    """Name the links of one annotator alone by their words."""
    links = ", ".join(f"{row['source'][s]}-{row['target'][t]}" for s, t in row[key])
    return f"{name} {links}; " if links else ""
