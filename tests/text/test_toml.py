"""Other people's TOML files, and the lines of what they say."""

import gzip
from pathlib import Path

import pytest
from tests.clocks import within
from tests.files import written
from tests.refusing import refuses

from wordorder.errors import InputError
from wordorder.text.toml import MAX_FILE_BYTES, TomlFile, read_toml

TEXT = """\
# A comment with [[rule]] in it.
name = "a"
barriers = [
    "iobj",
    "obj",
]

[classes]
"neg.x" = { form = "not" }
'odd' = { upos = "X" }
[classes.long]
upos = ["X", "iobj"]
label = "obj"

[[rule]] # the first
name = "one"
head = { upos = "VERB" }
order = ["iobj", "obj",
    "last", "*"]
[[rule]]
name = "two"
weights.aux = 1
weights.obj = 2
[rule.head]
upos = "NOUN"
[ rule.weights ]
nothing = 1
[[rule]]
order = []
[rule.weights]
iobj = 1
obj = 2
"""


def read(folder: Path, content: str | bytes) -> TomlFile:
    path = written(folder, content.encode() if isinstance(content, str) else content, "a.toml")
    return read_toml(path)


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ((), 1),
        (("", 0, "name"), 2),
        (("", 0, "barriers"), 3),
        (("", 0, "barriers", "obj"), 5),
        (("", 0, "barriers", "iobj"), 4),
        # Not that of a later table.
        (("", 0, "barriers", "last"), 3),
        (("", 0, "about"), 1),
        (("classes", 0), 8),
        (("classes", 0, "neg.x"), 9),
        (("classes", 0, "odd"), 10),
        (("classes", 7, "odd", "X"), 10),
        # In a table of its own.
        (("classes", 0, "long"), 11),
        (("classes", 0, "long", "obj"), 13),
        (("rule", 0), 15),
        (("rule", 0, "name"), 16),
        (("rule", 0, "order", "obj"), 18),
        (("rule", 0, "order", "last"), 19),
        (("rule", 0, "order", "none"), 18),
        (("rule", 0, "nothing"), 15),
        (("rule", 1), 20),
        (("rule", 1, "name"), 21),
        (("rule", 1, "weights"), 22),
        (("rule", 1, "weights", "obj"), 23),
        (("rule", 1, "head"), 24),
        (("rule", 1, "head", "NOUN"), 25),
        (("rule", 2, "order"), 29),
        (("rule", 2, "weights"), 30),
        (("rule", 2, "weights", "obj"), 32),
        (("rule", 3), 1),
        (("other", 0, "name"), 1),
    ],
)
def test_the_line_of_everything(place: tuple[str, int, str, str], line: int) -> None:
    # Only its lines say where things stand.
    file = TomlFile("a.toml", {}, tuple(TEXT.split("\n")))
    assert file.place(*place) == f"a.toml:{line}"


def test_the_same_lines_with_other_ends(tmp_path: Path) -> None:
    good = TEXT.replace("[ rule.weights ]\nnothing = 1\n", "")
    plain = read(tmp_path, good)
    windows = read(tmp_path, b"\xef\xbb\xbf" + good.replace("\n", "\r\n").encode())
    assert plain.data == windows.data
    for place in (("rule", 1, "weights", "obj"), ("rule", 2, "order"), ("classes", 0, "long")):
        assert plain.place(*place) == windows.place(*place)


def test_compressed_files_and_lists_of_tables(tmp_path: Path) -> None:
    path = written(tmp_path, gzip.compress(b"rule = [{ a = 1 }, { a = 2 }]\n"), "a.toml.gz")
    found = read_toml(path)
    assert found.data == {"rule": [{"a": 1}, {"a": 2}]}
    assert found.place("rule", 1, "a") == f"{path}:1"
    # No file, and a folder.
    refuses(InputError, "No such file", read_toml, tmp_path / "none.toml")
    with pytest.raises(InputError):
        read_toml(tmp_path)


@pytest.mark.parametrize(
    ("content", "place", "part"),
    [
        (b"a = 1\nb = ", ":2", "expected TOML"),
        (b"a = 1\n\na = 2\n", ":3", "expected TOML"),
        (b"[a]\nx = 1\n[a]\n", ":3", "expected TOML"),
        (b"a = [\n1,\n", ":2", "expected TOML"),
        (b'a = "\n"\n', ":1", "expected TOML"),
        (b'a = "\\q"\n', ":1", "expected TOML"),
        (b"a = {b = 1, b = 2}\n", ":1", "expected TOML"),
        (b"a = 1\nb = '\xff'\n", ":2", "bytes that are not UTF-8; expected UTF-8"),
        (b"a = '\x00'\n", ":1", "expected TOML"),
        (b"a = 1" + b"0" * 5000, ":1", "a key or number of too many characters"),
        (b"a = 0x" + b"f" * 5000, ":1", "a key or number of too many characters"),
        (b"a = 1\nb = " + b"[" * 100_000, ":2", "nested too deeply; expected at most 20"),
        (b"a = " + b"{a=" * 100_000, ":1", "nested too deeply; expected at most 20"),
        (b"[a]\n" + b"b ." * 100_000, ":2", "a key of too many parts; expected at most 20"),
        (b"\n\n[" + b"b." * 20 + b"b]", ":3", "a key of too many parts; expected at most 20"),
        (b"a = {" + b'"b".' * 20 + b"b = 1}", ":1", "a key of too many parts"),
        (b"a = 1\n" + b"#" * MAX_FILE_BYTES, "", "more than a megabyte"),
    ],
)
def test_what_is_no_toml(content: bytes, place: str, part: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, content)
    error = caught.value
    path = str(tmp_path / "a.toml")
    assert error.where == path + place or error.where.startswith(f"{path}{place}:"), error.where
    assert part in str(error)


def test_limits_count_neither_strings_nor_comments(tmp_path: Path) -> None:
    dots = "a." * 50 + "[" * 50 + "9" * 500
    data = {"a": dots, "b": f"{dots}\n", "c": '"', "d": [1.5] * 50, "e": dots}
    content = (
        f'a = "{dots}" # {dots}\n'
        f'b = """{dots}\n"""\n'
        'c = """\\""""\n'
        f"d = [{'1.5,' * 50}]\ne = '''{dots}'''\n"
    )
    assert read(tmp_path, content).data == data
    nested = "[" * 20 + "]" * 20
    assert read(tmp_path, f"{'b.' * 19}b = {nested}").data


@pytest.mark.parametrize(
    "bomb",
    [
        b"a." * 500_000 + b"a = 1",
        b"[" + b"a." * 500_000 + b"a]",
        b"a = {" + b"a." * 500_000 + b"a = 1}",
        b'"a".' * 250_000 + b"a = 1",
        b"a = " + b"[" * 500_000 + b"]" * 500_000,
        b"a = " + b"{a = " * 200_000,
        # Beginnings of strings that nothing closes: each would be followed to the end.
        b'"""' + b'\n\\"""' * 200_000,
        b"a = '''" + b"\n''" * 300_000,
    ],
    ids=["key", "header", "inline", "quoted", "arrays", "tables", "strings", "quotes"],
)
def test_bombs_are_refused_before_they_are_parsed(bomb: bytes, tmp_path: Path) -> None:
    assert len(bomb) <= MAX_FILE_BYTES
    with within(1), pytest.raises(InputError):
        read(tmp_path, bomb)


def test_lines_are_found_in_linear_time(tmp_path: Path) -> None:
    rules = read(tmp_path, "".join(f"[[rule]]\nname = '{n}'\n" for n in range(16_000)))
    blanks = read(tmp_path, "a = '''\n[" + " " * 200_000 + "\n'''\n'" + "x" * 80_000 + "' = 1\n")
    with within(2):
        for number in range(16_000):
            assert rules.place("rule", number, "name").endswith(f":{2 * number + 2}")
        assert blanks.place("", 0, "a").endswith(":1")
