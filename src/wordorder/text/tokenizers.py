"""Lines cut into tokens as sacreBLEU cuts them, and into characters.

White space is what `str.split` takes for it.
"""

import re
import string
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
from typing import Any
from unicodedata import category, normalize

import numpy as np

from wordorder.arrays import Bool, Int32, Int64, UInt8, row_offsets
from wordorder.errors import UsageError, choose
from wordorder.kernels import run_rows, text as kernel
from wordorder.text.blocks import RawLines

# What a byte is, as the kernel takes it.
_BLANK, _SYMBOL, _STOP, _DIGIT, _DASH, _REPLACES, _EDGE, _LEAD = (1 << bit for bit in range(8))

# The first bytes of characters that are white space and not ASCII.
_LEADS = b"\xc2\xe1\xe2\xe3"

_BLANKS = bytes(byte for byte in range(128) if chr(byte).isspace())

# Tokens of their own in mteval-v13a; the apostrophe is not.
_SYMBOLS = b'{|}~[\\]^_` !"#$%&()*+:;<=>?@/'

# What 13a replaces, one after the other.
_REPLACED = (
    (b"<skipped>", b""),
    (b"-\n", b""),
    (b"\n", b" "),
    (b"&quot;", b'"'),
    (b"&amp;", b"&"),
    (b"&lt;", b"<"),
    (b"&gt;", b">"),
)


def mteval_words(lines: RawLines) -> RawLines:
    """Cut lines as sacreBLEU's tokenizer 13a does, which is that of mteval-v13a.

    Symbols are tokens of their own; so are full stops and commas except between digits,
    and dashes behind digits. Character entities are replaced before.

    Returns
    -------
    RawLines
        The tokens with one blank between two.

    Examples
    --------
    >>> mteval_words(RawLines.from_strings(["It's 3.5%, up 1-2&gt;1."])).strings()
    ["It's 3.5 % , up 1 - 2 > 1 ."]
    """
    return _cut(lines, _MTEVAL, _REPLACED)


def blank_words(lines: RawLines) -> RawLines:
    r"""Cut lines at white space, as `str.split` does.

    Examples
    --------
    >>> blank_words(RawLines.from_strings([" a\u3000b\tc. "])).strings()
    ['a b c.']
    """
    return _cut(lines, _AT_BLANKS)


def changed_words(words: RawLines) -> Bool:
    r"""Return which words `blank_words` changes, bool[N]: empty ones, and those with white space.

    Examples
    --------
    >>> changed_words(RawLines.from_strings(["a", "a\u3000b", ""])).tolist()
    [False, True, True]
    """
    marks = np.empty(len(words), np.uint8)
    run_rows(
        kernel.mark_cut, row_offsets(words.stops - words.starts), *_spans(words), _AT_BLANKS, marks
    )
    return marks.view(np.bool_)


def edge_words(lines: RawLines) -> RawLines:
    """Cut lines as chrF++ does: at white space, and off a word one punctuation mark.

    The last character of a word, or else its first one.

    Examples
    --------
    >>> edge_words(RawLines.from_strings(['(yes) "no more..."'])).strings()
    ['(yes ) " no more... "']
    """
    return _cut(lines, _EDGES)


def sacrebleu_tokenizer(name: str, failed: str) -> tuple[Callable[[str], str], str]:
    """Return a tokenizer of sacreBLEU's, and its signature.

    Raises
    ------
    UsageError
        If a package that it needs is not installed; the message begins with `failed`.
    """
    from sacrebleu.metrics.bleu import BLEU

    try:
        scorer = BLEU(tokenize=name)
    except (ImportError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        if name in ("ja-mecab", "ko-mecab"):
            reason = f'MeCab is not installed: pip install "wordorder[{name[:2]}]"'
        raise UsageError(f"{failed}: {reason}") from None
    return scorer.tokenizer, scorer.tokenizer_signature


def characters(lines: RawLines, *, white_space: bool) -> tuple[Int32, Int64, Int64]:
    """Return the code points of lines.

    Parameters
    ----------
    lines : RawLines
    white_space : bool
        Whether to keep it.

    Returns
    -------
    points : int32 array
    starts, stops : int64[S]
        Line ``i`` has ``points[starts[i] : stops[i]]``.
    """
    offsets = row_offsets(lines.stops - lines.starts)
    points = np.empty(int(offsets[-1]), np.int32)
    stops = np.empty(len(lines), np.int64)
    kinds = np.zeros(256, np.uint8) if white_space else _AT_BLANKS
    starts = offsets[:-1]
    run_rows(kernel.code_points, offsets, *_spans(lines), kinds, points, starts, stops)
    return points, starts, stops


def _cut(lines: RawLines, kinds: UInt8, rules: Sequence[tuple[bytes, bytes]] = ()) -> RawLines:
    """Cut lines by what their bytes are; `rules` say what is replaced by what before."""
    offsets = row_offsets(lines.stops - lines.starts)
    parts = [part for rule in rules for part in rule]
    bounds = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    # One blank for each byte is more than enough.
    tokens = np.empty(2 * int(offsets[-1]), np.uint8)
    starts = 2 * offsets[:-1]
    stops = np.empty(len(lines), np.int64)
    run_rows(
        kernel.split_tokens,
        offsets,
        *_spans(lines),
        *(kinds, np.frombuffer(b"".join(parts), np.uint8), bounds, tokens, starts, stops),
        scratch=lambda longest: (np.empty(longest, np.uint8),),
    )
    return RawLines(tokens, starts, stops)


def _spans(lines: RawLines) -> tuple[UInt8, Int64, Int64]:
    return (
        np.ascontiguousarray(lines.data),
        np.ascontiguousarray(lines.starts),
        np.ascontiguousarray(lines.stops),
    )


def _kinds(*groups: tuple[bytes, int]) -> UInt8:
    """Return what each byte is, white space and the groups given."""
    kinds = np.zeros(256, np.uint8)
    for members, kind in ((_BLANKS, _BLANK), (_LEADS, _LEAD), *groups):
        kinds[list(members)] |= kind
    return kinds


_AT_BLANKS = _kinds()

_EDGES = _kinds((string.punctuation.encode(), _EDGE))

_MTEVAL = _kinds(
    (_SYMBOLS.replace(b" ", b""), _SYMBOL),
    (b".,", _STOP),
    (b"0123456789", _DIGIT),
    (b"-", _DASH),
    (b"<&\n", _REPLACES),
)

# sacreBLEU's tokenizers, by the names that it gives them; "spm" ones fetch models from elsewhere.
TOKENIZERS = ("auto", "none", "13a", "intl", "zh", "char", "ja-mecab", "ko-mecab")

# Those that never look beyond a blank or a tab.
BY_WORD = ("none", "13a")

# The first `SAMPLE` lines with words among the first `SAMPLE_LINES` of a reference decide on its
# tokenizer and its language.
SAMPLE, SAMPLE_LINES = 100, 1000

# Han, kana, Thai, Lao, Khmer and Burmese; Korean has blanks.
_UNSPACED = (
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff\u0e00-\u0eff\u1780-\u17ff\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"
)
_UNSPACED_LETTER = re.compile(f"[{_UNSPACED}]")
_BLANK_BETWEEN = re.compile(f"(?<=[{_UNSPACED}])[ \t]+(?=[{_UNSPACED}])")

# A text with at least one blank for this number of letters is already split into words.
_LETTERS_PER_BLANK = 8


def default_tokenizer(lines: Iterable[str]) -> str:
    """Return the tokenizer that `auto` stands for, by the first lines of a reference.

    Parameters
    ----------
    lines : iterable of str
        The first `SAMPLE` lines with words are looked at.

    Returns
    -------
    "13a" or "char"
        ``char`` where most letters are of a script without blanks between words, and few blanks
        stand between them.

    Examples
    --------
    >>> default_tokenizer(["Yes, he is."]), default_tokenizer(["彼は昨日東京に行きました。"])
    ('13a', 'char')
    >>> default_tokenizer(["彼 は 昨日 東京 に 行き まし た 。"])
    '13a'
    """
    letters = unspaced = blanks = 0
    for line in islice(filter(str.strip, lines), SAMPLE):
        letters += sum(map(str.isalpha, line))
        unspaced += len(_UNSPACED_LETTER.findall(line))
        blanks += len(_BLANK_BETWEEN.findall(line))
    is_unspaced = 2 * unspaced > letters and _LETTERS_PER_BLANK * blanks < unspaced
    return "char" if is_unspaced else "13a"


CASES = ("keep", "lower")

EMPTY_REFERENCES = ("count", "none")

NORMALIZATIONS = ("none", "NFC", "NFKC", "NFD", "NFKD")


@dataclass(frozen=True)
class Preparation:
    """What is done to lines before their words are numbered.

    Parameters
    ----------
    tokenizer : str
        ``none``: words are separated by blanks and tabs; or one of sacreBLEU's tokenizers; or
        ``auto``, which `chosen_for` decides on.
    case : "keep" or "lower"
    normalization : "none", "NFC", "NFKC", "NFD" or "NFKD"
        A Unicode normal form.
    empty_references : "count" or "none"
        Whether a reference without words is one, or was left out when the texts were made: so
        that signatures say it.
    is_default : bool
        Whether `chosen_for` decided on the tokenizer: metrics with one of their own keep it then.

    Raises
    ------
    UsageError
        If a value is unknown, or what a tokenizer needs is not installed.

    Examples
    --------
    >>> prepare = Preparation(tokenizer="13a", case="lower")
    >>> prepare.tokens(prepare.normal(RawLines.from_strings(["Yes, he is."]))).strings()
    ['yes , he is .']
    """

    tokenizer: str = "none"
    case: str = "keep"
    normalization: str = "none"
    empty_references: str = "count"
    is_default: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        choose("tokenizer", self.tokenizer, TOKENIZERS)
        choose("case", self.case, CASES)
        choose("normalization", self.normalization, NORMALIZATIONS)
        choose("empty_references", self.empty_references, EMPTY_REFERENCES)

    @property
    def line_fields(self) -> tuple[tuple[str, str], ...]:
        """The signature's fields of what is done to whole lines."""
        fields = [("case", self.case), ("norm", self.normalization)]
        if self.empty_references == "none":
            fields.append(("empty_references", "none"))
        return tuple(fields)

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """All fields of the signature."""
        return (("tok", self.tokenizer), *self.line_fields)

    def chosen_for(self, references: Iterable[str]) -> "Preparation":
        """Return the preparation with what `default_tokenizer` chooses in the place of `auto`.

        Examples
        --------
        >>> Preparation(tokenizer="auto").chosen_for(["Yes, he is."]).tokenizer
        '13a'
        """
        if self.tokenizer != "auto":
            return self
        return replace(self, tokenizer=default_tokenizer(references), is_default=True)

    def normal(self, lines: RawLines) -> RawLines:
        """Apply normal form and case to lines."""
        if self.normalization != "none":
            form: Any = self.normalization
            lines = RawLines.from_strings([normalize(form, line) for line in lines.strings()])
        return lines.lower() if self.case == "lower" else lines

    def tokens(self, lines: RawLines) -> RawLines:
        """Put blanks between the words of lines."""
        if self.tokenizer == "none":
            return lines
        if self.tokenizer == "13a":
            return mteval_words(lines)
        failed = f"the tokenizer {self.tokenizer!r} cannot be used"
        tokenize, _ = sacrebleu_tokenizer(self.tokenizer, failed)
        return RawLines.from_strings([tokenize(line) for line in lines.strings()])


# Distinct strings between blanks whose words are remembered, and the longest of them.
REMEMBERED, LONGEST = 1 << 16, 40

# Words that end with a full stop of their own. One letter, and letters each with a full stop
# (U.S.), need no list.
ABBREVIATIONS = frozenset(
    """
    adm al apr approx apt arrv assn attn aug ave bldg blvd bros brig capt cf cmdr co col comdr conf
    corp cpl dec dept dist dr ed eds eg esp est et etc ext feb fig fri ft gen gov govt hon hosp ie
    inc jan jr jul lt ltd maj mme mon mr mrs ms mss mt nov oct ph pp prof pvt rec ref rep reps
    rev sat sc sec sen sens sept sgt spec sr st sun supt tel thu thur thurs tue tues univ va ver viz
    vol vols vs wed yrs
    """.split()
)

# What stays together with a hyphen behind it; any other hyphen is a word.
PREFIXES = frozenset(
    """
    anti arch bi co counter cyber de e em ex extra hyper infra inter intra macro mega meta micro mid
    mini mono multi neo non over para poly post pre pro proto pseudo psycho quasi re semi sub
    super trans tri ultra un uni
    """.split()
)

# Words that are two, and where the second begins.
TWO_WORDS = {
    pair.replace("|", ""): pair.index("|")
    for pair in """
    can|not gon|na got|ta wan|na do|nt did|nt does|nt could|nt would|nt should|nt ca|nt wo|nt
    is|nt ai|nt are|nt was|nt were|nt has|nt have|nt had|nt i|m i|ve that|s what|s there|s here|s
    he|s she|s you|re they|re ar|nt
    """.split()
}

# Units that are words of their own behind a number.
UNITS = "am|pm|kg|km|mm|cm|ft|lbs|lb|mph|k|m|mb|gb|hrs|min|mins|yrs"

# What names of hosts and files end with.
ENDINGS = "com|org|net|edu|gov|co\\.uk|html?|docx?|xlsx?|pptx?|pdf|txt|jpg|png|gif|zip|url"

APOSTROPHE = "['’‘`´]"

# Every repetition before a character that must follow is bounded, so that no string, however long,
# is looked at more than a fixed number of times.
TOKEN = re.compile(
    rf"""
      (?P<link>(?:https?|ftp)://\S+ | mailto:\S+ | www\.\S+)
    | [\w.+-]{{1,64}}@[\w-]{{1,63}}(?:\.[\w-]{{1,63}}){{0,8}}
    | (?:[:;=][-o^']?[()\[\]DPO/\\] | >:\( | <3 | \([:;=] | \^[_.]?\^)(?!\w)
    | [\w-]{{1,63}}(?:\.[\w-]{{1,63}}){{0,5}}\.(?:{ENDINGS})(?:/[^\s()<>]*)?(?![\w-])
    | [a-z][\w-]{{0,62}}(?:\.[a-z][\w-]{{1,62}}){{2,6}}(?!\w)
    | [@#][^\W\d]\w*
    | (?:\d[-.])?\d{{3}}[-./]\d{{3}}[-.]\d{{4}}(?!\w) | (?:\d{{3}}|\d{{5}})-\d{{4}}(?![\w-])
    | \d{{1,4}}/\d{{1,2}}/\d{{2,4}}(?!\w) | \d{{1,2}}-\d{{1,2}}-\d{{2,4}}(?!\w) | 9/11(?!\w)
    | (?:\A\+)?\.?\d{{1,30}}(?:[.,:]\d{{1,30}}){{0,8}}
      (?:st|nd|rd|th|s|{APOSTROPHE}s)?(?=(?:{UNITS})(?!\w)|\W|_|\Z)
    | ['’]\d\ds?(?!\w)
    | (?P<letters>(?:[^\W\d_]\.){{2,20}}(?:[^\W\d_](?!\w))?)
    | {APOSTROPHE}(?:s|m|d|re|ve|ll|em|til|tis|twas|cause)(?!\w)
    | (?P<word>\w(?:\w|&(?=\w)|{APOSTROPHE}(?=\w))*)
    | \.?[!?]+ | \.{{2,}} | '' | `` | ’’ | ‘‘ | ‘’ | (?P<run>[-=*_~\#+<>|$])(?P=run)+
    """,
    re.VERBOSE | re.IGNORECASE,
)

WORD = re.compile(r"\w+")

# n't and what else is written behind an apostrophe.
CONTRACTED = re.compile(rf"(?:n{APOSTROPHE}t|{APOSTROPHE}(?:s|m|d|re|ve|ll))\Z", re.IGNORECASE)

CLOSING = ".,;:!?)]}>'\"’”*"


# Signs of format that do not belong to the character before: the blank without width, and Arabic
# signs before numbers.
SEPARATE = frozenset("\u200b\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u08e2")

ZERO_WIDTH_JOINER = "\u200d"


def extends(character: str) -> bool:
    """Return whether a character belongs to the one before it: rule WB4 of Unicode's annex 29.

    That is so of combining marks, joiners, variation selectors, soft hyphens, other signs of
    format, colours of skin, and the vowels and final consonants of Hangul syllables.

    Examples
    --------
    >>> [extends(character) for character in "\u0301\u200d\ufe0f\u00ad\U0001f3fd-e"]
    [True, True, True, True, True, False, False]
    """
    if character.isascii():
        return False
    kind = category(character)
    if kind == "Cf":
        return character not in SEPARATE
    between = "\u1160" <= character <= "\u11ff" or "\U0001f3fb" <= character <= "\U0001f3ff"
    return between or kind[0] == "M"


def is_regional(character: str) -> bool:
    """Return whether a character is one of the letters of which two are a flag."""
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def starts_of_characters(text: str) -> list[int]:
    """Return where characters as readers see them start in a text, and where the last one stops.

    At the start and after a blank, signs belong to the next character. A symbol after a joiner
    belongs to the one before, and the second regional indicator of a pair to the first.

    Examples
    --------
    >>> starts_of_characters("e\u0301a")
    [0, 2, 3]
    """
    starts: list[int] = []
    # Whether the last character has nothing but signs so far, and whether it is half a flag.
    bare = half = False
    for place, character in enumerate(text):
        extending, regional = extends(character), is_regional(character)
        before = text[place - 1] if place else " "
        joined = before == ZERO_WIDTH_JOINER and category(character)[0] == "S"
        belongs = bare or extending or joined or (half and regional)
        if belongs and not before.isspace() and not character.isspace():
            half = regional if bare else half and extending
            bare = bare and extending
        else:
            starts.append(place)
            bare, half = extending, regional
    return [*starts, len(text)]


class EnglishTokenizer:
    """Splits raw English into words in the manner of the Penn Treebank and of UD English EWT.

    Contractions and possessives are cut (``do n't``, ``John 's``), punctuation is cut off, runs
    of it stay together (``...``, ``!!!``); links, addresses, dates, telephone numbers,
    abbreviations and faces are one word; hyphens are words but for those after prefixes
    (``non-stop``). The full stop that ends the line is a word of its own, whatever precedes it.
    Characters are never changed and never lost: the words without what is between them are the line
    without its blanks.

    Notes
    -----
    Takes time linear in the length of any line.

    Examples
    --------
    >>> EnglishTokenizer().tokenize("Mr. Smith doesn't like it (it's too big)...")
    ['Mr.', 'Smith', 'does', "n't", 'like', 'it', '(', 'it', "'s", 'too', 'big', ')', '...']
    """

    unspaced = False

    def __init__(self) -> None:
        self._known: dict[str, list[str]] = {}

    def tokenize(self, line: str) -> list[str]:
        """Return the words of a line, which should be one sentence.

        Parameters
        ----------
        line : str

        Returns
        -------
        list of str
            None of them empty or with a blank in it.
        """
        words: list[str] = []
        known = self._known
        chunks = line.split()
        for chunk in chunks[:-1]:
            parts = known.get(chunk)
            if parts is None:
                parts = list(_chunk_words(chunk, last=False))
                if len(known) < REMEMBERED and len(chunk) <= LONGEST:
                    known[chunk] = parts
            words += parts
        for chunk in chunks[-1:]:
            words += _chunk_words(chunk, last=True)
        return words

    def tokens(self, lines: Sequence[str]) -> list[list[str]]:
        """Return the words of lines."""
        return [self.tokenize(line) for line in lines]

    def words(self, tokens: Sequence[str]) -> list[tuple[str, ...]]:
        """Return each word alone: here a token is a word."""
        return [(token,) for token in tokens]


def _chunk_words(chunk: str, *, last: bool) -> Iterator[str]:
    """Yield the words of the text between two blanks; marks stay with their characters."""
    if chunk.isascii():
        yield from _split(chunk, last=last)
        return
    starts = starts_of_characters(chunk)
    letters = (normalize("NFC", chunk[start:stop]) for start, stop in pairwise(starts))
    plain = "".join(next((c for c in letter if not extends(c)), letter[0]) for letter in letters)
    place = 0
    for word in _split(plain, last=last):
        stop = place + len(word)
        yield chunk[starts[place] : starts[stop]]
        place = stop


def _split(chunk: str, *, last: bool) -> Iterator[str]:
    """Yield the words of a text of characters that no sign extends."""
    place, end = 0, len(chunk)
    while place < end:
        match = TOKEN.match(chunk, place)
        stop, kind = (place + 1, None) if match is None else (match.end(), match.lastgroup)
        if kind == "link":
            stop = place + max(1, len(chunk[place:stop].rstrip(CLOSING)))
        elif kind == "word":
            stop = _word_end(chunk, place, stop, last)
            yield from _parts(chunk[place:stop])
            place = stop
            continue
        elif kind == "letters" and last and stop == end:
            stop -= chunk[stop - 1] == "."
        yield chunk[place:stop]
        place = stop


def _word_end(chunk: str, place: int, stop: int, last: bool) -> int:
    """Return where a word ends, with what belongs to it behind it."""
    word = chunk[place:stop].lower()
    if chunk.startswith("-", stop) and word in PREFIXES:
        rest = WORD.match(chunk, stop + 1)
        if rest is not None:
            return rest.end()
    if chunk.startswith(".", stop) and not (last and stop + 1 == len(chunk)):
        initial = stop - place == 1 and word.isalpha()
        following = chunk[stop + 1 : stop + 2]
        if (initial or word in ABBREVIATIONS) and following != ".":
            return stop + 1
    return stop


def _parts(word: str) -> list[str]:
    """Return the words that are joined without a blank."""
    first = TWO_WORDS.get(word.lower())
    if first is not None:
        return [word[:first], word[first:]]
    end, cuts = len(word), [len(word)]
    # Three at most, as in shouldn't've'd.
    while len(cuts) < 4 and (match := CONTRACTED.search(word, max(1, end - 3), end)) is not None:
        end = match.start()
        cuts.append(end)
    return [word[first:last] for first, last in pairwise([0, *reversed(cuts)])]
