"""Training a translation model on files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wordorder.alignment.align_files import read_whole
from wordorder.alignment.reading import read_alignments
from wordorder.option_names import names_arguments
from wordorder.reordering.base import RuleSet
from wordorder.text.opening import Path, display_name
from wordorder.text.tensors import require_writable
from wordorder.text.treebank_names import is_treebank
from wordorder.text.vocabulary import number_lines
from wordorder.translation.model import TranslationModel
from wordorder.translation.training import OnStep, train_translation
from wordorder.treebank.reading import read_treebank


@names_arguments
def train_translation_files(
    source: Path,
    target: Path,
    output: Path,
    *,
    alignments: Path | None = None,
    alignment_format: str = "auto",
    one_based: bool = False,
    strict: bool = False,
    order: RuleSet | Path | None = None,
    parser: Path | None = None,
    lm: Sequence[Path] = (),
    progress: OnStep | None = None,
    **options: Any,
) -> TranslationModel:
    """Train a translation model on two files, and write it.

    Parameters
    ----------
    source, target : path or "-"
        Tokenised text, one sentence a line; or a treebank, ``.conllu``, whose trees are put in
        order unless a parser is named.
    output : path
        Where the model goes; it appears, whole, when it is complete.
    alignments : path or "-", optional
        Links of the sentence pairs, of the source as it is; without them they are aligned.
    alignment_format, one_based, strict
        As `wordorder.read_alignments` takes them.
    order, parser, progress, options
        As `wordorder.translation.train_translation` takes them.
    lm : sequence of path
        More text of the target language.

    Raises
    ------
    InputError
        If a file cannot be read, or as `wordorder.translation.train_translation` does.
    UsageError
        If an option is not legal, or the model cannot be written.
    ModelError
        If a parser or a learned order cannot be used.
    """
    require_writable(output)
    sides = [read_whole(source), read_whole(target)]
    trees = None
    if order is not None and parser is None and is_treebank(source):
        trees = read_treebank(source, trees="optional", single_root=False)
    names = [display_name(source), display_name(target)]
    links = None
    if alignments is not None:
        lengths = [number_lines(side)[0].lengths for side in sides]
        links = read_alignments(
            alignments,
            format=alignment_format,
            one_based=one_based,
            strict=strict,
            source_lengths=lengths[0],
            target_lengths=lengths[1],
            source_name=names[0],
            target_name=names[1],
            format_option="--alignment-format",
        )
    model = train_translation(
        sides[0] if trees is None else trees,
        sides[1],
        alignments=links,
        order=order,
        parser=parser,
        lm=[read_whole(path) for path in lm],
        names=[*names, *map(display_name, lm)],
        progress=progress,
        **options,
    )
    model.save(output)
    return model
