"""Human judgements of translations, and how well metrics agree with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from wordorder.judgement.correlations import Correlation, MetaEvaluation, SetCorrelations
    from wordorder.judgement.judgement_files import read_judgements
    from wordorder.judgement.judgements import Judgements
    from wordorder.judgement.pair_judgements import PairJudgements
    from wordorder.judgement.ratings import Ratings
    from wordorder.judgement.score_table import ScoreTable

_PLACES = {
    "Correlation": "correlations",
    "Judgements": "judgements",
    "MetaEvaluation": "correlations",
    "PairJudgements": "pair_judgements",
    "Ratings": "ratings",
    "ScoreTable": "score_table",
    "SetCorrelations": "correlations",
    "read_judgements": "judgement_files",
}

__all__ = [
    "Correlation",
    "Judgements",
    "MetaEvaluation",
    "PairJudgements",
    "Ratings",
    "ScoreTable",
    "SetCorrelations",
    "read_judgements",
]

__getattr__, __dir__ = lazy_names(__name__, _PLACES)
