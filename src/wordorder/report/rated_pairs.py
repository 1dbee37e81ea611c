"""Mean ratings and the tests of each two systems, for every format."""

from typing import Any

from wordorder.analysis.triangle_reading import triangle_reading
from wordorder.judgement.mean_ratings import RatedPairs
from wordorder.judgement.ranking import Ranking
from wordorder.messages import counted
from wordorder.report.document import Document, Output, records
from wordorder.report.judgements import ranking_output
from wordorder.report.scores import LEGEND, marked_pairs, pair_table
from wordorder.statistics.measurement import NOT_COMPARED


def rated_pairs_output(ranking: Ranking, found: RatedPairs) -> Output:
    """Show the systems by their mean ratings, then the grid and each difference.

    Parameters
    ----------
    ranking : Ranking
        By "mean", of the same ratings.
    found : RatedPairs
    """
    ranked = ranking_output(ranking)

    def data() -> dict[str, Any]:
        pairs = records(found.to_columns(), without="signature")
        for row, pair in zip(pairs, found.comparison.pairs, strict=True):
            row["interval_90"] = pair.interval_90 and list(pair.interval_90)
            row["mark"] = None if pair.mark == NOT_COMPARED else pair.mark
        return {**ranked.data(), "pairs": pairs}

    def document() -> Document:
        names, marks = found.systems, found.comparison.triangle()
        how = (
            "pairs: differences of mean ratings on the items that both systems were rated on, "
            f"paired bootstrap resampling, {counted(found.comparison.resamples, 'resample')}, "
            f"seed {found.comparison.seed}"
        )
        assert ranked.document is not None
        parts = ranked.document().parts
        if len(names) > 1:
            grid = marked_pairs(names, marks), triangle_reading(names, marks)
            parts = (*parts, *grid, *pair_table(names, found.comparison), LEGEND, how)
        return Document(parts, legends=True)

    return Output(data, found.to_columns, document)
