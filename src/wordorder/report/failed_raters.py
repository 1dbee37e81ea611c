"""Raters who failed control items: who they are, and results with them beside those without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wordorder.counts import counted, percent
from wordorder.judgement.judgements import FailedRater
from wordorder.report.lines import paragraph


def collected_text(signature: str, failed: Sequence[FailedRater], everybody: str | None) -> str:
    r"""Say how judgements were collected and who is left out, with what they would change.

    Parameters
    ----------
    signature : str
        Empty if the judgements come from a file of another kind: then nothing is said.
    failed : sequence of FailedRater
    everybody : str, optional
        The results with those who failed, laid out.

    Examples
    --------
    >>> print(collected_text("talbot|ratings:3", [FailedRater("rater2", 1, 4)], "A 0.5\n"), end="")
    <BLANKLINE>
    signature: talbot|ratings:3
    left out 1 rater with fewer than 60 % of the control items right: rater2 (1 of
    4, 25 %)
    <BLANKLINE>
    With everybody:
    <BLANKLINE>
    A 0.5
    """
    if not signature:
        return ""
    lines = ["", f"signature: {signature}"]
    if failed:
        names = ", ".join(
            f"{each.name} ({each.right} of {each.asked}, {percent(each.right, each.asked)})"
            for each in failed
        )
        raters = counted(len(failed), "rater")
        how = f"left out {raters} with fewer than 60 % of the control items right: {names}"
        lines.append(paragraph(how))
    text = "\n".join(lines) + "\n"
    return text if everybody is None else f"{text}\nWith everybody:\n\n{everybody}"


def collected_json(
    signature: str, failed: Sequence[FailedRater], everybody: dict[str, Any] | None
) -> dict[str, Any]:
    """Return the same as further keys of a result; none without a signature."""
    if not signature:
        return {}
    return {
        "signature": signature,
        "failed_raters": [
            {"rater": each.name, "right": each.right, "asked": each.asked} for each in failed
        ],
        "everybody": everybody,
    }
