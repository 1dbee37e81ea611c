"""Augmented-loss training of a parser from files."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wordorder.errors import InputError, UsageError, choose
from wordorder.messages import counted
from wordorder.parsing.base import Tagger
from wordorder.parsing.epochs import LossCounts
from wordorder.parsing.given_tags import (
    TAG_COLUMNS,
    ForeignTagFilter,
    fill_tags,
    require_tags,
    without_tags,
)
from wordorder.parsing.pipeline.sentence_reading import read_sentences
from wordorder.parsing.training.training import Say, Trained, train
from wordorder.parsing.training.training_text import data_signature
from wordorder.parsing.weights import Learner, ListLearner
from wordorder.reordering import open_rules
from wordorder.reordering.rules import RuleSet
from wordorder.text.opening import Path, display_name
from wordorder.training import rounds
from wordorder.training.augmented.learner import (
    DEFAULT_CANDIDATES,
    AugmentedLearner,
    AugmentedLoss,
    check_options,
    check_ratio,
    check_start,
)
from wordorder.training.cost import Cost, OrderCost, cost_name, is_user_cost, open_cost
from wordorder.training.references import ReferenceFile, ReferenceReader
from wordorder.treebank.treebank import NO_HEAD, Treebank

ORDER = "order"


@dataclass(frozen=True)
class AugmentedFile:
    """A further loss for training from files.

    Attributes
    ----------
    kind : str
        ``order``, or a name for `wordorder.training.open_cost`: ``root``, ``arc-length``, a metric
        of trees, ``MODULE:COST``.
    path : path
        Sentences: tokenised text, or CoNLL-U, whose trees may be partial.
    ratio : float
        How many of them are processed per sentence of the treebank.
    reference : ReferenceFile, optional
        The reference orders of the sentences, for ``order``.
    """

    kind: str
    path: Path
    ratio: float = 1.0
    reference: ReferenceFile | None = None

    @property
    def name(self) -> str:
        """The name of the data in messages."""
        return display_name(self.path)


@dataclass
class FileLosses:
    """The further losses for training from files; implements `FurtherLosses`.

    Attributes
    ----------
    files : sequence of AugmentedFile
    rules : RuleSet, optional
        The rules that reorder trees, for the loss ``order``.
    rules_signature : str, optional
        Distinguishes rules of the same name.
    metric : str
        The metric of orders.
    options : dict
        Options of `AugmentedLearner`: ``k``, ``grow``, ``start``, ``margin``.
    primary : str, optional
        The cost by which the trees of the treebank are learned.
    data_tags : {"predict", "auto"}, optional
        See `wordorder.training.rounds.data_tags_mode`; `check` sets the default.
    """

    files: Sequence[AugmentedFile]
    rules: RuleSet | None
    rules_signature: str | None
    metric: str
    options: dict[str, Any]
    primary: str | None = None
    data_tags: str | None = None
    _losses: list[AugmentedLoss] = field(default_factory=list)

    def check(self, epochs: int, *, tagger: bool) -> None:
        """Raise a UsageError if a training ends before these losses begin, or needs a tagger."""
        self.data_tags = rounds.data_tags_mode(self.data_tags, has_tagger=tagger)
        check_start(max(self.options["start"], 0 if self.primary is None else 1), epochs)

    def read(self, say: Say) -> Treebank:
        """Read the sentences of all losses and create their costs."""
        self._losses = []
        for file, name in zip(self.files, self._names(), strict=True):
            treebank, _ = read_sentences(file.path, multiple_roots=False, trees="partial")
            if not treebank.words:
                raise InputError(file.name, "no words", "sentences to learn from")
            headed_words = np.count_nonzero(treebank.heads != NO_HEAD)
            heads = f", heads of {100 * headed_words / max(treebank.words, 1):.0f} % of the words"
            say(
                f"{file.name}: {counted(len(treebank), 'sentence')}, "
                f"{counted(treebank.words, 'word')}{heads if headed_words else ''}; "
                f"loss {name}, {file.ratio:g} of them for 1 tree"
            )
            self._losses.append(
                AugmentedLoss(treebank, self._cost(file, treebank), file.ratio, name)
            )
        return Treebank.concatenate([loss.data for loss in self._losses])

    def settings(self) -> dict[str, Any]:
        """Return data and options as JSON-serialisable values."""
        files = [
            {
                "kind": file.kind,
                "data": os.path.basename(file.name),
                "sentences": len(loss.data),
                "ratio": file.ratio,
                "signature": data_signature(loss.data),
                "reference": file.reference
                and {
                    **file.reference.settings(),
                    "signature": rounds.file_signatures([file.reference.path])[0],
                },
            }
            for file, loss in zip(self.files, self._losses, strict=True)
        ]
        return {
            **self.options,
            "primary": self.primary,
            "data_tags": self.data_tags,
            "rules": self.rules_signature,
            "metric": None if self.rules is None else self.metric,
            "losses": files,
        }

    def mixed(
        self, learner: ListLearner, tagger: Tagger | None, trees: Treebank, say: Say
    ) -> Learner:
        """Return a learner that processes these losses too."""
        losses = [
            AugmentedLoss(self._tagged(file, loss.data, tagger, trees, say), loss.cost, loss.ratio)
            for file, loss in zip(self.files, self._losses, strict=True)
        ]
        primary = None
        if self.primary is not None:
            primary = AugmentedLoss(trees, open_cost(self.primary, trees))
        return AugmentedLearner(learner, losses, primary=primary, **self.options)

    def summary(self, losses: tuple[LossCounts, ...]) -> dict[str, dict[str, Any]]:
        """Return the counts of each loss in an epoch, by its name."""
        names = self._names() + ([] if self.primary is None else [f"primary {self.primary}"])
        # The first loss is that of the treebank.
        counts_by_name = dict(zip(names, losses[1:], strict=True))
        return {
            name: {
                "instances": tally.instances,
                "updates": tally.updates,
                "equal_costs": round(tally.even / max(tally.instances, 1), 4),
                "mean_cost": round(tally.cost / max(tally.instances, 1), 6),
            }
            for name, tally in counts_by_name.items()
        }

    def _tagged(
        self,
        file: AugmentedFile,
        treebank: Treebank,
        tagger: Tagger | None,
        trees: Treebank,
        say: Say,
    ) -> Treebank:
        """Return the sentences of a loss with the tags that the parser shall see."""
        has_tags = any(treebank.columns[name].has_value().any() for name in TAG_COLUMNS)
        if tagger is None or self.data_tags == "auto" or not has_tags:
            return _predict_missing_tags(treebank, file, tagger, trees, say)
        tagged = tagger.tag(without_tags(treebank))
        difference = rounds.TagDifference()
        difference.add(treebank, tagged)
        say(difference.line(file.name))
        return tagged

    def _names(self) -> list[str]:
        """Return a name for each loss: its kind, numbered if it is repeated."""
        kinds = [file.kind for file in self.files]
        names = []
        for index, kind in enumerate(kinds):
            earlier = kinds[:index].count(kind)
            names.append(f"{kind} {earlier + 1}" if earlier else kind)
        return names

    def _cost(self, file: AugmentedFile, treebank: Treebank) -> Cost:
        """Return the cost of a loss."""
        if file.kind != ORDER:
            if not is_user_cost(file.kind) and not np.any(treebank.heads != NO_HEAD):
                raise InputError(
                    file.name, "no heads", f"some, for the loss {file.kind} to judge by"
                )
            return open_cost(file.kind, treebank)
        assert file.reference is not None
        assert self.rules is not None
        with ReferenceReader(file.reference, file.name) as reader:
            reference = reader.take(treebank.lengths)
            reader.finish()
        return OrderCost(self.rules, reference, self.metric)


def augmented_losses(
    augment: Sequence[AugmentedFile],
    *,
    rules: Path | None = None,
    metric: str = "frs",
    kbest: int = DEFAULT_CANDIDATES,
    grow: int | None = None,
    start: int = 0,
    margin: float = 0.0,
    primary: str | None = None,
    data_tags: str | None = None,
) -> FileLosses:
    """Return the losses beside that of the treebank, for `wordorder.parsing.train_parser_files`.

    Parameters
    ----------
    augment : sequence of AugmentedFile
    rules : name or path, optional
        The rules that reorder trees, for losses of the kind ``order``.
    metric : str
        The metric of orders.
    kbest, grow, start, margin
        See `AugmentedLearner`; `kbest` is its `k`.
    primary : str, optional
        The kind of a cost of trees, as `AugmentedFile.kind`. After `start` epochs with the gold
        trees, the treebank is learned by this cost.
    data_tags : {"predict", "auto"}, optional
        ``predict``: predict all tags of the sentences by the tagger that is trained with the
        parser, since tags in a file may be better than those of texts; ``auto``: predict only
        missing ones. By default ``predict`` if there is a tagger.

    Raises
    ------
    UsageError
        If an option is invalid.

    Examples
    --------
    >>> losses = augmented_losses([AugmentedFile("root", "questions.conllu", 0.5)])
    >>> losses.files[0].name
    'questions.conllu'
    """
    for file in augment:
        check_ratio(file.ratio)
        if (file.kind == ORDER) != (file.reference is not None):
            rule = "needs" if file.kind == ORDER else "takes no"
            raise UsageError(f"the loss {file.kind} {rule} reference orders")
    if any(file.kind == ORDER for file in augment) != (rules is not None):
        raise UsageError("the loss order needs rules, and no other loss does")
    if primary is not None:
        is_user_cost(primary)
    elif not augment:
        raise UsageError("no further loss to learn from")
    rule_set = None if rules is None else open_rules(rules)
    check_options(kbest, grow, margin, start)
    options = {"k": kbest, "grow": grow, "start": start, "margin": margin}
    signature = (
        None if rules is None or rule_set is None else rounds.rules_signature(rule_set, rules)
    )
    if data_tags is not None:
        choose("data_tags", data_tags, rounds.DATA_TAGS_MODES)
    return FileLosses(augment, rule_set, signature, metric, options, primary, data_tags)


def _predict_missing_tags(
    treebank: Treebank, file: AugmentedFile, tagger: Tagger | None, trees: Treebank, say: Say
) -> Treebank:
    """Return the sentences with missing tags predicted."""
    tag_sets = {name: frozenset(trees.columns[name].strings()) - {"_"} for name in TAG_COLUMNS}
    tag_filter = ForeignTagFilter(tag_sets)
    known_tagged = tag_filter.keep_known(treebank)
    if use_text := tag_filter.describe_used():
        say(f"{file.name}: tags: {use_text}; in text the parser will meet predicted ones")
    if tagger is None:
        require_tags(known_tagged, file.name, 0)
        return known_tagged
    tagged_shares = {
        name: known_tagged.columns[name].has_value().mean()
        for name, tags in tag_sets.items()
        if tags
    }
    predicted = [
        f"{name.upper()} of {100 * (1 - share):.0f} %"
        for name, share in tagged_shares.items()
        if share < 1
    ]
    if predicted:
        say(f"{file.name}: predicted tags, {' and '.join(predicted)} of the words")
    return fill_tags(known_tagged, tagger)


def augmented_train(
    learner: ListLearner,
    losses: Sequence[tuple[Treebank, Cost, float] | AugmentedLoss],
    k: int = DEFAULT_CANDIDATES,
    grow: int | None = None,
    *,
    start: int = 0,
    margin: float = 0.0,
    epochs: int = 10,
    **training: Any,
) -> Trained:
    """Train a tagger or parser on a treebank and by costs of its candidates for other sentences.

    Algorithms 2 and 3 of Hall et al. (2011); see `AugmentedLearner`.

    Parameters
    ----------
    learner : TransitionLearner, GraphLearner or TaggerLearner
        The learner of the treebank. It should know the words of the other sentences (``text=``).
    losses : sequence of (data, cost, ratio)
        Sentences with tags, if a parser learns; a `Cost`, which takes the index of each
        sentence in `data`; and the number that is processed per sentence of the treebank.
    k : int, 1 to 4096
        Candidates per list.
    grow : int, optional
        While no candidate costs less than the first, the list is doubled, up to this length.
    start : int
        The number of first epochs that learn from the treebank only.
    margin : float
        A candidate is only preferred if it costs less by more than this.
    epochs : int
        Passes over the treebank.
    training
        Further options of `wordorder.parsing.train`: ``seed``, ``dev``, ``shards``, ``repeat``,
        ``checkpoint``, ``resume``, ``restart``, ``settings``, ``progress``.

    Returns
    -------
    Trained
        The ``losses`` of each `Epoch` in its history have the counts of each loss: first that of
        the treebank, then the others in order.

    Raises
    ------
    UsageError
        If an option is invalid, or a cost fails or returns NaN: the message names the sentence.
    ModelError
        If `checkpoint` is damaged.

    Examples
    --------
    The treebank has one sentence; of the other sentence only the root is known.

    >>> import numpy as np
    >>> from wordorder.parsing import TransitionLearner
    >>> from wordorder.training import RootCost
    >>> bank = Treebank.from_words(
    ...     [["it", "rains"]], heads=[[2, 0]], upos=[["PRON", "VERB"]], label=[["expl", "root"]]
    ... )
    >>> other = Treebank.from_words([["go", "home"]], heads=[[0, -1]], upos=[["VERB", "NOUN"]])
    >>> learner = TransitionLearner(bank, text=other)
    >>> trained = augmented_train(learner, [(other, RootCost(other), 1.0)], epochs=3)
    >>> trained.model.parse(other).heads.tolist()
    [0, 1]
    >>> [epoch.losses[1].updates for epoch in trained.history]
    [1, 0, 0]
    """
    further = [
        loss if isinstance(loss, AugmentedLoss) else AugmentedLoss(*loss, cost_name(loss[1]))
        for loss in losses
    ]
    augmented = AugmentedLearner(learner, further, k=k, grow=grow, start=start, margin=margin)
    if further:
        check_start(start, epochs)
    return train(augmented, epochs=epochs, **training)
