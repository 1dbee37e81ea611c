"""Training of rules from files to a file, which can be interrupted and gone on with."""

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

FORMAT = "wordorder rules in training"
LEGEND = (
    "Beside each part: how often it fires in the training sentences, and what it brings:\n"
    "the score with it less the score without it, and the interval of 95 %."
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
    """Learn readable rules from a treebank and a file of orders, as ``wordorder train rules`` does.

    Parameters
    ----------
    trees : path
        CoNLL-U, the source sentences.
    reference : path
        Their reference orders, one per line.
    output : path
        A rule file, with comments on what each rule does.
    start : name or path, optional
        Rules to improve, as `wordorder.reordering.open_rules` takes them.
    metrics : str
        One metric of orders.
    options : sequence of str
        ``[METRIC.]KEY=VALUE``, as ``-O``.
    name : str, optional
        What the rules are called; the name of the file unless given.
    multiple_roots : bool
        Whether sentences may have several roots.
    resume, restart : bool
        Whether to go on from the checkpoint that an interrupted training left, or to start from
        scratch.
    progress : callable, optional
        Is called with the number of an edit, how many candidates for it were tried, and how many
        there are at most.
    settings
        Fields of `wordorder.training.RuleSettings`, by name.

    Raises
    ------
    UsageError
        If an option is not legal, `start` is not made of precedence rules, or a checkpoint is there
        and is neither to be resumed nor restarted, or is of another training.
    InputError
        If a file is wrong, a sentence has no tree, or the files do not fit together.

    Notes
    -----
    An interrupt leaves the best rules so far in `output`, and the checkpoint.
    """
    refuse_both(resume=resume, restart=restart)
    require_writable(output)
    called = name or rules_name(os.fspath(output))
    if not is_rules_name(called):
        raise UsageError(f"--name={called!r}: expected {LEGAL_NAME}")
    checkpoint = Checkpoint(checkpoint_path(output), FORMAT)
    checkpoint.begin(resume=resume, restart=restart)
    chosen = RuleSettings(**settings)
    chosen.check()
    chosen_metrics = make_metrics(metrics or "frs", options, {"permutation"})
    if len(chosen_metrics) > 1:
        raise UsageError("rules are trained on one metric; a sum may have several: -m=0.5*frs+…")
    rules = None if start is None else open_rules(start)
    if not isinstance(rules, PrecedenceRules | None):
        raise UsageError(f"--start={start}: not a file of rules, so it cannot be edited")
    bank = read_treebank(trees, single_root=not multiple_roots)
    orders = _read_reference(reference, bank, display_name(trees))
    _check_enough(bank, orders, display_name(reference))
    training = RuleTraining(bank, orders, rules, metric=chosen_metrics[0], settings=chosen)
    known_by = _known_by(training, bank, orders)
    saved = checkpoint.read(known_by) if checkpoint.resumed else None
    if saved is not None:
        with checkpoint.unpacked():
            steps = [rules_from_text(text) for text in saved[0]["steps"]]
            values = {str(key): float(value) for key, value in saved[0]["known"].items()}
        training.restore(steps, values)

    def save(training: RuleTraining) -> None:
        steps = [rules_text(step.rules.file) for step in training.steps[1:]]
        checkpoint.write(known_by, {}, steps=steps, known=training.search.known)

    if chosen.held_out and not len(training.held_out.treebank):
        note("too few different sentences to hold some out: --caution alone ends the search")
    options_said = ", ".join(f"{key} {value}" for key, value in asdict(chosen).items())
    about = (
        f"Learned by wordorder {__version__} from {display_name(trees)} and "
        f"{display_name(reference)}\nstart {start or 'nothing'}; "
        f"{options_said.replace('_', '-')}\n"
        f"metric {training.metric.signature()}\n"
    )
    try:
        training.run(save, progress)
    except KeyboardInterrupt:
        # Quickly, without comments: those take their time. Before an edit there is nothing to keep.
        if len(training.steps) > 1:
            rules = PrecedenceRules(replace(training.steps[training.best].rules.file, name=called))
            header = f"{about}interrupted: --resume goes on from its checkpoint"
            write_rules(rules, output, header=header)
        raise
    learned = training.learned(called)
    header = f"{about}{learned.summary}\n\n{LEGEND}"
    write_rules(learned.rules, output, header=header, comments=learned.comments)
    checkpoint.remove()
    return learned


def _read_reference(path: Path, bank: Treebank, trees: str) -> Orders:
    """Read reference orders that fit the trees."""
    name = display_name(path)
    orders = read_orders(path)
    if len(orders) != len(bank):
        raise line_count_mismatch(name, len(orders), trees, len(bank), "sentence")
    check_orders(orders, bank, path=name)
    return orders


def _check_enough(bank: Treebank, orders: Orders, reference: str) -> None:
    """Refuse references that order no words, and note the share of such sentences."""
    sortable = int((orders.lengths > 1).sum())
    if not sortable:
        problem = "no sentence has two words to order"
        raise InputError(reference, problem, "reference orders to learn from")
    if sortable < len(bank):
        share = 1 - sortable / len(bank)
        note(f"{reference}: {share:.0%} of the sentences have less than two words to order")


def _known_by(training: RuleTraining, bank: Treebank, orders: Orders) -> dict[str, Any]:
    """Return what tells a training from others."""
    digest = hashlib.sha256()
    for array in (bank.offsets, bank.heads, orders.positions.values, orders.positions.offsets):
        digest.update(array.tobytes())
    if orders.ranks is not None:
        digest.update(orders.ranks.values.tobytes())
    for column in ("form", "upos", "xpos", "label"):
        digest.update("\n".join(bank.columns[column].strings()).encode())
    return {
        **asdict(training.settings),
        "metric": str(training.metric.signature()),
        "start": training.steps[0].rules.file.identity,
        "data": digest.hexdigest()[:16],
    }
