"""Files of alignments in every notation: read, refused at their place, written and read back."""

import gzip
import random
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st
from tests import oracles_notations as oracles
from tests.alignment.notations import in_parts, lengths_of, message, rows_of
from tests.clocks import within
from tests.files import written
from tests.notes import any_notes, noted
from tests.refusing import refuses

import wordorder as wo
from wordorder.alignment.alignments import Alignments
from wordorder.alignment.formats import ENOUGH_LINES
from wordorder.alignment.reading import AlignmentReader, read_alignments, write_alignments
from wordorder.errors import InputError, UsageError

# Written by GIZA++, in the examples of a public tutorial.
TUTORIAL = """\
# Sentence pair (1) source length 3 target length 4 alignment score : 0.0236746
I like smart phones\u0020
NULL ({ }) 我 ({ 1 }) 喜欢 ({ 2 }) 手机 ({ 3 4 })\u0020
# Sentence pair (2) source length 1 target length 2 alignment score : 0.113485
smart phones\u0020
NULL ({ }) 手机 ({ 1 2 })\u0020
"""
HEADER = "# Sentence pair (1) source length 2 target length 2 alignment score : 0.1"
NONE = "# Sentence pair (1) source length 1 target length 0\n"
LONG = "100000000000000000000"
# The shared task's guidelines: They had gone . / Ils etaient alles .
GUIDELINES = "18 1 1\n18 2 2\n18 3 3\n18 4 4\n"
BLANKS = "\n" * (1 << 16)
UNKNOWN = (None, None)
function_scoped = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize(
    ("text", "format", "rows", "lengths"),
    [
        ("0-0 1-2\n\n2p1 3?0\n", "pharaoh", ["0-0 1-2", "", "2p1 3p0"], UNKNOWN),
        ("\n\n0p0", "pharaoh", ["", "", "0p0"], UNKNOWN),
        (" 0-0\t1-1 \r\n", "pharaoh", ["0-0 1-1"], UNKNOWN),
        ("2,,0_1\n", "talbot", ["2-0 0-2 1-2"], (None, [3])),
        ("\n5\n", "talbot", ["", "5-0"], (None, [0, 1])),
        ("5", "talbot", ["5-0"], (None, [1])),
        ("5\r\n", "talbot", ["5-0"], (None, [1])),
        (",,3\n", "talbot", ["3-2"], (None, [3])),
        ("7_8\n", "talbot", ["7-0 8-0"], (None, [1])),
        ("\n\n0,,\n\n1\n", "talbot", ["", "", "0-0", "", "1-0"], (None, [0, 0, 3, 0, 1])),
        ("\n\n", None, ["", ""], UNKNOWN),
        ("", None, [], UNKNOWN),
        ("0001 1 2 S\n0001 2 1 P\n0003 1 1\n", "naacl", ["0-1 1p0", "", "0-0"], UNKNOWN),
        ("1 1 1\r\n2\t3  4 S\t\r\n", "naacl", ["0-0", "2-3"], UNKNOWN),
        (" 1 1 1", "naacl", ["0-0"], UNKNOWN),
        ("1 1 1\n\n2 1 1\n\n", "naacl", ["0-0", "0-0"], UNKNOWN),
        ("2 16777216 16777216\n", "naacl", ["", "16777215-16777215"], UNKNOWN),
        (GUIDELINES, "naacl", [*[""] * 17, "0-0 1-1 2-2 3-3"], UNKNOWN),
        ("3-2 ||| 0-0 2-1\n0-0 |||\n", "lader", ["0-0 2-1", ""], ([3, 0], [2, 0])),
        ("1-1 ||| 0-0", "lader", ["0-0"], ([1], [1])),
        ("2-1 |||", "lader", [""], ([2], [1])),
        (" 2-3\t|||  1-0\t0-2 \r\n2-1 ||| \r\n", "lader", ["1-0 0-2", ""], ([2, 2], [3, 1])),
        (TUTORIAL, "giza", ["0-0 1-1 2-2 2-3", "0-0 0-1"], ([3, 1], [4, 2])),
        (
            TUTORIAL.replace("# Sentence pair (2)", "\n# Sentence pair (2)") + "\n",
            *("giza", ["0-0 1-1 2-2 2-3", "0-0 0-1"], ([3, 1], [4, 2])),
        ),
        (
            "0=0 1-2=1-2\n\n1=2-3\t0-1=0 \r\n",
            *("moses-phrases", ["0-0 1-1 1-2 2-1 2-2", "", "1-2 1-3 0-0 1-0"], UNKNOWN),
        ),
    ],
)
def test_the_notation_shows_itself(
    tmp_path: Path, text: str, format: str | None, rows: list[str], lengths: tuple[Any, Any]
) -> None:
    path = written(tmp_path, text)
    assert rows_of(read_alignments(path)) == rows
    with AlignmentReader(path) as reader:
        found = reader.take(100)
        assert (rows_of(found), lengths_of(found)) == (rows, lengths)
        assert (reader.format, reader.name, reader.lines) == (format, str(path), len(rows))
        assert len(reader.take(100)) == 0


def test_the_notation_that_is_named_wins(tmp_path: Path) -> None:
    assert message(written(tmp_path, "0-0\n"), format="talbot").startswith(":1:1: '0-0' is no")
    assert message(written(tmp_path, "0,0\n"), format="pharaoh").startswith(":1:1: '0,0' is no")
    with pytest.raises(UsageError, match="did you mean 'pharaoh'"):
        read_alignments(written(tmp_path, ""), format="pharao")
    assert len(read_alignments(written(tmp_path, ""), format="giza")) == 0
    # An empty line before the first link is passed over.
    assert rows_of(read_alignments(written(tmp_path, "\n1 1 1\n"), format="naacl")) == ["0-0"]


def test_one_empty_field_looks_like_no_field(tmp_path: Path) -> None:
    path = written(tmp_path, "0,1\n\n\n")
    assert lengths_of(read_alignments(path, target_lengths=[2, 0, 1])) == (None, [2, 0, 1])
    assert message(path, target_lengths=[2, 0, 2]).startswith(":3: 0 fields, but the target has 2")
    assert message(path, target_lengths=[1, 0, 1]).startswith(":1: 2 fields, but the target has 1")


def test_blank_lines_before_the_notation_shows(tmp_path: Path) -> None:
    a = read_alignments(written(tmp_path, f"{BLANKS}0,,1\n"))
    assert (len(a), str(a[-1]), lengths_of(a)) == (
        *(len(BLANKS) + 1, "0-0 1-2", (None, [0] * len(BLANKS) + [3])),
    )
    with AlignmentReader(written(tmp_path, "\n\n1 1 1\n")) as reader:
        reader.take(1)
        reader.take(1)
        refuses(InputError, "an empty line before the notation naacl", reader.take, 1)


def test_traces_have_the_translation_in_them(tmp_path: Path) -> None:
    text = "we met |1-2| there |0-0|\n\n|0-0| yes |1-1|\n"
    found = read_alignments(written(tmp_path, text), format="moses-trace")
    shown = [sorted(row.links) for row in found]
    assert shown == [[(0, 2), (1, 0), (1, 1), (2, 0), (2, 1)], [], [(1, 0)]]
    assert lengths_of(found) == (None, [3, 0, 1])


def test_random_segmentations(tmp_path: Path) -> None:
    """Both notations of Moses against the links of the phrases they were made of."""
    rng = random.Random(1)
    phrases, traces, wanted = [], [], []
    for _ in range(60):
        pairs, source, target = [], 0, 0
        for _ in range(rng.randrange(5)):
            ends = source + rng.randrange(1, 4), target + rng.randrange(1, 4)
            pairs.append((source, ends[0], ends[1] - target))
            source, target = ends
        rng.shuffle(pairs)
        place, spans, words = 0, list[str](), list[str]()
        links: list[tuple[int, int]] = []
        for first, last, size in pairs:
            both = [(first, last - 1), (place, place + size - 1)]
            spans.append("=".join(str(a) if a == b else f"{a}-{b}" for a, b in both))
            words.append(" ".join(["w"] * size) + f" |{first}-{last - 1}|")
            links += product(range(first, last), range(place, place + size))
            place += size
        phrases.append(" ".join(spans))
        traces.append(" ".join(words))
        wanted.append(sorted(links))
    for lines, format in ((phrases, "moses-phrases"), (traces, "moses-trace")):
        found = read_alignments(written(tmp_path, "\n".join(lines) + "\n"), format=format)
        assert [sorted(row.links) for row in found] == wanted


# What does not fit, and what is said of it.
NUMBERS: list[tuple[str | bytes, str]] = [
    ("0-0\n1-1 1-a\n", ":2:5: '1-a' "),
    ("0-0 --1\n", ":1:5: '--1' "),
    ("0-0 1_0-2\n", ":1:5: '1_0-2' "),
    ("0-0 +1-2\n", ":1:5: '+1-2' "),
    ("0-0 1-+2\n", ":1:5: '1-+2' "),
    ("0-0 ٣-1\n", ":1:5: '٣-1' "),
    ("0-0 1-\n", ":1:5: '1-' "),
    ("0-0 -1\n", ":1:5: '-1' "),
    ("0-0 1\n", ":1:5: '1' "),
    ("0-0 1-2-3\n", ":1:5: '1-2-3' "),
    ("0-0 1-1,\n", ":1:5: '1-1,' "),
    ("0-0 1-1\r2-2\n", ":1:5: '1-1\\r2-2' "),
    ("0-0 1-1\v2-2\n", ":1:5: '1-1\\x0b2-2' "),
    ("0-0 1-1\u00a02-2\n", ":1:5: '1-1\\xa02-2' "),
    ("0-0 1-1\r", ":1:5: '1-1\\r' "),
    ("猫-0 0-0\n", ":1:1: '猫-0' "),
    ("0-0 100000000000000000000-2\n", ":1:5: '100000000000000000000-2' "),
    ("0-0 1-4294967296\n", ":1:5: '1-4294967296' "),
    (b"0-0 \xff-1\n", ":1:5: b'\\xff-1' "),
    ("2,,0_\n", ":1:4: '0_' "),
    ("2,_0,1\n", ":1:3: '_0' "),
    ("2,0__1,1\n", ":1:3: '0__1' "),
    ("2,0_,1\n", ":1:3: '0_' "),
    ("2, 0,1\n", ":1:3: ' 0' "),
    ("2,0 ,1\n", ":1:3: '0 ' "),
    ("2,-1\n", ":1:3: '-1' "),
    ("2,1-1,0\n", ":1:3: '1-1' "),
    ("2\n0,+1,0\n", ":2:3: '+1' "),
    ("2,٣\n", ":1:3: '٣' "),
    ("2,100000000000000000000\n", ":1:3: '100000000000000000000' "),
    ("2,4294967296\n", ":1:3: '4294967296' "),
    ("2,1\r0\n", ":1:3: '1\\r0' "),
    ("hello\n", ":1:1: 'hello' "),
    ("\n\n  +1-1 0-0\n", ":3:3: '+1-1' "),
    ("1 2\n", ":1:1: '1' "),
]
NAACL: list[tuple[str | bytes, str]] = [
    ("1 1 1\n1 2\n", ":2: 2 fields; expected sentence, source and target position"),
    ("1 1 1\n1\n", ":2: 1 field; expected"),
    ("1 1 1\n1 x 2\n", ":2:3: 'x' is no position"),
    ("1 1 1\n1 1_0 2\n", ":2:3: '1_0' is no position"),
    ("1 1 1\n1 +1 2\n", ":2:3: '+1' is no position"),
    ("1 1 1\n1 -1 2\n", ":2:3: '-1' is no position"),
    ("1 1 1\n1 ٣ 2\n", ":2:3: '٣' is no position"),
    ("1 1 1\n1 1\u00a02\n", ":2:3: '1\\xa02' is no position"),
    ("1 1 1\n1 2 100000000000000000000\n", ":2:5: '100000000000000000000' is no"),
    ("1 1 1\n1 2 16777217\n", ":2:5: '16777217' is no position"),
    ("1 1 1\n16777217 2 1\n", ":2:1: '16777217' is no sentence"),
    ("1 1 1\n0 2 1\n", ":2:1: '0' is no sentence"),
    ("1 1 1\na 2 1\n", ":2:1: 'a' is no sentence"),
    ("1 1 1\n1 2 1 X\n", ":2:7: 'X' does not belong there"),
    ("1 1 1\n1 2 1 s\n", ":2:7: 's' does not belong there"),
    ("1 1 1\n1 2 1 S P\n", ":2:9: 'P' does not belong there"),
    ("1 1 1\n1 2 1 S 0.5 7\n", ":2:13: '7' does not belong there"),
    ("1 1 1\n1 2 1 0.5 S\n", ":2:11: 'S' does not belong there"),
    ("1 1 1\n1 2 1 nan\n", ":2:7: 'nan' does not belong there"),
    ("1 1 1\n1 2 1\r1 3 3\n", ":2:5: '1\\r1' is no position"),
    ("1 1 1\n1 2 1\r", ":2:5: '1\\r' is no position"),
    ("3 1 1\n 2 1 1\n", ":2:2: sentence 2 after sentence 3; expected sentences in asc"),
    ("\n1 1 1\n", ":1: an empty line before the notation naacl, which has none"),
    (b"1 1 1\n1 \xff 2\n", ":2:3: byte 0xff; expected UTF-8 text"),
    ("1 1 1\n1 2 2\n\n1 1 1 P\n", ":4: link 1-1 is listed twice; expected each pair once"),
]
LADER: list[tuple[str | bytes, str]] = [
    ("1-1 ||| 0-0\n0-0\n", ":2:1: '0-0' is no link; expected n-m ||| i-j ... (source"),
    ("1-1 ||| 0-0\n\n", ":2:1: '' is no link; expected n-m |||"),
    ("1-1 ||| 0-0\n1-1 || 0-0\n", ":2:1: '1-1' is no link"),
    ("1-1 ||| 0-0\n1-1 |||0-0\n", ":2:1: '1-1' is no link"),
    ("1-1 ||| 0-0\n1 ||| 0-0\n", ":2:1: '1' is no link"),
    ("1-1 ||| 0-0\n1-x ||| 0-0\n", ":2:1: '1-x' is no link"),
    ("1-1 ||| 0-0\n+1-1 ||| 0-0\n", ":2:1: '+1-1' is no link"),
    ("1-1 ||| 0-0\n1-1 ||| 0-0 ||| 0-0\n", ":2:13: '|||' is no link"),
    ("1-1 ||| 0-0\n1-16777217 ||| 0-0\n", ":2:1: '1-16777217' is no link"),
    ("1-1 ||| 0-0\n1-100000000000000000000 ||| 0-0\n", ":2:1: '1-1000"),
    ("1-1 ||| 0-0\n2-2 ||| 1-1 0p1\n", ":2:13: '0p1' is no link"),
    ("1-1 ||| 0-0\n2-2 ||| 1-1 0_0-1\n", ":2:13: '0_0-1' is no link"),
    ("1-1 ||| 0-0\n2-2 ||| 1-1 ٣-1\n", ":2:13: '٣-1' is no link"),
    (b"1-1 ||| 0-0\n2-2 ||| \xff\n", ":2:9: b'\\xff' is no link"),
    ("1-1 ||| 0-x\n0-0\n", ":1:9: '0-x' is no link"),
    ("1-1 ||| 0-0 1-0\n", ":1:13: link 1-0 points past the source (1 token). Are the"),
    (" 1-1\t|||0-0 1-0\n", ":1:2: '1-1' is no link"),
    (" 1-1\t|||  1-0\n", ":1:11: link 1-0 points past the source (1 token). Are the"),
    ("2-1 ||| 0-0 1-2\n", ":1:13: link 1-2 points past the target (1 token). Are the"),
    ("2-1 ||| 0-0 1-0 0-0\n", ":1:17: link 0-0 is listed twice"),
    ("\n1-1 ||| 0-0\n", ":1: an empty line before the notation lader, which has none"),
]
GIZA: list[tuple[str | bytes, str]] = [
    (f"{HEADER}\na b\n", ":1: sentence pair 1 is incomplete; expected three lines"),
    (f"{HEADER}\n", ":1: sentence pair 1 is incomplete"),
    (f"{HEADER}\na b c\nx\n", ":2: a target sentence of 3 tokens; expected 2, as the"),
    (f"{HEADER}\n\nx\n", ":2: a target sentence of 0 tokens; expected 2"),
    (f"{HEADER}\na\vb c\nNULL ({{ }})\n", ":3: a source sentence of 0 tokens; expected 2"),
    (f"{NONE}\nNULL ({{ }}) x ({{ 1 }})\n", ":3:17: target position 1; expected none"),
    ("# Sentence pair (x) source length 1 target length 0\n", ":1:1: '# Sentence pair (x)"),
    ("# Sentence pair (0) source length 1 target length 0\n", ":1:18: sentence pair 0; e"),
    (NONE.replace("(1)", "(16777217)"), ":1:18: 16777217; expected a number up to 16777216"),
    (NONE.replace("0", LONG), ":1:1: '# Sentence pair (1) source len'... begins no sentence pair"),
    (b"# Sentence pair (1) \xff\n", ":1:21: byte 0xff; expected UTF-8 text"),
    ("\n" + TUTORIAL, ":1: an empty line before the notation giza, which has none"),
    (TUTORIAL.replace("(2)", "(1)"), ":4: sentence pair 1 is listed twice; expected each onc"),
    (TUTORIAL.replace("(2)", "(4)"), ":4: sentence pair 4, but no sentence pair 2 in the"),
    (TUTORIAL.replace("(1)", "(3)"), ":4: sentence pair 2, but no sentence pair 1 in the"),
]
THIRD_LINES = [
    ("NULL ({ }) x ({ 1 })", ":3: a source sentence of 1 token; expected"),
    ("", ":3:1: the end of the line; expected a source word and its"),
    ("x ({ }) x ({ 1 })", ":3:1: 'x' comes first; expected NULL"),
    ("NULL ({ }) x y ({ 1 })", ":3:12: 'x'; expected a source word"),
    ("NULL ({ }) x ({ 1 }) z", ":3:22: 'z'; expected a source word"),
    ("NULL ({ }) x ({ 1 }", ":3:12: 'x'; expected a source word"),
    ("NULL ({ }) x ({ a })", ":3:12: 'x'; expected a source word"),
    ("NULL ({ }) x ({ 1_0 })", ":3:12: 'x'; expected a source word"),
    ("NULL ({ }) x ({ ٣ })", ":3:12: 'x'; expected a source word"),
    ("NULL ({ })x ({ }) y ({ })", ":3:11: 'x'; expected a"),
    ("NULL ({ }) x ({ 1 })z", ":3:21: 'z'; expected a source word"),
    ("NULL ({ }) x ({ 1 }) y ({ 3 })", ":3:27: target position 3; expected positions from 1 to 2"),
    ("NULL ({ 0 }) x ({ 1 }) y ({ 2 })", ":3:9: target position 0; expected positions from 1"),
    ("NULL ({ }) x ({ 1 }) y ({ 2 1 2 })", ":3:31: target position 2 is listed twice; expected"),
]
PHRASES: list[tuple[str | bytes, str]] = [
    ("0=0 1-2\n", ":1:5: '1-2' is no phrase pair; expected i=k or i-j=k-l"),
    ("0=0\n0=0 2-1=1\n", ":2:5: '2-1=1' is no phrase pair"),
    ("0=0 x\n", ":1:5: 'x' is no phrase pair"),
    ("0-5000=0\n", ":1:1: '0-5000=0' is no phrase pair"),
    ("0=0 1=0-1=2\n", ":1:5: '1=0-1=2' is no phrase pair"),
    ("0=99999999\n", ":1:1: '0=99999999' is no phrase pair"),
]
GIZA += [(f"{HEADER}\na b\n{line}\n", said) for line, said in THIRD_LINES]
# As long as these are, they take no longer than their length.
TEN = 40_000
LONG_LINES: list[tuple[str | bytes, str, str]] = [
    (b"1 1 1 S " + b"1" * TEN + b"x", "naacl", ":1:9: "),
    (b"1 1 1 S 0." + b"1" * TEN + b"x", "naacl", ":1:9: "),
    (b"1 1 1 S 1e" + b"1" * TEN + b"x", "naacl", ":1:9: "),
    (b"1 1 1" + b" " * TEN + b"x", "naacl", ":1:40006: "),
    (b"1 1 1" + b" 1" * TEN, "naacl", ":1:9: "),
    (b"3-3 ||| " + b"0-0 " * TEN, "lader", ":1:13: link 0-0 is listed twice"),
    (
        b"30000-3 ||| " + b" ".join(b"%d-0" % i for i in range(TEN)),
        *("lader", ":1:228903: link 30000-0 points past the source"),
    ),
    (b" " * TEN + b"|| 0-0", "lader", ":1:40001: '||' is no link"),
    *(
        (f"{HEADER}\na b\n".encode() + line, "giza", f":3:{column}: ")
        for line, column in [
            (b"NULL ({ 1 }) " + b"a" * TEN, 14),
            (b"NULL ({ 1 }) x" + b" " * TEN + b"y", 14),
            (b"NULL ({" + b" 1" * TEN, 1),
            (b"NULL ({ 1 })" + b" ({" * TEN, 14),
            (b"NULL ({ 1 })" + b" a ({ })" * TEN + b" x", 320_014),
        ]
    ),
]


@pytest.mark.parametrize(
    ("text", "format", "said"),
    [
        *((text, "auto", said) for text, said in [*NUMBERS, *NAACL, *LADER, *GIZA, *PHRASES]),
        ("a b |0-1| c\n", "moses-trace", ":1:11: 'c' is no span; expected words and"),
        ("a\n", "moses-trace", ":1:1: 'a' is no span"),
        ("a |1-0|\n", "moses-trace", ":1:3: '|1-0|' is no span"),
        *LONG_LINES,
    ],
)
def test_lines_that_do_not_fit(tmp_path: Path, text: str | bytes, format: str, said: str) -> None:
    path = written(tmp_path, text)
    with within(3):
        assert message(path, format=format).startswith(said)


STEP = "Are the files in step?"
PAIRS = "1-1 ||| 0-0\n2-3 |||\n"


@pytest.mark.parametrize(
    ("text", "source", "target", "said"),
    [
        *(
            (text, [2, 12], [2, 29], said)
            for text, said in [
                ("0-0\n1-1 7-31\n", f":2:5: link 7-31 points past the target (29 tokens). {STEP}"),
                ("0-0\n1-1  12-3\n", f":2:6: link 12-3 points past the source (12 tokens). {STEP}"),
                ("0-0\n1-1 1p1\n", ":2:5: link 1p1 is listed twice; expected each pair once, sure"),
                ("0-0\n3?2\t1-1 3?2\n", ":2:9: link 3?2 is listed twice"),
                ("0-0\n1-1 1-16777216\n", ":2:5: link 1-16777216 has an index above 16777215"),
                ("0,1\n0_3,11_12" + "," * 27, ":2:8: index 12 points past the source (12 tokens)."),
                ("0,1\n0_3,3_4_3" + "," * 27, ":2:9: index 3 is listed twice"),
                ("0,1\n0,,0\n", f":2: 3 fields, but ja.txt has 29 tokens. {STEP}"),
            ]
        ),
        ("1 1 1\n3 3 1\n", [1, 0, 2], None, ":2: link 3-1 points past the source (2 tokens). Are"),
        ("1 1 1\n3 1 2\n", [1, 0, 2], [1, 0, 1], ":2: link 1-2 points past the target (1 token). "),
        ("2 1 1\n4 1 1\n", [1] * 3, None, ": 4 sentence pairs, but en.txt has 3; expected as many"),
        (PAIRS, [1, 1], None, f":2: 2 source tokens, but en.txt has 1 tokens. {STEP}"),
        (PAIRS, None, [1, 4], f":2: 3 target tokens, but ja.txt has 4 tokens. {STEP}"),
        (PAIRS, None, [0, 3], f":1: 1 target tokens, but ja.txt has 0 tokens. {STEP}"),
        (PAIRS, None, [1], ": 2 lines, but ja.txt has 1"),
        (TUTORIAL, None, [4, 3], f":4: 2 target tokens, but ja.txt has 3 tokens. {STEP}"),
        (TUTORIAL, [2, 1], None, f":1: 3 source tokens, but en.txt has 2 tokens. {STEP}"),
        (TUTORIAL, [3], None, ": 2 sentence pairs, but en.txt has 1; expected as many in both"),
        (TUTORIAL, [3, 1, 1], None, ": 2 lines, but en.txt has 3"),
        ("0-1=0-1 2-3=2\n", [3], None, ":1:9: phrase pair 2-3=2 points past the source (3 tokens)"),
        ("0-1=0-1 2-3=2\n", None, [2], ":1:9: phrase pair 2-3=2 points past the target (2 tokens)"),
        ("a b |0-1| c |2-3|\n", [3], None, ":1:13: span |2-3| points past the source (3 tokens)."),
        ("a b |0-1| c |2-3|\n", None, [4], ":1: 3 target tokens, but ja.txt has 4 tokens."),
        *(
            ("0-0\n" * lines, *sides, f": {lines} {noun}, but {name} has {lengths}")
            for lines, noun, lengths in [
                *((3, "lines", 2), (2, "lines", 3), (0, "lines", 1), (1, "line", 0)),
            ]
            for name, sides in [
                ("en.txt", ([1] * lengths, None)),
                ("ja.txt", (None, [1] * lengths)),
            ]
        ),
    ],
)
def test_links_that_cannot_be(
    tmp_path: Path, text: str, source: list[int] | None, target: list[int] | None, said: str
) -> None:
    options: dict[str, Any] = {"format": "moses-trace"} if "|0-1|" in text else {}
    options |= {"source_name": "en.txt", "target_name": "ja.txt"}
    path = written(tmp_path, text)
    assert message(path, source_lengths=source, target_lengths=target, **options).startswith(said)


@pytest.mark.parametrize(
    ("text", "count", "noun"),
    [
        ("2 1 1\n4 1 1\n", 4, "sentence pairs"),
        (TUTORIAL, 2, "sentence pairs"),
        ("1-1 |||\n", 1, "lines"),
    ],
)
def test_the_number_of_sentences_must_be_right(
    tmp_path: Path, text: str, count: int, noun: str
) -> None:
    path = written(tmp_path, text)
    assert len(read_alignments(path, sentences=count)) == count
    wrong = 3 if noun == "sentence pairs" else 2
    assert message(path, sentences=wrong) == f": {count} {noun}; expected {wrong}"
    sides = {"source_lengths": [1] * (count + 1)}
    if noun == "lines":
        assert message(path, **sides).startswith(": 1 line, but the source has 2")


def test_rows_without_links_follow(tmp_path: Path) -> None:
    """As many as sentences, or as long as the text goes on."""
    path = written(tmp_path, "2 1 1\n4 1 1\n")
    assert [len(read_alignments(path, sentences=n)) for n in (None, 6)] == [4, 6]
    a = read_alignments(path, source_lengths=[1] * 5, target_lengths=[1] * 5)
    assert rows_of(a) == ["", "0-0", "", "0-0", ""]
    assert len(read_alignments(written(tmp_path, ""), format="naacl", sentences=2)) == 2
    refuses(UsageError, "at least 0, not -1", AlignmentReader, path, sentences=-1)
    with AlignmentReader(written(tmp_path, "2 1 1\n")) as reader:
        parts = [reader.take(2, source_lengths=[1, 1]) for _ in range(3)]
        assert [rows_of(part) for part in parts] == [["", "0-0"], ["", ""], ["", ""]]
        assert parts[1].location_of(0) == f"{path} (sentence pairs):3"
        assert len(reader.take(2, source_lengths=[])) == len(reader.take(2)) == 0


def test_an_index_equal_to_the_length_hints_at_its_base(tmp_path: Path) -> None:
    hint = "If indices start at 1: one_based=True"
    assert hint in message(written(tmp_path, "0-0 2-1\n"), source_lengths=[2])
    assert hint in message(written(tmp_path, "0-0 1-2\n"), target_lengths=[2])
    assert hint not in message(written(tmp_path, "0-0 3-1\n"), source_lengths=[2])
    path = written(tmp_path, "1-1 3-1\n")
    assert hint not in message(path, source_lengths=[2], one_based=True)


@pytest.mark.parametrize(
    ("text", "row"),
    [
        *(("1-1 2p3\n", "0-0 1p2"), ("1,,2_3\n", "0-0 1-2 2-2"), ("1=1 2-3=2\n", "0-0 1-1 2-1")),
        ("2-2 ||| 1-1 2-2\n", "0-0 1-1"),
        # Positions of naacl count from 1 whatever is said.
        ("1 1 1\n", "0-0"),
    ],
)
def test_one_based(tmp_path: Path, text: str, row: str) -> None:
    assert rows_of(read_alignments(written(tmp_path, text), one_based=True)) == [row]


def test_no_index_is_below_one(tmp_path: Path) -> None:
    wrong = {"1-1 0-2": "5: link 0-2", "1-1 2-0": "5: link 2-0", "1,0": "3: index 0"}
    for text, what in wrong.items():
        path = written(tmp_path, f"{text}\n")
        assert message(path, one_based=True).startswith(f":1:{what} has an index below 1")


@pytest.mark.parametrize("line", ["1-1 2-2", "1,2", "3-3 ||| 1-1 2-2"])
def test_data_that_looks_one_based(tmp_path: Path, line: str) -> None:
    many = f"{line}\n" * ENOUGH_LINES
    path = written(tmp_path, many)
    with noted(r"no index 0 in 20 lines; if indices start at 1"):
        read_alignments(path)
    # One warning for a stream.
    with AlignmentReader(path) as reader, any_notes() as caught:
        for _ in range(ENOUGH_LINES + 5):
            reader.take(1)
    assert len(caught) == 1
    read_alignments(path, one_based=True)
    read_alignments(written(tmp_path, f"{line}\n" * (ENOUGH_LINES - 1)))
    with_zero = line.replace("1", "0", 1) if "|" not in line else "3-3 ||| 0-0"
    read_alignments(written(tmp_path, f"{many}{with_zero}\n"))


def test_a_first_target_word_is_enough(tmp_path: Path) -> None:
    read_alignments(written(tmp_path, "1-1 2-2\n" * ENOUGH_LINES + "3-0\n"))
    # Positions of this notation count from 1.
    read_alignments(written(tmp_path, "".join(f"{n} 2 2\n" for n in range(1, 40))))


def test_streaming_with_lengths(tmp_path: Path) -> None:
    path = written(tmp_path, "0-0\n1-1\n2-2\n")
    with AlignmentReader(path, source_name="en.txt") as reader:
        first = reader.take(2, source_lengths=[1, 2])
        assert (lengths_of(first), first.location_of(1)) == (([1, 2], None), f"{path}:2")
        assert len(reader.take(2, source_lengths=[3, 4])) == 1
    with AlignmentReader(path, source_name="en.txt") as reader:
        reader.take(1, source_lengths=[1])
        refuses(InputError, r"3 lines, but en\.txt has 1", reader.take, 1, source_lengths=[])
    with AlignmentReader(path) as reader:
        reader.take(2)
        what = f"^{path}:3:1: link 2-2 points past the source"
        refuses(InputError, what, reader.take, 1, source_lengths=[2])


Corpus = tuple[list[list[tuple[int, int, bool]]], list[list[str]], list[list[str]]]
WORDS = st.sampled_from(["a", "({", "})", "NULL", "猫", "1", "x\u00a0y", "\u2028", "#", "a\vb"])


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    """Marked links, and the words of both sides."""
    sources = draw(st.lists(st.lists(WORDS, max_size=5), max_size=5))
    targets = [draw(st.lists(WORDS, max_size=6)) for _ in sources]
    rows = []
    for source, target in zip(sources, targets, strict=True):
        pairs = list(product(range(len(source)), range(len(target))))
        links = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
        rows.append([(*link, draw(st.booleans())) for link in links])
    return rows, sources, targets


@pytest.mark.parametrize("format", ["pharaoh", "talbot", "naacl", "lader", "giza"])
@given(corpora(), st.integers(1, 4), st.randoms(use_true_random=False))
@function_scoped
def test_against_the_twin_and_back(
    tmp_path: Path, format: str, corpus: Corpus, size: int, rng: random.Random
) -> None:
    rows, sources, targets = corpus
    number, sides = len(rows), (sources, targets)
    if format not in ("pharaoh", "naacl"):
        rows = [[(s, t, False) for s, t, _ in row] for row in rows]
    # What this notation cannot say.
    assume(
        format != "talbot" or all(row or len(t) != 1 for row, t in zip(rows, sides[1], strict=True))
    )
    links = [[(s, t) for s, t, _ in row] for row in rows]
    lengths = [list(map(len, side)) for side in sides]
    known: dict[str, Any] = {"source_lengths": lengths[0], "target_lengths": lengths[1]}
    expected = Alignments.from_rows(rows, **known)
    twins = {
        "naacl": lambda: oracles.naacl_text(rows),
        "lader": lambda: oracles.lader_text(links, list(zip(*lengths, strict=True))),
        "giza": lambda: oracles.giza_text(
            links, sources, targets, rng.sample(range(number), number)
        ),
    }
    path = tmp_path / "a.txt"
    texts = [twins[format]()] if format in twins else []
    if format != "giza":
        write_alignments(expected, path, format=format)
        texts.append(path.read_text())
    for text in texts:
        written(tmp_path, text)
        assert read_alignments(path, format=format, sentences=number) == expected
        assert read_alignments(path, format=format, **known) == expected
        with AlignmentReader(path, format=format, sentences=number) as reader:
            parts = in_parts(reader, size)
        assert Alignments.concatenate(parts) == expected


def test_what_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a.align.gz"
    a = Alignments.from_rows([[(0, 0), (1, 2), (1, 0)], []])
    write_alignments(a, path)
    assert gzip.decompress(path.read_bytes()) == b"0-0 1-2 1-0\n\n"
    assert read_alignments(path) == a
    for name in ("giza", "moses-phrases", "moses-trace"):
        refuses(UsageError, "legal names: lader, naacl", write_alignments, a, path, format=name)


SURE = [(0, 0)]


@pytest.mark.parametrize(
    ("format", "rows", "lengths", "what"),
    [
        ("talbot", [SURE], None, "a: the target lengths are not known"),
        ("talbot", [[], [(0, 0, True)]], [0, 1], "a:2: a possible link"),
        ("talbot", [[], []], [0, 1], "a:2: a single unaligned target word"),
        ("lader", [[]], None, "a: the lengths of the sentences are not known"),
        ("lader", [SURE, [], [(0, 0, True)]], [1, 0, 1], "a:3: a possible link"),
    ],
)
def test_what_cannot_be_written(
    tmp_path: Path, format: str, rows: Any, lengths: Any, what: str
) -> None:
    path = tmp_path / "out"
    a = Alignments.from_rows(rows, source_lengths=lengths, target_lengths=lengths, path="a")
    refuses(InputError, f"^{what}", write_alignments, a, path, format=format)
    assert not path.exists()


@pytest.mark.parametrize(
    ("text", "note", "rows"),
    [
        (
            *("1 0 1\n1 2 0 P\n1 1 1\n2 0 0\n", "3 lines with position 0, the empty word: no link"),
            ["0-0", ""],
        ),
        (
            *(
                "1 1 1 S 0.5\n1 2 2 1e-5\n1 3 3 P\n1 4 4 .5\n",
                "confidences of 3 lines are not kept",
            ),
            ["0-0 1-1 2p2 3-3"],
        ),
    ],
)
def test_what_is_not_kept_is_counted(tmp_path: Path, text: str, note: str, rows: list[str]) -> None:
    with noted(note):
        assert rows_of(read_alignments(written(tmp_path, text))) == rows


def test_a_long_file(tmp_path: Path) -> None:
    """Longer than what is read at a time."""
    rows = (1 << 16) + 3
    path = written(tmp_path, "".join(f"{n} 1 1\n" for n in range(1, rows + 1)))
    a = read_alignments(path)
    assert np.array_equal(a.offsets, np.arange(rows + 1))


@pytest.mark.parametrize("begin", ["0-0\n", "1-1 ||| 0-0\n", "1 1 1\n", TUTORIAL])
@pytest.mark.allow_notes
@given(st.binary(max_size=40), st.integers(0, 200))
@function_scoped
def test_any_bytes(tmp_path: Path, begin: str, text: bytes, at: int) -> None:
    """Rows, or an error that names the file."""
    data = begin.encode()
    whole = data[:at] + text + data[at:] if begin is TUTORIAL else data + text
    path = written(tmp_path, whole)
    try:
        rows = len(read_alignments(path, format="giza" if begin is TUTORIAL else "auto"))
    except InputError as error:
        complaint = str(error)
        assert complaint.startswith(f"{path}:")
    else:
        lines = whole.count(b"\n") + (not whole.endswith(b"\n"))
        assert rows == {TUTORIAL: 2, "1 1 1\n": max(rows, 1)}.get(begin, lines)


@pytest.mark.parametrize("path", [None, 3, b"a.align"])
def test_what_is_no_name_of_a_file_and_what_no_alignments(path: Any, tmp_path: Path) -> None:
    message = "expected text or a pathlib"
    refuses(UsageError, message, read_alignments, path)
    refuses(UsageError, message, write_alignments, Alignments.from_rows([]), path)
    message = "alignments is an object of type list"
    refuses(UsageError, message, write_alignments, [[(0, 0)]], tmp_path / "a.align")
    assert not (tmp_path / "a.align").exists()


def test_phrases_as_system_orders(tmp_path: Path) -> None:
    """Words of one phrase tie, and are read from left to right in a system's order."""
    path = written(tmp_path, "2-3=0-1 0-1=2\n")
    links = read_alignments(path, source_lengths=[4])
    tied = wo.reference_orders(links, [4])
    assert str(tied[0]) == "2,3 0,1"
    assert str(wo.reference_orders(links, [4], rule="lrscore")[0]) == "2 3 0 1"
    for order, score in (([2, 3, 0, 1], 1), ([3, 2, 0, 1], 1 / 3)):
        segments = wo.Segments.from_orders(tied, [order])
        assert wo.metric("frs").corpus_score(segments).value == pytest.approx(score)
