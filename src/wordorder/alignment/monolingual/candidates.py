"""List possible matches by synonyms and paraphrases, as candidates for the search."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wordorder.arrays import Int32, Int64
from wordorder.errors import InputError, choose, location
from wordorder.text.lines import read_lines, read_number, tokens
from wordorder.text.sources import Source
from wordorder.text.texts import Texts

# Reference start and length, hypothesis start and length, index of the module.
Candidate = tuple[int, int, int, int, int]

# The cache is emptied when it has this number of words, to bound memory.
MAX_CACHED_STEMS = 1 << 20

PARTS_OF_SPEECH = ("noun", "verb", "adj", "adv")

# Endings and their replacements in base forms: WordNet's rules of detachment (morphy).
DETACHMENT_RULES = (
    *(("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh")),
    *(("men", "man"), ("ies", "y")),
    *(("s", ""), ("ies", "y"), ("es", "e"), ("es", "")),
    *(("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    *(("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
)

# The order in which modules list their matches; all lists of modules have this order.
MODULES = ("exact", "stem", "synonym", "paraphrase")

# The stemmer of each language, by Snowball's name.
STEMMERS = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    # The only Dutch algorithm of Snowball at the time of METEOR 1.5.
    "nl": "dutch_porter",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "st": "sesotho",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
    "other": "",
}

LANGUAGES = tuple(STEMMERS)

# The languages with a stemmer in METEOR 1.5; Czech has none there.
_METEOR_STEM_LANGUAGES = tuple("da de en es fi fr hu it nl no pt ro ru sv tr".split())

METEOR_LANGUAGES = ("cs", *_METEOR_STEM_LANGUAGES, "other")
_SYNONYM_LANGUAGES = ("en",)
_PARAPHRASE_LANGUAGES = ("cs", "de", "en", "es", "fr", "ru")


@dataclass(frozen=True, eq=False)
class MatchCandidates:
    """Possible matches of each reference row with its hypothesis.

    Attributes
    ----------
    columns : int32[4 * K]
        The concatenated columns of K candidates: reference start and length, hypothesis start and
        length.
    module : int32[K]
    offsets : int64[R+1]
        The candidates of row ``r`` are ``offsets[r] .. offsets[r+1]-1``, sorted by reference start.
    """

    columns: Int32
    module: Int32
    offsets: Int64


def empty_candidates(rows: int) -> MatchCandidates:
    """Return an empty list of candidates for each row."""
    empty = np.zeros(0, np.int32)
    return MatchCandidates(empty, empty, np.zeros(rows + 1, np.int64))


def list_candidates(
    texts: Texts,
    synonyms: Mapping[int, frozenset[int]],
    synonym_module: int,
    paraphrases: Mapping[Phrase, Sequence[Phrase]],
    paraphrase_module: int,
    *,
    repeated: bool,
) -> MatchCandidates:
    """List the possible matches by synonyms and paraphrases.

    Parameters
    ----------
    texts : Texts
    synonyms : mapping of int to frozenset of int
        The ids of the synonyms of each word.
    paraphrases : mapping of phrase to sequence of phrases
    synonym_module, paraphrase_module : int
        The indices of the modules.
    repeated : bool
        Whether to keep repeated candidates, as METEOR 1.5 does.
    """
    hypotheses, references = texts.hypothesis.to_lists(), texts.references.to_lists()
    lengths: dict[int, set[int]] = {}
    for phrase in paraphrases:
        lengths.setdefault(phrase[0], set()).add(len(phrase))
    flat: list[Candidate] = []
    counts = np.zeros(len(references) + 1, np.int64)
    for row, segment in enumerate(texts.segment_of.tolist()):
        hypothesis, reference = hypotheses[segment], references[row]
        positions_of, reference_positions_of = (
            _find_positions(hypothesis),
            _find_positions(reference),
        )
        matches = list(_list_synonym_matches(reference, positions_of, synonyms, synonym_module))
        if lengths:
            for start, length, position, covered in _list_phrase_matches(
                reference, hypothesis, positions_of, paraphrases, lengths
            ):
                matches.append((start, length, position, covered, paraphrase_module))
            for position, covered, start, length in _list_phrase_matches(
                hypothesis, reference, reference_positions_of, paraphrases, lengths
            ):
                matches.append((start, length, position, covered, paraphrase_module))
        if not repeated:
            matches = list(dict.fromkeys(matches))
        # The sort is stable: candidates with the same start keep their order.
        matches.sort(key=lambda candidate: candidate[0])
        flat += matches
        counts[row + 1] = len(matches)
    columns = np.array(flat, np.int32).reshape(-1, 5).T
    return MatchCandidates(columns[:4].ravel(), columns[4].copy(), np.cumsum(counts))


def _find_positions(words: Sequence[int]) -> dict[int, list[int]]:
    """Return the positions of each word."""
    positions_of: dict[int, list[int]] = {}
    for position, word in enumerate(words):
        positions_of.setdefault(word, []).append(position)
    return positions_of


def _list_synonym_matches(
    reference: Sequence[int],
    places: Mapping[int, Sequence[int]],
    synonyms: Mapping[int, frozenset[int]],
    module: int,
) -> Iterator[Candidate]:
    """Yield pairs of words that share a synonym set, with hypothesis positions in order."""
    for start, word in enumerate(reference):
        synonyms_of_word = synonyms.get(word)
        if synonyms_of_word is not None:
            for position in sorted(
                position for synonym in synonyms_of_word for position in places.get(synonym, ())
            ):
                yield start, 1, position, 1, module


def _list_phrase_matches(
    words: Sequence[int],
    right: Sequence[int],
    right_places: Mapping[int, Sequence[int]],
    paraphrases: Mapping[Phrase, Sequence[Phrase]],
    lengths: Mapping[int, set[int]],
) -> Iterator[tuple[int, int, int, int]]:
    """Yield start and length of phrases in `words`, and of their matches in `right`."""
    for start, word in enumerate(words):
        for length in sorted(lengths.get(word, ())):
            if start + length > len(words):
                break
            for paraphrase in paraphrases.get(tuple(words[start : start + length]), ()):
                for position in right_places.get(paraphrase[0], ()):
                    if tuple(right[position : position + len(paraphrase)]) == paraphrase:
                        yield start, length, position, len(paraphrase)


_stem_cache: dict[str, dict[str, str]] = {}


def stem_classes(words: Sequence[str], language: str) -> Int32:
    """Return the index of the first word with the same stem, for each word.

    Parameters
    ----------
    words : sequence of str
        Distinct words in lower case, which Snowball stemmers expect.
    language : str
        A language with a stemmer.

    Returns
    -------
    int32[V]

    Examples
    --------
    >>> stem_classes(["cat", "sits", "cats", "sit"], "en").tolist()
    [0, 1, 0, 1]
    """
    import Stemmer

    stems = _stem_cache.setdefault(language, {})
    if len(stems) > MAX_CACHED_STEMS:
        stems.clear()
    # A cache size of 0: stems are cached here.
    stem = Stemmer.Stemmer(STEMMERS[language], 0).stemWord
    class_of_stem: dict[str, int] = {}
    classes = np.empty(len(words), np.int32)
    for number, word in enumerate(words):
        stemmed = stems.get(word)
        if stemmed is None:
            stemmed = stems[word] = stem(word)
        classes[number] = class_of_stem.setdefault(stemmed, number)
    return classes


def snowball_version() -> str:
    """Return the version of the stemmers, on which stems may depend."""
    from importlib.metadata import version

    return version("PyStemmer")


class SynonymSets:
    """Sets of synonyms, from WordNet or a file.

    Parameters
    ----------
    path : path
        WordNet's directory with ``index.noun``, ``index.verb``, ``index.adj``, ``index.adv`` and
        the ``.exc`` files (or a directory with these in ``dict``); or a file with one synonym set
        per line, its words separated by spaces or tabs.

    Raises
    ------
    InputError
        If nothing can be read, or a line does not have WordNet's format.

    Notes
    -----
    With WordNet, a word also has the sets of its base forms: those in the lists of exceptions,
    else the first one that a rule of detachment gives. Words of a plain file have no base forms.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "synonyms.txt")
    >>> _ = path.write_text("big large\\nlarge sizeable\\n")
    >>> sets = SynonymSets(path)
    >>> sorted(sets.of("big") & sets.of("large")), sets.of("tiny")
    ([0], frozenset())
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._sets: dict[str, set[int]] = {}
        self._bases: dict[str, list[str]] = {}
        self._morphology = os.path.isdir(path)
        content = hashlib.sha256()
        if self._morphology:
            folder = Path(path)
            self._read_wordnet(folder / "dict" if (folder / "dict").is_dir() else folder, content)
        else:
            for number, line in enumerate(_hashed_lines(path, content)):
                for word in tokens(line):
                    self._sets.setdefault(word, set()).add(number)
        # Identifies the content, for signatures.
        self.digest = content.hexdigest()[:8]

    def of(self, word: str) -> frozenset[int]:
        """Return the ids of the sets of a word and of its base forms."""
        sets = set(self._sets.get(word, ()))
        if self._morphology:
            for base in self._bases.get(word) or self._detached(word):
                sets |= self._sets.get(base, set())
        return frozenset(sets)

    def neighbours(self, words: Sequence[str]) -> dict[int, frozenset[int]]:
        """Return the indices of the other words that share a set with each word that has any."""
        members: dict[int, list[int]] = {}
        sets = [self.of(word) for word in words]
        for number, numbers in enumerate(sets):
            for set_number in numbers:
                members.setdefault(set_number, []).append(number)
        near_words = {}
        for number, numbers in enumerate(sets):
            near = {neighbour for set_number in numbers for neighbour in members[set_number]} - {
                number
            }
            if near:
                near_words[number] = frozenset(near)
        return near_words

    def _detached(self, word: str) -> Iterable[str]:
        """Return the first known base form that a rule of detachment gives, if any."""
        if len(word) <= 2 or word.endswith("ss"):
            return ()
        for ending, replacement in DETACHMENT_RULES:
            if word.endswith(ending):
                base = word.removesuffix(ending) + replacement
                if base in self._sets:
                    return (base,)
        return ()

    def _read_wordnet(self, folder: Path, content: hashlib._Hash) -> None:
        """Read the index of each part of speech, and its list of exceptions if there is one."""
        for part, name in enumerate(PARTS_OF_SPEECH):
            path = folder / f"index.{name}"
            for number, line in enumerate(_hashed_lines(path, content), 1):
                # The licence at the top is indented.
                if not line.startswith(" "):
                    lemma, offsets = _parse_index_line(line, location(path, number))
                    numbers = (part * 10**8 + offset for offset in offsets)
                    self._sets.setdefault(lemma, set()).update(numbers)
            path = folder / f"{name}.exc"
            if path.exists():
                for line in _hashed_lines(path, content):
                    form, *bases = tokens(line) or [""]
                    self._bases.setdefault(form, []).extend(bases)


def _hashed_lines(path: str | os.PathLike[str], content: hashlib._Hash) -> Iterator[str]:
    """Yield the lines of a file, and add each to a hash of the content."""
    for line in read_lines(path):
        content.update(line.encode())
        content.update(b"\n")
        yield line


def _parse_index_line(line: str, file_position: str) -> tuple[str, list[int]]:
    """Parse a line of an index: lemma, part of speech, number of sets, ..., offsets of the sets."""
    fields = tokens(line)
    if len(fields) > 3 and fields[2].isdecimal():
        offsets = fields[-int(fields[2]) :]
        # Lemma, part of speech, three counts and one pointer count precede the offsets.
        if 0 < len(offsets) <= len(fields) - 6 and all(map(str.isdecimal, offsets)):
            return fields[0], [int(offset) for offset in offsets]
    raise InputError(file_position, repr(line[:40]), "a line of a WordNet index")


Phrase = tuple[int, ...]


class ParaphraseTable:
    """Phrases and their paraphrases.

    Parameters
    ----------
    path : path
        Three lines per entry: a probability (which is ignored), a phrase, and its paraphrase. The
        file may be compressed, according to its suffix.

    Raises
    ------
    InputError
        If the file cannot be read.

    Notes
    -----
    Tables are large, so the file is read again for each vocabulary, and only the entries whose
    words are all in the vocabulary are kept.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "table.txt")
    >>> _ = path.write_text("0.5\\nat once\\nimmediately\\n")
    >>> ParaphraseTable(path).restricted(["immediately", "once", "at"])
    {(2, 1): [(0,)]}
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = path
        digest = hashlib.sha256()
        with Source(path) as source:
            while block := source.read():
                digest.update(block)
        self.digest = digest.hexdigest()[:8]

    def restricted(self, words: Sequence[str]) -> dict[Phrase, list[Phrase]]:
        """Return phrases as word ids with their paraphrases, in the order of the file.

        Raises
        ------
        InputError
            If an entry is incomplete, has an empty phrase, or does not start with a probability.
        """
        numbers = {word: number for number, word in enumerate(words)}
        vocabulary = numbers.keys()
        entries: dict[Phrase, list[Phrase]] = {}
        sides: list[list[str]] = []
        count = 0
        for count, line in enumerate(read_lines(self.path), 1):
            if count % 3 == 1:
                self._check_probability(line, count)
                continue
            side = tokens(line)
            if not side:
                raise InputError(location(self.path, count), "an empty line", "a phrase")
            sides.append(side)
            if len(sides) == 2:
                if vocabulary >= set(sides[0]) and vocabulary >= set(sides[1]):
                    phrase, paraphrase = (tuple(numbers[word] for word in side) for side in sides)
                    entries.setdefault(phrase, []).append(paraphrase)
                sides = []
        if count % 3:
            file_position = location(self.path, count)
            raise InputError(file_position, "the last entry is incomplete", "three lines an entry")
        return entries

    def _check_probability(self, line: str, number: int) -> None:
        if read_number(line.strip()) is None:
            file_position = location(self.path, number)
            raise InputError(file_position, repr(line[:30]), "a probability")


def language_modules(language: str) -> tuple[str, ...]:
    """Return the modules that METEOR 1.5 uses for a language, in its order.

    Raises
    ------
    UsageError
        If the language is unknown; use ``other`` for languages that are not listed.

    Examples
    --------
    >>> language_modules("fr"), language_modules("other")
    (('exact', 'stem', 'paraphrase'), ('exact',))
    """
    choose("language", language, METEOR_LANGUAGES)
    is_supported = {
        "exact": True,
        "stem": language in _METEOR_STEM_LANGUAGES,
        "synonym": language in _SYNONYM_LANGUAGES,
        "paraphrase": language in _PARAPHRASE_LANGUAGES,
    }
    return tuple(module for module in MODULES if is_supported[module])
