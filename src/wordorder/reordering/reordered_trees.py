"""Reorder the words of treebanks, with all columns; heads are renumbered."""

import re
from itertools import pairwise

import numpy as np

from wordorder.arrays import Bool, Int32, Int64
from wordorder.errors import InputError, choose
from wordorder.messages import counted
from wordorder.notes import note
from wordorder.order.completion import complete_orders
from wordorder.order.orders import Orders
from wordorder.text.vocabulary import Vocabulary
from wordorder.treebank.treebank import (
    NO_VALUE,
    ROOT,
    STRING_COLUMNS,
    Column,
    Margin,
    Treebank,
    is_empty_node,
)

MISSING_TREES = ("error", "next", "previous", "end")
_NO_SPACE_AFTER = "SpaceAfter=No"
_SOURCE = "Source="
_COMMENT_NAME = re.compile(r"#\s*([^=]*?)\s*=")
_COPY = re.compile(r"(?<![^|])CopyOf=([1-9][0-9]*)(?![^|])")
_HEAD = re.compile(r"(0|[1-9][0-9]*)((?:\.[0-9]+)?)((?::.*)?)", re.DOTALL)


def reorder_treebank(treebank: Treebank, orders: Orders, *, missing: str = "error") -> Treebank:
    """Put the words of trees into another order, with their tags, heads and all other columns.

    Parameters
    ----------
    treebank : Treebank
        Sentences with or without heads.
    orders : Orders
        One per sentence.
    missing : {"error", "next", "previous", "end"}
        The position of words that an order does not have; see `complete_orders`.

    Returns
    -------
    Treebank
        The same trees: heads are renumbered, in ``deps`` too. Empty nodes follow the word that they
        followed: ``5.1`` becomes ``2.1``. ``misc`` has the old position of each word, from 1:
        ``Source=3``; ``SpaceAfter=No`` is kept if the next word is the same. ``# order =`` is the
        order, ``# text =`` the new text, and ``# source_text =`` the old one; values of an earlier
        reordering are replaced.

    Raises
    ------
    InputError
        See `complete_orders`; or if a head is out of range.

    Warns
    -----
    note
        About multiword ranges, which are left out, with their number: their words may be apart.

    Examples
    --------
    >>> bank = Treebank.from_words([["She", "has", "it"]], heads=[[2, 0, 2]])
    >>> found = reorder_treebank(bank, Orders.from_rows([[0, 2, 1]]))
    >>> found.form.strings(), found.heads.tolist(), found.columns["misc"].strings()
    (['She', 'it', 'has'], [3, 3, 0], ['Source=1', 'Source=3', 'Source=2'])
    >>> found.margins[0].comments
    ('# order = 0 2 1',)
    """
    choose("missing", missing, MISSING_TREES)
    complete = complete_orders(orders, treebank.lengths, missing=missing)
    if lost := multiword_ranges(treebank):
        note(f"left out {counted(lost, 'multiword range')}: another order has no place for them")
    return with_words_moved(treebank, complete)


def multiword_ranges(treebank: Treebank) -> int:
    """Count the multiword ranges, whose words may be apart in another order."""
    extras = (extra for margin in treebank.margins for extra in margin.extras)
    return sum(not is_empty_node(line) for _, line in extras)


def with_words_moved(treebank: Treebank, orders: Orders) -> Treebank:
    """Reorder as `reorder_treebank` does, with orders of all words and without notes on losses."""
    offsets, lengths = treebank.offsets, treebank.lengths
    starts = np.repeat(offsets[:-1], lengths)
    ends = np.repeat(offsets[1:], lengths)
    # The old index of each word in the new order, and the new number, from 1, of each old word.
    old_index = starts + orders.positions.values
    numbers = np.empty(treebank.words, np.int32)
    numbers[old_index] = np.arange(treebank.words) - starts + 1
    columns = {name: treebank.columns[name].take(old_index) for name in STRING_COLUMNS}
    if columns["deps"].has_value().any():
        columns["deps"] = _renumber_deps(columns["deps"], numbers, offsets)
    # Words that are followed by the same word as before, or by the end of the sentence again.
    follows = np.append(old_index[1:], -1) == old_index + 1
    is_last = np.arange(treebank.words) == ends - 1
    same_next = np.where(is_last, old_index == ends - 1, follows)
    no_space = columns["misc"].apply(lambda misc: _NO_SPACE_AFTER in misc.split("|"), np.bool_)
    no_space &= same_next
    columns["misc"] = _with_sources(columns["misc"], old_index - starts, no_space)
    return Treebank(
        offsets,
        _renumber_tree_heads(treebank, numbers, starts)[old_index],
        columns,
        _margins(treebank, orders, columns["form"], no_space, numbers),
    )


def _renumber_tree_heads(treebank: Treebank, numbers: Int32, starts: Int64) -> Int32:
    """Return the new number of each word's head, in the old order of the words."""
    heads = treebank.heads
    out_of_range = np.flatnonzero(heads > np.repeat(treebank.lengths, treebank.lengths))
    if len(out_of_range):
        word = int(out_of_range[0])
        expected = "a word of the sentence, or 0"
        raise InputError(treebank.place(word), f"head {heads[word]}", expected)
    has_head = heads > ROOT
    new_heads = heads.copy()
    new_heads[has_head] = numbers[starts[has_head] + heads[has_head] - 1]
    return new_heads


def _renumber_deps(deps: Column, numbers: Int32, offsets: Int64) -> Column:
    """Renumber the heads of enhanced dependencies, including empty nodes."""
    rows = []
    sentence_numbers = [numbers[a:b].tolist() for a, b in pairwise(offsets.tolist())]
    sentences = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)).tolist()
    for string, sentence in zip(deps.strings(), sentences, strict=True):
        is_empty = string == NO_VALUE
        rows.append(NO_VALUE if is_empty else _renumber_heads(string, sentence_numbers[sentence]))
    return Column.of(rows)


def _renumber_heads(string: str, numbers: list[int]) -> str:
    """Renumber the heads of one word: ``2:nsubj|4.1:nsubj``.

    Examples
    --------
    >>> _renumber_heads("2:nsubj|3.1:obj|0:root", [3, 2, 1])
    '0:root|1.1:obj|2:nsubj'
    """
    entries = []
    for entry in string.split("|"):
        head = _HEAD.fullmatch(entry)
        if head is None or int(head[1]) > len(numbers):
            entries.append((len(numbers) + 1, 0, entry))
        else:
            number = _new_number(int(head[1]), numbers)
            empty_node = int(head[2][1:] or 0)
            entries.append((number, empty_node, f"{number}{head[2]}{head[3]}"))
    return "|".join(entry for _, _, entry in sorted(entries))


def _new_number(word: int, numbers: list[int]) -> int:
    """Return the new number of a word; 0, the position before the first word, stays 0."""
    return numbers[word - 1] if word else 0


def _move_empty_node(line: str, numbers: list[int]) -> tuple[int, str]:
    """Return the new number of the word before an empty node, and the node's new line.

    Examples
    --------
    >>> _move_empty_node("3.1\\tate" + "\\t_" * 6 + "\\t2:conj\\tCopyOf=2", [2, 3, 1])
    (1, '1.1\\tate\\t_\\t_\\t_\\t_\\t_\\t_\\t3:conj\\tCopyOf=3')
    """
    identifier, *columns, deps, misc = line.split("\t")
    word, _, index = identifier.partition(".")
    word_before = _new_number(int(word), numbers)
    deps = deps if deps == NO_VALUE else _renumber_heads(deps, numbers)
    # An empty node that is a copy of a word has the number of the word.
    misc = _COPY.sub(lambda copy: f"CopyOf={_new_number(int(copy[1]), numbers)}", misc)
    return word_before, "\t".join([f"{word_before}.{index}", *columns, deps, misc])


def _with_sources(misc: Column, positions: Int64, no_space: Bool) -> Column:
    """Add the old position of each word; keep ``SpaceAfter=No`` only for words in `no_space`."""
    if not len(misc):
        return misc
    width = int(positions.max()) + 1
    keys = (misc.codes.astype(np.int64) * 2 + no_space) * width + positions
    distinct, codes = np.unique(keys, return_inverse=True)
    words = misc.vocabulary.words
    strings = []
    for key in distinct.tolist():
        code_and_flag, position = divmod(key, width)
        code, has_no_space = divmod(code_and_flag, 2)
        removed = (NO_VALUE,) if has_no_space else (NO_VALUE, _NO_SPACE_AFTER)
        parts = [
            part
            for part in words[code].split("|")
            if part not in removed and not part.startswith(_SOURCE)
        ]
        strings.append("|".join([*parts, f"{_SOURCE}{position + 1}"]))
    return Column(codes.reshape(-1).astype(np.int32), Vocabulary(strings))


def _margins(
    treebank: Treebank, orders: Orders, form: Column, no_space: Bool, numbers: Int32
) -> list[Margin]:
    """Rewrite the comments of each sentence, and move its empty nodes."""
    spaces = np.where(no_space, "", " ").tolist()
    words_and_spaces = list(map("".join, zip(form.strings(), spaces, strict=True)))
    margins = []
    for margin, (first, last), order in zip(
        treebank.margins,
        pairwise(treebank.offsets.tolist()),
        orders.positions.to_lists(),
        strict=True,
    ):
        if first == last:
            margins.append(margin)
            continue
        text = "".join(words_and_spaces[first:last]).removesuffix(spaces[last - 1])
        empty_nodes = [line for _, line in margin.extras if is_empty_node(line)]
        new_numbers = numbers[first:last].tolist() if empty_nodes else []
        extras = sorted(
            (_move_empty_node(line, new_numbers) for line in empty_nodes),
            key=lambda extra: extra[0],
        )
        margins.append(Margin(_comments(margin.comments, text, order), tuple(extras)))
    return margins


def _comments(comments: tuple[str, ...], text: str, order: list[int]) -> tuple[str, ...]:
    """Return the comments with the new order, the new text and the old text."""
    old_text = Margin(comments).value("text")
    replaced = {"order"} if old_text is None else {"order", "source_text"}
    lines = []
    for comment in comments:
        name = _COMMENT_NAME.match(comment)
        if name is not None and name[1] == "text":
            lines.append(f"# text = {text}")
        elif name is None or name[1] not in replaced:
            lines.append(comment)
    if old_text is not None:
        lines.append(f"# source_text = {old_text}")
    lines.append(f"# order = {' '.join(map(str, order))}")
    return tuple(lines)
