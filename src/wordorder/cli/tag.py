"""``wordorder tag`` and ``wordorder parse``: tags and trees for a text."""

from typing import Any

import click

from wordorder.cli import options as shared
from wordorder.cli.command import (
    check_files,
    combine_options,
    named_command,
    option,
    setting,
    title,
)
from wordorder.errors import UsageError


def _require_model(ctx: click.Context, _: click.Parameter, model: str | None) -> str:
    """Return the name of the model; the error for a missing one lists the included models."""
    if ctx.resilient_parsing:
        return ""
    from wordorder.text.tensors import is_text

    if model is None or is_text(model):
        from wordorder.parsing.model_file import MODEL_HINT

        problem = "the model is missing" if model is None else f"{model} is a text, not a model"
        example = f"wordorder {ctx.command.name} en {model or 'FILE'}"
        raise UsageError(f"{problem}: `{example}` is for English. {MODEL_HINT}")
    return model


# Model, input, output and the format of the input.
sentence_options = combine_options(
    click.argument("model", metavar="MODEL", callback=_require_model, required=False),
    click.argument("source", metavar="[IN]", default="-"),
    shared.output_option,
    shared.input_reading_options,
    shared.column_option,
    shared.threads_option,
)


@named_command("tag", example="wordorder tag en source.txt -o tagged.conllu")
@sentence_options
@title("Results")
@option(
    "--kbest K",
    "Up to K sequences of tags per sentence, best first, each with its score.",
    min_value=1,
)
@title("Model")
@option(
    "--tags {predict,auto}",
    "predict: predict all tags; auto: predict only the tags that are missing in IN, given the "
    "others.",
    default="predict",
)
def tag_command(model: str, source: str, output: str, **options: Any) -> None:
    """Tag the words of a text.

    MODEL is a file of `wordorder train`; en, the English model that comes with the package; or
    udpipe:FILE for a tagger of another package. IN is CoNLL-U, whose tags are replaced (see
    --tags), or text, one sentence per line; by default standard input. The result is CoNLL-U.
    """
    from wordorder.parsing.pipeline.sentence_files import tag_files

    check_files([source, model], output)
    tag_files(model, source, output, **options)


@named_command(
    "parse",
    example="wordorder parse en source.txt -o trees.conllu",
    usual="output input tokenizer beam kbest tags tagger threads",
)
@sentence_options
@shared.engine_options
@title("Model")
@option(
    "--beam B",
    "Partial trees that a transition parser keeps. [default: as in its training]",
    min_value=1,
)
@option(
    "--kbest K",
    "Up to K distinct trees per sentence, best first, each with its score.",
    min_value=1,
)
@setting(
    "--kbest-tags N",
    "Parse the N best tag sequences of a sentence: the best tree over all of them, or with "
    "--kbest a list whose trees differ in tags too.",
    min_value=1,
)
@option(
    "--tags {auto,keep,predict}",
    "auto: keep the tags of IN that MODEL knows, predict others; keep: predict none; predict: "
    "predict all.",
    default="auto",
)
@option("--tagger MODEL", "Take the tagger from this model. [default: MODEL]")
@option(
    "--keep COLUMNS",
    "Columns of IN to keep although MODEL does not predict them: lemma, feats or lemma,feats. "
    "Otherwise they become _, so that gold values do not pass for predictions.",
    default="",
)
def parse_command(
    engine: shared.Engine | None, model: str, source: str, output: str, **options: Any
) -> None:
    """Parse the sentences of a text.

    MODEL is a file of `wordorder train parser`; en, the English model that comes with the package;
    or udpipe:FILE, spacy:NAME, stanza:LANG for a parser of another package. IN is CoNLL-U, whose
    trees are replaced, or text, one sentence per line; by default standard input. The result is
    CoNLL-U.
    """
    from wordorder.parsing.pipeline.sentence_files import parse_files

    check_files([source, model, options["tagger"]], output)
    options |= {"model": model, "source": source, "output": output}
    shared.run_or_distribute(engine, "parse", parse_files, options)
