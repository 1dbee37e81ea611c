"""Checks of a treebank before training: missing columns, and the features that tags need."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from wordorder.arrays import Int64, concat_ranges
from wordorder.messages import counted
from wordorder.parsing.given_tags import FEATURE
from wordorder.parsing.random_order import shuffled
from wordorder.parsing.training.scores import parser_scores
from wordorder.parsing.training.training import train
from wordorder.treebank.treebank import Treebank, combine_columns, numbered

# Fewer trees teach a parser little.
FEW = 500

# Words that trials learn from, and words that they are judged by.
TRIAL_WORDS, JUDGED_WORDS = 15_000, 6_000
TRIAL_EPOCHS = 4

# The number of features that are tried, those with the largest gain; and the least gain in bits.
TRIED = 8
LEAST_BITS = 0.01

# What one more feature has to gain in LAS: as much as chance often gives where one word in twenty
# gets another arc, in standard deviations for the held-out words.
LEAST_GAIN = 0.05**0.5


def missing_columns(trees: Treebank, *, heads: bool) -> str:
    """Describe the tags that a treebank does not have, and a small size; empty if all is there.

    Examples
    --------
    >>> missing_columns(Treebank.from_words([["Go"]], upos=[["VERB"]]), heads=False)
    'no XPOS, no FEATS, few sentences: 1'
    """
    problems = [
        f"no {name.upper()}"
        for name in ("upos", "xpos", "feats")
        if not trees.columns[name].has_value().any()
    ]
    if len(trees) < FEW:
        problems.append(f"few {'trees' if heads else 'sentences'}: {len(trees):,}")
    return ", ".join(problems)


def ranked_feats(trees: Treebank) -> list[str]:
    """Return the names of features that tell labels apart where tags do not, the best first.

    They are judged by the information on a word's label and on the side of its head that the
    feature adds to the word's tags.

    Examples
    --------
    >>> bank = Treebank.from_words(
    ...     [["he", "sees", "him"]] * 9, heads=[[2, 0, 2]] * 9,
    ...     upos=[["PRON", "VERB", "PRON"]] * 9, label=[["nsubj", "root", "obj"]] * 9,
    ...     feats=[["Case=Nom|Person=3", "Person=3", "Case=Acc|Person=3"]] * 9,
    ... )
    >>> ranked_feats(bank)
    ['Case']
    """
    feats = trees.columns["feats"]
    place = concat_ranges(0, trees.lengths)
    attachment_class = _joined(numbered(trees.label)[0], (trees.heads > place + 1).astype(np.int64))
    tags = combine_columns([trees.upos, trees.xpos])[1]
    names = {part.partition("=")[0] for s in feats.vocabulary.words for part in s.split(FEATURE)}
    gains = []
    for name in sorted(names):
        values = feats.map(partial(_value, name))
        both = _joined(tags, numbered(values)[0])
        # A bias of the estimate that grows with the number of classes (Miller 1955) is taken off.
        gain = _conditional_entropy(attachment_class, tags) - _conditional_entropy(
            attachment_class, both
        )
        further_classes = _classes(_joined(attachment_class, both)) - _classes(
            _joined(attachment_class, tags)
        )
        further_classes -= _classes(both) - _classes(tags)
        gains.append((gain - further_classes / (2 * np.log(2) * max(trees.words, 1)), name))
    best = sorted(((gain, name) for gain, name in gains if gain >= LEAST_BITS), reverse=True)
    return [name for _, name in best[:TRIED]]


def choose_feats(
    trees: Treebank,
    tagger: Callable[[Treebank], Any],
    parser: Callable[[Treebank, Sequence[str]], Any],
    *,
    seed: int,
    groups: Int64,
    say: Callable[[str], object],
) -> tuple[str, ...]:
    """Return the features that make a parser better as a part of its tags.

    One after the other is tried with those that were chosen before, on trees that the trials do
    not learn from, with the tags that a tagger gives these.

    Parameters
    ----------
    trees : Treebank
    tagger : callable
        Takes trees and returns the learner of a tagger.
    parser : callable
        Takes trees and names of features, and returns the learner of a parser.
    seed : int
        Which trees are held out.
    groups : int64[S]
        Copies of one sentence have the same number, counted from 0.
    say : callable
        Takes lines of text.
    """
    names = ranked_feats(trees)
    if not names or len(trees) < 8:
        return ()
    order = shuffled(int(groups.max()) + 1, seed)
    # One sentence of each group, in the order of the groups.
    first = np.unique(groups, return_index=True)[1][order]
    words = np.cumsum(trees.lengths[first])
    judged = int(np.searchsorted(words, min(JUDGED_WORDS, words[-1] // 4))) + 1
    if judged >= len(first):
        return ()
    last = int(np.searchsorted(words, words[judged - 1] + TRIAL_WORDS)) + 1
    held_out, part = trees.take(first[:judged]), trees.take(first[judged:last])
    trial: Any = train(tagger(part), epochs=TRIAL_EPOCHS, seed=seed).model
    tagged = trial.tag(held_out)

    def las(feats: Sequence[str]) -> float:
        model = train(parser(part, feats), epochs=TRIAL_EPOCHS, seed=seed).model
        return parser_scores(model, tagged, held_out)["las"]

    least = LEAST_GAIN / held_out.words**0.5
    chosen: tuple[str, ...] = ()
    score_without = best = las(chosen)
    for name in names:
        score = las((*chosen, name))
        if score >= best + least:
            chosen, best = (*chosen, name), score
    which = ", ".join(chosen) or "none"
    gain = (
        f"LAS {100 * score_without:.2f} without, {100 * best:.2f} with them"
        if chosen
        else "no gain"
    )
    say(f"features in the parser's tags: {which} ({counted(judged, 'held-out tree')}: {gain})")
    return chosen


def _value(name: str, string: str) -> str:
    """Return the value of one feature in FEATS, with its name."""
    start = f"{name}="
    return next((part for part in string.split(FEATURE) if part.startswith(start)), "")


def _joined(first: Int64, second: Int64) -> Int64:
    """Return a number for each pair, counted from 0."""
    codes = first * (int(second.max(initial=0)) + 1) + second
    places: Int64 = np.unique(codes, return_inverse=True)[1].reshape(-1)
    return places


def _classes(codes: Int64) -> int:
    return int(codes.max(initial=-1)) + 1


def _conditional_entropy(wanted: Int64, known: Int64) -> float:
    """Return the entropy of one thing where another is known, in bits."""
    return _entropy(_joined(wanted, known)) - _entropy(known)


def _entropy(codes: Int64) -> float:
    counts = np.bincount(codes)
    shares = counts[counts > 0] / max(len(codes), 1)
    return float(-(shares * np.log2(shares)).sum())
