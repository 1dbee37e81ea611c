"""Tune a translation model: repeat decoding, merging of all lists and tuning until convergence."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from wordorder.arrays import Float64
from wordorder.errors import UsageError
from wordorder.notes import grouped_notes
from wordorder.progress import shows_progress
from wordorder.scoring.files import Files, Metrics, paths
from wordorder.text.opening import Path, display_name
from wordorder.text.output import require_creatable
from wordorder.text.readers import read_whole
from wordorder.training.tuning.candidates import list_kind
from wordorder.training.tuning.nbest import NBest
from wordorder.training.tuning.rounds import OnRound, RoundSettings, tune_in_rounds
from wordorder.training.tuning.tuning import TuningProgress, one_metric
from wordorder.training.tuning.weights_file import TunedRounds, read_start, save_tuned
from wordorder.translation.decoder import DEFAULT_BEAM, Decoder
from wordorder.translation.model import FEATURES, TranslationModel

DEFAULT_KBEST = 100

_ROUND_FIELDS = fields(RoundSettings)


@dataclass(frozen=True, kw_only=True)
class DecoderSearch:
    """The search of the decoder in each round.

    Attributes
    ----------
    window, beam : int, optional
        See `Decoder`.
    kbest : int
        The number of candidates per sentence.
    """

    window: int | None = None
    beam: int = DEFAULT_BEAM
    kbest: int = DEFAULT_KBEST


@shows_progress("steps", lambda line: {"progress": line.show})
def tune_translation(
    model: TranslationModel | Path,
    source: Path,
    references: Path | Sequence[Path],
    metric: Metrics = "bleu",
    *,
    settings: Sequence[str] = (),
    start: Path | None = None,
    output: Path | None = None,
    search: DecoderSearch | None = None,
    resume: bool = False,
    restart: bool = False,
    progress: TuningProgress | None = None,
    after: OnRound | None = None,
    **options: Any,
) -> TunedRounds:
    """Tune the weights of a translation model on a development text, for any metric.

    Parameters
    ----------
    model : TranslationModel or path
    source : path
        The source of the development text, one sentence per line.
    references : path or sequence of paths
        Its reference translations, one line per sentence.
    metric : str
        The metric to optimise: its name, with options, or a sum, ``"0.6*cder+0.4*per"``. Metrics of
        word order, for example ``lrscore``, use the decoder's own links if there are
        `reference_alignments`, and matched words of candidate and reference if there is an
        `aligner`.
    settings : sequence of str
        Options of the metric, ``[METRIC.]KEY=VALUE``.
    start : path, optional
        A file of weights of `tune` to start from; by default the weights of the model.
    output : path, optional
        The file of the weights, for `wordorder translate --weights`. Until it is complete, there is
        a checkpoint next to it.
    search : DecoderSearch, optional
        The search of the decoder in each round.
    resume, restart : bool
        Whether to continue from the checkpoint of an interrupted tuning, or to start again.
    progress, after : callable, optional
        Called with the progress of a round, and after each round with its result.
    options
        Fields of `RoundSettings`: ``rounds=5``, ``runs=3``, ``seed=1``; and of
        `wordorder.scoring.files.Files`: ``reference_alignments=["dev.align"]``.

    Raises
    ------
    UsageError
        If a name is unknown, or options contradict each other.
    InputError
        If a file is wrong; the message names the line.
    ModelError
        If the model is damaged.
    """
    round_options = {
        field.name: options.pop(field.name) for field in _ROUND_FIELDS if field.name in options
    }
    round_settings = RoundSettings(**round_options)
    (tuned_metric,) = one_metric(metric, settings)
    name = display_name(source)
    reference, *further_references = paths(references)
    if "-" in (os.fspath(source), reference, *further_references):
        raise UsageError("tuning a model needs files: they are read more than once")
    if output is not None:
        require_creatable(output)
    options = {**options, "source": name, "kind": "text"}
    options["references"] = further_references
    if options.get("reference_alignments"):
        # The candidates have the links of the decoder.
        options["hypothesis_alignments"] = [name]
    candidate_kind = list_kind(Files.of(reference, {"candidates": name}, options), tuned_metric)
    loaded = model if isinstance(model, TranslationModel) else TranslationModel.load(model)
    start_weights = np.asarray(loaded.weights, np.float64)
    if start is not None:
        start_weights, _ = read_start(start, FEATURES)
    with grouped_notes():
        tuned = tune_in_rounds(
            _FileDecoder(loaded, source, search or DecoderSearch()),
            tuned_metric,
            candidate_kind,
            start_weights,
            round_settings,
            output=output,
            resume=resume,
            restart=restart,
            progress=progress,
            on_round=after,
        )
    if output is not None:
        save_tuned(tuned, output)
    return tuned


class _FileDecoder:
    """Decodes the lines of a file with different weights; the lines are reordered only once."""

    def __init__(self, model: TranslationModel, source: Path, search: DecoderSearch) -> None:
        self._model = model
        self._name = display_name(source)
        self._search = search
        self._lines = read_whole(source)
        self._orders = None
        if model.preordering is not None:
            self._orders = model.preordering.orders(self._lines, self._name)

    def __call__(self, weights: Float64) -> NBest:
        search = self._search
        decoder = Decoder(
            self._model,
            weights=weights,
            window=search.window,
            beam=search.beam,
            nbest=search.kbest,
        )
        return decoder.translate(self._lines, self._orders).nbest(self._name)
