"""TransitionSystem: the labels, actions and features of a transition parser, without weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wordorder.arrays import Array, Bool, Int32, Int64
from wordorder.errors import InputError, ModelError
from wordorder.kernels import call, parsing as kernel
from wordorder.notes import note
from wordorder.parsing.given_tags import known_feats
from wordorder.parsing.model_file import strings_arrays, strings_from_arrays
from wordorder.parsing.transition.features import FEATURE_SETS, Encoding, FeatureSet, feature_set
from wordorder.parsing.weights import MAX_ACTIONS
from wordorder.text.vocabulary import Vocabulary
from wordorder.treebank.treebank import ROOT, Column, Treebank

# The actions without labels, which come first: SHIFT, REDUCE and POP-ROOT.
UNLABELLED = 3

MAX_LABELS = (MAX_ACTIONS - UNLABELLED) // 2

TRANSITION_PREFIX = "transition"


@dataclass(frozen=True, eq=False)
class TransitionSystem:
    """The vocabulary, labels, possible arcs and features of a transition parser.

    Attributes
    ----------
    encoding : Encoding
    labels : tuple of str
        The labels of arcs between words, the most frequent first. Action 0 is SHIFT, 1 REDUCE
        and 2 POP-ROOT; ``3 + l`` is LEFT-ARC with label ``l``, ``3 + len(labels) + l`` RIGHT-ARC.
    root_label : str
        The label of the root.
    arcs : int32 array
        The labels that arcs may have, see `pack_arcs`.
    features : str
        The name of the feature set.
    """

    encoding: Encoding
    labels: tuple[str, ...]
    root_label: str
    arcs: Int32
    features: str

    @classmethod
    def learn(cls, trees: Treebank, encoding: Encoding, features: str) -> TransitionSystem:
        """Learn labels, and the tags that they connect, from trees with one root each.

        Warns
        -----
        note
            If roots have different labels, of which the parser predicts only the most frequent.

        Raises
        ------
        InputError
            If there are no words, or more than 16,382 labels.
        """
        is_root = trees.heads == ROOT
        roots = trees.label.take(np.flatnonzero(is_root)).by_frequency()
        if not roots:
            raise InputError("Treebank", "no words", "trees to learn from")
        if len(roots) > 1:
            note(f"{len(roots)} labels of roots ({', '.join(roots)}); the parser knows {roots[0]}")
        # If the treebank has no arcs, the parser still needs a label.
        labels = trees.label.take(np.flatnonzero(~is_root)).by_frequency() or ["dep"]
        if len(labels) > MAX_LABELS:
            raise InputError("Treebank", f"{len(labels)} labels", f"at most {MAX_LABELS}")
        classes = encoding.word_classes(encoding.encode(trees))
        child = np.flatnonzero(~is_root)
        head = trees.above[child]
        numbers = {label: number for number, label in enumerate(labels)}
        label = trees.label.encode(numbers, -1)[child]
        arc = ((head < child).astype(np.int64), classes[head], classes[child], label)
        arcs = pack_arcs(len(labels), encoding.class_count, *arc)
        return cls(encoding, tuple(labels), roots[0], arcs, features)

    @property
    def actions(self) -> int:
        """The number of actions."""
        return UNLABELLED + 2 * len(self.labels)

    @property
    def feature_set(self) -> FeatureSet:
        """The feature templates."""
        return feature_set(self.features)

    @cached_property
    def label_names(self) -> Vocabulary:
        """The labels; that of the root is last."""
        return Vocabulary([*self.labels, self.root_label])

    def column(self, labels: Int32) -> Column:
        """Return a column of labels from their indices in `label_names`."""
        return Column(labels, self.label_names)

    def derivations(self, trees: Treebank) -> tuple[Int32, Bool]:
        """Return the actions that build each tree.

        Returns
        -------
        actions : int32[2 * N]
            Those of sentence ``i`` are ``2 * offsets[i] .. 2 * offsets[i+1] - 1``.
        derived : bool[S]
            False for trees that no actions build: those that are not projective, do not have
            exactly one root, or have an unknown label. The label of the root is ignored.
        """
        numbers = {label: number for number, label in enumerate(self.labels)}
        labels = trees.label.encode(numbers, -1)
        actions = np.zeros(2 * trees.words, np.int32)
        derived = np.zeros(len(trees), np.uint8)
        longest = int(trees.lengths.max(initial=1))
        offsets, heads = trees.offsets, np.ascontiguousarray(trees.heads)
        scratch = (np.empty(longest, np.int32), np.empty(longest, np.int32))
        tree_arrays = (heads, labels, offsets, len(self.labels))
        call(kernel.tree_derivations, *tree_arrays, actions, derived, len(trees), *scratch)
        unknown_labels = np.flatnonzero((labels < 0) & (heads != ROOT))
        derived[np.searchsorted(offsets, unknown_labels, side="right") - 1] = 0
        return actions, derived.astype(np.bool_)

    def required_derivations(self, trees: Treebank) -> Int32:
        """Return the actions that build each tree.

        Raises
        ------
        InputError
            If no actions build a tree, see `derivations`.
        """
        actions, derived = self.derivations(trees)
        if not derived.all():
            error_location = f"sentence {int(np.argmin(derived)) + 1}"
            expected = "a projective tree with one root and labels of the training data"
            raise InputError(error_location, "a tree that the parser cannot build", expected)
        return actions

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return the JSON-serialisable metadata of the system, and its arrays by name."""
        about = {
            "features": self.features,
            "root_label": self.root_label,
            "lowercase": self.encoding.lowercase,
            **({"feats": list(self.encoding.feats)} if self.encoding.feats else {}),
        }
        arrays = {
            **self.encoding.arrays(TRANSITION_PREFIX),
            **strings_arrays(f"{TRANSITION_PREFIX}.labels", self.labels),
            f"{TRANSITION_PREFIX}.arcs": self.arcs,
        }
        return about, arrays

    @classmethod
    def from_parts(cls, about: Mapping[str, Any], arrays: Mapping[str, Array]) -> TransitionSystem:
        """Rebuild the system from its saved state.

        Raises
        ------
        ModelError
            If the saved state is inconsistent.
        """
        features, root_label = about.get("features"), about.get("root_label")
        lowercase = about.get("lowercase")
        if features not in FEATURE_SETS:
            valid_names = ", ".join(FEATURE_SETS)
            raise ModelError(
                f"{TRANSITION_PREFIX}: features {features!r}; expected one of {valid_names}"
            )
        if not isinstance(root_label, str) or not isinstance(lowercase, bool):
            raise ModelError(f"{TRANSITION_PREFIX}: root_label or lowercase is missing")
        encoding = Encoding.from_arrays(
            TRANSITION_PREFIX, arrays, lowercase=lowercase, feats=known_feats(about)
        )
        labels = strings_from_arrays(f"{TRANSITION_PREFIX}.labels", arrays)
        classes = encoding.class_count
        arcs = check_arcs(
            f"{TRANSITION_PREFIX}.arcs",
            arrays.get(f"{TRANSITION_PREFIX}.arcs"),
            len(labels),
            classes,
        )
        return cls(encoding, tuple(labels), root_label, arcs, features)


def pack_arcs(
    labels: int, classes: int, side: Int64, head: Int32, child: Int32, label: Int32
) -> Int32:
    """Pack the labels that were seen on arcs between words of two classes.

    Pairs of classes without an arc may have all labels.

    Parameters
    ----------
    labels, classes : int
        The number of labels, and of classes of words.
    side : int64[A]
        0 for arcs to the left (the child comes first), 1 for arcs to the right.
    head, child, label : int32[A]
        The classes of the two words and the label of each arc.

    Returns
    -------
    int32 array
        The numbers of labels, classes and lists; the list of each (side, head, child); the offset
        of each list, and the end; the labels of the lists, ascending. List 0 has all labels.

    Examples
    --------
    >>> one = np.array([1])
    >>> packed = pack_arcs(3, 2, one, one, one, np.array([2]))
    >>> packed[:3].tolist(), packed[3:11].tolist(), packed[11:].tolist()
    ([3, 2, 2], [0, 0, 0, 0, 0, 0, 0, 1], [0, 3, 4, 0, 1, 2, 2])
    """
    pair = (side * classes + head) * classes + child
    distinct_arcs = np.unique(pair * labels + label)
    pairs, starts = np.unique(distinct_arcs // labels, return_index=True)
    list_of = np.zeros(2 * classes * classes, np.int32)
    list_of[pairs] = np.arange(1, len(pairs) + 1)
    members = np.concatenate([np.arange(labels), distinct_arcs % labels])
    parts = (
        [labels, classes, len(pairs) + 1],
        list_of,
        [0, *(starts + labels).tolist(), len(members)],
        members,
    )
    return np.concatenate([np.asarray(part, np.int32) for part in parts])


def check_arcs(name: str, arcs: Array | None, labels: int, classes: int) -> Int32:
    """Check packed arcs of a model file, so that the kernel can trust them, and return them.

    Raises
    ------
    ModelError
        If they are not a result of `pack_arcs` for this number of labels and classes.
    """
    if arcs is None or arcs.dtype != np.int32 or arcs.ndim != 1 or len(arcs) < 3:
        raise ModelError(f"{name}: missing, or not a flat array of int32")
    lists = int(arcs[2])
    starts_offset = 3 + 2 * classes * classes
    if arcs[:2].tolist() != [labels, classes] or not 1 <= lists <= len(arcs) - starts_offset - 1:
        raise ModelError(f"{name}: made for other labels or tags")
    list_of, starts = arcs[3:starts_offset], arcs[starts_offset : starts_offset + lists + 1]
    members = arcs[starts_offset + lists + 1 :]
    if (
        labels < 1
        or list_of.min() < 0
        or list_of.max() >= lists
        # An empty list would leave the parser without an action.
        or np.any(np.diff(starts.astype(np.int64)) < 1)
        or starts[0] != 0
        or starts[-1] != len(members)
        or members.min() < 0
        or members.max() >= labels
    ):
        raise ModelError(f"{name}: invalid numbers")
    return np.ascontiguousarray(arcs)
