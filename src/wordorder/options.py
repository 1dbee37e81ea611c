"""The options of texts, alignments, trees and rules, each declared once.

A class is a group of options, and each field is one option: its name and type in Python, its
default and, declared with `opt`, its flag, values and help on the command line. `Files`,
`GridFiles` and `ReferenceFile` inherit their fields from these groups. The options of commands, the
keywords of `wordorder.front`, messages that refuse an option, and the types in
`wordorder.front_types` are derived from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

if TYPE_CHECKING:
    from dataclasses import dataclass as group
else:
    # Creating a dozen dataclasses would take 5 % of the start-up time of the program.
    def group(**_):
        """Return the class unchanged; `with_options` creates fields of inherited options."""
        return lambda cls: cls


Class = TypeVar("Class", bound=type)

INPUT_KINDS = ("auto", "orders", "text", "conllu", "alignments")
# Formats of a reference of word orders.
ALIGNED_KINDS = ("auto", "orders", "alignments")
# Names of sacreBLEU, without its "spm" tokenizers, which download models.
TOKENIZERS = ("auto", "none", "13a", "intl", "zh", "char", "ja-mecab", "ko-mecab")
NORMAL_FORMS = ("none", "NFC", "NFKC", "NFD", "NFKD")
RULES = ("talbot", "lrscore", "aligned", "lader", "topdown-btg")
# Rules that order single words, as the comparison of two translations of a source needs.
WORD_RULES = ("lrscore", "talbot", "aligned")
UNALIGNED = ("next", "previous", "drop")
ALIGNMENT_FORMATS = (
    *("auto", "talbot", "pharaoh", "pharaoh-reversed", "lader", "naacl", "giza"),
    *("moses-phrases", "moses-trace"),
)
# The rule sets that `wordorder evaluate` compares by default.
RULE_SETS = ("R1", "R2", "R3", "R4", "R5", "head-final")

RULE_HELP = "How alignments become orders, as in `wordorder reference`."


class Option(NamedTuple):
    """One option on the command line and in Python.

    Attributes
    ----------
    usage : str
        The flags and the value in help: ``"-o --output FILE"``. ``{a,b}`` lists the legal values;
        without a value the option is a switch; ``FILE ...`` means several values.
    help : str
    default : object
    choices : sequence of str, optional
        The legal values, if `usage` does not list them.
    setting : bool
        Whether this is an advanced option: passed as ``-O NAME=VALUE``, and listed only by
        ``--help-all``.
    show_default : bool
        Whether help shows the default.
    python_type : str
        The type of the keyword of `wordorder.front`, if it differs from that of the field.
    name, type, title : str
        Name and type of the field; the title of the group in ``--help-all``.
    """

    usage: str
    help: str
    default: Any = None
    choices: Sequence[str] | None = None
    setting: bool = False
    show_default: bool = True
    python_type: str = ""
    name: str = ""
    type: str = ""
    title: str = ""

    @property
    def flags(self) -> list[str]:
        """All flags: ``["-r", "--reference"]``."""
        return [word for word in self.usage.split() if word.startswith("-")]

    @property
    def spelling(self) -> str:
        """The long flag as a name in Python: ``aligner_synonyms``."""
        return self.flags[-1].lstrip("-").replace("-", "_")

    @property
    def is_switch(self) -> bool:
        """Whether the option has no value."""
        return self.default is False


def opt(usage: str, help: str, default: Any = None, **more: Any) -> Any:
    """Declare an option as a field of a group; `more` are further attributes of `Option`."""
    return Option(usage, help, default, **more)


@group(frozen=True, kw_only=True)
class SourceOptions:
    """The source text."""

    title: ClassVar = "Systems and files"
    source: str | None = opt(
        "--source FILE",
        "The source text: for alignments, for systems given as reordered source lines, "
        "and for -O match=first-unmatched.",
    )


@group(frozen=True, kw_only=True)
class InputOptions:
    """The format of the files."""

    title: ClassVar = "Systems and files"
    kind: str = opt(
        "--input",
        "What the files hold; auto: .orders, .conllu, .align and .talbot files say so "
        "themselves, others hold what the metrics read. In treebanks, metrics of text read the "
        "words.",
        "auto",
        choices=INPUT_KINDS,
    )


@group(frozen=True, kw_only=True)
class ReferenceOptions:
    """Further reference translations."""

    title: ClassVar = "Systems and files"
    references: tuple[str, ...] = opt(
        "-r --reference FILE ...", "Further reference translations.", ()
    )
    empty_references: str = opt(
        "--empty-references {count,none}",
        "Whether an empty line is a reference without words, or no reference.",
        "count",
        setting=True,
    )


@group(frozen=True, kw_only=True)
class WordOptions:
    """How text becomes words."""

    title: ClassVar = "Words of translations"
    tokenizer: str = opt(
        "--tokenizer",
        "auto: 13a, or char where REFERENCE is in a script without blanks between words; none "
        "where links count its words. none: words between blanks. Or one of sacreBLEU's, which "
        "cuts the words of bleu and chrf too (-O bleu.tokenize=NAME overrides it); ter splits "
        "Chinese and Japanese characters where it is zh, ja-mecab or char. With auto bleu, chrf "
        "and ter keep their own.",
        "auto",
        choices=TOKENIZERS,
    )
    lowercase: bool = opt("--lowercase", "Ignore case.", False)
    normalization: str = opt(
        "--normalize",
        "A Unicode normal form for the text.",
        "none",
        choices=NORMAL_FORMS,
        setting=True,
    )


@group(frozen=True, kw_only=True)
class AlignerOptions:
    """How the words of two translations are matched."""

    title: ClassVar = "Words of translations"
    aligner: str | None = opt(
        "--aligner MODULES",
        "How order metrics match the words of translation and reference: exact, exact+stem; "
        "with -O aligner-synonyms and -O aligner-paraphrases also synonym and paraphrase. Or how "
        "both are linked to --source (not in tune): agreement, hmm, ibm1, trained on all these "
        "translations together, or the file of a model.",
        python_type="Path | None",
    )
    language: str | None = opt(
        "--language CODE",
        "The language of --aligner's stems (of meteor: -O meteor.language). [default: told from "
        "the commonest words of REFERENCE, else en]",
    )
    synonyms: str | None = opt(
        "--aligner-synonyms PATH",
        "For --aligner: a WordNet folder, or a file with one set of synonyms per line.",
        setting=True,
    )
    paraphrases: str | None = opt(
        "--aligner-paraphrases FILE",
        "For --aligner: a paraphrase table of METEOR's.",
        setting=True,
    )


@group(frozen=True, kw_only=True)
class AlignmentFileOptions:
    """Alignments of the source with each system and each reference."""

    title: ClassVar = "Alignments and reference orders"
    hypothesis_alignments: tuple[str, ...] = opt(
        "--hypothesis-alignments FILE ...",
        "Alignments from --source to each system, in the order of -i.",
        (),
    )
    reference_alignments: tuple[str, ...] = opt(
        "--reference-alignments FILE ...",
        "Alignments from --source to REFERENCE and to each -r. Of orders: links from source to "
        "target, for the report, where REFERENCE holds none.",
        (),
    )


@group(frozen=True, kw_only=True)
class PlacingOptions:
    """The placement of source words; None stands for the default of the called function."""

    title: ClassVar = "Alignments and reference orders"
    rule: str | None = opt("--rule", f"{RULE_HELP} [default: talbot]", choices=RULES)
    unaligned: str | None = opt(
        "--unaligned",
        "Where words without a link go. [default: the rule's]",
        choices=UNALIGNED,
        setting=True,
    )


@group(frozen=True, kw_only=True)
class LinkOptions:
    """Which links of alignments count."""

    links: str | None = opt(
        "--links all|sure|P",
        "Which links count: all, those that are not only possible (ipj, i?j), or those with a "
        "score of P or more. [default: all]",
        setting=True,
        show_default=False,
    )


@group(frozen=True, kw_only=True)
class OrderOptions(PlacingOptions, LinkOptions):
    """How alignments become orders."""


@group(frozen=True, kw_only=True)
class WordOrderOptions(OrderOptions):
    """How alignments become orders of single words, by which translations are compared."""

    rule: str = opt("--rule", RULE_HELP, "lrscore", choices=WORD_RULES)
    links: str = "all"


@group(frozen=True, kw_only=True)
class NotationOptions:
    """How alignments are written."""

    title: ClassVar = "Alignments and reference orders"
    alignment_format: str = opt(
        "--alignment-format",
        "How alignments are written, as in `wordorder reference --format`.",
        "auto",
        choices=ALIGNMENT_FORMATS,
    )
    one_based: bool = opt("--one-based", "Indices in alignments start at 1.", False)
    strict: bool = opt(
        "--strict",
        "Refuse links that are listed twice. [default: take each once, with a note]",
        False,
        setting=True,
    )


@group(frozen=True, kw_only=True)
class RootOptions:
    """How many roots a sentence may have."""

    multiple_roots: bool = opt(
        "--multiple-roots",
        "Take sentences of CoNLL-U with several roots. [default: an error]",
        False,
        setting=True,
    )


@group(frozen=True, kw_only=True)
class GoldNotationOptions:
    """The notation of the reference's alignments, if it differs from that of the systems."""

    one_based_reference: bool = opt(
        "--one-based-reference",
        "Indices start at 1 in the alignments of REFERENCE (or in gold alignments) alone.",
        False,
        setting=True,
    )


@group(frozen=True, kw_only=True)
class TreeOptions:
    """Trees of the source sentences, and parsers that make them."""

    title: ClassVar = "Systems and files"
    trees: tuple[tuple[str, str], ...] = opt(
        "--trees [NAME=]FILE ...",
        "Trees of the source sentences in CoNLL-U, one file per parser.",
        (),
    )
    parsers: tuple[tuple[str, str], ...] = opt(
        "--parser [NAME=]MODEL ...",
        "Parsers that parse --source: en, a model file, udpipe:FILE, spacy:NAME, stanza:LANG.",
        (),
    )


@group(frozen=True, kw_only=True)
class RuleOptions:
    """Rules that put the words of trees in order."""

    title: ClassVar = "Systems and files"
    rule_sets: tuple[tuple[str, str], ...] = opt(
        "--rules [NAME=]RULES ...",
        "Rule sets, each a set of `wordorder rules list`, or a .toml file. "
        f"[default: {' '.join(RULE_SETS)}]",
        (),
    )


@group(frozen=True, kw_only=True)
class MetricOptions:
    """Options of metrics."""

    title: ClassVar = "Metrics"
    settings: tuple[str, ...] = opt(
        "-O --option [METRIC.]KEY=VALUE",
        "An option of one metric (-O frs.ties=rank) or of all (-O average=micro); or a setting of "
        "this command, which --help-all lists.",
        (),
        python_type="str | Sequence[str] | Mapping[str, Any]",
    )


@group(frozen=True, kw_only=True)
class TranslationOptions(
    ReferenceOptions, WordOptions, AlignerOptions, AlignmentFileOptions, WordOrderOptions
):
    """How translations become words, links and orders."""


@group(frozen=True, kw_only=True)
class FileOptions(
    SourceOptions,
    InputOptions,
    TranslationOptions,
    NotationOptions,
    RootOptions,
    GoldNotationOptions,
):
    """The options of translations, orders, alignments and treebanks that are scored."""


@group(frozen=True, kw_only=True)
class AlignedOptions(InputOptions, OrderOptions, NotationOptions):
    """What a reference of word orders holds, and how alignments become orders."""


@group(frozen=True, kw_only=True)
class GridOptions(TreeOptions, SourceOptions, RuleOptions, AlignedOptions, RootOptions):
    """The options of parsers and rule sets that are scored against reference orders."""


def options_of(*groups: type) -> dict[str, Option]:
    """Return the options of some groups by their names in Python.

    Examples
    --------
    >>> list(options_of(SourceOptions, WordOptions))
    ['source', 'tokenizer', 'lowercase', 'normalization']
    """
    options: dict[str, Option] = {}
    for group_class in groups:
        options |= options_of(*group_class.__bases__)
        declared = group_class.__dict__
        for name, kind in declared.get("__annotations__", {}).items():
            value = declared.get(name)
            if isinstance(value, Option):
                title = getattr(group_class, "title", "")
                options[name] = value._replace(name=name, type=kind, title=title)
            elif name in options:
                # A subclass overrides only the default.
                options[name] = options[name]._replace(default=value, type=kind)
    return options


def with_options(cls: Class) -> Class:
    """Add the inherited options to a class as fields, before it becomes a dataclass."""
    from dataclasses import field

    for name, option in options_of(*cls.__bases__).items():
        cls.__annotations__[name] = option.type
        setattr(cls, name, field(default=option.default, kw_only=True))
    return cls


def take_options(options: dict[str, Any], kind: type[Any]) -> dict[str, Any]:
    """Remove the fields of a class of options from `options`, and return them.

    Examples
    --------
    >>> from wordorder.reordering.reorder_files import SentenceOptions
    >>> options = {"kind": "text", "seed": 1}
    >>> take_options(options, SentenceOptions), options
    ({'kind': 'text'}, {'seed': 1})
    """
    from dataclasses import fields

    names = [field.name for field in fields(kind) if field.init]
    return {name: options.pop(name) for name in names if name in options}


# All options by their names in Python, and by each flag.
OPTIONS = options_of(FileOptions, GridOptions, MetricOptions)
BY_FLAG = {flag: option for option in OPTIONS.values() for flag in option.flags}
