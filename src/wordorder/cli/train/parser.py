"""``wordorder train parser`` and ``wordorder train tagger``."""

import os
from typing import Any

import click

from wordorder.cli.command import named_command, option, setting, title
from wordorder.cli.messages import hint_at_resuming, print_message
from wordorder.cli.options import TAGGERS, column_option, figures_option, write_curves
from wordorder.cli.train import options as common
from wordorder.errors import UsageError
from wordorder.notes import note

known_words_option = setting(
    "--known-words {seen,open}",
    "For tnt: whether known words get only tags that they have in the treebank. [default: seen]",
)


@named_command(
    "parser",
    example="wordorder train parser train.conllu --dev dev.conllu -o my.model",
    usual="output dev epochs parser beam features tags tagger recipe self-train rules resume "
    "figures option",
)
@common.training_options
@figures_option
@title("Systems and files")
@option(
    "--parser --algorithm {transition,graph,auto}",
    "transition: arc-eager with a beam; graph: the best of all trees, also non-projective; auto: "
    "train both, keep the one that is better on --dev.",
    default="transition",
    name="algorithm",
)
@title("Model")
@option(
    "--features {zhang-nivre,katz-brown,hall,rich}",
    "Feature set of the parser; rich: for graph, hall: for both, the others for transition. "
    "[default: zhang-nivre; hall for graph]",
)
@option("--beam B", "How many partial trees a transition parser keeps. [default: 8]", min_value=1)
@setting(
    "--update {early,max-violation}",
    "The step at which a transition parser is updated after a mistake: where the gold tree leaves "
    "the beam (early), or where its score is worst (max-violation). [default: early]",
)
@option(
    "--tags {gold,jackknife}",
    "gold: the tags of the treebank; jackknife: also learn from each tree with predicted tags, by "
    "a tagger trained on the other parts.",
    default="gold",
)
@setting(
    "--feats NAMES",
    "Features of FEATS to add to the tags of the parser: Case,VerbForm, none, or auto: those that "
    "help on held-out trees. [default: auto with the perceptron tagger]",
)
@option(
    "--tagger",
    "The tagger that is trained on the same data and stored in MODEL. [default: perceptron]",
    choices=TAGGERS,
)
@known_words_option
@option(
    "--recipe {P1,P2,P3,P4,P5}",
    "The parsers of Talbot et al.; P1: katz-brown features, tnt, beam 1; P2: the same with "
    "beam 8; P3: P2 with --self-train; P4: the same with -O copies=10; P5: the same without case.",
)
@title("Systems and files")
@option(
    "--add FILE WEIGHT",
    "Further trees, used WEIGHT times per epoch; may be repeated.",
    type=(str, click.IntRange(1)),
    multiple=True,
)
@title("Model")
@option(
    "--package NAME",
    "Also write a wheel for pip, next to MODEL: wordorder-de installs the model de. It has the "
    "scores on --dev, and a model of at most -O size MB. [default: 17 MB, a wheel of about 11 MB]",
)
@setting("--split-hyphens", "Split words at hyphens; each part gets the tags of the word.")
@column_option
@common.self_training_options
@common.augment_options
def parser_command(
    train: tuple[str, ...],
    output: str,
    dev: str | None,
    figures: str | None,
    add: tuple[tuple[str, int], ...],
    package: str | None,
    **options: Any,
) -> None:
    """Train a parser on treebanks, and a tagger with it.

    TRAIN are CoNLL-U files.
    """
    from wordorder.options import take_options
    from wordorder.parsing.training.recipes import ParserOptions
    from wordorder.parsing.training.train_files import train_parser_files
    from wordorder.parsing.training.training_run import TrainingRun
    from wordorder.parsing.training.training_text import TrainingFiles

    package_megabytes = None
    if package is not None:
        from wordorder.parsing.training.packages import check_package_name

        check_package_name(package)
        if options["tagger"] == "none":
            raise UsageError("--package needs a tagger, which --tagger=none leaves out")
        # The limit is for the packaged copy; the saved model keeps its size.
        package_megabytes = options.pop("size")
        options["size"] = None
    loss_files = [*(data for _, data in options["augment"]), *options["augment_reference"]]
    inputs = [*train, dev, *(path for path, _ in add), *loss_files, options["rules"]]
    common.check_output_name(output, inputs)
    self_training_values, conventions = (
        common.pop_self_training(options),
        common.pop_convention(options),
    )
    self_training_names = ("self_train", "rules", "metric", "kbest", "data_tags")
    self_training_options = {name: options.pop(name) for name in self_training_names}
    extra_losses = common.pop_losses(options, self_training_options, conventions)
    options |= {"dev": dev, "add": add}
    if self_training_options["self_train"] is not None:
        self_training_values |= {
            name: value for name, value in self_training_options.items() if value is not None
        }
        trained = common.run_self_training(
            train, output, self_training_values, conventions, **options
        )
    else:
        data = TrainingFiles(train, **take_options(options, TrainingFiles))
        run = TrainingRun(output, **take_options(options, TrainingRun))
        with hint_at_resuming(output, other_files=common.checkpoint_files(output)):
            trained = train_parser_files(
                data, run, ParserOptions(**options), further=extra_losses, say=print_message
            )
    write_curves(figures, trained.curves)
    _write_package(output, package, dev, package_megabytes)


def _write_package(output: str, package: str | None, dev: str | None, size: float | None) -> None:
    """Write the package of a model if it has a name, and print its size and scores."""
    if package is None:
        return
    from wordorder.parsing.training.packages import MAX_LOSS, MEGABYTES, write_package

    folder = os.path.dirname(output) or "."
    wheel = write_package(output, package, folder, dev=dev, megabytes=size or MEGABYTES)
    scores = "".join(f", {name} {value:.2f}" for name, value in wheel.scores.items())
    print_message(f"{wheel.path}: {wheel.size / 1e6:.1f} MB{scores}; `pip install {wheel.path}`")
    if wheel.loss > MAX_LOSS:
        note(f"{wheel.path}: the small file costs {wheel.loss:.2f} LAS; -O size makes it larger")


@named_command(
    "tagger",
    example="wordorder train tagger train.conllu --dev dev.conllu -o my.model",
    usual="output dev model epochs lowercase seed resume figures option",
)
@common.training_options
@figures_option
@title("Model")
@option(
    "--model",
    "perceptron: more accurate; tnt: a trigram model, trained in a second.",
    choices=TAGGERS[:2],
    default="perceptron",
)
@known_words_option
def tagger_command(
    train: tuple[str, ...], output: str, dev: str | None, figures: str | None, **options: Any
) -> None:
    """Train a tagger on treebanks.

    TRAIN are CoNLL-U files whose words have tags, UPOS, XPOS or both.
    """
    from wordorder.options import take_options
    from wordorder.parsing.training.recipes import TaggerOptions
    from wordorder.parsing.training.train_files import train_tagger_files
    from wordorder.parsing.training.training_run import TrainingRun
    from wordorder.parsing.training.training_text import TrainingFiles

    common.check_output_name(output, [*train, dev])
    data = TrainingFiles(train, dev=dev, **take_options(options, TrainingFiles))
    run = TrainingRun(output, **take_options(options, TrainingRun))
    with hint_at_resuming(output, other_files=common.checkpoint_files(output)):
        trained = train_tagger_files(data, run, TaggerOptions(**options), say=print_message)
    write_curves(figures, trained.curves)
