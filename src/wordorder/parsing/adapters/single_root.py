"""Making what another parser returns trees with one root."""

from __future__ import annotations

import numpy as np

from wordorder.errors import ModelError
from wordorder.notes import note
from wordorder.treebank.column import Column
from wordorder.treebank.treebank import ROOT, Treebank
from wordorder.treebank.trees import first_fault
from wordorder.types import Int64

ROOT_LABEL = "root"
# Universal Dependencies' relation between sentences that run on without a joint.
FURTHER_ROOT = "parataxis"


def single_root(parsed: Treebank, tool: str) -> tuple[Treebank, int]:
    """Attach every further root of a sentence to its first, and label the first ``root``.

    Parameters
    ----------
    parsed : Treebank
        With the heads and labels of the other parser.
    tool : str
        What messages call that parser.

    Returns
    -------
    Treebank
        Trees with one root each; the further roots are ``parataxis`` of the first.
    int
        How many sentences had several roots.

    Raises
    ------
    ModelError
        If words hang in a circle, or have no head: that is not repaired.

    Warns
    -----
    WordOrderWarning
        If any sentence had several roots.

    Examples
    --------
    >>> two = Treebank.from_words([["Stop", "Go"]], heads=[[0, 0]], label=[["ROOT", "ROOT"]])
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     tree, repaired = single_root(two, "spacy")
    >>> tree.heads.tolist(), tree.label.strings(), repaired
    ([0, 1], ['root', 'parataxis'], 1)
    """
    fault = first_fault(parsed.heads, parsed.offsets, trees="required", single_root=False)
    if fault:
        sentence_number, word, what, _ = fault
        raise ModelError(f"{tool}: sentence {sentence_number + 1}, word {word + 1}: {what}")
    roots = np.flatnonzero(parsed.heads == ROOT)
    sentence = np.searchsorted(parsed.offsets, roots, side="right") - 1
    # A tree has a root, so the first root of a sentence is where its number changes.
    first = np.ones(len(roots), bool)
    first[1:] = sentence[1:] != sentence[:-1]
    main = roots[first]
    further, of = (
        roots[~first],
        np.repeat(main, np.diff(np.append(np.flatnonzero(first), len(roots)))),
    )
    heads = parsed.heads.copy()
    heads[further] = of[~first] - parsed.offsets[sentence[~first]] + 1
    repaired = len(np.unique(sentence[~first]))
    if repaired:
        note(
            f"{tool}: {repaired} of {len(parsed)} sentences had several roots; all but the first "
            f"were attached to the first as {FURTHER_ROOT}"
        )
    label = _relabelled(parsed.label, main, further)
    return parsed.replace(heads=heads, label=label), repaired


def _relabelled(label: Column, main: Int64, further: Int64) -> Column:
    """Return the labels with those of the roots put right."""
    added = Column.concatenate([label, Column.of([ROOT_LABEL, FURTHER_ROOT])])
    codes = added.codes[:-2].copy()
    codes[main], codes[further] = added.codes[-2:]
    return Column(codes, added.vocabulary)
