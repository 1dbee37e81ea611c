"""Translation edit rate: edits and shifts of words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.arrays import Float64, Int64
from wordorder.kernels import announce, edits as kernel, run_rows
from wordorder.metrics.contract import check_switch, check_switch_or_auto
from wordorder.metrics.options import checked, choice
from wordorder.metrics.text.edits import ErrorRate
from wordorder.metrics.text.text_metric import Pairs
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.text.cut_words import cut_words
from wordorder.text.texts import Texts
from wordorder.text.tokenizers import blank_words
from wordorder.text.vocabulary import number_tokens

# Tokenizers of text without spaces, for which tercom splits Chinese and Japanese characters.
_CHARACTER_TOKENIZERS = ("zh", "ja-mecab", "char")

# The kernel's limits per hypothesis word: the number of shifts times the width of the beam.
WORK_PER_WORD = 1000 * 51


@dataclass(kw_only=True, eq=False, repr=False)
class TranslationEditRate(ErrorRate):
    """Shifts, insertions, deletions and substitutions over the mean length of the references.

    As in tercom and sacreBLEU, the shift of at most 10 words that reduces the edit distance most is
    made repeatedly, until none reduces it; then the edits are counted. The smallest number of edits
    over the references is divided by the mean length of the references (Snover, Dorr, Schwartz,
    Micciulla and Makhoul 2006). The rate is at least 0, and above 1 if there are more edits than
    reference words.

    Parameters
    ----------
    normalized : bool or "auto", default "auto"
        Resolve XML escapes and separate punctuation. auto: see `asian_support`.
    no_punct : bool, default False
        Remove punctuation.
    asian_support : bool or "auto", default "auto"
        With `normalized`, split Chinese and Japanese characters; with `no_punct`, remove Chinese
        and Japanese punctuation; with neither it has no effect. auto: both `normalized` and
        `asian_support` are set if the texts are tokenised for a language without spaces
        (``--tokenizer zh``, ``ja-mecab`` or ``char``) and neither is False.
    case_sensitive : bool, default False
        Do not convert to lower case.
    ref_len : "average" or "best"
        "average": divide by the mean length of all references, as in the definition of TER. "best":
        divide by the length of the reference with the lowest rate (Leusch et al. 2006, section 5.1,
        after their paper of 2005).
    compat : "sacrebleu" or "none"
        With `normalized`, sacreBLEU tokenises references twice and hypotheses once, so that ``..5``
        in a reference does not equal ``..5`` in a hypothesis. "sacrebleu": as sacreBLEU. "none":
        tokenise both once. Without `normalized` there is no difference.

    Raises
    ------
    UsageError
        If a value is not allowed.

    Notes
    -----
    Lines are split at white space and by these options only; the tokenizer of the texts has no
    effect unless `asian_support` names it. Without reference words, the rate is 0 if there are no
    hypothesis words either, else 1. A segment without references is left out and counted.

    Examples
    --------
    Snover et al. (2006): one shift and three edits.

    >>> segments = Segments.from_text(
    ...     ["THIS WEEK THE SAUDIS denied information published in the new york times"],
    ...     ["SAUDI ARABIA denied THIS WEEK information published in the AMERICAN new york times"],
    ... )
    >>> TranslationEditRate().segment_scores(segments).round(4)
    array([0.3077])
    """

    name = "ter"
    columns = ("lines",)
    normalized: bool | str = checked("auto", check_switch_or_auto)
    no_punct: bool = checked(False, check_switch)
    asian_support: bool | str = checked("auto", check_switch_or_auto)
    case_sensitive: bool = checked(False, check_switch)
    ref_len: str = choice("best", "average", default="average")
    compat: str = choice("sacrebleu", "none")

    def signature(self) -> Signature:
        """Return the name with every option that can change a value."""
        fields = [(name, "yes" if value else "no") for name, value in self._options.items()]
        if self.normalized is True:
            fields.append(("compat", self.compat))
        if self.ref_len != "average":
            fields.append(("ref_len", self.ref_len))
        return Signature(self.name, tuple(fields))

    def with_tokenizer(self, tokenizer: str) -> TranslationEditRate:
        """Return the metric with `normalized` and `asian_support` set if the tokenizer needs it."""
        if tokenizer not in _CHARACTER_TOKENIZERS or False in (self.normalized, self.asian_support):
            return self
        return self.with_options(normalized=True, asian_support=True)

    def is_cut_by(self, tokenizer: str) -> bool:
        """Return whether tercom splits the same characters as the tokenizer."""
        return tokenizer in _CHARACTER_TOKENIZERS and self.normalized is self.asian_support is True

    def texts(self, segments: Segments) -> Texts:
        """Return the texts tokenised by tercom's tokenizer."""
        texts = segments.texts
        if self.normalized is True or self.no_punct:
            key = ("tercom", *self._options.values(), self.compat)
            return texts.derived(key, lambda: self._tokenize_lines(texts))
        return cut_words(texts, blank_words, lowercase=not self.case_sensitive)

    def distances(self, segments: Segments) -> Float64:
        """Return the number of shifts and edits, float64[R]."""
        return count_shifted_edits(self.texts(segments)).astype(np.float64)

    @property
    def _options(self) -> dict[str, bool]:
        """The options by their names in sacreBLEU."""
        names = ("normalized", "no_punct", "asian_support", "case_sensitive")
        options = {name: getattr(self, name) is True for name in names}
        # Without one of these, `asian_support` has no effect.
        has_effect = options["normalized"] or options["no_punct"]
        return options | {"asian_support": options["asian_support"] and has_effect}

    def _tokenize_lines(self, texts: Texts) -> Texts:
        """Tokenise the lines of the texts with sacreBLEU."""
        from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

        tokenize = TercomTokenizer(**self._options)
        hypotheses = [tokenize(line.rstrip()) for line in texts.hypothesis_lines]
        references = [tokenize(line.rstrip()) for line in texts.reference_lines]
        if self.normalized is True and self.compat == "sacrebleu":
            references = [tokenize(line) for line in references]
        tokens = [[line.split() for line in column] for column in (hypotheses, references)]
        rows, vocabulary = number_tokens(tokens)
        return Texts(rows[0], rows[1], texts.reference_offsets, None, vocabulary)


def count_shifted_edits(texts: Texts) -> Int64:
    """Count the shifts and edits from each hypothesis to each of its references.

    Parameters
    ----------
    texts : Texts

    Returns
    -------
    int64[R]
        After 1,000 shifts, the search stops and the edits found so far are counted.

    Notes
    -----
    Time is that of about a hundred edit distances, with 64 reference words compared at once; memory
    is linear in the longest segment. References of more than 512 words are compared with a beam of
    50 words.

    Examples
    --------
    >>> texts = Texts.from_segments(["a b c d e"], [["d e a b c", "a x c d e"]])
    >>> count_shifted_edits(texts).tolist()
    [1, 1]
    """
    pairs = Pairs.of(texts, local=True)
    edits = np.empty(len(pairs), np.int32)
    lengths = texts.hypothesis.lengths[texts.segment_of]
    longest = lengths[texts.references.lengths > 0].max(initial=0)
    announce("ter", WORK_PER_WORD * float(longest))
    run_rows(
        *(kernel.count_shifted_edits, texts.token_offsets, pairs.rows, edits),
        scratch=lambda longest: (longest,),
    )
    return edits.astype(np.int64)
