"""The options of ``wordorder train parser`` for augmented-loss training."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wordorder.errors import UsageError

if TYPE_CHECKING:
    from wordorder.training.augmented.parser_files import FileLosses

Function = TypeVar("Function", bound=Callable[..., Any])
ORDER = "order"
# What `augmented_losses` calls the options.
OPTIONS = {"grow": "grow", "augment_start": "start", "augment_margin": "margin"}
# What the options are called that have another name in Python.
NAMES = {"kind": "input", "start": "augment_start", "margin": "augment_margin"}


def augment_options(function: Function) -> Function:
    """Add what further losses need."""
    decorators = [
        click.option(
            "--augment",
            type=(str, str),
            multiple=True,
            metavar="KIND DATA",
            help="Learn from the costs of lists of trees for DATA too (lines of words, or CoNLL-U "
            "with any heads): order, root, arc-length, arc-length-labelled, a metric of trees, or "
            "MODULE:COST; may be given several times.",
        ),
        click.option(
            "--ratio",
            type=float,
            multiple=True,
            metavar="R",
            help="Sentences of DATA for one tree of the treebank: the n-th --ratio is for the n-th "
            "--augment. [default: 1]",
        ),
        click.option(
            "--augment-reference",
            multiple=True,
            metavar="REF",
            help="For --augment order: the reference orders of DATA, or word alignments (.align), "
            "of which orders are made; the n-th is for the n-th order.",
        ),
        click.option(
            "--grow",
            type=click.IntRange(1),
            metavar="K",
            help="Make a list twice as long, up to this length, while none of its trees costs less "
            "than the first.",
        ),
        click.option(
            "--augment-start",
            type=click.IntRange(0),
            metavar="N",
            help="Learn from the treebank alone for N epochs first. [default: 0]",
        ),
        click.option(
            "--augment-margin",
            type=click.FloatRange(0),
            metavar="M",
            help="Learn from a tree only if it costs less by more than M. [default: 0]",
        ),
        click.option(
            "--primary",
            metavar="KIND",
            help="Learn from the treebank by this cost of lists, too, in place of the whole tree.",
        ),
    ]
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


def further_losses(
    options: dict[str, Any], shared: dict[str, Any], convention: dict[str, Any]
) -> FileLosses | None:
    """Take the options of further losses out of those of a command; return the losses.

    Parameters
    ----------
    options : dict
    shared : dict
        What self-training takes too: ``self_train``, ``rules``, ``metric``, ``kbest``,
        ``data_tags``.
    convention : dict
        What the references hold, and how alignments become orders.

    Raises
    ------
    UsageError
        If there are more ratios than losses, not one reference for each loss of orders, or
        options for losses and none of these.
    """
    augment, primary = options.pop("augment"), options.pop("primary")
    ratio, references = options.pop("ratio"), options.pop("augment_reference")
    own = {name: options.pop(option) for option, name in OPTIONS.items()}
    orders = sum(kind == ORDER for kind, _ in augment)
    if not augment and primary is None:
        both = {} if shared["self_train"] else {**shared, **convention}
        _refuse(own | {"ratio": ratio}, "--augment")
        _refuse(both, "--self-train and --augment")
    if len(ratio) > len(augment):
        raise UsageError(f"{len(ratio)} --ratio for {len(augment)} --augment")
    if len(references) != orders:
        raise UsageError(
            f"{len(references)} --augment-reference for {orders} --augment order; expected one for "
            "each"
        )
    if not augment and primary is None:
        return None
    if shared["self_train"]:
        raise UsageError("--self-train and --augment: one of the two")
    if not orders:
        _refuse({"metric": shared["metric"], **convention}, "--augment order")
    if options["split_hyphens"]:
        raise UsageError("--split-hyphens changes the words that --augment counts")
    from wordorder.training.augmented.parser_files import AugmentedFile, augmented_losses
    from wordorder.training.references import ReferenceFile

    left = iter(references)
    files = []
    for place, (kind, data) in enumerate(augment):
        reference = ReferenceFile(next(left), **convention) if kind == ORDER else None
        share = ratio[place] if place < len(ratio) else 1.0
        files.append(AugmentedFile(kind, data, share, reference))
    given = {name: shared[name] for name in ("rules", "metric", "kbest", "data_tags")} | own
    chosen = {name: value for name, value in given.items() if value is not None}
    return augmented_losses(files, primary=primary, **chosen)


def _refuse(given: dict[str, Any], owner: str) -> None:
    """Refuse options that mean something only beside others."""
    for name, value in given.items():
        # Of other options `auto` is the default.
        if value not in (None, (), False, "auto") or (name, value) == ("data_tags", "auto"):
            option = NAMES.get(name, name).replace("_", "-")
            raise UsageError(f"--{option} is for {owner}")
