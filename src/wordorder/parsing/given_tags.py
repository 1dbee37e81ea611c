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
TAG_COLUMNS = ("upos", "xpos")

# Separates the features in FEATS, and precedes each feature appended to a tag.
FEATURE_SEPARATOR = "|"

# If at least this share of the tags is unknown to the model, they are treated as another tag set,
# in which matching names are coincidence: all tags are dropped.
FOREIGN_SHARE = 0.5

# The number of tags for that decision: the tags of the sentence, topped up with the tags before it
# in its document. With fewer, tag sets that share many names could not be distinguished; with more,
# a treebank without document marks would be judged by another treebank before it in its file.
WINDOW_TAGS = 50
_NEWDOC = ("# newdoc", "#newdoc")


def fill_tags(sentences: Treebank, tagger: Tagger) -> Treebank:
    """Return the sentences with a predicted tag for each word that has none.

    Parameters
    ----------
    sentences : Treebank
    tagger : Tagger
        A `CompletingTagger` predicts only tags that agree with the tags a word has already.

    Examples
    --------
    >>> class AllNouns:
    ...     def tag(self, sentences):
    ...         return sentences.replace(upos=Column.filled(sentences.words, "NOUN"))
    >>> bank = Treebank.from_words([["It", "rains"]], upos=[["PRON", "_"]])
    >>> fill_tags(bank, AllNouns()).upos.strings()
    ['PRON', 'NOUN']
    """
    complete = all(sentences.columns[name].has_value().all() for name in TAG_COLUMNS)
    if complete and not (predicts_feats(tagger) and not _has_feats(sentences).all()):
        return sentences
    if isinstance(tagger, CompletingTagger) and any(
        sentences.columns[name].has_value().any() for name in TAG_COLUMNS
    ):
        return keep_tags(sentences, tagger.complete(sentences))
    return keep_tags(sentences, tagger.tag(sentences))


def without_tags(sentences: Treebank) -> Treebank:
    """Return the sentences without any tags."""
    empty_column = Column.filled(sentences.words)
    return sentences.replace(upos=empty_column, xpos=empty_column)


def keep_tags(given: Treebank, tagged: Treebank) -> Treebank:
    """Return `tagged` with the tags that the words of `given` have.

    In FEATS, ``_`` may mean that a word has no features. So a sentence of `given` with FEATS on at
    least one word keeps its FEATS on all words; other sentences get those of `tagged`.

    Parameters
    ----------
    given : Treebank
    tagged : Treebank
        The same sentences with other tags.
    """
    has_value = {name: given.columns[name].has_value() for name in TAG_COLUMNS} | {
        "feats": _has_feats(given)
    }
    merged_columns: dict[str, Any] = {
        name: _merge_columns(given.columns[name], tagged.columns[name], mask)
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


def require_tags(sentences: Treebank, input_name: str, sentences_before: int) -> None:
    """Refuse sentences with a word that has no tag at all.

    Parameters
    ----------
    sentences : Treebank
    input_name : str
        The name of the input in messages.
    sentences_before : int
        The number of sentences of the input before these.

    Raises
    ------
    InputError
        With the number of the first such sentence.
    """
    untagged_words = np.flatnonzero(untagged(sentences))
    if len(untagged_words):
        sentence = int(np.searchsorted(sentences.offsets, untagged_words[0], side="right"))
        problem = f"words without tags in sentence {sentences_before + sentence}"
        raise InputError(input_name, problem, "tags, or a model with a tagger")


def _merge_columns(first: Column, second: Column, use_first: Bool) -> Column:
    """Return the strings of `first` where `use_first` is true, elsewhere those of `second`."""
    both = Column.concatenate([first, second])
    codes = np.where(use_first, both.codes[: len(first)], both.codes[len(first) :])
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
        parts = string.split(FEATURE_SEPARATOR)
        return "".join(
            FEATURE_SEPARATOR + part for part in parts if part.partition("=")[0] in feature_names
        )

    pairs, pair_codes = combine_columns([tags, feats.map(select_features)])
    return Column.of(map("".join, pairs)).take(pair_codes)


def known_feats(metadata: Mapping[str, Any]) -> list[str]:
    """Return the names of the features in a parser's tags, from the metadata of its model file.

    Raises
    ------
    ModelError
        If the names are not a list of strings.
    """
    feats: Any = metadata.get("feats", [])
    if not isinstance(feats, list) or not all(isinstance(name, str) for name in feats):
        raise ModelError(f"feats {feats!r:.40}; expected a list of names")
    return feats


@dataclass
class _TagUsage:
    """Running counts of the tags in one column.

    Attributes
    ----------
    tagged, foreign, dropped_known, used : int
        Tags in the file; foreign tags, which are unknown to the model; known tags that are
        dropped because most tags around them are foreign; tags that are used.
    foreign_counts : Counter
        The frequency of each foreign tag.
    window : int64[n, 2]
        The number of tags and of foreign tags of each recent sentence with tags, by which the next
        sentence may be judged.
    """

    tagged: int = 0
    foreign: int = 0
    dropped_known: int = 0
    used: int = 0
    foreign_counts: Counter[str] = field(default_factory=Counter)
    window: Int64 = field(default_factory=lambda: np.zeros((0, 2), np.int64))


class ForeignTagFilter:
    """Removes foreign tags, which are unknown to a model, from the sentences of a file.

    If at least half of the tags of a sentence in a column are foreign, all of them are removed. If
    the sentence has fewer than 50 tags, the tags before it in its document (``# newdoc``) are
    included until there are 50; earlier documents have no influence.

    Parameters
    ----------
    known : mapping of ``"upos"`` and ``"xpos"`` to sets of str
        The tags of the model. A column for which it has no tags is left unchanged.

    Examples
    --------
    >>> bank = Treebank.from_words([["so", "be", "it"]], xpos=[["RB", "BASE", "PRP"]])
    >>> ForeignTagFilter({"xpos": frozenset(["RB", "VB", "PRP"])}).keep_known(bank).xpos.strings()
    ['RB', '_', 'PRP']
    """

    def __init__(self, known: Mapping[str, frozenset[str]]) -> None:
        self._known = known
        self._word_count = 0
        self._uses = {name: _TagUsage() for name in TAG_COLUMNS}

    def keep_known(self, sentences: Treebank) -> Treebank:
        """Return further sentences of the file without foreign tags."""
        self._word_count += sentences.words
        comments = [margin.comments for margin in sentences.margins]
        starts_document = np.array(
            [any(c.startswith(_NEWDOC) for c in row) for row in comments], bool
        )
        known_columns: dict[str, Any] = {
            name: self._keep_known_column(name, sentences, starts_document) for name in TAG_COLUMNS
        }
        for name, column in known_columns.items():
            self._uses[name].used += int(column.has_value().sum())
        return sentences.replace(**known_columns)

    def count(self, sentences: Treebank) -> None:
        """Count the tags of further sentences without dropping any."""
        self.keep_known(sentences)
        for use in self._uses.values():
            use.used, use.dropped_known = use.tagged, 0

    def notes(self, model: str, outcome: str) -> Iterator[str]:
        """Yield a note on each column with foreign tags: their share and what happens to them.

        Parameters
        ----------
        model : str
            The name of the model.
        outcome : str
            What happens to the foreign tags, as a participle: "kept". A clause may follow.
        """
        for name, use in self._uses.items():
            if use.foreign:
                common = use.foreign_counts.most_common(1)[0][0]
                all_used = use.used == use.tagged and use.foreign >= FOREIGN_SHARE * use.tagged
                quantifier = "all " if all_used or not use.used else ""
                clause = ""
                if use.dropped_known and use.used:
                    share = _percent(use.dropped_known, use.tagged - use.foreign)
                    clause = f"; so are {share} of the others, which stand among mostly such tags"
                yield (
                    f"{_percent(use.foreign, use.tagged)} of the {name.upper()} are not tags of "
                    f"{model}, such as {common!r}: {quantifier}{outcome}{clause}"
                )

    def describe_used(self) -> str:
        """Describe the share of words whose tags are used, per column; empty if none are."""
        used_counts = {name: use.used for name, use in self._uses.items()}
        return ", ".join(
            f"{names} of the file for {share} of the words"
            for names, share in self._shares(used_counts)
        )

    def describe_missing(self) -> str:
        """Describe the share of words without a tag, for each column of the model's tags.

        Empty if all words have all tags.
        """
        missing_counts = {
            name: self._word_count - use.tagged
            for name, use in self._uses.items()
            if self._known.get(name)
        }
        return ", ".join(
            f"{share} of the words have no {names.replace(' and ', ' and no ')}"
            for names, share in self._shares(missing_counts)
        )

    def _shares(self, counts: Mapping[str, int]) -> Iterator[tuple[str, str]]:
        """Yield the names of columns with the same count above 0, and its share of the words."""
        counts_by_name = ((name.upper(), count) for name, count in counts.items() if count)
        shares = group_rows(
            (_percent(count, self._word_count), name) for name, count in counts_by_name
        )
        for share, names in shares.items():
            yield " and ".join(names), share

    def _keep_known_column(self, name: str, sentences: Treebank, starts_document: Bool) -> Column:
        """Return one column without its foreign tags, or without all if they are mostly foreign."""
        column, use = sentences.columns[name], self._uses[name]
        is_tagged = column.has_value()
        known_tags = self._known.get(name)
        if not known_tags:
            use.tagged += int(is_tagged.sum())
            return column
        if not is_tagged.any() and not len(use.window):
            return column
        foreign = is_tagged & (column.encode(dict.fromkeys(known_tags, 1), 0) == 0)
        use.tagged += int(is_tagged.sum())
        use.foreign += int(foreign.sum())
        use.foreign_counts.update(Column(column.codes[foreign], column.vocabulary).strings())
        is_mostly_foreign = _mostly_foreign(
            use, is_tagged, foreign, sentences.offsets, starts_document
        )
        dropped = foreign | (is_tagged & np.repeat(is_mostly_foreign, sentences.lengths))
        if not dropped.any():
            return column
        use.dropped_known += int((dropped & ~foreign).sum())
        return _merge_columns(column, Column.filled(len(column)), ~dropped)


def _mostly_foreign(
    use: _TagUsage, is_tagged: Bool, foreign: Bool, offsets: Int64, starts_document: Bool
) -> Bool:
    """Return a mask of the sentences with mostly foreign tags, and update `use.window`."""
    cumulative_counts = [row_offsets(marks)[offsets] for marks in (is_tagged, foreign)]
    counts_per_sentence = np.stack([np.diff(count) for count in cumulative_counts], axis=1)
    window_length = len(use.window)
    rows = np.concatenate([use.window, counts_per_sentence])
    totals = np.concatenate([np.zeros((1, 2), np.int64), np.cumsum(rows, axis=0)])
    sentence_rows = np.arange(window_length, len(rows))
    # For each sentence, the first row of its document, and the first row of its WINDOW tags.
    document_start = np.maximum.accumulate(np.where(starts_document, sentence_rows, 0))
    window_start = (
        np.searchsorted(totals[:, 0], totals[sentence_rows + 1, 0] - WINDOW_TAGS, side="right") - 1
    )
    first = np.maximum(document_start, window_start)
    tag_count, foreign_count = (totals[sentence_rows + 1] - totals[first]).T
    recent_rows = rows[first[-1] :] if len(first) else use.window
    use.window = recent_rows[recent_rows[:, 0] > 0]
    is_mostly_foreign: Bool = foreign_count >= FOREIGN_SHARE * tag_count
    return is_mostly_foreign


def _percent(part: int, total: int) -> str:
    """Format a percentage; only exact values become 100 % and 0 %.

    Examples
    --------
    >>> _percent(97, 100), _percent(9999, 10000), _percent(1, 1000)
    ('97 %', '99.99 %', '0.10 %')
    """
    share = 100 * part / total
    return f"{share:.0f} %" if part == total or 1 <= share < 99 else f"{share:.2f} %"
