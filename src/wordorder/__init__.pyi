from collections.abc import Callable
from typing import Any

from wordorder._version import __version__ as __version__
from wordorder.alignment.statistical.align import align as align
from wordorder.alignment.alignments import Alignments as Alignments
from wordorder.alignment.reading import read_alignments as read_alignments
from wordorder.arrays import Ragged as Ragged
from wordorder.errors import InputError as InputError
from wordorder.errors import WordOrderError as WordOrderError
from wordorder.front import analyze as analyze
from wordorder.front import compare as compare
from wordorder.front import score as score
from wordorder.kernels._run import set_threads as set_threads
from wordorder.metrics.accumulator import Accumulator as Accumulator
from wordorder.metrics.contract import Metric as Metric
from wordorder.metrics.contract import Score as Score
from wordorder.metrics.registry import metric as metric
from wordorder.order.orders import Orders as Orders
from wordorder.order.permutation_forest import PermutationForest as PermutationForest
from wordorder.order.permutation_tree import PermutationTree as PermutationTree
from wordorder.order.reading import read_orders as read_orders
from wordorder.order.reading import write_orders as write_orders
from wordorder.order.reference import reference_orders as reference_orders
from wordorder.segments import Segments as Segments
from wordorder.signature import Signature as Signature

__all__: list[str]

def lazy_names(package: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]: ...
