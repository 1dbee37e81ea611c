"""Preparation of treebanks for training and parsing: lower case, splitting at hyphens."""

import re
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from wordorder.arrays import Bool, Int32, Int64
from wordorder.errors import InputError
from wordorder.text.vocabulary import Vocabulary
from wordorder.treebank.treebank import (
    NO_HEAD,
    NO_VALUE,
    ROOT,
    STRING_COLUMNS,
    Column,
    Margin,
    Treebank,
    is_empty_node,
    numbered,
)
from wordorder.treebank.trees import projectivize

# A text with a dotless i in at least this share of its words has I as its capital, as in Turkish.
# At least DOTLESS_WORDS different words must have one, since a foreign name may contain it.
DOTLESS_SHARE = 0.01
DOTLESS_WORDS = 3

# A hyphen with a letter or a digit on both sides.
_HYPHEN = re.compile(r"(?<=[^\W_])(-)(?=[^\W_])")
_DIGIT = re.compile(r"\d")
_ID = re.compile("([0-9]+)(?:([-.])([0-9]+))?\t")

# The universal tags of nouns and verbs.
UNIVERSAL_TAGS = {"noun": ("NOUN", "PROPN"), "verb": ("VERB", "AUX")}

# The prefixes of the Penn Treebank's tags: NN, NNS, …; VB, VBD, … and MD.
PENN_TAG_PREFIXES = {"noun": ("NN",), "verb": ("VB", "MD")}


def lower_case(word: str, *, dotless: bool = False) -> str:
    """Return a word in lower case, with `dotless` by the rules of Turkish: I becomes ı.

    Examples
    --------
    >>> lower_case("Isırgan", dotless=True), lower_case("İzmir", dotless=True), lower_case("In")
    ('ısırgan', 'izmir', 'in')
    """
    return (word.replace("I", "ı").replace("İ", "i") if dotless else word).lower()


def normal_form(word: str, *, dotless: bool = False) -> str:
    """Return a word in lower case with 0 for each digit.

    Examples
    --------
    >>> normal_form("Boeing-747")
    'boeing-000'
    """
    return _DIGIT.sub("0", lower_case(word, dotless=dotless))


def has_dotless(form: Column) -> bool:
    """Return whether a language has the dotless i (ı), judged by the share of words with it."""
    has_dotless_i = np.array(["ı" in word for word in form.vocabulary.words], bool)
    return bool(
        has_dotless_i.sum() >= DOTLESS_WORDS and has_dotless_i[form.codes].mean() >= DOTLESS_SHARE
    )


def lowercase(treebank: Treebank) -> Treebank:
    """Return the same sentences with their forms in lower case.

    Katz-Brown et al. (2011, section 4.3) do so in training and parsing.

    Examples
    --------
    >>> lowercase(Treebank.from_words([["Click", "HERE"]])).form.strings()
    ['click', 'here']
    """
    return treebank.replace(form=treebank.form.map(str.lower))


def hyphen_pieces(word: str) -> list[str]:
    """Split a word at hyphens between letters or digits; each hyphen is a piece.

    Examples
    --------
    >>> hyphen_pieces("mid-to-late"), hyphen_pieces("--"), hyphen_pieces("pre-")
    (['mid', '-', 'to', '-', 'late'], ['--'], ['pre-'])
    """
    return _HYPHEN.split(word)


def split_hyphens(treebank: Treebank, *, label: str = "hyphen") -> Treebank:
    """Split hyphenated words; each piece gets the tags of the word.

    Katz-Brown et al. (2011, section 4.1) do so with the tags of the Penn Treebank. They do not
    describe the tree: here the last piece gets the word's head, label and dependents, and the
    other pieces depend on it.

    Parameters
    ----------
    treebank : Treebank
        With heads or without.
    label : str
        The label of the pieces that depend on the last one.

    Returns
    -------
    Treebank
        UPOS, XPOS and FEATS are those of the word; the lemma is split if it has the same number of
        pieces, otherwise each piece is its own lemma. The last piece has the MISC of the word, the
        others ``SpaceAfter=No``. Ranges and empty nodes are renumbered. In sentences with split
        words DEPS becomes ``_``, since its numbers would be wrong.

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
            if lemma_parts != [NO_VALUE]:
                lemmas[first + i] = lemma_parts[i] if len(lemma_parts) == len(parts) else part
            if first + i < end - 1:
                miscs[first + i] = "SpaceAfter=No"
    columns["form"] = _replace_strings(columns["form"], forms)
    columns["lemma"] = _replace_strings(columns["lemma"], lemmas)
    columns["misc"] = _replace_strings(columns["misc"], miscs)
    non_final_pieces = np.flatnonzero(~is_last)
    columns["label"] = _replace_strings(
        columns["label"], dict.fromkeys(non_final_pieces.tolist(), label)
    )
    heads, sentence_of_piece = _piece_heads(treebank, ends, source_word, is_last, offsets)
    changed = np.zeros(len(treebank), np.bool_)
    changed[sentence_of_piece[non_final_pieces]] = True
    columns["deps"] = _replace_strings(
        columns["deps"],
        dict.fromkeys(np.flatnonzero(changed[sentence_of_piece]).tolist(), NO_VALUE),
    )
    margins = list(treebank.margins)
    for sentence in np.flatnonzero(changed).tolist():
        if margins[sentence].extras:
            start, stop = treebank.offsets[sentence : sentence + 2].tolist()
            numbers = np.cumsum(counts[start:stop]).tolist()
            margins[sentence] = _renumber_margin(margins[sentence], numbers)
    return Treebank(offsets, heads, {name: columns[name] for name in STRING_COLUMNS}, margins)


def _piece_heads(
    treebank: Treebank, ends: Int64, source_word: Int64, is_last: Bool, offsets: Int64
) -> tuple[Int32, Int64]:
    """Return the heads of the pieces, and the sentence of each."""
    sentence_of_piece = np.repeat(np.arange(len(treebank)), np.diff(offsets))
    old_heads = treebank.heads[source_word].astype(np.int64)
    # The last piece of each head, counted from 1 in its sentence.
    new_heads = (
        ends[np.maximum(treebank.offsets[sentence_of_piece] + old_heads - 1, 0)]
        - offsets[sentence_of_piece]
    )
    heads = np.where(old_heads > ROOT, new_heads, old_heads)
    last_piece_position = ends[source_word] - offsets[sentence_of_piece]
    heads = np.where(is_last | (old_heads == NO_HEAD), heads, last_piece_position)
    return heads.astype(np.int32), sentence_of_piece


def _replace_strings(column: Column, strings: dict[int, str]) -> Column:
    """Return a copy of a column with other strings at some positions."""
    words = list(column.vocabulary.words)
    code_of_string = {word: code for code, word in enumerate(words)}
    codes = column.codes.copy()
    for position, string in strings.items():
        if string not in code_of_string:
            code_of_string[string] = len(words)
            words.append(string)
        codes[position] = code_of_string[string]
    return Column(codes, Vocabulary(words))


def _renumber_margin(margin: Margin, numbers: list[int]) -> Margin:
    """Renumber ranges and empty nodes; `numbers` has the number of each word's last piece."""
    new_numbers = [0, *numbers]
    extras = []
    for old_position, line in margin.extras:
        matched = _ID.match(line)
        if matched is None:
            extras.append((new_numbers[old_position], line))
            continue
        fields = line[matched.end() :].split("\t")
        fields[7] = NO_VALUE
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
    """Return UPOS, otherwise XPOS, or None if a treebank has neither."""
    columns = (treebank.upos, treebank.xpos)
    return next((column for column in columns if column.has_value().any()), None)


def tagged_as(treebank: Treebank, kind: str) -> Bool:
    """Return a mask of the words tagged as nouns or as verbs, bool[N].

    Parameters
    ----------
    treebank : Treebank
    kind : "noun" or "verb"
        Nouns include proper nouns, verbs include auxiliaries. Without universal tags, tags are
        read as those of the Penn Treebank.

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
        return tags.apply(lambda tag: tag in UNIVERSAL_TAGS[kind], np.bool_)
    return tags.apply(lambda tag: tag.startswith(PENN_TAG_PREFIXES[kind]), np.bool_)


def in_one_case(form: Column, offsets: Int64) -> Bool:
    """Return a mask of the words in sentences all in lower case or all in capitals, bool[N].

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
        The indices of the word's occurrences among all words of the treebank.
    tags : tuple of (str, int)
        Each tag with its frequency, the most frequent first.
    nouns, verbs : int
        How often the word is tagged as a noun or proper noun, and as a verb or auxiliary.
    """

    places: Int64
    tags: tuple[tuple[str, int], ...]
    nouns: int
    verbs: int


def tag_counts(treebank: Treebank, word: str) -> TagCounts:
    """Count the tags of a word, ignoring case.

    Parameters
    ----------
    treebank : Treebank
        UPOS are counted if there are any, otherwise XPOS.
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
    positions = np.flatnonzero(
        numbers == (forms.index(folded_word) if folded_word in forms else -1)
    )
    column = known_tags(treebank)
    tags: tuple[tuple[str, int], ...] = ()
    if column is not None:
        tags = tuple(column.take(positions).counts().items())
    nouns, verbs = (int(tagged_as(treebank, kind)[positions].sum()) for kind in ("noun", "verb"))
    return TagCounts(positions, tags, nouns, verbs)


def projective(treebank: Treebank) -> Treebank:
    """Return the trees with non-projective arcs lifted, in contiguous arrays.

    Raises
    ------
    InputError
        If a sentence has no tree; the message names it.
    """
    require_heads(treebank)
    return projectivize(treebank)[0]


def require_heads(treebank: Treebank) -> None:
    """Raise an InputError that names the first sentence without a complete tree."""
    if not treebank.has_trees:
        word = int(np.argmax(treebank.heads < 0))
        row = int(np.searchsorted(treebank.offsets, word, side="right")) - 1
        name = treebank.margins[row].value("sent_id")
        error_location = f"sentence {row + 1}" + (f" ({name})" if name else "")
        raise InputError(error_location, "no tree", "heads, as a parser gives them")
