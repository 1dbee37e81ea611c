"""Statistical aligners: trained models that link the words of sentence pairs."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, TypeVar

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.reading import require_path
from wordorder.alignment.scores import calibrate, log_odds
from wordorder.alignment.statistical import parallel_text
from wordorder.alignment.statistical.training import (
    MAX_JUMP,
    MIN_PROBABILITY,
    Counts,
    Lexicon,
    LexiconMapping,
    Posteriors,
    compute_posteriors,
    compute_probabilities,
    find_best_states,
    train_counts,
)
from wordorder.alignment.symmetrization import SYMMETRIZATION_METHODS, symmetrize
from wordorder.arrays import Array, Float64, Int32, Int64, OnProgress, concat_ranges, row_offsets
from wordorder.errors import ModelError, UsageError, choose, whole_number
from wordorder.text.opening import Path
from wordorder.text.preparation import CASES
from wordorder.text.tensors import read_tensors, write_tensors

Self = TypeVar("Self", bound="StatisticalAligner")

ALIGNER_FORMAT = "wordorder aligner"

# Increased whenever the meaning of saved models changes.
ALIGNER_VERSION = 2

# Larger than any count of a text; sums of such numbers stay finite.
MAX_COUNT = 1 << 53

# The relative tolerance for sums that were added in another order.
SUM_TOLERANCE = 1e-6

# The type of each tensor, and the name of its length, which several tensors can share.
TENSORS = {
    "words": (np.uint8, "letters"),
    "word_ends": (np.int64, "words"),
    "source_frequency": (np.int64, "words"),
    "target_frequency": (np.int64, "words"),
    "pair_source": (np.int32, "pairs"),
    "pair_target": (np.int32, "pairs"),
    **{
        f"{direction}_{name}": (np.float64, length)
        for direction in ("forward", "backward")
        for name, length in (
            ("pairs", "pairs"),
            ("totals", "words"),
            ("null", "words"),
            ("jumps", "jumps"),
        )
    },
}


@dataclass(frozen=True, eq=False)
class StatisticalAligner:
    """The base class of statistical aligners, which are created by `train` or `load`.

    Attributes
    ----------
    lexicon : Lexicon
        The words and pairs of the training text.
    forward, backward : Counts
        The expected counts of target words given source words, and the reverse.
    case : "keep" or "lower"
        Whether the training text was in lower case; text to align must have the same case.
    """

    lexicon: Lexicon
    forward: Counts
    backward: Counts
    case: str = "keep"

    name: ClassVar[str]
    settings: ClassVar[parallel_text.AlignerSettings]
    # The weights of the evidence for a link, fitted by papers/learned_orders/link_calibration.py.
    weights: ClassVar[tuple[float, ...]] = ()

    @classmethod
    def train(
        cls: type[Self],
        source: parallel_text.Rows,
        target: parallel_text.Rows,
        *,
        iterations: int | None = None,
        progress: OnProgress | None = None,
    ) -> Self:
        """Train on sentence pairs.

        Parameters
        ----------
        source, target : lines, rows of tokens, or Ragged of word numbers
            One row per sentence; words are separated by spaces.
        iterations : int, optional
            Passes over the text; by default the number that the model is tuned for. The initial
            passes of Model 1 are not counted.
        progress : callable, optional
            Called with the number of sentence pairs processed, in all passes together.

        Raises
        ------
        InputError
            If the columns differ in length or a sentence pair is too long.
        UsageError
            If `iterations` is not a whole number of at least 1, or `progress` cannot be called.

        Warns
        -----
        note
            Before the work, if a sentence pair is so long that it takes a second or more.
        """
        settings = cls.settings
        if iterations is not None:
            settings = replace(settings, iterations=whole_number("iterations", iterations))
        if progress is not None and not callable(progress):
            raise UsageError(f"progress is a function that takes a number, not {progress!r}")
        text = parallel_text.ParallelText.from_rows(source, target)
        parallel_text.note_long_pairs(
            text,
            passes=cls.settings.warm_up + cls.settings.iterations,
            jump_passes=cls.settings.iterations if cls.settings.jumps else 0,
            doing="training",
        )
        return cls(*train_counts(text, settings, progress))

    def align(
        self,
        source: parallel_text.Rows,
        target: parallel_text.Rows,
        *,
        symmetrize: str = "grow-diag-final-and",
        scores: bool = False,
    ) -> Alignments:
        """Link the words of sentence pairs, of the training text or of other text.

        Parameters
        ----------
        source, target : lines, rows of tokens, or Ragged of word numbers
            One row per sentence, of the same type as in training.
        symmetrize : str
            A method of `wordorder.alignment.symmetrization.symmetrize`; ``forward`` links each
            target word at most once, ``backward`` each source word.
        scores : bool
            Whether to compute `Alignments.scores`, the probabilities that links are right.

        Returns
        -------
        Alignments
            One row per sentence pair, without links if a side is empty.

        Raises
        ------
        InputError
            If the columns differ in length or a sentence pair is too long.
        UsageError
            If the method is unknown, or one of model and text has words and the other has numbers.

        Warns
        -----
        note
            Before the work, if a sentence pair is so long that it takes a second or more.
        """
        choose("symmetrize", symmetrize, SYMMETRIZATION_METHODS)
        if scores and not self.weights:
            raise UsageError(f"the model {self.name} gives no scores")
        text = parallel_text.ParallelText.from_rows(source, target)
        if len(text) and text.spelled != self.lexicon.spelled:
            row_types = ("word numbers", "words")
            raise UsageError(
                f"the model was trained on {row_types[self.lexicon.spelled]}, "
                f"the text to align is {row_types[text.spelled]}"
            )
        parallel_text.note_long_pairs(
            text, passes=1, jump_passes=int(self.settings.jumps), doing="linking words"
        )
        mapping = LexiconMapping.of_text(self.lexicon, text, self.settings)
        models = [
            compute_probabilities(
                self.lexicon,
                counts,
                mapping,
                bool(number),
                self.settings,
                jumps=self.settings.jumps,
            )
            for number, counts in enumerate((self.forward, self.backward))
        ]
        block_alignments = []
        # Process block by block: the posteriors of the complete text would need too much memory.
        for block in text.blocks():
            block_posteriors = [compute_posteriors(block, side) for side in models]
            best_states = [
                find_best_states(block, side.transposed, posterior)
                for side, posterior in zip(models, block_posteriors, strict=True)
            ]
            lengths = block.source.lengths, block.target.lengths
            forward = Alignments(
                *_links_of_states(best_states[0], block.target.offsets),
                source_lengths=lengths[0],
                target_lengths=lengths[1],
            )
            backward = Alignments(
                *_links_of_states(best_states[1], block.source.offsets),
                source_lengths=lengths[1],
                target_lengths=lengths[0],
            )
            alignments = _symmetrized(forward, backward.transpose(), symmetrize)
            if scores:
                evidence = self._evidence(alignments, block, mapping, block_posteriors, best_states)
                alignments.scores = self.link_probabilities(evidence)
            block_alignments.append(alignments)
        no_lengths = np.zeros(0, np.int64)
        return (
            Alignments.concatenate(block_alignments)
            if block_alignments
            else Alignments.from_rows([], source_lengths=no_lengths, target_lengths=no_lengths)
        )

    def link_probabilities(self, evidence: Float64) -> Float64:
        """Return the probability that each link is right, float64[L].

        Parameters
        ----------
        evidence : float64[L, 9]
            For each link: 1; its log odds in both directions; whether both directions have it, and
            the share of such links in the sentence pair; the log frequencies of both words and the
            log count of the pair in training; and the number of diagonally adjacent links.
        """
        return calibrate(evidence, self.weights)

    def _evidence(
        self,
        links: Alignments,
        block: parallel_text.Block,
        mapping: LexiconMapping,
        both: Sequence[Posteriors],
        best: Sequence[Int32],
    ) -> Float64:
        """Return the evidence for each link, float64[L, 9]; see `link_probabilities`."""
        rows = np.repeat(np.arange(len(links)), np.diff(links.offsets))
        cells = block.cell_offsets[rows] + links.source * block.target.lengths[rows] + links.target
        source_words = block.source.offsets[rows] + links.source
        target_words = block.target.offsets[rows] + links.target
        is_agreed = (best[0][target_words] == links.source) & (
            best[1][source_words] == links.target
        )
        shares = np.bincount(rows, is_agreed, len(links)) / np.maximum(np.diff(links.offsets), 1)
        frequencies = [
            np.where(words >= 0, frequency[words], 0)
            for words, frequency in (
                (mapping.words[block.source.values[source_words]], self.lexicon.source_frequency),
                (mapping.words[block.target.values[target_words]], self.lexicon.target_frequency),
            )
        ]
        pairs = mapping.pairs[block.pair[cells]]
        pair_counts = np.zeros(len(cells))
        if len(self.forward.pairs):
            counts = np.minimum(self.forward.pairs, self.backward.pairs)
            pair_counts = np.where(pairs >= 0, counts[pairs], 0.0)
        # Pad rows and columns, so that neighbours are never cells of another row.
        width = int(max(block.target.lengths.max(initial=0), 0)) + 2
        cell_ids = (block.source.offsets[rows] + rows * 2 + links.source + 1) * width + links.target
        diagonal_neighbours = (
            np.isin(cell_ids + width + 1, cell_ids) + 0.0 + np.isin(cell_ids - width - 1, cell_ids)
        )
        return np.stack(
            [
                np.ones(len(cells)),
                log_odds(both[0].cells[cells]),
                log_odds(both[1].cells[cells]),
                is_agreed,
                shares[rows],
                *map(np.log1p, (*frequencies, pair_counts)),
                diagonal_neighbours,
            ],
            axis=1,
        )

    def save(self, path: Path) -> None:
        """Write the model to a file atomically.

        Raises
        ------
        UsageError
            If the file cannot be created.
        InputError
            If it cannot be written completely.
        """
        write_model(path, self.name, self.lexicon, self.forward, self.backward, self.case)

    @classmethod
    def load(cls: type[Self], path: Path) -> Self:
        """Read a saved model.

        Raises
        ------
        ModelError
            If the file is not a model of this class, or is damaged.
        """
        return cls(*read_model(path, cls.name)[1:])


_symmetrized = symmetrize


def _links_of_states(best: Int32, offsets: Int64) -> tuple[Int32, Int32, Int64]:
    """Return the links of tokens with a state: states, tokens and offsets."""
    is_linked = best >= 0
    tokens = concat_ranges(0, np.diff(offsets))
    return best[is_linked], tokens[is_linked].astype(np.int32), row_offsets(is_linked)[offsets]


class AgreementAligner(StatisticalAligner):
    """Two hidden Markov models trained to agree, with priors from the letters of words.

    In each pass, the expected count of a link is the product of its posteriors in both directions
    (Liang, Taskar & Klein 2006, section 3). This prevents the main fault of models that are trained
    separately, in which rare words of one side attract unrelated words. The translations of a word
    have a Dirichlet prior whose mean is that of the words with the same first four letters (or the
    same ideograph); pairs of equal or similar words have a higher pseudo-count.

    Examples
    --------
    >>> source, target = ["the house", "the book", "a book"], ["das haus", "das buch", "ein buch"]
    >>> model = AgreementAligner.train(source, target)
    >>> [str(row) for row in model.align(source, target)]
    ['0-0 1-1', '0-0 1-1', '0-0 1-1']
    >>> str(model.align(["a house"], ["ein haus"])[0])
    '0-0 1-1'
    """

    name: ClassVar[str] = "agreement"
    settings: ClassVar[parallel_text.AlignerSettings] = parallel_text.AGREEMENT
    weights: ClassVar[tuple[float, ...]] = (
        -2.839,
        0.078,
        0.084,
        -0.127,
        3.016,
        -0.223,
        -0.259,
        0.847,
        0.339,
    )


class HMMAligner(StatisticalAligner):
    """The hidden Markov model (Vogel et al. 1996), with both directions trained separately.

    The probability of a jump between the states of adjacent tokens depends on its width; the null
    word keeps the position from which the next jump starts (Och & Ney 2003). Training starts with
    Model 1.

    Examples
    --------
    >>> source, target = ["the house", "the book", "a book"], ["das haus", "das buch", "ein buch"]
    >>> model = HMMAligner.train(source, target)
    >>> [str(row) for row in model.align(source, target, symmetrize="intersection")]
    ['0-0 1-1', '0-0 1-1', '0-0 1-1']
    """

    name: ClassVar[str] = "hmm"
    settings: ClassVar[parallel_text.AlignerSettings] = parallel_text.HMM
    weights: ClassVar[tuple[float, ...]] = (
        -0.868,
        0.119,
        0.151,
        -0.169,
        1.064,
        -0.056,
        0.075,
        0.372,
        -0.172,
    )


class IBMModel1(StatisticalAligner):
    """IBM Model 1 (Brown et al. 1993), with both directions trained separately.

    It is fast, but ignores word order, so it is weak if a sentence has a word twice.

    Examples
    --------
    >>> source, target = ["the house", "the book", "a book"], ["das haus", "das buch", "ein buch"]
    >>> model = IBMModel1.train(source, target)
    >>> [str(row) for row in model.align(source, target, symmetrize="intersection")]
    ['0-0 1-1', '0-0 1-1', '0-0 1-1']
    """

    name: ClassVar[str] = "ibm1"
    settings: ClassVar[parallel_text.AlignerSettings] = parallel_text.IBM1
    weights: ClassVar[tuple[float, ...]] = (
        -1.272,
        0.293,
        0.430,
        1.186,
        1.593,
        0.126,
        0.408,
        -0.497,
        1.315,
    )


def write_model(
    path: Path, name: str, lexicon: Lexicon, forward: Counts, backward: Counts, case: str
) -> None:
    """Write a model with the name of its class; the same model gives the same bytes."""
    require_path(path)
    encoded = [word.encode("utf-8", "surrogatepass") for word in lexicon.words]
    tensors: dict[str, Array] = {
        "words": np.frombuffer(b"".join(encoded), np.uint8),
        "word_ends": np.cumsum(list(map(len, encoded)), dtype=np.int64),
        "source_frequency": lexicon.source_frequency.astype(np.int64),
        "target_frequency": lexicon.target_frequency.astype(np.int64),
        "pair_source": lexicon.pair_source,
        "pair_target": lexicon.pair_target,
    }
    for direction, counts in (("forward", forward), ("backward", backward)):
        for part in ("pairs", "totals", "null", "jumps"):
            tensors[f"{direction}_{part}"] = getattr(counts, part)
    about: dict[str, object] = {"format": ALIGNER_FORMAT, "version": ALIGNER_VERSION, "model": name}
    about |= {"spelled": lexicon.spelled, "case": case}
    write_tensors(path, about, tensors)


def read_model(path: Path, expected: str | None = None) -> tuple[str, Lexicon, Counts, Counts, str]:
    """Read a model: its name, lexicon, forward and backward counts, and case.

    Parameters
    ----------
    path : path
        A file of `write_model`.
    expected : str, optional
        The name that the model must have.

    Raises
    ------
    UsageError
        If the file does not exist, or `path` is not a path.
    ModelError
        If it is not a model, has another name or version, or its numbers are invalid.
    """
    require_path(path)
    name = os.fspath(path)
    metadata, tensors = read_tensors(name, ALIGNER_FORMAT, version=ALIGNER_VERSION)
    model_name, spelled = metadata.get("model"), metadata.get("spelled")
    case = metadata.get("case", "keep")
    if not isinstance(model_name, str) or not isinstance(spelled, bool) or case not in CASES:
        raise ModelError(f"{name}: the description of the model is damaged")
    if expected is not None and model_name != expected:
        raise ModelError(f"{name}: a model of the kind {model_name!r}; expected {expected!r}")
    _check_sizes(name, tensors)
    words = _decode_words(name, tensors["words"].tobytes(), tensors["word_ends"])
    _check_numbers(name, tensors, len(words))
    lexicon = Lexicon(
        words,
        spelled,
        tensors["source_frequency"],
        tensors["target_frequency"],
        tensors["pair_source"],
        tensors["pair_target"],
    )
    counts = [
        Counts(*(tensors[f"{direction}_{part}"] for part in ("pairs", "totals", "null", "jumps")))
        for direction in ("forward", "backward")
    ]
    return model_name, lexicon, counts[0], counts[1], str(case)


def _check_sizes(name: str, tensors: dict[str, Array]) -> None:
    """Raise an error if the tensors are not those of a model, or a type or size is wrong."""
    if set(tensors) != set(TENSORS):
        raise ModelError(f"{name}: not the tensors of a model; the file is damaged")
    sizes: dict[str, int] = {"jumps": 2 * MAX_JUMP + 1}
    for key, (dtype, length) in TENSORS.items():
        tensor = tensors[key]
        wrong = tensor.dtype != dtype or tensor.ndim != 1
        if wrong or sizes.setdefault(length, len(tensor)) != len(tensor):
            raise ModelError(f"{name}: {key} has another type or size than it must have")


def _decode_words(name: str, data: bytes, ends: Array) -> list[str]:
    """Decode the words from their concatenated bytes."""
    bounds = [0, *ends.tolist()]
    if bounds[-1] != len(data) or np.any(np.diff(bounds) < 0):
        raise ModelError(f"{name}: the bounds of the words are damaged")
    try:
        words = [
            data[start:stop].decode("utf-8", "surrogatepass") for start, stop in pairwise(bounds)
        ]
    except UnicodeDecodeError:
        raise ModelError(f"{name}: a word is not UTF-8") from None
    if len(set(words)) != len(words):
        raise ModelError(f"{name}: a word is listed twice")
    return words


def _check_numbers(name: str, tensors: dict[str, Array], words: int) -> None:
    """Raise an error if counts are invalid, or pairs are unsorted or have unknown words."""
    for key, values in tensors.items():
        # This form of the condition also finds NaN.
        if not np.all((values >= 0) & (values <= MAX_COUNT)):
            raise ModelError(f"{name}: {key} holds a number that is no count")
    source, target = (tensors[key].astype(np.int64) for key in ("pair_source", "pair_target"))
    if np.any(source >= words) or np.any(target >= words):
        raise ModelError(f"{name}: a pair of a word that the model does not have")
    if np.any(np.diff(source * words + target) <= 0):
        raise ModelError(f"{name}: the pairs are not in order")
    for direction, states in (("forward", source), ("backward", target)):
        totals = tensors[f"{direction}_totals"]
        sums = np.bincount(states, weights=tensors[f"{direction}_pairs"], minlength=words)
        if np.any((totals > 0) & (totals < MIN_PROBABILITY)) or np.any(
            sums > totals * (1 + SUM_TOLERANCE)
        ):
            raise ModelError(f"{name}: {direction}_totals are not the sums of the counts")
