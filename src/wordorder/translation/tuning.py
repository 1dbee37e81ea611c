"""Tuning a translation model: decode, merge the lists of all rounds, tune, until nothing moves."""

import os
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from wordorder.arrays import Float64
from wordorder.errors import UsageError
from wordorder.messages import one_note_of_a_kind
from wordorder.progress import shows_progress
from wordorder.scoring.files import Files, Metrics, paths
from wordorder.text.opening import Path, display_name
from wordorder.text.output import require_creatable
from wordorder.text.readers import read_whole
from wordorder.training.tuning.candidates import list_kind
from wordorder.training.tuning.nbest import NBest
from wordorder.training.tuning.rounds import OnRound, RoundSettings, tune_in_rounds
from wordorder.training.tuning.tuning import OnTuning, one_metric
from wordorder.training.tuning.weights_file import TunedRounds, read_start, save_tuned
from wordorder.translation.decoder import BEAM, Decoder
from wordorder.translation.model import FEATURES, TranslationModel

KBEST = 100


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
    window: int | None = None,
    beam: int = BEAM,
    kbest: int = KBEST,
    resume: bool = False,
    restart: bool = False,
    progress: OnTuning | None = None,
    after: OnRound | None = None,
    **options: Any,
) -> TunedRounds:
    """Tune the weights of a translation model on a development text, for any metric.

    Parameters
    ----------
    model : TranslationModel or path
    source : path
        The development text: what `model` translates, one sentence per line.
    references : path or sequence of paths
        Its translations, a line each.
    metric : str
        What is to be made as good as can be: the name of a metric, with options, or a sum,
        ``"0.6*cder+0.4*per"``. Metrics of word order, ``lrscore`` say, see the decoder's own links
        where `reference_alignments` are given, and the words of candidate and reference matched
        where an `aligner` is.
    settings : sequence of str
        Options of the metric, ``[METRIC.]KEY=VALUE``.
    start : path, optional
        Weights to start from, as `tune` writes them; without it those of the model.
    output : path, optional
        Where the weights go: `wordorder translate --weights` reads them. Until they are there, a
        checkpoint is beside it.
    window, beam : int, optional
        Of the decoder.
    kbest : int
        Candidates of a sentence in each round.
    resume, restart : bool
        Whether to go on from the checkpoint of a tuning that was stopped, or to begin again.
    progress, after : callable, optional
        Told how far the tuning of a round is, and of each round that is done.
    options
        Fields of `RoundSettings`: ``rounds=5``, ``runs=3``, ``seed=1``; and of
        `wordorder.scoring.files.Files`: ``reference_alignments=["dev.align"]``.

    Raises
    ------
    UsageError
        If a name is unknown, or options do not go together.
    InputError
        If a file is wrong; the message names the line.
    ModelError
        If the model is damaged.
    """
    how = {field.name: options.pop(field.name) for field in _SETTINGS if field.name in options}
    chosen = RoundSettings(**how)
    (tuned_metric,) = one_metric(metric, settings)
    name = display_name(source)
    reference, *further = paths(references)
    if "-" in (os.fspath(source), reference, *further):
        raise UsageError("tuning a model needs files: they are read more than once")
    if output is not None:
        require_creatable(output)
    options = {**options, "source": name, "kind": "text"}
    options["references"] = further
    if options.get("reference_alignments"):
        # Those of the candidates are the decoder's own.
        options["hypothesis_alignments"] = [name]
    kind = list_kind(Files.of(reference, {"candidates": name}, options), tuned_metric)
    opened = model if isinstance(model, TranslationModel) else TranslationModel.load(model)
    first = np.asarray(opened.weights, np.float64)
    if start is not None:
        first, _ = read_start(start, FEATURES)
    with one_note_of_a_kind():
        tuned = tune_in_rounds(
            _Decoding(opened, source, window, beam, kbest),
            tuned_metric,
            kind,
            first,
            chosen,
            output=output,
            resume=resume,
            restart=restart,
            progress=progress,
            after=after,
        )
    if output is not None:
        save_tuned(tuned, output)
    return tuned


_SETTINGS = fields(RoundSettings)


class _Decoding:
    """Decodes the lines of a file with weights; they are put in order once."""

    def __init__(
        self, model: TranslationModel, source: Path, window: int | None, beam: int, kbest: int
    ) -> None:
        self._model = model
        self._name = display_name(source)
        self._options = window, beam, kbest
        self._lines = read_whole(source)
        self._orders = None
        if model.preordering is not None:
            self._orders = model.preordering.orders(self._lines, self._name)

    def __call__(self, weights: Float64) -> NBest:
        window, beam, kbest = self._options
        decoder = Decoder(self._model, weights=weights, window=window, beam=beam, nbest=kbest)
        return decoder.translate(self._lines, self._orders).nbest(self._name)
