"""Tags before parsing: the tags of the input, and predicted tags where it has none."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wordorder.arrays import Bool, Int64, group_rows, row_offsets
from wordorder.errors import InputError, ModelError
from wordorder.parsing.base import CompletingTagger, Tagger
from wordorder.treebank.treebank import Column, Treebank, combine_columns

# The tags that parsers look at.
TAGS = ("upos", "xpos")

# Separates the features of FEATS, and stands before each feature that is added to a tag.
FEATURE = "|"

# If at least this share of the tags is unknown to the model, they are taken for another tag set,
# which shares some names by chance: all tags are dropped.
FOREIGN = 0.5

# The number of tags for that decision: the tags of the sentence, and enough of the tags before it
# in its document. With fewer, tag sets that share many names could not be told apart; with more, a
# treebank without documents would be judged by the tags of another treebank before it in its file.
WINDOW = 50
_NEWDOC = ("# newdoc", "#newdoc")


def fill_tags(sentences: Treebank, tagger: Tagger) -> Treebank:
    """Return the sentences with a predicted tag wherever a tag is not given.

    Parameters
    ----------
    sentences : Treebank
    tagger : Tagger
        A `CompletingTagger` predicts only tags that are compatible with the tag a word has.

    Examples
    --------
    >>> class AllNouns:
    ...     def tag(self, sentences):
    ...         return sentences.replace(upos=Column.filled(sentences.words, "NOUN"))
    >>> bank = Treebank.from_words([["It", "rains"]], upos=[["PRON", "_"]])
    >>> fill_tags(bank, AllNouns()).upos.strings()
    ['PRON', 'NOUN']
    """
    complete = all(sentences.columns[name].has_value().all() for name in TAGS)
    if complete and not (predicts_feats(tagger) and not _has_feats(sentences).all()):
        return sentences
    if isinstance(tagger, CompletingTagger) and any(
        sentences.columns[name].has_value().any() for name in TAGS
    ):
        return keep_tags(sentences, tagger.complete(sentences))
    return keep_tags(sentences, tagger.tag(sentences))


def without_tags(sentences: Treebank) -> Treebank:
    """Return the sentences without any tags."""
    empty_column = Column.filled(sentences.words)
    return sentences.replace(upos=empty_column, xpos=empty_column)


def keep_tags(given: Treebank, tagged: Treebank) -> Treebank:
    """Return `tagged` with the tags of `given` wherever a word of `given` has tags.

    In FEATS, `_` may mean that a word has no features. So all FEATS of a sentence are those of
    `given` if at least one word has FEATS there, otherwise those of `tagged`.

    Parameters
    ----------
    given : Treebank
    tagged : Treebank
        The same sentences with other tags.
    """
    has_value = {name: given.columns[name].has_value() for name in TAGS} | {
        "feats": _has_feats(given)
    }
    merged_columns: dict[str, Any] = {
        name: _merge(given.columns[name], tagged.columns[name], mask)
        for name, mask in has_value.items()
    }
    return tagged.replace(**merged_columns)


def predicts_feats(tagger: Tagger | None) -> bool:
    """Return whether a tagger gives words their FEATS."""
    return "feats" in getattr(getattr(tagger, "tag_set", None), "columns", ())


def _has_feats(sentences: Treebank) -> Bool:
    """Return a mask of the words in sentences where at least one word has FEATS, bool[N]."""
    feats_offsets = row_offsets(sentences.columns["feats"].has_value())[sentences.offsets]
    return np.repeat(np.diff(feats_offsets) > 0, sentences.lengths)


def untagged(sentences: Treebank) -> Bool:
    """Return a mask of the words without any tag, bool[N].

    Examples
    --------
    >>> bank = Treebank.from_words([["It", "rains"]], upos=[["PRON", "_"]])
    >>> untagged(bank).tolist()
    [False, True]
    """
    return ~(sentences.upos.has_value() | sentences.xpos.has_value())


def require_tags(sentences: Treebank, where: str, before: int) -> None:
    """Refuse sentences with a word that has no tag at all.

    Parameters
    ----------
    sentences : Treebank
    where : str
        The name of the input in messages.
    before : int
        The number of sentences of the input before these.

    Raises
    ------
    InputError
        With the number of the first such sentence.
    """
    untagged_words = np.flatnonzero(untagged(sentences))
    if len(untagged_words):
        sentence = int(np.searchsorted(sentences.offsets, untagged_words[0], side="right"))
        problem = f"words without tags in sentence {before + sentence}"
        raise InputError(where, problem, "tags, or a model with a tagger")


def _merge(first: Column, second: Column, said: Bool) -> Column:
    """Return the strings of `first` where `said` is true, elsewhere those of `second`."""
    both = Column.concatenate([first, second])
    codes = np.where(said, both.codes[: len(first)], both.codes[len(first) :])
    return Column(codes, both.vocabulary)


def with_features(tags: Column, feats: Column, names: Sequence[str]) -> Column:
    """Return tags, each followed by the features of FEATS that have one of the names.

    Examples
    --------
    >>> feats = Column.of(["Case=Acc|Number=Sing", "Number=Plur"])
    >>> with_features(Column.of(["NN", "NN"]), feats, ["Case"]).strings()
    ['NN|Case=Acc', 'NN']
    """
    feature_names = frozenset(names)

    def select_features(string: str) -> str:
        parts = string.split(FEATURE)
        return "".join(FEATURE + part for part in parts if part.partition("=")[0] in feature_names)

    pairs, pair_codes = combine_columns([tags, feats.map(select_features)])
    return Column.of(map("".join, pairs)).take(pair_codes)


def known_feats(about: Mapping[str, Any]) -> list[str]:
    """Return the names of the features in a parser's tags, from the metadata of its file.

    Raises
    ------
    ModelError
        If they are not a list of strings.
    """
    feats: Any = about.get("feats", [])
    if not isinstance(feats, list) or not all(isinstance(name, str) for name in feats):
        raise ModelError(f"feats {feats!r:.40}; expected a list of names")
    return feats


@dataclass
class _Use:
    """Counts of the words with tags in one column, so far.

    Attributes
    ----------
    given, foreign, chance, kept : int
        Tags of the file; foreign tags, which are unknown to the model; known tags that are
        dropped because most tags around them are foreign; tags that are used.
    names : Counter
        The frequency of each foreign tag.
    window : int64[n, 2]
        Number of tags and of foreign tags of each recent sentence with tags: the next sentence
        may be judged by these.
    """

    given: int = 0
    foreign: int = 0
    chance: int = 0
    kept: int = 0
    names: Counter[str] = field(default_factory=Counter)
    window: Int64 = field(default_factory=lambda: np.zeros((0, 2), np.int64))


class FileTags:
    """Removes foreign tags, which are unknown to a model, from the sentences of a file.

    A foreign tag counts as missing. If half of the tags or more are foreign, all UPOS or all XPOS
    of the sentence count as missing. If the sentence has fewer than 50 tags, this share is that
    of its own tags and of the tags before it: back to 50, or to the beginning of its document
    (``# newdoc``). Earlier documents have no influence.

    Parameters
    ----------
    known : mapping of ``"upos"`` and ``"xpos"`` to sets of str
        The tags of the model. A column for which it has no tags is left unchanged.

    Examples
    --------
    >>> bank = Treebank.from_words([["so", "be", "it"]], xpos=[["RB", "BASE", "PRP"]])
    >>> FileTags({"xpos": frozenset(["RB", "VB", "PRP"])}).keep_known(bank).xpos.strings()
    ['RB', '_', 'PRP']
    """

    def __init__(self, known: Mapping[str, frozenset[str]]) -> None:
        self._known = known
        self._words = 0
        self._uses = {name: _Use() for name in TAGS}

    def keep_known(self, sentences: Treebank) -> Treebank:
        """Return further sentences of the file without the tags that count as missing."""
        self._words += sentences.words
        comments = [margin.comments for margin in sentences.margins]
        starts_document = np.array(
            [any(c.startswith(_NEWDOC) for c in row) for row in comments], bool
        )
        kept_columns: dict[str, Any] = {
            name: self._keep_known_column(name, sentences, starts_document) for name in TAGS
        }
        for name, column in kept_columns.items():
            self._uses[name].kept += int(column.has_value().sum())
        return sentences.replace(**kept_columns)

    def count(self, sentences: Treebank) -> None:
        """Count the tags of further sentences without dropping any."""
        self.keep_known(sentences)
        for use in self._uses.values():
            use.kept, use.chance = use.given, 0

    def notes(self, model: str, then: str) -> Iterator[str]:
        """Yield a message for each column with foreign tags, those that the model does not know.

        Parameters
        ----------
        model : str
            The name of the model.
        then : str
            What happens to the foreign tags, as a participle: "kept". A clause may follow.
        """
        for name, use in self._uses.items():
            if use.foreign:
                common = use.names.most_common(1)[0][0]
                all_kept = use.kept == use.given and use.foreign >= FOREIGN * use.given
                quantifier = "all " if all_kept or not use.kept else ""
                clause = ""
                if use.chance and use.kept:
                    share = _percent(use.chance, use.given - use.foreign)
                    clause = f"; so are {share} of the others, which stand among mostly such tags"
                yield (
                    f"{_percent(use.foreign, use.given)} of the {name.upper()} are not tags of "
                    f"{model}, such as {common!r}: {quantifier}{then}{clause}"
                )

    def used(self) -> str:
        """Describe the columns whose tags are used, and their share of the words; may be empty."""
        kept_counts = {name: use.kept for name, use in self._uses.items()}
        return ", ".join(
            f"{names} of the file for {share} of the words"
            for names, share in self._shares(kept_counts)
        )

    def missing(self) -> str:
        """Describe the share of words that have no tag, for each column of the model's tags.

        Empty if all words have tags.
        """
        missing_counts = {
            name: self._words - use.given
            for name, use in self._uses.items()
            if self._known.get(name)
        }
        return ", ".join(
            f"{share} of the words have no {names.replace(' and ', ' and no ')}"
            for names, share in self._shares(missing_counts)
        )

    def _shares(self, counts: Mapping[str, int]) -> Iterator[tuple[str, str]]:
        """Yield each share of the words that is not 0, and the names of the columns with it."""
        counts_by_name = ((name.upper(), count) for name, count in counts.items() if count)
        shares = group_rows((_percent(count, self._words), name) for name, count in counts_by_name)
        for share, names in shares.items():
            yield " and ".join(names), share

    def _keep_known_column(self, name: str, sentences: Treebank, begins: Bool) -> Column:
        """Return one column without the tags that count as missing."""
        column, use = sentences.columns[name], self._uses[name]
        is_tagged = column.has_value()
        known_tags = self._known.get(name)
        if not known_tags:
            use.given += int(is_tagged.sum())
            return column
        if not is_tagged.any() and not len(use.window):
            return column
        foreign = is_tagged & (column.encode(dict.fromkeys(known_tags, 1), 0) == 0)
        use.given += int(is_tagged.sum())
        use.foreign += int(foreign.sum())
        use.names.update(Column(column.codes[foreign], column.vocabulary).strings())
        mostly = _mostly_foreign(use, is_tagged, foreign, sentences.offsets, begins)
        dropped = foreign | (is_tagged & np.repeat(mostly, sentences.lengths))
        if not dropped.any():
            return column
        use.chance += int((dropped & ~foreign).sum())
        return _merge(column, Column.filled(len(column)), ~dropped)


def _mostly_foreign(use: _Use, given: Bool, foreign: Bool, offsets: Int64, begins: Bool) -> Bool:
    """Return a mask of the sentences with mostly foreign tags; update `use.window`."""
    cumulative_counts = [row_offsets(marks)[offsets] for marks in (given, foreign)]
    counts_per_sentence = np.stack([np.diff(count) for count in cumulative_counts], axis=1)
    window_length = len(use.window)
    rows = np.concatenate([use.window, counts_per_sentence])
    totals = np.concatenate([np.zeros((1, 2), np.int64), np.cumsum(rows, axis=0)])
    numbers = np.arange(window_length, len(rows))
    # For each sentence, the first row of its document, and the first row of its WINDOW tags.
    document_start = np.maximum.accumulate(np.where(begins, numbers, 0))
    window_start = np.searchsorted(totals[:, 0], totals[numbers + 1, 0] - WINDOW, side="right") - 1
    first = np.maximum(document_start, window_start)
    tag_count, foreign_count = (totals[numbers + 1] - totals[first]).T
    recent_rows = rows[first[-1] :] if len(first) else use.window
    use.window = recent_rows[recent_rows[:, 0] > 0]
    is_mostly_foreign: Bool = foreign_count >= FOREIGN * tag_count
    return is_mostly_foreign


def _percent(part: int, whole: int) -> str:
    """Format a percentage; only exact values are shown as 100 % and 0 %.

    Examples
    --------
    >>> _percent(97, 100), _percent(9999, 10000), _percent(1, 1000)
    ('97 %', '99.99 %', '0.10 %')
    """
    share = 100 * part / whole
    return f"{share:.0f} %" if part == whole or 1 <= share < 99 else f"{share:.2f} %"
