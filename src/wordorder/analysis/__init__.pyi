from wordorder.analysis.evaluated_files import EvaluatedFiles as EvaluatedFiles
from wordorder.analysis.evaluated_files import evaluate_files as evaluate_files
from wordorder.analysis.files import analyze_files as analyze_files
from wordorder.analysis.translations.analyze_files import (
    analyze_translations as analyze_translations,
)
