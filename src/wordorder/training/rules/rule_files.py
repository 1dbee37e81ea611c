"""Training of rules from files, with checkpoints."""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from wordorder._version import __version__
from wordorder.errors import InputError, UsageError
from wordorder.messages import names_arguments
from wordorder.notes import note
from wordorder.order.orders import Orders
from wordorder.order.reading import read_orders
from wordorder.progress import Progress, shows_progress
from wordorder.reordering.precedence import PrecedenceRules
from wordorder.reordering.rule_reading import LEGAL_NAME, is_rules_name, rules_name
from wordorder.reordering.rule_writing import rules_text, write_rules
from wordorder.reordering.rules import check_orders, open_rules
from wordorder.scoring.files import make_metrics
from wordorder.text.checkpoints import Checkpoint, checkpoint_path, refuse_both
from wordorder.text.lockstep import line_count_mismatch
from wordorder.text.opening import Path, display_name
from wordorder.text.tensors import require_writable
from wordorder.training.rules.training import (
    EditProgress,
    LearnedRules,
    RuleSettings,
    RuleTraining,
    rules_from_text,
)
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import Treebank

CHECKPOINT_FORMAT = "wordorder rules in training"
LEGEND = (
    "After each part: how often it fires in the training sentences, and its gain:\n"
    "the score with it minus the score without it, and the 95 % interval."
)


def _progress_arguments(line: Progress) -> dict[str, EditProgress]:
    return {"progress": lambda edit, done, total: line.show(f"edit {edit}", done, total)}


@names_arguments
@shows_progress("candidates", _progress_arguments)
def train_rules_files(
    trees: Path,
    reference: Path,
    output: Path,
    *,
    start: Path | None = None,
    metrics: str | Sequence[str] = "frs",
    options: Sequence[str] = (),
    name: str | None = None,
    multiple_roots: bool = False,
    resume: bool = False,
    restart: bool = False,
    progress: EditProgress | None = None,
    **settings: Any,
) -> LearnedRules:
    """Learn readable rules from a treebank and a file of orders.

    Parameters
    ----------
    trees : path
        CoNLL-U, the source sentences.
    reference : path
        Their reference orders, one per line.
    output : path
        The rule file, with comments on the effect of each rule.
    start : name or path, optional
        Rules to improve; see `wordorder.reordering.open_rules`.
    metrics : str
        A metric of orders.
    options : sequence of str
        Options of the metric, ``[METRIC.]KEY=VALUE``.
    name : str, optional
        The name of the rules; by default the name of the file.
    multiple_roots : bool
        Whether sentences may have several roots.
    resume, restart : bool
        Continue from the checkpoint of an interrupted training, or start from scratch.
    progress : callable, optional
        Called with the number of the edit, the number of candidates tried for it, and the maximum
        number of candidates.
    settings
        Fields of `wordorder.training.RuleSettings`, by name.

    Raises
    ------
    UsageError
        If an option is invalid, `start` is not a set of precedence rules, or a checkpoint exists
        that is neither resumed nor restarted, or belongs to another training.
    InputError
        If a file is malformed, a sentence has no tree, or the files do not fit each other.

    Notes
    -----
    An interrupt leaves the best rules so far in `output`, and the checkpoint.
    """
    refuse_both(resume=resume, restart=restart)
    require_writable(output)
    rules_name_chosen = name or rules_name(os.fspath(output))
    if not is_rules_name(rules_name_chosen):
        raise UsageError(f"--name={rules_name_chosen!r}: expected {LEGAL_NAME}")
    checkpoint = Checkpoint(checkpoint_path(output), CHECKPOINT_FORMAT)
    checkpoint.begin(resume=resume, restart=restart)
    rule_settings = RuleSettings(**settings)
    rule_settings.check()
    chosen_metrics = make_metrics(metrics or "frs", options, {"permutation"})
    if len(chosen_metrics) > 1:
        raise UsageError("rules are trained on one metric; a sum may have several: -m=0.5*frs+…")
    rules = None if start is None else open_rules(start)
    if not isinstance(rules, PrecedenceRules | None):
        raise UsageError(f"--start={start}: not a file of rules, so it cannot be edited")
    treebank = read_treebank(trees, single_root=not multiple_roots)
    orders = _read_reference(reference, treebank, display_name(trees))
    _check_enough(treebank, orders, display_name(reference))
    training = RuleTraining(
        treebank, orders, rules, metric=chosen_metrics[0], settings=rule_settings
    )
    identity = _training_identity(training, treebank, orders)
    saved = checkpoint.read(identity) if checkpoint.resumed else None
    if saved is not None:
        with checkpoint.unpacked():
            steps = [rules_from_text(text) for text in saved[0]["steps"]]
            values = {str(key): float(value) for key, value in saved[0]["known"].items()}
        training.restore(steps, values)

    def save(training: RuleTraining) -> None:
        steps = [rules_text(step.rules.file) for step in training.steps[1:]]
        checkpoint.write(identity, {}, steps=steps, known=training.search.known)

    if rule_settings.held_out and not len(training.held_out.treebank):
        note("too few different sentences to hold some out: --caution alone ends the search")
    settings_text = ", ".join(f"{key} {value}" for key, value in asdict(rule_settings).items())
    about = (
        f"Learned by wordorder {__version__} from {display_name(trees)} and "
        f"{display_name(reference)}\nstart {start or 'nothing'}; "
        f"{settings_text.replace('_', '-')}\n"
        f"metric {training.metric.signature()}\n"
    )
    try:
        training.run(save, progress)
    except KeyboardInterrupt:
        # Without comments, which take time. Before the first edit there is nothing to save.
        if len(training.steps) > 1:
            rules = PrecedenceRules(
                replace(training.steps[training.best].rules.file, name=rules_name_chosen)
            )
            header = f"{about}interrupted: --resume goes on from its checkpoint"
            write_rules(rules, output, header=header)
        raise
    learned = training.learned(rules_name_chosen)
    header = f"{about}{learned.summary}\n\n{LEGEND}"
    write_rules(learned.rules, output, header=header, comments=learned.comments)
    checkpoint.remove()
    return learned


def _read_reference(path: Path, treebank: Treebank, trees: str) -> Orders:
    """Read reference orders that fit the trees."""
    name = display_name(path)
    orders = read_orders(path)
    if len(orders) != len(treebank):
        raise line_count_mismatch(name, len(orders), trees, len(treebank), "sentence")
    check_orders(orders, treebank, path=name)
    return orders


def _check_enough(treebank: Treebank, orders: Orders, reference: str) -> None:
    """Raise an InputError if references order no words; note the share of such sentences."""
    sortable = int((orders.lengths > 1).sum())
    if not sortable:
        problem = "no sentence has two words to order"
        raise InputError(reference, problem, "reference orders to learn from")
    if sortable < len(treebank):
        share = 1 - sortable / len(treebank)
        note(f"{reference}: {share:.0%} of the sentences have less than two words to order")


def _training_identity(
    training: RuleTraining, treebank: Treebank, orders: Orders
) -> dict[str, Any]:
    """Return the options and data signatures that identify a training."""
    hasher = hashlib.sha256()
    for array in (
        treebank.offsets,
        treebank.heads,
        orders.positions.values,
        orders.positions.offsets,
    ):
        hasher.update(array.tobytes())
    if orders.ranks is not None:
        hasher.update(orders.ranks.values.tobytes())
    for column in ("form", "upos", "xpos", "label"):
        hasher.update("\n".join(treebank.columns[column].strings()).encode())
    return {
        **asdict(training.settings),
        "metric": str(training.metric.signature()),
        "start": training.steps[0].rules.file.identity,
        "data": hasher.hexdigest()[:16],
    }
