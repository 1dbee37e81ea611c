"""Translation edit rate: edits and shifts of words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.arrays import Float64, Int64
from wordorder.kernels import announce, edits as kernel, run_rows
from wordorder.metrics.contract import switch, switch_or_auto
from wordorder.metrics.options import checked, choice
from wordorder.metrics.text.edits import ErrorRate
from wordorder.metrics.text.text_metric import Pairs
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.text.cut_words import cut_words
from wordorder.text.texts import Texts
from wordorder.text.tokenizers import blank_words
from wordorder.text.vocabulary import number_tokens

# Tokenizers of lines without blanks, for which tercom splits Chinese and Japanese characters.
_UNSPACED = ("zh", "ja-mecab", "char")

# The kernel's limits per hypothesis word: the number of shifts, and the width of their beam.
STEPS = 1000 * 51


@dataclass(kw_only=True, eq=False, repr=False)
class TranslationEditRate(ErrorRate):
    """Shifts, insertions, deletions and substitutions over the mean length of the references.

    As in tercom and sacreBLEU: greedily the shift of at most 10 words that lowers the edit
    distance most is made, as long as there is one; then the edits are counted. The reference with
    the fewest edits counts, and the mean length of all references (Snover, Dorr, Schwartz,
    Micciulla and Makhoul 2006). From 0; above 1 where there are more edits than reference words.

    Parameters
    ----------
    normalized : bool or "auto", default "auto"
        Resolve XML's escapes and separate punctuation. auto: as `asian_support`.
    no_punct : bool, default False
        Remove punctuation.
    asian_support : bool or "auto", default "auto"
        With `normalized`, split Chinese and Japanese characters; with `no_punct`, remove their
        punctuation; with neither it has no effect. auto: both where the other metrics of a run
        have a tokenizer of lines without blanks (``--tokenizer zh``, ``ja-mecab`` or ``char``) and
        neither is False.
    case_sensitive : bool, default False
        Do not lower-case.
    ref_len : "average" or "best"
        Divide by the mean length of all references, as in the definition of TER; or by the length
        of the most similar reference, the one with the lowest rate (the scheme that Leusch et al.
        2006, section 5.1, take from their paper of 2005).
    compat : "sacrebleu" or "none"
        With `normalized`: sacreBLEU tokenises references twice, hypotheses once, so that ``..5`` of
        a reference does not equal ``..5`` of a hypothesis. "sacrebleu" gives its numbers, "none"
        tokenises both once. Without `normalized` the second time changes nothing.

    Raises
    ------
    UsageError
        If a value is not legal.

    Notes
    -----
    The lines are cut at white space and by these options alone; of the tokenizers of other metrics
    only those that `asian_support` names have an effect. Where there are no reference words at all,
    the rate is 0 without hypothesis words and 1 with them. A segment without references is left out
    and counted.

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
    normalized: bool | str = checked("auto", switch_or_auto)
    no_punct: bool = checked(False, switch)
    asian_support: bool | str = checked("auto", switch_or_auto)
    case_sensitive: bool = checked(False, switch)
    ref_len: str = choice("best", "average", default="average")
    compat: str = choice("sacrebleu", "none")

    def signature(self) -> Signature:
        """Return the name with every choice that can change a value."""
        fields = [(name, "yes" if value else "no") for name, value in self._options.items()]
        if self.normalized is True:
            fields.append(("compat", self.compat))
        if self.ref_len != "average":
            fields.append(("ref_len", self.ref_len))
        return Signature(self.name, tuple(fields))

    def with_tokenizer(self, tokenizer: str) -> TranslationEditRate:
        """Return the metric with both options for a tokenizer of lines without blanks."""
        if tokenizer not in _UNSPACED or False in (self.normalized, self.asian_support):
            return self
        return self.with_options(normalized=True, asian_support=True)

    def is_cut_by(self, tokenizer: str) -> bool:
        """Return whether tercom splits the characters that a tokenizer splits."""
        return tokenizer in _UNSPACED and self.normalized is self.asian_support is True

    def texts(self, segments: Segments) -> Texts:
        """Return the texts as tercom's tokenizer cuts them."""
        texts = segments.texts
        if self.normalized is True or self.no_punct:
            key = ("tercom", *self._options.values(), self.compat)
            return texts.derived(key, lambda: self._by_lines(texts))
        return cut_words(texts, blank_words, lowercase=not self.case_sensitive)

    def distances(self, segments: Segments) -> Float64:
        """Return shifts and edits, float64[R]."""
        return shifted_edits(self.texts(segments)).astype(np.float64)

    @property
    def _options(self) -> dict[str, bool]:
        """The options by their names, which are sacreBLEU's."""
        names = ("normalized", "no_punct", "asian_support", "case_sensitive")
        options = {name: getattr(self, name) is True for name in names}
        # By itself it does nothing.
        cut = options["normalized"] or options["no_punct"]
        return options | {"asian_support": options["asian_support"] and cut}

    def _by_lines(self, texts: Texts) -> Texts:
        """Return the texts with their lines tokenised by sacreBLEU."""
        from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

        tokenize = TercomTokenizer(**self._options)
        hypotheses = [tokenize(line.rstrip()) for line in texts.hypothesis_lines]
        references = [tokenize(line.rstrip()) for line in texts.reference_lines]
        if self.normalized is True and self.compat == "sacrebleu":
            references = [tokenize(line) for line in references]
        tokens = [[line.split() for line in column] for column in (hypotheses, references)]
        rows, vocabulary = number_tokens(tokens)
        return Texts(rows[0], rows[1], texts.reference_offsets, None, vocabulary)


def shifted_edits(texts: Texts) -> Int64:
    """Return the shifts and edits from each hypothesis to each of its references.

    Parameters
    ----------
    texts : Texts

    Returns
    -------
    int64[R]
        Up to 1,000 shifts are tried; then what has been found by then counts.

    Notes
    -----
    Time: some hundred edit distances, 64 reference words at a time; memory linear in the longest
    segment. References of more than 512 words take the time of the beam, 50 words wide.

    Examples
    --------
    >>> shifted_edits(Texts.from_segments(["a b c d e"], [["d e a b c", "a x c d e"]])).tolist()
    [1, 1]
    """
    pairs = Pairs.of(texts, local=True)
    edits = np.empty(len(pairs), np.int32)
    lengths = texts.hypothesis.lengths[texts.segment_of]
    longest = lengths[texts.references.lengths > 0].max(initial=0)
    announce("ter", STEPS * float(longest))
    run_rows(
        *(kernel.count_shifted_edits, texts.token_offsets, pairs.rows, edits),
        scratch=lambda longest: (longest,),
    )
    return edits.astype(np.int64)
