"""Treebanks made ready for training and parsing: lower case, hyphenated words split."""

import re
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from wordorder.arrays import Bool, Int32, Int64
from wordorder.errors import InputError
from wordorder.text.vocabulary import Vocabulary
from wordorder.treebank.treebank import (
    COLUMNS,
    NO_HEAD,
    NOTHING,
    ROOT,
    Column,
    Margin,
    Treebank,
    is_empty_node,
    numbered,
)
from wordorder.treebank.trees import projectivize

# If at least this share of the words has a dotless i, I is its capital, as in Turkish and Azeri.
# At least DOTLESS_WORDS different words must have one, since a name in another language may.
DOTLESS_SHARE = 0.01
DOTLESS_WORDS = 3

# A hyphen with a letter or a digit on both sides.
_HYPHEN = re.compile(r"(?<=[^\W_])(-)(?=[^\W_])")
_DIGIT = re.compile(r"\d")
_ID = re.compile("([0-9]+)(?:([-.])([0-9]+))?\t")

UNIVERSAL = {"noun": ("NOUN", "PROPN"), "verb": ("VERB", "AUX")}

# What the tags of the Penn Treebank begin with: NN, NNS, …; VB, VBD, … and MD.
PENN = {"noun": ("NN",), "verb": ("VB", "MD")}


def lower_case(word: str, *, dotless: bool = False) -> str:
    """Return a word in lower case; I becomes a dotless i where the language has it.

    Examples
    --------
    >>> lower_case("Isırgan", dotless=True), lower_case("İzmir", dotless=True), lower_case("In")
    ('ısırgan', 'izmir', 'in')
    """
    return (word.replace("I", "ı").replace("İ", "i") if dotless else word).lower()


def normal_form(word: str, *, dotless: bool = False) -> str:
    """Return a word in lower case, each digit a 0.

    Examples
    --------
    >>> normal_form("Boeing-747")
    'boeing-000'
    """
    return _DIGIT.sub("0", lower_case(word, dotless=dotless))


def has_dotless(form: Column) -> bool:
    """Return whether a language has the dotless i, judged by the share of words with it."""
    has_dotless_i = np.array(["ı" in word for word in form.vocabulary.words], bool)
    return bool(
        has_dotless_i.sum() >= DOTLESS_WORDS and has_dotless_i[form.codes].mean() >= DOTLESS_SHARE
    )


def lowercase(treebank: Treebank) -> Treebank:
    """Return the same sentences with their forms in lower case.

    Katz-Brown et al. (2011, section 4.3) do so when they train and when they parse.

    Examples
    --------
    >>> lowercase(Treebank.from_words([["Click", "HERE"]])).form.strings()
    ['click', 'here']
    """
    return treebank.replace(form=treebank.form.map(str.lower))


def hyphen_pieces(word: str) -> list[str]:
    """Split a word at its hyphens, each of which becomes a piece of its own.

    Only hyphens between letters or digits count.

    Examples
    --------
    >>> hyphen_pieces("mid-to-late"), hyphen_pieces("--"), hyphen_pieces("pre-")
    (['mid', '-', 'to', '-', 'late'], ['--'], ['pre-'])
    """
    return _HYPHEN.split(word)


def split_hyphens(treebank: Treebank, *, label: str = "hyphen") -> Treebank:
    """Split hyphenated words; each piece gets the tags of the word.

    Katz-Brown et al. (2011, section 4.1) do so with the tags of the Penn Treebank and leave open
    what becomes of the tree: here the last piece takes the word's head, label and dependents, and
    the other pieces depend on it.

    Parameters
    ----------
    treebank : Treebank
        With heads or without.
    label : str
        The label of the pieces that depend on the last one.

    Returns
    -------
    Treebank
        UPOS, XPOS and FEATS are those of the word; the lemma is split if that gives the same
        number of pieces, otherwise each piece is its own lemma. MISC stays with the last piece; the
        others have ``SpaceAfter=No``. Ranges and empty nodes get new numbers. In sentences with
        split words DEPS becomes ``_``, since its numbers would be wrong.

    Examples
    --------
    >>> bank = Treebank.from_words([["A", "well-known", "story"]], heads=[[3, 3, 0]])
    >>> split = split_hyphens(bank)
    >>> split.form.strings(), split.heads.tolist()
    (['A', 'well', '-', 'known', 'story'], [5, 4, 4, 5, 0])
    >>> split.label.strings()
    ['_', 'hyphen', 'hyphen', '_', '_']
    """
    pieces = [hyphen_pieces(word) for word in treebank.form.vocabulary.words]
    sizes = np.fromiter(map(len, pieces), np.int64, len(pieces))
    counts = sizes[treebank.form.codes] if len(pieces) else np.zeros(0, np.int64)
    if not np.any(counts > 1):
        return treebank
    # The end of the pieces of each word, and the word that each piece comes from.
    ends = np.cumsum(counts)
    source_word = np.repeat(np.arange(len(counts)), counts)
    is_last = np.zeros(len(source_word), np.bool_)
    is_last[ends - 1] = True
    offsets = np.concatenate([[0], ends])[treebank.offsets]
    columns = {name: column.take(source_word) for name, column in treebank.columns.items()}
    hyphenated = np.flatnonzero(counts > 1)
    forms, lemmas, miscs = {}, {}, {}
    for word, end in zip(hyphenated.tolist(), ends[hyphenated].tolist(), strict=True):
        parts = pieces[int(treebank.form.codes[word])]
        lemma = treebank.columns["lemma"]
        lemma_parts = hyphen_pieces(lemma.vocabulary.words[int(lemma.codes[word])])
        first = end - len(parts)
        for i, part in enumerate(parts):
            forms[first + i] = part
            if lemma_parts != [NOTHING]:
                lemmas[first + i] = lemma_parts[i] if len(lemma_parts) == len(parts) else part
            if first + i < end - 1:
                miscs[first + i] = "SpaceAfter=No"
    columns["form"] = _patched(columns["form"], forms)
    columns["lemma"] = _patched(columns["lemma"], lemmas)
    columns["misc"] = _patched(columns["misc"], miscs)
    non_final_pieces = np.flatnonzero(~is_last)
    columns["label"] = _patched(columns["label"], dict.fromkeys(non_final_pieces.tolist(), label))
    heads, sentence_of_piece = _heads(treebank, ends, source_word, is_last, offsets)
    changed = np.zeros(len(treebank), np.bool_)
    changed[sentence_of_piece[non_final_pieces]] = True
    columns["deps"] = _patched(
        columns["deps"], dict.fromkeys(np.flatnonzero(changed[sentence_of_piece]).tolist(), NOTHING)
    )
    margins = list(treebank.margins)
    for sentence in np.flatnonzero(changed).tolist():
        if margins[sentence].extras:
            start, stop = treebank.offsets[sentence : sentence + 2].tolist()
            numbers = np.cumsum(counts[start:stop]).tolist()
            margins[sentence] = _renumbered(margins[sentence], numbers)
    return Treebank(offsets, heads, {name: columns[name] for name in COLUMNS}, margins)


def _heads(
    treebank: Treebank, ends: Int64, old: Int64, is_last: Bool, offsets: Int64
) -> tuple[Int32, Int64]:
    """Return the heads of the pieces, and the sentence of each."""
    sentence_of_piece = np.repeat(np.arange(len(treebank)), np.diff(offsets))
    old_heads = treebank.heads[old].astype(np.int64)
    # The last piece of the word that is the head, counted from 1 in its sentence.
    new_heads = (
        ends[np.maximum(treebank.offsets[sentence_of_piece] + old_heads - 1, 0)]
        - offsets[sentence_of_piece]
    )
    heads = np.where(old_heads > ROOT, new_heads, old_heads)
    last_parts = ends[old] - offsets[sentence_of_piece]
    heads = np.where(is_last | (old_heads == NO_HEAD), heads, last_parts)
    return heads.astype(np.int32), sentence_of_piece


def _patched(column: Column, strings: dict[int, str]) -> Column:
    """Return a copy of a column with other strings at some positions."""
    words = list(column.vocabulary.words)
    numbers = {word: code for code, word in enumerate(words)}
    codes = column.codes.copy()
    for position, string in strings.items():
        if string not in numbers:
            numbers[string] = len(words)
            words.append(string)
        codes[position] = numbers[string]
    return Column(codes, Vocabulary(words))


def _renumbered(margin: Margin, numbers: list[int]) -> Margin:
    """Write ranges and empty nodes with new numbers.

    `numbers` has the new number of the last piece of each word.
    """
    new_numbers = [0, *numbers]
    extras = []
    for old_position, line in margin.extras:
        matched = _ID.match(line)
        if matched is None:
            extras.append((new_numbers[old_position], line))
            continue
        fields = line[matched.end() :].split("\t")
        fields[7] = NOTHING
        first, mark, second = int(matched[1]), matched[2], matched[3]
        if mark == "-":
            id_text = f"{new_numbers[first - 1] + 1}-{new_numbers[int(second)]}"
        else:
            id_text = f"{new_numbers[first]}.{second}"
        extras.append((new_numbers[old_position], "\t".join([id_text, *fields])))
    return Margin(margin.comments, tuple(extras))


def without_enhanced(treebank: Treebank) -> Treebank:
    """Return the sentences without enhanced dependencies (DEPS) and their empty nodes.

    Both refer to the original heads, so they must be removed when a parser gives other heads.

    Examples
    --------
    >>> bank = Treebank.from_words([["It", "rains"]], deps=[["2:expl", "0:root"]])
    >>> without_enhanced(bank).columns["deps"].strings()
    ['_', '_']
    """
    margins = [
        Margin(margin.comments, tuple(e for e in margin.extras if not is_empty_node(e[1])))
        if margin.extras
        else margin
        for margin in treebank.margins
    ]
    deps = Column.filled(treebank.words)
    return replace(treebank.replace(deps=deps), margins=margins)


def known_tags(treebank: Treebank) -> Column | None:
    """Return the universal tags, or those of the language, or None if there are neither."""
    columns = (treebank.upos, treebank.xpos)
    return next((column for column in columns if column.has_value().any()), None)


def tagged_as(treebank: Treebank, kind: str) -> Bool:
    """Return a mask of the words tagged as nouns or as verbs, bool[N].

    Parameters
    ----------
    treebank : Treebank
    kind : "noun" or "verb"
        Proper nouns and auxiliaries included. Without universal tags, the tags are read as those
        of the Penn Treebank.

    Examples
    --------
    >>> bank = Treebank.from_words([["Can", "dogs", "bark"]], xpos=[["MD", "NNS", "VB"]])
    >>> tagged_as(bank, "verb").tolist()
    [True, False, True]
    """
    tags = known_tags(treebank)
    if tags is None:
        return np.zeros(treebank.words, np.bool_)
    if tags is treebank.upos:
        return tags.apply(lambda tag: tag in UNIVERSAL[kind], np.bool_)
    return tags.apply(lambda tag: tag.startswith(PENN[kind]), np.bool_)


def in_one_case(form: Column, offsets: Int64) -> Bool:
    """Return a mask of the words in sentences whose letters all have the same case, bool[N].

    Examples
    --------
    >>> bank = Treebank.from_words([["It", "rains"], ["it", "rains"], ["IT", "RAINS"]])
    >>> in_one_case(bank.form, bank.offsets).tolist()
    [False, False, True, True, True, True]
    """
    words = form.vocabulary.words
    lengths = np.diff(offsets)
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    is_mixed_case = np.ones(len(lengths), np.bool_)
    for change_case in (str.lower, str.upper):
        changes = np.fromiter((change_case(word) != word for word in words), np.bool_, len(words))
        is_mixed_case &= np.bincount(sentence, changes[form.codes], len(lengths)) > 0
    return ~is_mixed_case[sentence]


def with_lower_case(sentences: Treebank, *, dotless: bool = False) -> tuple[Treebank, Int64]:
    """Return the sentences, and a copy in lower case of each one with letters in both cases.

    Parameters
    ----------
    sentences : Treebank
    dotless : bool
        See `lower_case`.

    Returns
    -------
    Treebank
        All sentences, followed by the copies.
    int64 array
        The index of the original sentence of each copy.

    Examples
    --------
    >>> bank, rows = with_lower_case(Treebank.from_words([["It", "rains"], ["hi"]]))
    >>> bank.form.strings(), rows.tolist()
    (['It', 'rains', 'hi', 'it', 'rains'], [0])
    """
    in_mixed_case_sentence = ~in_one_case(sentences.form, sentences.offsets)
    rows = np.unique(
        np.repeat(np.arange(len(sentences)), sentences.lengths)[in_mixed_case_sentence]
    )
    copies = sentences.take(rows)
    lower = partial(lower_case, dotless=dotless)
    copies = copies.replace(form=copies.form.map(lower))
    return Treebank.concatenate([sentences, copies]), rows


@dataclass(frozen=True, eq=False)
class TagCounts:
    """How often a word has each tag.

    Attributes
    ----------
    places : int64[K]
        Indices of the word among all words of the treebank.
    tags : tuple of (str, int)
        Each tag and how often the word has it, the most frequent first.
    nouns, verbs : int
        How often it is tagged as a noun (or name), and as a verb (or auxiliary).
    """

    places: Int64
    tags: tuple[tuple[str, int], ...]
    nouns: int
    verbs: int


def tag_counts(treebank: Treebank, word: str) -> TagCounts:
    """Count the tags of a word in any case of its letters.

    Parameters
    ----------
    treebank : Treebank
        Universal tags are counted if there are any, otherwise those of the language.
    word : str

    Examples
    --------
    >>> bank = Treebank.from_words([["Click", "a", "click"]], upos=[["VERB", "DET", "NOUN"]])
    >>> counts = tag_counts(bank, "click")
    >>> counts.tags, counts.nouns, counts.verbs
    ((('NOUN', 1), ('VERB', 1)), 1, 1)
    """
    numbers, forms = numbered(treebank.form, str.casefold)
    folded_word = word.casefold()
    places = np.flatnonzero(numbers == (forms.index(folded_word) if folded_word in forms else -1))
    column = known_tags(treebank)
    tags: tuple[tuple[str, int], ...] = ()
    if column is not None:
        tags = tuple(column.take(places).counts().items())
    nouns, verbs = (int(tagged_as(treebank, kind)[places].sum()) for kind in ("noun", "verb"))
    return TagCounts(places, tags, nouns, verbs)


def projective(treebank: Treebank) -> Treebank:
    """Return the trees with arcs lifted where they are not projective, in contiguous arrays.

    Raises
    ------
    InputError
        If a sentence has no tree; the message names it.
    """
    require_heads(treebank)
    return projectivize(treebank)[0]


def require_heads(treebank: Treebank) -> None:
    """Raise an InputError that names the first sentence with a word without a head."""
    if not treebank.has_trees:
        word = int(np.argmax(treebank.heads < 0))
        row = int(np.searchsorted(treebank.offsets, word, side="right")) - 1
        name = treebank.margins[row].value("sent_id")
        error_location = f"sentence {row + 1}" + (f" ({name})" if name else "")
        raise InputError(error_location, "no tree", "heads, as a parser gives them")
