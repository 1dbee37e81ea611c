"""Checks of a treebank before training: missing columns, and useful features of FEATS."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from wordorder.arrays import Int64, concat_ranges
from wordorder.messages import counted
from wordorder.parsing.given_tags import FEATURE_SEPARATOR
from wordorder.parsing.random_order import shuffled
from wordorder.parsing.training.scores import parser_scores
from wordorder.parsing.training.training import train
from wordorder.treebank.treebank import Treebank, combine_columns, numbered

# With fewer trees, parsers are poor.
FEW_TREES = 500

# Words on which a trial parser is trained, and on which it is scored.
TRIAL_WORDS, TEST_WORDS = 15_000, 6_000
TRIAL_EPOCHS = 4

# The number of features that are tried, and the minimum information gain of each in bits.
FEATURES_TRIED = 8
MIN_BITS = 0.01

# The minimum gain in LAS of a further feature, times the root of the number of held-out words: one
# standard deviation if one word in twenty gets another arc by chance.
MIN_LAS_GAIN = 0.05**0.5


def describe_missing_columns(trees: Treebank, *, heads: bool) -> str:
    """Describe the columns that a treebank does not have, and a small size; "" if neither applies.

    Examples
    --------
    >>> describe_missing_columns(Treebank.from_words([["Go"]], upos=[["VERB"]]), heads=False)
    'no XPOS, no FEATS, few sentences: 1'
    """
    problems = [
        f"no {name.upper()}"
        for name in ("upos", "xpos", "feats")
        if not trees.columns[name].has_value().any()
    ]
    if len(trees) < FEW_TREES:
        problems.append(f"few {'trees' if heads else 'sentences'}: {len(trees):,}")
    return ", ".join(problems)


def rank_feats(trees: Treebank) -> list[str]:
    """Return the names of the most useful features of FEATS for a parser, best first.

    They are ranked by information gain: the information on a word's label and on the side of its
    head that the feature adds to the word's tags.

    Examples
    --------
    >>> bank = Treebank.from_words(
    ...     [["he", "sees", "him"]] * 9, heads=[[2, 0, 2]] * 9,
    ...     upos=[["PRON", "VERB", "PRON"]] * 9, label=[["nsubj", "root", "obj"]] * 9,
    ...     feats=[["Case=Nom|Person=3", "Person=3", "Case=Acc|Person=3"]] * 9,
    ... )
    >>> rank_feats(bank)
    ['Case']
    """
    feats = trees.columns["feats"]
    positions = concat_ranges(0, trees.lengths)
    attachment_class = _pair_numbers(
        numbered(trees.label)[0], (trees.heads > positions + 1).astype(np.int64)
    )
    tags = combine_columns([trees.upos, trees.xpos])[1]
    names = {
        part.partition("=")[0]
        for s in feats.vocabulary.words
        for part in s.split(FEATURE_SEPARATOR)
    }
    gains = []
    for name in sorted(names):
        values = feats.map(partial(_feature_value, name))
        tag_and_value = _pair_numbers(tags, numbered(values)[0])
        # Subtract the bias of the estimate, which grows with the number of classes (Miller 1955).
        gain = _conditional_entropy(attachment_class, tags) - _conditional_entropy(
            attachment_class, tag_and_value
        )
        further_classes = _count_classes(
            _pair_numbers(attachment_class, tag_and_value)
        ) - _count_classes(_pair_numbers(attachment_class, tags))
        further_classes -= _count_classes(tag_and_value) - _count_classes(tags)
        gains.append((gain - further_classes / (2 * np.log(2) * max(trees.words, 1)), name))
    ranked = sorted(((gain, name) for gain, name in gains if gain >= MIN_BITS), reverse=True)
    return [name for _, name in ranked[:FEATURES_TRIED]]


def choose_feats(
    trees: Treebank,
    tagger: Callable[[Treebank], Any],
    parser: Callable[[Treebank, Sequence[str]], Any],
    *,
    seed: int,
    groups: Int64,
    say: Callable[[str], object],
) -> tuple[str, ...]:
    """Return the features that improve a parser when they are part of its tags.

    Each feature is tried together with those chosen before: a trial parser with them is scored
    on held-out trees with predicted tags.

    Parameters
    ----------
    trees : Treebank
    tagger : callable
        Takes trees and returns the learner of a tagger.
    parser : callable
        Takes trees and names of features, and returns the learner of a parser.
    seed : int
        The seed that decides which trees are held out.
    groups : int64[S]
        An index per sentence, from 0, the same for copies of one sentence.
    say : callable
        Takes lines of text.
    """
    names = rank_feats(trees)
    if not names or len(trees) < 8:
        return ()
    order = shuffled(int(groups.max()) + 1, seed)
    # One sentence of each group, in the order of the groups.
    representatives = np.unique(groups, return_index=True)[1][order]
    words = np.cumsum(trees.lengths[representatives])
    test_count = int(np.searchsorted(words, min(TEST_WORDS, words[-1] // 4))) + 1
    if test_count >= len(representatives):
        return ()
    last = int(np.searchsorted(words, words[test_count - 1] + TRIAL_WORDS)) + 1
    held_out, training_part = (
        trees.take(representatives[:test_count]),
        trees.take(representatives[test_count:last]),
    )
    trial: Any = train(tagger(training_part), epochs=TRIAL_EPOCHS, seed=seed).model
    tagged = trial.tag(held_out)

    def las(feats: Sequence[str]) -> float:
        model = train(parser(training_part, feats), epochs=TRIAL_EPOCHS, seed=seed).model
        return parser_scores(model, tagged, held_out)["las"]

    min_gain = MIN_LAS_GAIN / held_out.words**0.5
    chosen: tuple[str, ...] = ()
    score_without = best = las(chosen)
    for name in names:
        score = las((*chosen, name))
        if score >= best + min_gain:
            chosen, best = (*chosen, name), score
    chosen_text = ", ".join(chosen) or "none"
    gain_text = (
        f"LAS {100 * score_without:.2f} without, {100 * best:.2f} with them"
        if chosen
        else "no gain"
    )
    trees_text = counted(test_count, "held-out tree")
    say(f"features in the parser's tags: {chosen_text} ({trees_text}: {gain_text})")
    return chosen


def _feature_value(name: str, string: str) -> str:
    """Return the feature of this name in FEATS, such as ``Case=Acc``, or "" without it."""
    start = f"{name}="
    return next((part for part in string.split(FEATURE_SEPARATOR) if part.startswith(start)), "")


def _pair_numbers(first: Int64, second: Int64) -> Int64:
    """Return an index per element, the same for equal pairs of codes."""
    codes = first * (int(second.max(initial=0)) + 1) + second
    places: Int64 = np.unique(codes, return_inverse=True)[1].reshape(-1)
    return places


def _count_classes(codes: Int64) -> int:
    return int(codes.max(initial=-1)) + 1


def _conditional_entropy(codes: Int64, condition: Int64) -> float:
    """Return the conditional entropy of `codes` given `condition`, in bits."""
    return _entropy(_pair_numbers(codes, condition)) - _entropy(condition)


def _entropy(codes: Int64) -> float:
    counts = np.bincount(codes)
    shares = counts[counts > 0] / max(len(codes), 1)
    return float(-(shares * np.log2(shares)).sum())
