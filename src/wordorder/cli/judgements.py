"""``wordorder rank`` and ``wordorder agreement``: what people's judgements say."""

from typing import Any

import click

from wordorder import judgement
from wordorder.cli.command import added, option, setting, title, verb
from wordorder.cli.messages import show
from wordorder.cli.options import format_option, level_option, seed_option, threads_option
from wordorder.errors import UsageError

RANKED_BY = ("wins", "expected-wins", "bradley-terry", "trueskill", "z", "mean")

# The file of judgements, and how its intervals are made and printed.
judgement_options = added(
    click.argument("judgements"),
    option(
        "--languages SOURCE-TARGET",
        "The language pair of a WMT file that has several, as it names them: French-English.",
        title="Systems and files",
    ),
    option(
        "--items FILE",
        "For scores of items (item judge score): the table with the system of each item.",
        title="Systems and files",
    ),
    level_option,
    option(
        "--resamples N",
        "How often the judged items are resampled; for trueskill, the number of runs.",
        title="Intervals and tests",
        least=1,
        default=1000,
    ),
    seed_option,
    threads_option,
    format_option,
)


@verb("rank", example="wordorder rank judgements.csv --by bradley-terry")
@judgement_options
@title("Systems and files")
@option(
    "--by",
    "won / (won + lost); the mean of that over opponents; log odds; skill; the mean standard "
    "score of ratings; the mean rating. [default: wins of pairs and rankings, z of ratings]",
    choices=RANKED_BY,
)
@title("Intervals and tests")
@option(
    "--over {items,raters,both}",
    "What is resampled: items with all their judgements, raters with all of theirs, or both (by z "
    "and mean).",
    default="items",
)
@setting(
    "--prior N",
    "Wins and losses that bradley-terry adds to each system, against one of strength 0: then there "
    "are strengths for those that always won or lost.",
    type=float,
    default=0.0,
)
@option(
    "--pairs", "Test the difference of the mean ratings of each pair of systems, on the same items."
)
def rank_command(judgements: str, form: str, by: str | None, pairs: bool, **options: Any) -> None:
    """Rank systems by human judgements of their outputs.

    JUDGEMENTS are pairs, rankings, preferences or ratings; the header of the file says which. Shows
    for each system its value with an interval, the ranks that it may have, and its cluster: systems
    of one cluster are not told apart.
    """
    from wordorder.report.judgements import ranking_output

    if pairs:
        _rank_pairs(judgements, form, by, options)
        return
    ranking = judgement.rank(judgements, by=by, **options)
    show(ranking_output(ranking), form)


def _rank_pairs(judgements: str, form: str, by: str | None, options: dict[str, Any]) -> None:
    """Test mean ratings pair by pair; the file is read once."""
    from wordorder.judgement.mean_ratings import rated_pairs
    from wordorder.report.judgements import rated_pairs_output

    if by not in (None, "mean"):
        raise UsageError(f"--pairs compares mean ratings; --by {by} has none")
    form_of = {name: options.pop(name) for name in ("languages", "items")}
    judged = judgement.read_judgements(judgements, **form_of)
    resampling = {name: options[name] for name in ("over", "resamples", "seed")}
    agreement = rated_pairs(judged, **resampling)
    show(rated_pairs_output(judgement.rank(judged, by="mean", **options), agreement), form)


@verb("agreement", example="wordorder agreement ratings.tsv")
@judgement_options
def agreement_command(judgements: str, form: str, **options: Any) -> None:
    """Measure how far raters agree with each other, and with themselves.

    JUDGEMENTS are rankings, preferences or ratings; the header of the file says which. Of rankings
    and preferences: kappa of the pairs of outputs that were judged twice, and with two systems the
    sign test. Of ratings: Krippendorff's alpha. Of a project of `annotate`: F1 and kappa of links.
    """
    from wordorder.judgement.project_file import is_annotated
    from wordorder.report.judgements import agreement_output, annotator_output

    if is_annotated(judgements):
        from wordorder.people.annotator_agreement import annotator_agreement

        show(annotator_output(annotator_agreement(judgements)), form)
        return
    show(agreement_output(judgement.agreement(judgements, **options)), form)
