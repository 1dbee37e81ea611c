"""What reference orders rest on, in one line."""

from wordorder.messages import counted
from wordorder.order.reference import ReferenceReport


def reference_summary(report: ReferenceReport) -> str:
    """Say how much of the source had no link or no order.

    Examples
    --------
    >>> print(reference_summary(ReferenceReport(2, 10, unaligned=1, unlinked=1, tied=4)))
    2 sentences, 10 words: 1 unaligned (10.0 %), 4 tied (40.0 %);
    1 sentence without links (50.0 %)
    """
    return (
        f"{counted(report.sentences, 'sentence')}, {counted(report.words, 'word')}: "
        f"{report.unaligned} unaligned ({report.unaligned_share:.1%}), "
        f"{report.tied} tied ({report.tied_share:.1%}); "
        f"{counted(report.unlinked, 'sentence')} without links ({report.unlinked_share:.1%})"
    ).replace("%", " %")
