"""Links that are listed twice, on every command that reads links."""

import re
from pathlib import Path

import pytest
from tests.cli.running import SAMPLE, call, write

SOURCE = str(SAMPLE / "source.en")
TARGET = str(SAMPLE / "target.ja")
TREES = str(SAMPLE / "trees.conllu")
ORDERS = str(SAMPLE / "reference.orders")
COMMANDS = {
    "reference": f"reference LINKS --source {SOURCE}",
    "check": f"reference LINKS --source {SOURCE} --check",
    "score": "score LINKS -i LINKS -m aer",
    "score of texts": f"score {TARGET} -i {TARGET} --source {SOURCE} -m frs"
    " --reference-alignments LINKS --hypothesis-alignments LINKS",
    "score as others do": f"score LINKS -i {ORDERS} --compat lader --source {SOURCE}",
    "compare": "compare LINKS -i A=LINKS -i B=LINKS -m aer",
    "evaluate": f"evaluate LINKS --trees {TREES}",
    "analyze": f"analyze LINKS --trees {TREES} --rules R1",
    "analyze links": f"analyze {ORDERS} --trees {TREES} --rules R1 --reference-alignments LINKS",
    "reorder": f"reorder {TREES} --rules R2 --alignments LINKS --to alignment",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_they_are_taken_once_and_noted_or_refused(name: str, tmp_path: Path) -> None:
    sample = SAMPLE / "alignments.talbot"
    first, *lines = sample.read_text().splitlines()
    field = next(field for field in first.split(",") if field)
    twice = first.replace(field, f"{field}_{field}", 1)
    column = first.index(field) + len(field) + 2
    links = write(tmp_path, "a.talbot", "\n".join([twice, *lines, ""]))
    command, good = (COMMANDS[name].replace("LINKS", str(path)).split() for path in (links, sample))
    answer = call(*command).good()
    assert call(*command, "-O", "strict=no") == answer
    assert answer.stderr.count(f"{links}: 1 link was listed twice, in 1 of ") == 1
    # The names of the files make columns of different widths.
    numbers = [re.findall(r"(?<![\w/-])[0-9.]+", call(*c).good().text) for c in (command, good)]
    assert numbers[0] == numbers[1] != []
    call(*command, "-O", "strict").refused(1, f"{links}:1:{column}: index {field} is listed twice")
    call(*good, "-O", "strict").good()
