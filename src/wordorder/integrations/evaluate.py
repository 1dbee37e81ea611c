"""What the modules for Hugging Face's `evaluate` in the folder ``integrations/`` have in common."""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

from wordorder.metrics.registry import metric
from wordorder.segments import Segments

INPUTS = """
Args:
    predictions: translations, one string a segment{orders}.
    references: one reference a segment, or a list of them.
    aligner: how words of translation and reference are matched, "exact" or "exact+stem".
    tokenizer: one of sacreBLEU's, such as "13a"; by default words are separated by blanks.
    options: those of the metric, by name.
Returns:
    the score under the metric's name, its signature and the number of segments.
"""


class WordOrderModule(evaluate.Metric):  # type: ignore[misc]  # evaluate may be absent
    """A metric as `evaluate.load` gives it; a subclass says which.

    Attributes
    ----------
    metric_name : str
    takes_orders : bool
        Whether predictions and references may be orders too, lists of numbers.
    """

    metric_name = ""
    takes_orders = False

    def _info(self) -> Any:
        text = datasets.Value("string")
        kinds = [(text, datasets.Sequence(text)), (text, text)]
        if self.takes_orders:
            order = datasets.Sequence(datasets.Value("int64"))
            kinds = [(order, order), *kinds]
        orders = "; or orders, lists of source positions" if self.takes_orders else ""
        return evaluate.MetricInfo(
            description=self.__doc__ or "",
            citation="",
            inputs_description=INPUTS.format(orders=orders),
            features=[
                datasets.Features({"predictions": ours, "references": theirs})
                for ours, theirs in kinds
            ],
        )

    def _compute(
        self,
        predictions: Any,
        references: Any,
        aligner: str = "exact",
        tokenizer: str | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        made = metric(self.metric_name, **options)
        if len(predictions) and not isinstance(predictions[0], str):
            segments = Segments.from_orders(predictions, references)
        else:
            matched = aligner if "permutation" in made.columns else None
            segments = Segments.from_text(
                list(predictions), list(references), tokenizer=tokenizer, aligner=matched
            )
        score = made.corpus_score(segments)
        return {
            self.metric_name: score.value,
            "signature": str(score.signature),
            "segments": score.segments,
        }
