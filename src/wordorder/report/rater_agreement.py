"""How far raters agree: as a table, as JSON, as TSV."""

from __future__ import annotations

import math
from typing import Any

from wordorder.counts import counted, number
from wordorder.judgement.rater_agreement import AgreementRow, RaterAgreement, SignTest
from wordorder.report.judgements import collected_json, collected_text
from wordorder.report.tables import Cell, columns_tsv, p_number, paragraph, paragraphs, table

AGREEMENT_HEADER = ["raters", "statistic", "value", "interval", "n", "P_A", "P_E"]
LEGEND = {
    "kappa": "kappa: (P_A - P_E) / (1 - P_E), where P_E comes from the shares of better, worse and "
    "tie",
    "kappa-uniform": "kappa-uniform: the same with P_E = 1/3",
    "krippendorff-ordinal": "krippendorff-ordinal: values differ by the ratings between them",
    "krippendorff-interval": "krippendorff-interval: values differ by their squared difference",
    "inter": "inter: different raters",
    "intra": "intra: the same rater on two occasions",
}


def agreement_text(measured: RaterAgreement) -> str:
    """Lay out each measure with its interval, the sign test, and what the names mean."""
    rows: list[list[Cell]] = []
    for row in measured.rows:
        known = not math.isnan(row.value)
        interval = f"[{number(row.low)}, {number(row.high)}]" if known else _why_not(row)
        rows.append(
            [
                row.raters,
                row.statistic,
                row.value if known else None,
                interval,
                row.n,
                _agreement_plain(row.observed),
                _agreement_plain(row.chance),
            ]
        )
    parts = []
    if rows:
        # Ratings have neither P_A nor P_E.
        wide = any(row.chance is not None for row in measured.rows)
        parts.append(
            table(
                rows if wide else [row[:5] for row in rows], AGREEMENT_HEADER[: None if wide else 5]
            )
        )
    if measured.sign_test is not None:
        parts.append(paragraphs(_sign_reading(measured.sign_test)))
    names = {name for row in measured.rows for name in (row.raters, row.statistic)}
    raters = counted(measured.raters, "rater") if measured.raters else "unnamed raters"
    how = (
        f"{counted(measured.judgements, 'judgement')} by {raters} on "
        f"{counted(measured.items, 'item')}; [low, high] is the {100 * measured.level:g} % "
        f"interval of {counted(measured.resamples, 'resample')} of the items, seed {measured.seed}"
    )
    said = [*(text for name, text in LEGEND.items() if name in names), how]
    parts.append("\n".join(map(paragraphs, said)))
    if measured.unusual:
        parts.append(_unusual_text(measured))
    everybody = None if measured.everybody is None else agreement_text(measured.everybody)
    collected = collected_text(measured.signature, measured.failed, everybody)
    return "\n\n".join(parts) + "\n" + collected


def _unusual_text(found: RaterAgreement) -> str:
    """Lay out the raters to look at."""
    rows: list[list[Cell]] = [
        [
            each.name,
            each.what,
            each.ratings,
            _agreement_plain(each.correlation),
            _agreement_plain(each.bias),
        ]
        for each in found.unusual
    ]
    header = ["rater", "ratings are", "n", "correlation", "bias"]
    how = (
        "Unusual raters: correlation with the mean of the others on the same outputs, and how "
        "much higher they rate. Their ratings are included."
    )
    return f"{table(rows, header)}\n\n{paragraph(how)}"


def agreement_json(measured: RaterAgreement) -> dict[str, Any]:
    """Return everything as plain dictionaries and lists."""
    test = measured.sign_test
    return {
        "judgements": measured.judgements,
        "raters": measured.raters,
        "items": measured.items,
        "level": measured.level,
        "resamples": measured.resamples,
        "seed": measured.seed,
        "agreement": [
            {
                "raters": row.raters,
                "statistic": row.statistic,
                "value": _agreement_plain(row.value),
                "low": _agreement_plain(row.low),
                "high": _agreement_plain(row.high),
                "n": row.n,
                "observed": _agreement_plain(row.observed),
                "chance": _agreement_plain(row.chance),
            }
            for row in measured.rows
        ],
        "sign_test": None
        if test is None
        else {
            "better": test.better,
            "worse": test.worse,
            "wins": test.wins,
            "losses": test.losses,
            "ties": test.ties,
            "p": test.p_value,
            "p_normal": test.p_normal,
        },
        **collected_json(
            measured.signature,
            measured.failed,
            None if measured.everybody is None else agreement_json(measured.everybody),
        ),
        **(
            {
                "unusual_raters": [
                    {
                        "rater": each.name,
                        "what": each.what,
                        "ratings": each.ratings,
                        "correlation": _agreement_plain(each.correlation),
                        "bias": _agreement_plain(each.bias),
                    }
                    for each in measured.unusual
                ]
            }
            if measured.signature
            else {}
        ),
    }


def agreement_tsv(measured: RaterAgreement) -> str:
    """Write a row for each measure, in full precision."""
    return columns_tsv(measured.to_columns())


def _sign_reading(test: SignTest) -> str:
    """Say what the sign test found, and what it takes for granted."""
    return (
        f"{test.better} is preferred to {test.worse} {test.wins} : {test.losses}, "
        f"{counted(test.ties, 'tie')} left out: one-sided p = {p_number(test.p_value)} by the "
        f"exact sign test ({p_number(test.p_normal)} by the normal approximation).\nThe test "
        "treats all judgements as independent, but judgements of the same item are not; "
        "`wordorder rank` resamples items instead."
    )


def _why_not(row: AgreementRow) -> str:
    """Say why a measure has no value."""
    return "all judgements equal" if row.n else "nothing judged twice"


def _agreement_plain(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value
