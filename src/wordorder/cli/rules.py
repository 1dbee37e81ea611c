"""``wordorder rules``: check, explain, list and show reordering rules."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Any

import click

from wordorder.cli.command import ActionGroup, Command, need_action, option, refuse, title
from wordorder.cli.messages import print_result
from wordorder.cli.options import format_option, multiple_roots_option, tokenizer_option
from wordorder.errors import InputError, UsageError, unknown_name
from wordorder.notes import note
from wordorder.text.names import refuse_two_pipes

if TYPE_CHECKING:
    from wordorder.report.rule_checks import CheckedRules
    from wordorder.treebank.treebank import Tree, Treebank

# Sentences per read in the search for one.
SENTENCES_PER_READ = 1 << 11
DEFAULT_PARSER = "en"


@click.group(
    "rules",
    cls=ActionGroup,
    subcommand_metavar="COMMAND [ARGS]...",
    epilog="Example: wordorder rules explain R5 --text 'she has read the book'",
)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Check, explain and list reordering rules."""
    need_action(ctx)


@command.command("check", cls=Command, example="wordorder rules check my.toml")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@format_option
@click.pass_context
def check(ctx: click.Context, files: tuple[str, ...], form: str) -> None:
    """Look for mistakes in files of rules.

    Reports, with their lines: syntax errors, labels that the scheme does not have, classes that no
    rule uses, rules that never fire, and entries that no word can have. FILE may be the name of a
    built-in set. The exit status is 1 if there is a mistake.
    """
    from wordorder.report.document import Output
    from wordorder.report.rule_checks import RuleChecks, checks_document, checks_text

    refuse_two_pipes(files)
    checks = RuleChecks(tuple(map(_check_rule_file, files)))
    print_result(
        Output.of(checks, lambda: checks_document(checks), text=lambda: checks_text(checks)), form
    )
    if any(file.faults for file in checks.files):
        ctx.exit(1)


@command.command(
    "explain", cls=Command, example="wordorder rules explain R5 --text 'she has read the book'"
)
@click.argument("rules")
@title("What is shown")
@option("--text TEXT", "The sentence; it is parsed.")
@tokenizer_option("TEXT")
@title("Systems and files")
@option("--trees FILE", "CoNLL-U that has the sentence, with its tree.")
@title("What is shown")
@option("--sentence N", "Which sentence of FILE: its number, or sent_id=ID. [default: 1]")
@title("Systems and files")
@option(
    "--parser MODEL",
    "The parser, as in `wordorder parse`. [default: en for TEXT, none for FILE]",
)
@multiple_roots_option
@format_option
def explain(
    rules: str,
    text: str | None,
    tokenize: str,
    trees: str | None,
    sentence: str | None,
    parser: str | None,
    multiple_roots: bool,
    form: str,
) -> None:
    """Show on one sentence which rule fired where, step by step.

    RULES is a built-in set or a file. Each step orders a head and its children: it shows which
    entry of the rule each of them matches, and the sentence after the step. For a learned order,
    the weights that decided are shown, or the orders that were considered.
    """
    from wordorder.reordering import precedence, scheme_check
    from wordorder.reordering.explanation import explain as explained
    from wordorder.reordering.learned.learned_order import LearnedOrder
    from wordorder.reordering.rules import open_rules
    from wordorder.report.rules import explanation_output, learned_explanation_output

    if (text is None) == (trees is None):
        raise UsageError("explain needs --text TEXT or --trees FILE, one of the two")
    if trees is None:
        refuse(
            ["sentence", "multiple_roots"] if sentence else ["multiple_roots"],
            "is for --trees FILE",
        )
    else:
        refuse(["tokenize"], "is for --text")
    refuse_two_pipes((rules, trees))
    rule_set = open_rules(rules)
    learned_order = rule_set if isinstance(rule_set, LearnedOrder) else None
    if not isinstance(rule_set, precedence.PrecedenceRules) and learned_order is None:
        raise UsageError(f"{rules} has neither rules of precedence nor weights to be explained")
    name = "the sentence"
    if text is not None:
        parser = parser or (learned_order and learned_order.parser) or DEFAULT_PARSER
        treebank = _tokenize_sentence(text, tokenize, parser)
    else:
        name = str(trees)
        single_root = not multiple_roots and parser is None
        treebank = _find_sentence(
            name, *_parse_sentence_option(sentence or "1"), single_root=single_root
        )
    if parser is not None:
        treebank = _parse(treebank, parser, name)
    scheme_check.note_fit_problems(rule_set, treebank, name)
    tree = _require_tree(treebank, name)
    if isinstance(rule_set, LearnedOrder):
        from wordorder.reordering.learned_explanation import explain_learned

        print_result(learned_explanation_output(explain_learned(rule_set, treebank)), form)
        return
    assert isinstance(rule_set, precedence.PrecedenceRules)
    print_result(explanation_output(explained(rule_set, tree)), form)


@command.command("list", cls=Command, example="wordorder rules list")
@format_option
def list_rules(form: str) -> None:
    """List the installed rule sets, including those of other packages."""

    from wordorder.reordering.explanation import RuleListing, listed_rules
    from wordorder.report.document import Output

    print_result(Output.of(RuleListing(tuple(listed_rules()))), form)


@command.command("show", cls=Command, example="wordorder rules show R5")
@click.argument("name")
def show_rules(name: str) -> None:
    """Print the file of a built-in rule set, to copy and change."""
    from wordorder.reordering.rules import RULES
    from wordorder.text.tensors import is_tensor_file

    if name not in RULES.built_in:
        if name in RULES.installed:
            value = RULES.installed[name].value
            raise UsageError(f"{name} is not a file, but code of another package: {value}")
        command_name = "wordorder list rules"
        raise unknown_name("built-in rule set", name, RULES.built_in, listed_by=command_name)
    if is_tensor_file(RULES.built_in[name]):
        hint = f"`wordorder rules explain {name} --text TEXT` shows those that decide"
        raise UsageError(f"{name} is a learned order, weights without a text; {hint}")
    click.echo(pathlib.Path(RULES.built_in[name]).read_text("utf-8").rstrip("\n"))


def _check_rule_file(file: str) -> CheckedRules:
    """Check a file of rules, or a built-in set."""
    from wordorder.reordering import rule_reading, scheme_check
    from wordorder.reordering.rules import RULES, is_rule_file
    from wordorder.report.rule_checks import CheckedRules, Fault
    from wordorder.text import opening, tensors, toml

    path = file
    if not is_rule_file(file):
        if file not in RULES.built_in:
            raise UsageError(f"rule set {file!r} is another package's: there is no file to check")
        path = RULES.built_in[file]
    if tensors.is_tensor_file(path):
        raise UsageError(f"{file} is a learned order; rules check is for rules in .toml files")
    try:
        document = toml.read_toml(path)
        rules, faults = rule_reading.rule_faults(document)
    except InputError as error:
        # `where` is path:line:column, or its beginning.
        line = error.where.removeprefix(opening.display_name(path)).split(":")[1:2]
        problem = f"{error.what}; expected {error.expected}" if error.expected else error.what
        fault = Fault(int(line[0]) if line else None, problem)
        return CheckedRules(file, None, None, 0, 0, (fault,))
    # Only a note: trees may use other tags than the scheme lists.
    tags = [f"{entry} in trees with its tags" for entry in rules.unknown if entry.column == "xpos"]
    for tag_problem in scheme_check.limit_notes(tags, rules.name):
        note(tag_problem)
    return CheckedRules(
        file=file,
        name=rules.name,
        scheme=rules.scheme,
        rules=len(rules.rules),
        classes=len(document.data.get("classes", {})),
        faults=tuple(Fault(fault.line, fault.what) for fault in faults),
    )


def _tokenize_sentence(sentence: str, tokenize: str, parser: str) -> Treebank:
    """Tokenise a sentence into a treebank without trees."""
    from wordorder.parsing.pipeline.loading import own_tokenizer, raw_tokenizers
    from wordorder.text.lines import tokens
    from wordorder.treebank.treebank import Treebank

    tokenizer_arguments = raw_tokenizers(tokenize, parser, lambda: own_tokenizer(parser))
    if "tokenizer" not in tokenizer_arguments:
        return Treebank.from_words([tokens(sentence)])
    tokenizer = tokenizer_arguments["tokenizer"]
    (words,) = tokenizer.tokens([sentence])
    return Treebank.from_words([[word for parts in tokenizer.words(words) for word in parts]])


def _parse_sentence_option(sentence: str) -> tuple[int, str | None]:
    """Return the number and the sent_id of ``--sentence``; the number is 1 if an id is given."""
    if sentence.isdecimal() and int(sentence) > 0:
        return int(sentence), None
    if not sentence.startswith("sent_id="):
        raise UsageError(f"--sentence {sentence}: expected a number from 1, or sent_id=ID")
    return 1, sentence.removeprefix("sent_id=")


def _find_sentence(path: str, number: int, sent_id: str | None, *, single_root: bool) -> Treebank:
    """Read one sentence of a treebank file."""
    from wordorder.text.lockstep import no_such_line
    from wordorder.treebank.reading import TreebankReader

    options: dict[str, Any] = {"trees": "optional", "single_root": single_root}
    with TreebankReader(path, **options, lone_returns=False) as reader:
        while len(sentences := reader.take(SENTENCES_PER_READ)):
            first_line = reader.lines - len(sentences)
            if sent_id is None and number <= reader.lines:
                return sentences[number - 1 - first_line : number - first_line]
            for row, margin in enumerate(sentences.margins):
                if sent_id is not None and margin.value("sent_id") == sent_id:
                    return sentences[row : row + 1]
        if sent_id is not None:
            raise InputError(reader.name, f"no sentence with sent_id {sent_id!r}")
        raise no_such_line(reader.name, reader.lines, number, "sentence")


def _parse(treebank: Treebank, parser: str, name: str) -> Treebank:
    """Tag and parse a sentence."""
    from wordorder.parsing.pipeline.loading import open_parser

    pipeline = open_parser(parser)
    return pipeline.parsed(pipeline.tagged(treebank, name, 0))


def _require_tree(treebank: Treebank, name: str) -> Tree:
    """Return the tree of a sentence; an InputError if it has none."""
    if not treebank.words:
        raise InputError(name, "no words", "a sentence")
    if not treebank.has_trees:
        raise InputError(name, "a sentence without a tree", "heads, or a parser (--parser en)")
    return treebank[0]
