"""``wordorder tag``: tags for the words of a text."""

from typing import Any

import click

from wordorder.cli import options as shared
from wordorder.cli.command import added, check_files, option, setting, title, verb
from wordorder.errors import UsageError


def _require_model(ctx: click.Context, _: click.Parameter, model: str | None) -> str:
    """Return the name of the model; the error for a missing one lists the included models."""
    if ctx.resilient_parsing:
        return ""
    from wordorder.text.tensors import is_text

    if model is None or is_text(model):
        from wordorder.parsing.model_file import WHICH_MODELS

        problem = "the model is missing" if model is None else f"{model} is a text, not a model"
        example = f"wordorder {ctx.command.name} en {model or 'FILE'}"
        raise UsageError(f"{problem}: `{example}` is for English. {WHICH_MODELS}")
    return model


# Model, input, output and how the input is read.
sentence_options = added(
    click.argument("model", metavar="MODEL", callback=_require_model, required=False),
    click.argument("source", metavar="[IN]", default="-"),
    shared.output_option,
    shared.read_by,
    shared.column_option,
    shared.threads_option,
)


@verb("tag", example="wordorder tag en source.txt -o tagged.conllu")
@sentence_options
@title("Results")
@option(
    "--kbest K", "Up to K sequences of tags per sentence, best first, each with its score.", least=1
)
@title("Model")
@option(
    "--tags {predict,auto}",
    "predict: all tags, whatever IN has; auto: only those that IN lacks, so that they go with "
    "those that it has.",
    default="predict",
)
def tag_command(model: str, source: str, output: str, **options: Any) -> None:
    """Tag the words of a text.

    MODEL is a file that `wordorder train` wrote; en, the English model that comes with the
    package; or udpipe:FILE for a tagger of another package. IN is CoNLL-U, whose tags are
    replaced (see --tags), or text, one sentence per line; standard input unless it is named. The
    result is CoNLL-U.
    """
    from wordorder.parsing.pipeline.sentence_files import tag_files

    check_files([source, model], output)
    tag_files(model, source, output, **options)


@verb(
    "parse",
    example="wordorder parse en source.txt -o trees.conllu",
    usual="output input tokenizer beam kbest tags tagger threads",
)
@sentence_options
@shared.engine_options
@title("Model")
@option(
    "--beam B",
    "How many partial trees a transition parser keeps. [default: as it was trained]",
    least=1,
)
@option(
    "--kbest K", "Up to K distinct trees per sentence, best first, each with its score.", least=1
)
@setting(
    "--kbest-tags N",
    "Parse the N best tag sequences of a sentence: the best tree over all of them, or with "
    "--kbest a list whose trees differ in tags too.",
    least=1,
)
@option(
    "--tags {auto,keep,predict}",
    "auto: tags that IN has stay if they are tags of MODEL, others are predicted; keep: none "
    "is predicted; predict: all are.",
    default="auto",
)
@option("--tagger MODEL", "Whose tagger is used. [default: that of MODEL]")
@option(
    "--keep COLUMNS",
    "Columns of IN that stay although MODEL does not predict them: lemma, feats or lemma,feats. "
    "Others become _, so that gold ones are not taken for predictions.",
    default="",
)
def parse_command(
    engine: shared.Engine | None, model: str, source: str, output: str, **options: Any
) -> None:
    """Parse the sentences of a text.

    MODEL is a file that `wordorder train parser` wrote; en, the English model that comes with the
    package; or udpipe:FILE, spacy:NAME, stanza:LANG for a parser of another package. IN is
    CoNLL-U, whose trees are replaced, or text, one sentence per line; standard input unless it is
    named. The result is CoNLL-U.
    """
    from wordorder.parsing.pipeline.sentence_files import parse_files

    check_files([source, model, options["tagger"]], output)
    options |= {"model": model, "source": source, "output": output}
    shared.share_out(engine, "parse", parse_files, options)
