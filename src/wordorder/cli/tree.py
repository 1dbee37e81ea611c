"""``wordorder tree`` and ``wordorder path``: draw permutation trees, and the paths of distances."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import click

from wordorder.cli.command import named_command, option, refuse_overwriting, title
from wordorder.cli.messages import print_result
from wordorder.cli.options import format_option
from wordorder.errors import UsageError, location
from wordorder.messages import counted
from wordorder.text.names import file_of, is_address, refuse_two_pipes

if TYPE_CHECKING:
    from wordorder.metrics.text.paths import GridPath
    from wordorder.text.texts import Texts


# A word that ends like a file name, or begins like a path.
_FILE_NAME = re.compile(r"\S*[^\s.]\.[A-Za-z][A-Za-z0-9]{0,9}(#\S*)?|(~|\.\.?)[/\\]\S+")


sentence_option = option(
    "--sentence N", "Which line of files. [default: all]", name="line_number", min_value=1
)
literal_option = option(
    "--literal", "Read the arguments as text, even if there are files of these names."
)


@named_command("tree", example="wordorder tree '2 4 5 6 1 3' --svg tree.svg")
@click.argument("permutation")
@title("What is shown")
@option("--forest", "Show all trees at once, packed.")
@title("Results")
@option("--svg FILE", "Write a picture (one permutation only).")
@title("What is shown")
@option("--words TEXT", "Words to write at the leaves, in the order of the drawing.")
@sentence_option
@literal_option
@format_option
def tree_command(
    permutation: str,
    forest: bool,
    svg: str | None,
    words: str | None,
    line_number: int | None,
    literal: bool,
    form: str,
) -> None:
    """Draw the permutation tree of a permutation.

    PERMUTATION is numbers in quotes ("2 4 5 6 1 3"), or a file of such lines. The smallest number
    is 0 or 1; the drawing counts from 1, as the papers do.
    """
    from wordorder.order import permutation_forest, permutation_text
    from wordorder.report.document import Output
    from wordorder.report.permutation_trees import counted_trees
    from wordorder.text.lines import tokens
    from wordorder.text.output import write_text

    if svg == "-" and form != "text":
        raise UsageError(f"--svg - and --format {form} would mix on standard output")
    refuse_overwriting(svg, [permutation])
    if line_number is not None and (literal or not is_file(permutation)):
        raise UsageError("--sentence is for files")
    rows = permutation_text.read_permutations(permutation, literal=literal, number=line_number)
    forests = [(place, permutation_forest.PermutationForest(row)) for place, row in rows]
    if len(forests) > 1 and not (svg is None and words is None):
        problem = f"--svg and --words take one permutation, {permutation} has {len(forests)}"
        raise UsageError(f"{problem}; --sentence N chooses one")
    leaf_words = None if words is None else tokens(words)
    if svg is not None:
        first_forest = forests[0][1]
        with write_text(svg) as stream:
            stream.write(
                first_forest.to_svg(leaf_words) if forest else first_forest.tree.to_svg(leaf_words)
            )
    if svg == "-":
        return

    def drawn_trees() -> Iterator[str]:
        for index, (place, printed_forest) in enumerate(forests):
            if len(forests) > 1:
                yield f"{chr(10) if index else ''}{place}"
            if forest:
                yield printed_forest.to_text(leaf_words)
            else:
                yield printed_forest.tree.to_text(leaf_words)
                nodes = counted(printed_forest.tree.node_count, "node")
                trees = counted(printed_forest.tree_count, "permutation tree")
                yield f"{nodes}, longest operator {printed_forest.tree.max_arity}, {trees}"

    document = counted_trees([forest for _, forest in forests])
    output = Output.of(document, text=lambda: "".join(f"{line}\n" for line in drawn_trees()))
    print_result(output, form)


@named_command("path", example="wordorder path 'the cat sat down' 'down sat the cat'")
@click.argument("hypothesis")
@click.argument("reference")
@title("Metrics")
@option(
    "-m --metrics {cder,long-jump,wer}",
    "The distance: cder (with jumps, words of the hypothesis used any number of times), long-jump "
    "(with jumps, each word once) or wer (without jumps).",
    name="metric",
    default="cder",
)
@title("What is shown")
@option(
    "--direction {reference,candidate}",
    "Which sentence the path of cder covers exactly once.",
    default="reference",
)
@option(
    "--substitution {constant,prefix,levenshtein}",
    "What a substitution costs on the path of cder.",
    default="constant",
)
@sentence_option
@literal_option
@title("Results")
@option("--svg FILE", "Write a picture (one pair of sentences only).")
@format_option
def path_command(
    hypothesis: str,
    reference: str,
    metric: str,
    direction: str,
    substitution: str,
    line_number: int | None,
    literal: bool,
    svg: str | None,
    form: str,
) -> None:
    """Show which words are matched, substituted, inserted, deleted and jumped over.

    HYPOTHESIS and REFERENCE are tokenised sentences in quotes, or two files of such lines. The
    path is one of the cheapest for the distance of cder, long-jump or wer.
    """
    from wordorder.metrics.text.paths import PrintedPaths
    from wordorder.report.document import Output
    from wordorder.text.opening import display_name
    from wordorder.text.output import write_text
    from wordorder.text.texts import Texts

    if svg == "-" and form != "text":
        raise UsageError(f"--svg - and --format {form} would mix on standard output")
    if metric != "cder" and (direction, substitution) != ("reference", "constant"):
        raise UsageError("--direction and --substitution are for -m cder")
    sentences_by_role = {"HYPOTHESIS": hypothesis, "REFERENCE": reference}
    files = are_files(sentences_by_role, line_number=line_number, literal=literal)
    lines = [line_number or 1]
    if files:
        refuse_overwriting(svg, [hypothesis, reference])
        texts = _read_pair(hypothesis, reference, line_number)
        if line_number is None:
            lines = list(range(1, len(texts.hypothesis) + 1))
    else:
        texts = Texts.from_segments([hypothesis], [reference])
    if svg is not None and len(lines) != 1:
        problem = f"one pair of sentences, {display_name(hypothesis)} has {len(lines)}"
        raise UsageError(f"--svg takes {problem}; --sentence N chooses one")
    paths = _paths(texts, metric, direction, substitution)
    if svg is not None:
        path = next(paths)
        with write_text(svg) as stream:
            stream.write(path.to_svg())
        paths = iter([path])
    if svg == "-":
        return
    numbered_paths = zip(lines, paths, strict=True)

    def path_lines() -> Iterator[str]:
        for line, path in numbered_paths:
            if len(lines) > 1:
                place = location(display_name(hypothesis), line)
                yield f"{chr(10) if line > 1 else ''}{place}"
            yield path.to_text()

    def printed_paths() -> PrintedPaths:
        rows = [path.to_record(line if files else None) for line, path in numbered_paths]
        return PrintedPaths(tuple(rows))

    output = Output(
        lambda: printed_paths().to_json(),
        lambda: printed_paths().to_columns(),
        text=lambda: "".join(f"{line}\n" for line in path_lines()),
    )
    print_result(output, form)


def _read_pair(hypothesis: str, reference: str, line_number: int | None) -> Texts:
    """Read two files, or one line of each."""
    from wordorder.text.lockstep import no_such_line, read_parallel
    from wordorder.text.readers import word_reader
    from wordorder.text.texts import Texts

    with word_reader(hypothesis) as hypothesis_words, word_reader(reference) as reference_words:
        columns = [lines.strings() for lines in read_parallel([hypothesis_words, reference_words])]
        if line_number is not None and line_number > hypothesis_words.lines:
            raise no_such_line(hypothesis_words.name, hypothesis_words.lines, line_number)
    if line_number is not None:
        columns = [lines[line_number - 1 : line_number] for lines in columns]
    return Texts.from_segments(*columns)


def _paths(texts: Texts, metric: str, direction: str, substitution: str) -> Iterator[GridPath]:
    """Yield the path of each pair of sentences."""
    from wordorder.metrics.text.paths import cover_paths, edit_path, long_jump_path

    if metric == "cder":
        yield from cover_paths(texts, direction=direction, substitution=substitution)
        return
    columns = map(texts.words_of, (texts.hypothesis, texts.references))
    for words, reference_words in zip(*columns, strict=True):
        yield (edit_path if metric == "wer" else long_jump_path)(words, reference_words)


def are_files(arguments: Mapping[str, str], *, line_number: int | None, literal: bool) -> bool:
    """Return whether all arguments are files (True) or all are texts (False).

    Parameters
    ----------
    arguments : mapping of str to str
        The value of each argument, by its name in help.
    line_number, literal
        The values of ``--sentence`` and ``--literal``.

    Raises
    ------
    UsageError
        If only some are files, two are standard input, a text looks like a missing file, or
        `line_number` is given for texts.

    Examples
    --------
    >>> are_files({"HYPOTHESIS": "it is", "REFERENCE": "is it"}, line_number=None, literal=False)
    False
    """
    files = [] if literal else list(filter(is_file, arguments.values()))
    if files and len(files) == len(arguments):
        refuse_two_pipes(files)
        return True
    for text in () if literal else arguments.values():
        if text not in files and _looks_missing(text):
            raise UsageError(f"{text}: no such file; --literal takes it as the text itself")
    if files:
        problem = f"{files[0]} is a file and the other argument is not"
        remedy = f"give {' and '.join(arguments)} both as files or both as texts"
        raise UsageError(f"{problem}: {remedy}; --literal takes both as texts")
    if line_number is not None:
        raise UsageError("--sentence is for files")
    return False


def is_file(argument: str) -> bool:
    """Return whether an argument is an existing file, an address, or standard input."""
    path = file_of(argument)
    return argument == "-" or is_address(path) or (os.path.exists(path) and not os.path.isdir(path))


def _looks_missing(text: str) -> bool:
    """Return whether a text looks like a file name: a word with a suffix or an existing folder."""
    folder = os.path.dirname(text)
    in_folder = folder != "" and " " not in text and os.path.isdir(folder)
    return in_folder or _FILE_NAME.fullmatch(text) is not None
