"""The help of verbs with many options: an example first, then the options in groups."""

from __future__ import annotations

import click

# Titles in the order in which they are printed, with the options of all verbs below them.
GROUPS = {
    "Systems and files": (
        "system nbest start trees parser rules gold-trees source target input column reference "
        "empty-references multiple-roots tokenize factors by human scores human-translations "
        "lower-is-better alignments lm add member"
    ),
    "Metrics": "metrics metric option compat segments fail-under unit statistic method",
    "Words of translations": "tokenizer lowercase normalize aligner language synonyms paraphrases",
    "Alignments and reference orders": (
        "hypothesis-alignment reference-alignment alignment alignment-format one-based "
        "one-based-reference strict rule unaligned blocks links"
    ),
    "Model": (
        "model algorithm features beam update tags tagger known-words recipe split-hyphens order "
        "lm-order weights max-phrase table-limit prune window symmetrize name edits"
    ),
    "Learning": (
        "dev epochs any-case seed folds held-out caution least iterations starts directions "
        "retune reranked runs rounds shards"
    ),
    "Intervals and tests": "confidence level resamples test over triangles sensitivity",
    "What is shown": "focus word top sentence title pictures",
    "Checks": "check report allow max-unaligned max-unaligned-target max-non-contiguous",
    "Results": (
        "output to orders alignment-output side missing format html figures save load licence "
        "compact moses-features moses-scores nbest-output kbest kbest-tags"
    ),
    "Long and large jobs": "threads resume restart engine address state plan",
    "Weights of metrics": "fit ties leave-out curve",
    "Self-training": "self-train standard weight rounds keep-rounds",
    "Raters": "protocol scale raters ratings max-share words control instructions",
    "Server": "port no-browser lan host",
    "Augmented loss": ("augment ratio augment-reference grow augment-start augment-margin primary"),
    "Other options": "quiet help",
}
# Options that mean something else in one verb.
OWN_GROUPS = {
    "correlate": {"by": "Metrics", "seed": "Intervals and tests"},
    "score": {"seed": "Intervals and tests"},
    "compare": {"seed": "Intervals and tests"},
    "evaluate": {"seed": "Intervals and tests"},
    "analyze": {"seed": "Intervals and tests", "metric": "Metrics"},
    "parse": {"kbest": "Model", "kbest-tags": "Model"},
    "train parser": {
        **dict.fromkeys(
            "rules metric input rule unaligned links alignment-format one-based strict word kbest "
            "kbest-tags data-tags start report".split(),
            "Self-training",
        ),
        "lowercase": "Learning",
    },
    "train tagger": {"lowercase": "Learning"},
    "train order": {"add": "Model", "member": "Model"},
    "train translation": {"lowercase": "Systems and files", "aligner": "Model"},
    "align": {"lowercase": "Systems and files", "output": "Results"},
}
EXAMPLES = {
    "reference": "wordorder reference links.align --source source.txt -o reference.orders",
    "score": "wordorder score reference.txt -i a.txt b.txt -m bleu,ter,cder --confidence",
    "compare": "wordorder compare reference.txt -i a.txt b.txt -m ribes,cder",
    "align": "wordorder align source.txt target.txt -o links.align",
    "train parser": "wordorder train parser train.conllu --dev dev.conllu -o my.model",
    "train tagger": "wordorder train tagger train.conllu --dev dev.conllu -o my.model",
    "train order": "wordorder train order source.txt links.align -o my.safetensors",
    "train rules": "wordorder train rules trees.conllu reference.orders -o my.toml",
    "train translation": "wordorder train translation source.txt target.txt -o my.model",
    "translate": "wordorder translate my.model source.txt -o translations.txt",
    "tune": "wordorder tune lists.txt reference.txt --metric bleu -o weights.txt",
    "parse": "wordorder parse en source.txt -o trees.conllu",
    "reorder": "wordorder reorder source.txt --parser en --rules R5 -o reordered.txt",
    "evaluate": "wordorder evaluate reference.orders --trees en=trees.conllu --rules R1 R5",
    "analyze": "wordorder analyze reference.txt -i a.txt b.txt --html report.html",
    "correlate": "wordorder correlate judged.toml -m bleu,ribes --html page.html",
    "rate": "wordorder rate src.txt ref.txt -i a.txt b.txt --protocol scale -o my.db",
}
# Of an option with its choices.
_LONGEST = 70
_GROUP_OF = {name: title for title, names in GROUPS.items() for name in names.split()}


class GroupedHelp(click.Command):
    """A command whose help begins with an example and has its options in groups."""

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write usage, an example, the description and the options."""
        self.format_usage(ctx, formatter)
        example = EXAMPLES.get(_verb(ctx))
        if example:
            with formatter.section("Example"):
                formatter.write_text(example)
        self.format_help_text(ctx, formatter)
        self.format_options(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under the titles of their groups."""
        found: dict[str, list[tuple[str, str]]] = {title: [] for title in GROUPS}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            # What arguments are, the description says.
            if record is not None and isinstance(parameter, click.Option):
                found[group_of(_verb(ctx), parameter)].append(_short(parameter, *record))
        for title, records in found.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def _short(option: click.Option, name: str, text: str) -> tuple[str, str]:
    """Put the choices of an option into its text where they would be a line too long."""
    if len(name) <= _LONGEST or not isinstance(option.type, click.Choice):
        return name, text
    return f"{name.partition(' [')[0]} NAME", f"{', '.join(option.type.choices)}. {text}"


def group_of(verb: str, parameter: click.Parameter) -> str:
    """Return the title under which an option is printed."""
    name = next((o for o in parameter.opts if o.startswith("--")), parameter.opts[0]).lstrip("-")
    last = list(GROUPS)[-1]
    return OWN_GROUPS.get(verb, {}).get(name) or _GROUP_OF.get(name, last)


def _verb(ctx: click.Context) -> str:
    """Return the verb without the program: ``train parser``."""
    return ctx.command_path.partition(" ")[2]
