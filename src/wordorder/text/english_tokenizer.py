"""A tokenizer of raw English in the manner of the Penn Treebank."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from unicodedata import normalize

from wordorder.text.graphemes import extends, starts_of_characters

# How many distinct strings between spaces are cached with their words, and the longest of them.
MAX_CACHED, MAX_CACHED_LENGTH = 1 << 16, 40
# Words that include their full stop. Single letters, and letters each with a full stop (U.S.),
# need no list.
ABBREVIATIONS = frozenset(
    """
    adm al apr approx apt arrv assn attn aug ave bldg blvd bros brig capt cf cmdr co col comdr conf
    corp cpl dec dept dist dr ed eds eg esp est et etc ext feb fig fri ft gen gov govt hon hosp ie
    inc jan jr jul lt ltd maj mme mon mr mrs ms mss mt nov oct ph pp prof pvt rec ref rep reps
    rev sat sc sec sen sens sept sgt spec sr st sun supt tel thu thur thurs tue tues univ va ver viz
    vol vols vs wed yrs
    """.split()
)
# Prefixes that stay together with the hyphen after them; any other hyphen is a word.
HYPHEN_PREFIXES = frozenset(
    """
    anti arch bi co counter cyber de e em ex extra hyper infra inter intra macro mega meta micro mid
    mini mono multi neo non over para poly post pre pro proto pseudo psycho quasi re semi sub
    super trans tri ultra un uni
    """.split()
)
# Contracted words that are split in two, with the start of the second.
TWO_WORDS = {
    pair.replace("|", ""): pair.index("|")
    for pair in """
    can|not gon|na got|ta wan|na do|nt did|nt does|nt could|nt would|nt should|nt ca|nt wo|nt
    is|nt ai|nt are|nt was|nt were|nt has|nt have|nt had|nt i|m i|ve that|s what|s there|s here|s
    he|s she|s you|re they|re ar|nt
    """.split()
}
# Units that are split from the number before them.
UNIT_NAMES = "am|pm|kg|km|mm|cm|ft|lbs|lb|mph|k|m|mb|gb|hrs|min|mins|yrs"
# Endings of host names and file names.
ENDINGS = "com|org|net|edu|gov|co\\.uk|html?|docx?|xlsx?|pptx?|pdf|txt|jpg|png|gif|zip|url"
APOSTROPHE = "['’‘`´]"
# Repetitions before a required character are bounded, so that each character of a string, however
# long, is examined a fixed number of times at most.
TOKEN_PATTERN = re.compile(
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
      (?:st|nd|rd|th|s|{APOSTROPHE}s)?(?=(?:{UNIT_NAMES})(?!\w)|\W|_|\Z)
    | ['’]\d\ds?(?!\w)
    | (?P<letters>(?:[^\W\d_]\.){{2,20}}(?:[^\W\d_](?!\w))?)
    | {APOSTROPHE}(?:s|m|d|re|ve|ll|em|til|tis|twas|cause)(?!\w)
    | (?P<word>\w(?:\w|&(?=\w)|{APOSTROPHE}(?=\w))*)
    | \.?[!?]+ | \.{{2,}} | '' | `` | ’’ | ‘‘ | ‘’ | (?P<run>[-=*_~\#+<>|$])(?P=run)+
    """,
    re.VERBOSE | re.IGNORECASE,
)
WORD_PATTERN = re.compile(r"\w+")
# n't, and clitics after an apostrophe.
CONTRACTED = re.compile(rf"(?:n{APOSTROPHE}t|{APOSTROPHE}(?:s|m|d|re|ve|ll))\Z", re.IGNORECASE)
CLOSING = ".,;:!?)]}>'\"’”*"


class EnglishTokenizer:
    """Splits raw English into words in the manner of the Penn Treebank and of UD English EWT.

    Contractions and possessives are split (``do n't``, ``John 's``). Punctuation marks are words,
    and so are runs of the same mark (``...``, ``!!!``); links, addresses, dates, telephone numbers,
    abbreviations and emoticons are one word; hyphens are words except after prefixes
    (``non-stop``). The full stop that ends the line is always a word. Characters are never changed
    or lost: the concatenated words are the line without its spaces.

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
            Words are not empty and contain no space.
        """
        words: list[str] = []
        cache = self._known
        chunks = line.split()
        for chunk in chunks[:-1]:
            parts = cache.get(chunk)
            if parts is None:
                parts = list(_chunk_words(chunk, last=False))
                if len(cache) < MAX_CACHED and len(chunk) <= MAX_CACHED_LENGTH:
                    cache[chunk] = parts
            words += parts
        for chunk in chunks[-1:]:
            words += _chunk_words(chunk, last=True)
        return words

    def tokens(self, lines: Sequence[str]) -> list[list[str]]:
        """Return the words of lines."""
        return [self.tokenize(line) for line in lines]

    def words(self, tokens: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the words of each token: itself."""
        return [(token,) for token in tokens]


def _chunk_words(chunk: str, *, last: bool) -> Iterator[str]:
    """Yield the words of a text without spaces; combining marks stay with their characters."""
    if chunk.isascii():
        yield from _split(chunk, last=last)
        return
    starts = starts_of_characters(chunk)
    characters = (normalize("NFC", chunk[start:stop]) for start, stop in pairwise(starts))
    plain = "".join(
        next((c for c in character if not extends(c)), character[0]) for character in characters
    )
    start = 0
    for word in _split(plain, last=last):
        stop = start + len(word)
        yield chunk[starts[start] : starts[stop]]
        start = stop


def _split(chunk: str, *, last: bool) -> Iterator[str]:
    """Yield the words of a text without spaces and combining marks."""
    start, end = 0, len(chunk)
    while start < end:
        match = TOKEN_PATTERN.match(chunk, start)
        stop, kind = (start + 1, None) if match is None else (match.end(), match.lastgroup)
        if kind == "link":
            stop = start + max(1, len(chunk[start:stop].rstrip(CLOSING)))
        elif kind == "word":
            stop = _word_end(chunk, start, stop, last)
            yield from _parts(chunk[start:stop])
            start = stop
            continue
        elif kind == "letters" and last and stop == end:
            stop -= chunk[stop - 1] == "."
        yield chunk[start:stop]
        start = stop


def _word_end(chunk: str, start: int, stop: int, last: bool) -> int:
    """Return the end of a word, including a prefix's hyphen or an abbreviation's full stop."""
    word = chunk[start:stop].lower()
    if chunk.startswith("-", stop) and word in HYPHEN_PREFIXES:
        second = WORD_PATTERN.match(chunk, stop + 1)
        if second is not None:
            return second.end()
    if chunk.startswith(".", stop) and not (last and stop + 1 == len(chunk)):
        initial = stop - start == 1 and word.isalpha()
        following = chunk[stop + 1 : stop + 2]
        if (initial or word in ABBREVIATIONS) and following != ".":
            return stop + 1
    return stop


def _parts(word: str) -> list[str]:
    """Split a contraction into its words."""
    cut = TWO_WORDS.get(word.lower())
    if cut is not None:
        return [word[:cut], word[cut:]]
    end, cuts = len(word), [len(word)]
    # Three at most, as in shouldn't've'd.
    while len(cuts) < 4 and (match := CONTRACTED.search(word, max(1, end - 3), end)) is not None:
        end = match.start()
        cuts.append(end)
    return [word[first:last] for first, last in pairwise([0, *reversed(cuts)])]
