"""Messages name options on the command line, and arguments in Python: all of them do."""

import ast
import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest

import wordorder
from tests.cli.running import ALIGNMENTS, SOURCE, SYSTEMS, call
from tests.notes import noted
from wordorder.cli.program import COMMAND_SUMMARIES, ProgramGroup, program
from wordorder.errors import InputError, UsageError, WordOrderError
from wordorder.messages import (
    ARGUMENTS,
    FLAGS,
    argument_names,
    is_switch,
    names_arguments,
    render_options,
    set_on_command_line,
)
from wordorder.notes import note
from wordorder.training import OrderData

ROOT = Path(wordorder.__file__).parent
# Not messages of the library: the program itself, and the options of other programs.
OTHERS = {"cli", "integrations", "report"}
OPTION = re.compile(r"(?<![^\s(\[])(--[a-z][a-z-]*|-[imroO](?![\w-]))")
# Of the program alone: what prints, and the servers, have no functions to call.
PROGRAM_ONLY = {"--format", "--column", "--host", "-z"}


def messages(nodes: list[ast.AST]) -> Iterator[tuple[int, str]]:
    """Yield line and text, with {} for what is filled in, of each string that documents nothing."""
    passed = {
        id(node.value)
        for node in nodes
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            passed.update(id(part) for part in ast.walk(node) if part is not node)
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            parts = [p.value if isinstance(p, ast.Constant) else "{}" for p in node.values]
            yield node.lineno, "".join(map(str, parts))
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in passed
        ):
            yield node.lineno, node.value


def arguments(nodes: list[ast.AST]) -> Iterator[str]:
    """Yield what public functions and dataclasses of a module take."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield from (each.arg for each in (*node.args.args, *node.args.kwonlyargs))
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            for each in node.body:
                if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                    yield each.target.id


@cache
def library() -> tuple[list[tuple[Path, int, str]], set[str]]:
    """Return path, line and text of the messages, and what functions and dataclasses take."""
    found, taken = [], set[str]()
    for path in sorted(ROOT.rglob("*.py")):
        place = path.relative_to(ROOT)
        if place.parts[0] not in OTHERS:
            nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
            if place.name != "options.py":  # has texts of help
                found += [(place, line, text) for line, text in messages(nodes)]
            taken.update(arguments(nodes))
    return found, taken


@cache
def named() -> list[tuple[str, str, str]]:
    """Return place, text and option of each option that a message names outside of a command."""
    return [
        (f"{path}:{line}", text, option)
        for path, line, text in library()[0]
        for option in OPTION.findall(re.sub(r"`[^`]*`", "", text))
    ]


def commands(group: click.Group = program) -> Iterator[click.Command]:
    """Yield all commands."""
    names = COMMAND_SUMMARIES if isinstance(group, ProgramGroup) else group.commands
    for name in names:
        command = group.get_command(click.Context(group), name)
        assert command is not None
        yield command
        if isinstance(command, click.Group):
            yield from commands(command)


def test_there_are_messages_with_options() -> None:
    assert len(named()) > 150
    assert {"--source", "-m", "--resume"} <= {option for _, _, option in named()}


def test_each_option_in_a_message_is_one_of_the_program() -> None:
    own = {name for command in commands() for each in command.params for name in each.opts}
    wrong = [(where, option) for where, _, option in named() if option not in own | {"-z"}]
    assert wrong == []


def test_each_option_in_a_message_has_an_argument() -> None:
    taken = library()[1]
    wrong = [
        (where, option)
        for where, _, option in named()
        if option not in PROGRAM_ONLY and not taken.intersection(argument_names(option))
    ]
    assert wrong == []
    for option, names in ARGUMENTS.items():
        assert taken.issuperset(names), option


def test_flags_are_flags() -> None:
    flags = {
        name
        for command in commands()
        for each in command.params
        if isinstance(each, click.Option) and each.is_flag
        for name in each.opts
    }
    assert flags >= FLAGS
    missing = {option for _, _, option in named() if option in flags and not is_switch(option)}
    # These have a value in Python or in another command.
    assert missing <= {"--confidence", "--pairs", "--scores"}


def test_commands_are_between_backticks() -> None:
    """`train parser --augment` would read `train parser augment=` in Python."""
    verbs = "|".join([*COMMAND_SUMMARIES, "parser", "tagger"])
    bare = [
        (where, option)
        for where, text, option in named()
        if re.search(rf"\b({verbs}) {option}", re.sub(r"`[^`]*`", "", text))
    ]
    assert bare == []


def test_values_follow_an_equals_sign() -> None:
    """`--input text` would read `kind= text` in Python."""
    legal = {
        str(choice)
        for command in commands()
        for each in command.params
        if isinstance(each.type, click.Choice)
        for choice in each.type.choices
    } - {"all", "systems", "source", "scores", "trees", "order", "by", "words", "segments"}
    wrong = []
    for where, text, option in named():
        wrong += [
            (where, f"{option} {behind}")
            for behind in re.findall(rf"{option} (\S+)", re.sub(r"`[^`]*`", "", text))
            if behind.startswith("{") or behind.rstrip(",;:.)") in legal or behind.isupper()
        ]
    assert wrong == []


def test_commands_stand_between_backticks() -> None:
    """Their options are those of a shell, whoever reads the message."""
    wrong = []
    for path, line, text in library()[0]:
        if "wordorder " in text and re.search(
            r"\bwordorder [a-z]+ [^`]*(?<=\s)--?[a-z]", re.sub(r"`[^`]*`", "", text)
        ):
            wrong.append((path.name, line))
    assert wrong == []


@pytest.mark.parametrize(
    ("message", "python", "program_"),
    [
        ("give --source", "give source=", "give --source"),
        ("(--input=text, if)", '(kind="text", if)', "(--input text, if)"),
        (
            "name some, -m=frs,kendall",
            'name some, metrics="frs,kendall"',
            "name some, -m frs,kendall",
        ),
        ("-O=frs.ties=rank: no", 'settings="frs.ties=rank": no', "-O frs.ties=rank: no"),
        ("--engine=local is", 'engine="local" is', "--engine local is"),
        ("--port=N", "port=N", "--port N"),
        ("--max-share=0.5;", "max_share=0.5;", "--max-share 0.5;"),
        ("--start='a b'", "start=a b'", "--start 'a b'"),
        ("a -m: --resume.", "a metrics=: resume=True.", "a -m: --resume."),
        ("a-b c--d x/--e '--f'", "a-b c--d x/--e '--f'", "a-b c--d x/--e '--f'"),
        ("`wordorder tag --kbest 8`", "`wordorder tag --kbest 8`", "`wordorder tag --kbest 8`"),
    ],
)
def test_both_readers(message: str, python: str, program_: str) -> None:
    for error in (UsageError(message), InputError("", message)):
        if "'a b'" not in message:
            assert str(error) == python
    before = set_on_command_line(True)
    try:
        assert render_options(message) == program_
        assert str(UsageError(message)) == program_
    finally:
        assert set_on_command_line(before)


def test_notes_too() -> None:
    with noted(r"^strict=True refuses them$"):
        note("--strict refuses them")


def test_the_function_that_was_called_decides() -> None:
    @names_arguments
    def inner(rules: str, parser: str) -> None:
        note("--rules")
        raise UsageError("--rules or --parser")

    @names_arguments
    def outer(metric: str) -> None:
        inner("", "")

    with pytest.raises(UsageError, match=r"^rules= or parser=$"), noted("^rules=$"):
        inner("", "")
    with pytest.raises(UsageError, match=r"^rule_sets= or parsers=$"), noted():
        outer("")
    assert render_options("-m") == "metrics="


REF, SYSTEM = SOURCE, SOURCE
ALIGNED, ORDERS = ALIGNMENTS, SYSTEMS[0]
CALLS: list[tuple[str, dict[str, Any], list[str], str, str]] = [
    (
        "wordorder.scoring.scores:score_files",
        {"reference": REF, "systems": SYSTEM, "hypothesis_alignments": [ALIGNED]},
        ["score", REF, "-i", SYSTEM, "--hypothesis-alignments", ALIGNED],
        "hypothesis_alignments= and reference_alignments= need source=",
        "--hypothesis-alignments and --reference-alignments need --source",
    ),
    (
        "wordorder.scoring.comparisons:compare_files",
        {"reference": REF, "systems": {"a": SYSTEM, "b": REF}, "metrics": "unaligned"},
        ["compare", REF, "-i", f"a={SYSTEM}", f"b={REF}", "-m", "unaligned"],
        'or aligner="agreement", which',
        "or --aligner agreement, which",
    ),
    (
        "wordorder.scoring.scores:score_files",
        {"reference": REF, "systems": SYSTEM, "normalization": "NFC", "kind": "conllu"},
        ["score", REF, "-i", SYSTEM, "-O", "normalize=NFC", "--input", "conllu", "-m", "uas"],
        "normalization= is for translations",
        "-O normalize is for translations",
    ),
    (
        "wordorder.scoring:compat_scores",
        {"preset": "lader", "reference": ALIGNED, "systems": ORDERS},
        ["score", ALIGNED, "-i", ORDERS, "--compat", "lader"],
        "needs the source text: source=",
        "needs the source text: --source",
    ),
    (
        "wordorder.analysis:evaluate_files",
        {"reference": ALIGNED},
        ["evaluate", ALIGNED],
        "no trees: give trees=P1=FILE, or parsers=P1=MODEL source=TEXT",
        "no trees: give --trees P1=FILE, or --parser P1=MODEL --source TEXT",
    ),
    (
        "wordorder.training:train_order",
        {
            "data": OrderData(text=SOURCE, alignments=ALIGNED, parser="en", trees="t"),
            "output": "m",
        },
        ["train", "order", SOURCE, ALIGNED, "-o", "m", "--parser", "en", "--trees", "t"],
        "trees= or parser=, not both",
        "--trees or --parser, not both",
    ),
    (
        "wordorder.training:train_rules_files",
        {"trees": "t", "reference": ORDERS, "output": "m", "resume": True, "restart": True},
        ["train", "rules", "t", ORDERS, "-o", "m", "--resume", "-O", "restart"],
        "resume=True goes on, restart=True starts from scratch",
        "--resume goes on, -O restart starts from scratch",
    ),
]


@pytest.mark.parametrize("case", CALLS, ids=lambda case: f"{case[0]} {case[4][:20]}")
def test_functions_and_commands(case: tuple[str, dict[str, Any], list[str], str, str]) -> None:
    path, options, command, python, program_ = case
    module, name = path.split(":")
    function: Callable[..., object] = getattr(importlib.import_module(module), name)
    with pytest.raises(WordOrderError) as error:
        function(**options)
    assert python in str(error.value)
    assert "--" not in str(error.value)
    call(*command).refused(2, program_)


def test_arguments_of_decorated_functions() -> None:
    from wordorder.scoring.scores import score_files as score

    assert "reference" in inspect.signature(score).parameters
