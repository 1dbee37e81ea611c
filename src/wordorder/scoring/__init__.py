"""From files to numbers: one public function per verb, one class per kind of file.

`files` says what is given and what a kind of files is, `text_files` and `kinds` are the kinds,
`systems` reads them in step, and `scores` has `score` and `compare`. Values are computed in
`metrics`, intervals in `statistics`, tables in `report`; the front door of Python is
`wordorder.front`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from wordorder.scoring.compat import compat_scores
    from wordorder.scoring.scores import ComparedSystems, Scores, compare, score
    from wordorder.scoring.systems import Evaluation, SystemScores, score_systems

_PLACES = {
    "ComparedSystems": "scores",
    "Evaluation": "systems",
    "Scores": "scores",
    "SystemScores": "systems",
    "compare": "scores",
    "compat_scores": "compat",
    "score": "scores",
    "score_systems": "systems",
}

__all__ = [
    "ComparedSystems",
    "Evaluation",
    "Scores",
    "SystemScores",
    "compare",
    "compat_scores",
    "score",
    "score_systems",
]

__getattr__, __dir__ = lazy_names(__name__, _PLACES)
