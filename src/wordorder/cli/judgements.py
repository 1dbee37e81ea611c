"""``wordorder rank`` and ``wordorder agreement``: systems and raters in human judgements."""

from typing import Any

import click

from wordorder import judgement
from wordorder.cli.command import combine_options, named_command, option, setting, title
from wordorder.cli.messages import print_result
from wordorder.cli.options import format_option, level_option, seed_option, threads_option
from wordorder.errors import UsageError

RANKING_VALUES = ("wins", "expected-wins", "bradley-terry", "trueskill", "z", "mean")

# The file of judgements, and the options of its intervals and output.
judgement_options = combine_options(
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
        "Number of resamples of the judged items; for trueskill, the number of runs.",
        title="Intervals and tests",
        min_value=1,
        default=1000,
    ),
    seed_option,
    threads_option,
    format_option,
)


@named_command("rank", example="wordorder rank judgements.csv --by bradley-terry")
@judgement_options
@title("Systems and files")
@option(
    "--by",
    "wins: won / (won + lost); expected-wins: its mean over opponents; bradley-terry: log odds; "
    "trueskill: skill; z: the mean standard score of ratings; mean: the mean rating. [default: "
    "wins for pairs and rankings, z for ratings]",
    choices=RANKING_VALUES,
)
@title("Intervals and tests")
@option(
    "--over {items,raters,both}",
    "What is resampled: items with all their judgements, raters with all of theirs, or both (for "
    "--by z and mean).",
    default="items",
)
@setting(
    "--prior N",
    "Wins and losses that bradley-terry adds to each system, against an opponent of strength 0, so "
    "that systems which always won or lost get a finite strength.",
    type=float,
    default=0.0,
)
@option(
    "--pairs", "Test the difference of the mean ratings of each pair of systems, on the same items."
)
def rank_command(judgements: str, form: str, by: str | None, pairs: bool, **options: Any) -> None:
    """Rank systems by human judgements of their outputs.

    JUDGEMENTS are pairs, rankings, preferences or ratings, as the header of the file says. Shows
    for each system its value with an interval, the ranks that it may have, and its cluster: systems
    of one cluster do not differ significantly.
    """
    from wordorder.report.judgements import ranking_output

    if pairs:
        _rank_pairs(judgements, form, by, options)
        return
    ranking = judgement.rank(judgements, by=by, **options)
    print_result(ranking_output(ranking), form)


def _rank_pairs(judgements: str, form: str, by: str | None, options: dict[str, Any]) -> None:
    """Rank by mean ratings, with a test of each pair of systems; the file is read once."""
    from wordorder.judgement.mean_ratings import rated_pairs
    from wordorder.report.judgements import rated_pairs_output

    if by not in (None, "mean"):
        raise UsageError(f"--pairs compares mean ratings; --by {by} has none")
    reading_options = {name: options.pop(name) for name in ("languages", "items")}
    judged = judgement.read_judgements(judgements, **reading_options)
    resampling = {name: options[name] for name in ("over", "resamples", "seed")}
    comparison = rated_pairs(judged, **resampling)
    print_result(rated_pairs_output(judgement.rank(judged, by="mean", **options), comparison), form)


@named_command("agreement", example="wordorder agreement ratings.tsv")
@judgement_options
def agreement_command(judgements: str, form: str, **options: Any) -> None:
    """Measure how far raters agree with each other, and with themselves.

    JUDGEMENTS are rankings, preferences or ratings, as the header of the file says. For rankings
    and preferences: kappa of the pairs of outputs that were judged twice, and with two systems the
    sign test. For ratings: Krippendorff's alpha. For a project of `annotate`: F1, kappa of links.
    """
    from wordorder.judgement.project_file import is_annotated
    from wordorder.report.judgements import agreement_output, annotator_output

    if is_annotated(judgements):
        from wordorder.people.annotator_agreement import annotator_agreement

        print_result(annotator_output(annotator_agreement(judgements)), form)
        return
    print_result(agreement_output(judgement.agreement(judgements, **options)), form)
