"""Measure, explain and learn word order in translation."""

from __future__ import annotations

import sys

from wordorder._version import __version__
from wordorder.lazy_names import lazy_names

# Not that of `typing`, whose import takes longer than all else here: until the program can answer
# an interrupt, as little as possible is imported.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

    from wordorder.alignment.align import align
    from wordorder.alignment.alignments import Alignments
    from wordorder.alignment.reading import read_alignments
    from wordorder.errors import InputError, WordOrderError, WordOrderWarning
    from wordorder.front import analyze, compare, score
    from wordorder.kernels._run import set_threads
    from wordorder.metrics import metric
    from wordorder.metrics.accumulator import Accumulator
    from wordorder.metrics.contract import Metric, Score
    from wordorder.order.orders import Orders
    from wordorder.order.permutation_forest import PermutationForest
    from wordorder.order.permutation_tree import PermutationTree
    from wordorder.order.reading import read_orders, write_orders
    from wordorder.order.reference import reference_orders
    from wordorder.ragged import Ragged
    from wordorder.segments import Segments
    from wordorder.signature import Signature

# Nothing is imported before it is used: `import wordorder` costs a few milliseconds.
_PLACES = {
    "Accumulator": "metrics.accumulator",
    "Alignments": "alignment.alignments",
    "InputError": "errors",
    "Metric": "metrics.contract",
    "Orders": "order.orders",
    "PermutationForest": "order.permutation_forest",
    "PermutationTree": "order.permutation_tree",
    "Ragged": "ragged",
    "Score": "metrics.contract",
    "Segments": "segments",
    "Signature": "signature",
    "WordOrderError": "errors",
    "WordOrderWarning": "errors",
    "align": "alignment.align",
    "analyze": "front",
    "compare": "front",
    "metric": "metrics",
    "read_alignments": "alignment.reading",
    "read_orders": "order.reading",
    "reference_orders": "order.reference",
    "score": "front",
    "set_threads": "kernels._run",
    "write_orders": "order.reading",
}

__all__ = [
    "Accumulator",
    "Alignments",
    "InputError",
    "Metric",
    "Orders",
    "PermutationForest",
    "PermutationTree",
    "Ragged",
    "Score",
    "Segments",
    "Signature",
    "WordOrderError",
    "WordOrderWarning",
    "__version__",
    "align",
    "analyze",
    "compare",
    "metric",
    "read_alignments",
    "read_orders",
    "reference_orders",
    "score",
    "set_threads",
    "write_orders",
]


class _OldPlaces:
    """Finds modules where version 0.2 had them; asked only for what is nowhere else."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if not name.startswith("wordorder."):
            return None
        from wordorder._moved import spec_of

        return spec_of(name)


sys.meta_path.append(_OldPlaces)

__getattr__, __dir__ = lazy_names(__name__, _PLACES | {"__version__": "_version"})
