from wordorder.scoring.comparisons import ComparedSystems as ComparedSystems
from wordorder.scoring.compat import compat_scores as compat_scores
from wordorder.scoring.scores import Scores as Scores
from wordorder.scoring.systems import Evaluation as Evaluation
from wordorder.scoring.systems import SystemScores as SystemScores
from wordorder.scoring.systems import score_systems as score_systems
