"""Choosing from a file of lists of trees by reference orders, some lists at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np

from wordorder.errors import UsageError
from wordorder.metrics.contract import BaseMetric
from wordorder.metrics.formula import named_metric
from wordorder.option_names import names_arguments
from wordorder.reordering.rules import open_rules
from wordorder.text.opening import Path
from wordorder.text.output import write_output
from wordorder.training.costs.order import OrderCost
from wordorder.training.references import ReferenceFile, ReferenceReader
from wordorder.training.selection import Selection, SelectionReport
from wordorder.treebank.kbest import KBest
from wordorder.treebank.kbest_reading import KBestReader
from wordorder.treebank.sentence_places import sentences_of
from wordorder.treebank.writing import TreebankWriter
from wordorder.types import OnProgress

# Trees of a batch: enough that rules and metrics work on many at once.
TREES = 1 << 13


@names_arguments
def select_files(
    kbest: Path,
    reference: Path,
    output: Path = "-",
    *,
    rules: Path,
    metric: str = "frs",
    multiple_roots: bool = False,
    progress: OnProgress | None = None,
    **convention: Any,
) -> SelectionReport:
    r"""Write the tree of each list whose order comes closest to the reference.

    Parameters
    ----------
    kbest : path or "-"
        Lists of trees in CoNLL-U, of any parser, as `KBestReader` takes them.
    reference : path or "-"
        A row for each list: orders, or alignments of which orders are made.
    output : path or "-"
        The chosen trees, in CoNLL-U.
    rules : name or path
        As `open_rules` takes them, also learnt ones.
    metric : str
        One that compares orders, with options in parentheses if it has any.
    multiple_roots : bool
        Whether trees may have several roots.
    progress : callable, optional
        Called with the number of lists done.
    convention
        What else `ReferenceFile` has: ``unaligned="drop"``, ``rule=``, ``kind=``, …

    Raises
    ------
    UsageError
        If an option makes no sense, or the rules fail on every tree of a list.
    InputError
        If a file is wrong, or the reference is not of these sentences.

    Notes
    -----
    Memory is bounded by some thousand trees, however many lists there are.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> tree = (
    ...     "# rank = {}\n1\tWear\t_\tVERB\t_\t_\t{}\t{}\t_\t_\n"
    ...     "2\tsunscreen\t_\tNOUN\t_\t_\t{}\t{}\t_\t_\n\n"
    ... )
    >>> _ = (folder / "lists.conllu").write_text(
    ...     tree.format(1, 2, "amod", 0, "root") + tree.format(2, 0, "root", 1, "obj")
    ... )
    >>> _ = (folder / "reference.orders").write_text("1 0\n")
    >>> report = select_files(
    ...     folder / "lists.conllu",
    ...     folder / "reference.orders",
    ...     folder / "best.conllu",
    ...     rules="R5",
    ... )
    >>> report.first_score, report.best_score
    (0.0, 1.0)
    >>> (folder / "best.conllu").read_text().split("\t")[6:8]
    ['0', 'root']
    """
    file = ReferenceFile(reference, **convention)
    opened, made = open_rules(rules), order_metric(metric)
    selection: Selection | None = None
    with ExitStack() as stack:
        reader = stack.enter_context(KBestReader(kbest, single_root=not multiple_roots))
        references = stack.enter_context(ReferenceReader(file, reader.name))
        writer = TreebankWriter(stack.enter_context(write_output(output)))
        for lists in batches(reader):
            orders = references.take(lists.trees.lengths[lists.offsets[:-1]])
            cost = OrderCost(opened, orders, made)
            if selection is None:
                selection = Selection(cost)
            selection.cost = cost
            done = reader.lines
            numbers = np.arange(done - len(lists), done)
            with sentences_of(reader.name, numbers):
                writer.write(selection.choose(lists, np.arange(len(lists))))
            if progress is not None:
                progress(done)
        references.finish()
        if selection is None:
            raise UsageError(f"{reader.name}: no lists of trees")
    return selection.report()


def order_metric(name: str) -> BaseMetric:
    """Return the metric of orders that is called `name`, with options in parentheses if any."""
    from wordorder.metrics import metric

    return named_metric(name) if "(" in name else metric(name)


def batches(reader: KBestReader) -> Iterator[KBest]:
    """Yield lists with about as many trees in all, so that memory stays bounded."""
    while len(lists := reader.take(TREES, trees=TREES)):
        yield lists
