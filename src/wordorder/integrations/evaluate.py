"""A module for Hugging Face's `evaluate` with the metrics of texts or orders.

``evaluate.load(MODULE, "frs")`` copies the file into its cache and creates an object of the only
metric class in it; the name after the path selects the metric.
"""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

from wordorder.errors import InputError, UsageError
from wordorder.metrics import metric
from wordorder.metrics.contract import BaseMetric, require_segments
from wordorder.segments import Segments

MODULE = __file__
DESCRIPTION = "{}, a metric of wordorder: translations against references{}."
INPUTS = """
Args:
    predictions: translations, one string per segment{orders}.
    references: one reference per segment, or a list of them.
    aligner: how words of translation and reference are matched, "exact" or "exact+stem".
    tokenizer: "none" (words between spaces) or one of sacreBLEU's; by default "13a", or "char"
        where the references are in a script without spaces between words.
    options: options of the metric, by name.
Returns:
    the score under the metric's name, its signature and the number of segments.
"""


class WordOrderModule(evaluate.Metric):  # type: ignore[misc]  # evaluate may be absent
    """A metric of wordorder with the interface of Hugging Face's `evaluate`.

    Raises
    ------
    UsageError
        If the metric is missing or unknown, or needs more than two texts.

    Examples
    --------
    >>> cder = evaluate.load(MODULE, "cder")  # doctest: +SKIP
    >>> cder.compute(["the cat sat"], ["the cat sat down"])["cder"]  # doctest: +SKIP
    0.25
    """

    @property
    def name(self) -> str:
        """Name of the metric, which distinguishes the results of `evaluate.combine`."""
        return str(self.config_name)

    def _metric(self, **options: Any) -> BaseMetric:
        """Return the metric of wordorder that the configuration names."""
        if self.config_name == "default":
            raise UsageError('name a metric of wordorder: evaluate.load(MODULE, "frs")')
        return metric(self.config_name, **options)

    def _info(self) -> Any:
        """Return the description and the input types of the metric."""
        scorer = self._metric()
        if not {"permutation", "text", "lines"}.issuperset(scorer.columns):
            columns = ", ".join(scorer.columns)
            raise UsageError(f"{scorer.name} needs {columns}, and evaluate has texts and orders")
        text, order = datasets.Value("string"), datasets.Sequence(datasets.Value("int64"))
        column_types = [(text, datasets.Sequence(text)), (text, text)]
        takes_orders = set(scorer.columns) == {"permutation"}
        if takes_orders:
            column_types = [(order, order), *column_types]
        orders = "; or orders, lists of source positions" if takes_orders else ""
        return evaluate.MetricInfo(
            description=DESCRIPTION.format(scorer.name, ", or orders" if takes_orders else ""),
            citation="",
            inputs_description=INPUTS.format(orders=orders),
            features=[
                datasets.Features({"predictions": prediction_type, "references": reference_type})
                for prediction_type, reference_type in column_types
            ],
        )

    # Not keyword-only: evaluate copies these functions without the defaults of such parameters.
    def compute(self, predictions: Any = None, references: Any = None, **options: Any) -> Any:
        """Return the score of `predictions` if passed, else of all added segments."""
        if predictions is not None:
            _require_rows(predictions, references)
            require_segments(len(predictions))
            options |= {"predictions": predictions, "references": references}
        return super().compute(**options)

    def add_batch(self, predictions: Any = None, references: Any = None, **options: Any) -> None:
        """Add segments; an empty batch is accepted."""
        _require_rows(predictions, references)
        if len(predictions):
            super().add_batch(predictions=predictions, references=references, **options)

    def _compute(
        self,
        predictions: Any,
        references: Any,
        aligner: str = "exact",
        tokenizer: str | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """Return the score, its signature and the number of segments."""
        scorer = self._metric(**options)
        if not isinstance(predictions[0], str):
            segments = Segments.from_orders(predictions, references)
        else:
            text_aligner = aligner if "permutation" in scorer.columns else None
            segments = Segments.from_text(
                list(predictions), list(references), tokenizer=tokenizer, aligner=text_aligner
            )
        score = scorer.corpus_score(segments)
        return {
            self.name: score.value,
            "signature": str(score.signature),
            "segments": score.segments,
        }


def _require_rows(predictions: Any, references: Any) -> None:
    """Raise an InputError unless both are lists of the same length."""
    for name, rows in (("predictions", predictions), ("references", references)):
        if isinstance(rows, (str, bytes)):
            raise InputError("evaluate", f"{name} that are one string", "a list of strings")
    if predictions is None or references is None or len(predictions) != len(references):
        prediction_count, reference_count = (
            0 if rows is None else len(rows) for rows in (predictions, references)
        )
        problem = f"{prediction_count} predictions and {reference_count} references"
        raise InputError("evaluate", problem, "one row of references a prediction")
