"""Every metric of text or orders as a module for Hugging Face's `evaluate`, which loads this file.

``evaluate.load(MODULE, "frs")`` copies it into its cache and makes an object of the only metric
class that it finds here; the name behind the path says which metric of ours that is.
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
    tokenizer: "none" (words between blanks) or one of sacreBLEU's; by default "13a", or "char"
        where the references are in a script without blanks between words.
    options: those of the metric, by name.
Returns:
    the score under the metric's name, its signature and the number of segments.
"""


class WordOrderModule(evaluate.Metric):  # type: ignore[misc]  # evaluate may be absent
    """A metric as `evaluate.load` gives it.

    Raises
    ------
    UsageError
        If no metric is named, it is unknown, or it needs more than two texts.

    Examples
    --------
    >>> cder = evaluate.load(MODULE, "cder")  # doctest: +SKIP
    >>> cder.compute(["the cat sat"], ["the cat sat down"])["cder"]  # doctest: +SKIP
    0.25
    """

    @property
    def name(self) -> str:
        """The metric's, which tells results apart where `evaluate.combine` combines some."""
        return str(self.config_name)

    def _metric(self, **options: Any) -> BaseMetric:
        if self.config_name == "default":
            raise UsageError('name a metric of wordorder: evaluate.load(MODULE, "frs")')
        return metric(self.config_name, **options)

    def _info(self) -> Any:
        made = self._metric()
        if not {"permutation", "text", "lines"}.issuperset(made.columns):
            needed = ", ".join(made.columns)
            raise UsageError(f"{made.name} needs {needed}, and evaluate has texts and orders")
        text, order = datasets.Value("string"), datasets.Sequence(datasets.Value("int64"))
        kinds = [(text, datasets.Sequence(text)), (text, text)]
        takes_orders = set(made.columns) == {"permutation"}
        if takes_orders:
            kinds = [(order, order), *kinds]
        orders = "; or orders, lists of source positions" if takes_orders else ""
        return evaluate.MetricInfo(
            description=DESCRIPTION.format(made.name, ", or orders" if takes_orders else ""),
            citation="",
            inputs_description=INPUTS.format(orders=orders),
            features=[
                datasets.Features({"predictions": ours, "references": theirs})
                for ours, theirs in kinds
            ],
        )

    # Defaults that are only by name would be lost: evaluate copies the functions of its objects.
    def compute(self, predictions: Any = None, references: Any = None, **options: Any) -> Any:
        """Return the score of all segments that were added, or of these."""
        if predictions is not None:
            _require_rows(predictions, references)
            require_segments(len(predictions))
            options |= {"predictions": predictions, "references": references}
        return super().compute(**options)

    def add_batch(self, predictions: Any = None, references: Any = None, **options: Any) -> None:
        """Add segments; none are none."""
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
        made = self._metric(**options)
        if not isinstance(predictions[0], str):
            segments = Segments.from_orders(predictions, references)
        else:
            matched = aligner if "permutation" in made.columns else None
            segments = Segments.from_text(
                list(predictions), list(references), tokenizer=tokenizer, aligner=matched
            )
        score = made.corpus_score(segments)
        return {
            self.name: score.value,
            "signature": str(score.signature),
            "segments": score.segments,
        }


def _require_rows(predictions: Any, references: Any) -> None:
    """Raise an InputError unless both are lists, with as many references as predictions."""
    for name, rows in (("predictions", predictions), ("references", references)):
        if isinstance(rows, (str, bytes)):
            raise InputError("evaluate", f"{name} that are one string", "a list of strings")
    if predictions is None or references is None or len(predictions) != len(references):
        ours, theirs = (0 if given is None else len(given) for given in (predictions, references))
        what = f"{ours} predictions and {theirs} references"
        raise InputError("evaluate", what, "one row of references a prediction")
