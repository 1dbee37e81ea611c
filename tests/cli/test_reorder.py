"""``wordorder reorder`` from the outside."""

import functools
from pathlib import Path

import pytest
from tests.cli.running import ALIGNMENTS, REFERENCE, SAMPLE, SOURCE, call, process, write

from wordorder.parsing.pipeline.loading import open_parser

TREES = str(SAMPLE / "trees.conllu")
LINES = Path(SOURCE).read_text().splitlines()
BY = str(SAMPLE / "head-final.orders")
ORDERS = [[*map(int, line.split())] for line in Path(BY).read_text().splitlines()]
OPENED = functools.cache(open_parser)


def moved(lines: list[str], orders: list[list[int]]) -> str:
    """Reorder in the plainest way."""
    rows = zip(map(str.split, lines), orders, strict=True)
    return "".join(" ".join(words[place] for place in order) + "\n" for words, order in rows)


def orders_of(text: str) -> list[list[int]]:
    return [[*map(int, line.split())] for line in text.splitlines()]


def without_heads(conllu: str) -> str:
    rows = [line.split("\t") for line in conllu.split("\n")]
    return "\n".join(
        "\t".join([*row[:6], "_", "_", *row[8:]]) if len(row) == 10 else row[0] for row in rows
    )


@pytest.fixture(autouse=True)
def one_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Load the shipped model once for all tests in this process."""
    monkeypatch.setattr("wordorder.reordering.reordered_text.open_parser", OPENED)


@pytest.fixture(scope="module")
def parsed() -> str:
    """The sample with the trees of the shipped model."""
    return call("parse", "en", SOURCE).good().text


def test_text_is_parsed_by_the_shipped_model(parsed: str, tmp_path: Path) -> None:
    beside = tmp_path / "r5.orders"
    answer = call("reorder", SOURCE, "--rules", "R5", "--orders-output", beside).good()
    assert answer.stderr == ""
    orders = orders_of(beside.read_text())
    assert answer.text == moved(LINES, orders)
    assert answer.text.splitlines() != LINES
    # The same as in two steps, and as when the parser is named.
    given = parsed.encode()
    assert call("reorder", "--rules", "R5", stdin=given).good().stdout == answer.stdout
    text = Path(SOURCE).read_bytes()
    for options in (["-"], ["--parser", "en"], ["--input", "text"]):
        found = call("reorder", "--rules", "R5", *options, stdin=text).good()
        assert found.stdout == answer.stdout
    again = call("reorder", SOURCE, "--by", beside).good()
    assert again.stdout == answer.stdout


def test_rules_that_change_nothing_and_rules_that_reverse() -> None:
    found = call("reorder", TREES, "--rules", "R1").good()
    assert found.text.splitlines() == LINES
    orders = call("reorder", TREES, "--rules", "R1", "--to", "orders").good().text
    assert orders == (SAMPLE / "unchanged.orders").read_text()


def test_a_treebank_keeps_its_trees_unless_a_parser_is_named(parsed: str) -> None:
    gold = call("reorder", TREES, "--rules", "R5", "--to", "orders").good()
    assert gold.stderr == ""
    automatic = call("reorder", "--rules", "R5", "--to", "orders", stdin=parsed.encode()).good()
    assert gold.text != automatic.text
    tagged = call("parse", "en", TREES).good()
    expected = call("reorder", "--rules", "R5", "--to", "orders", stdin=tagged.stdout).good()
    found = call("reorder", TREES, "--rules", "R5", "--parser", "en", "--to", "orders").good()
    assert found.text == expected.text
    assert "tags: UPOS and XPOS of the file for 100 % of the words" in found.stderr


def test_sentences_without_trees_are_parsed_and_counted(tmp_path: Path) -> None:
    sentences = Path(TREES).read_text().split("\n\n")[:12]
    bare = [
        without_heads(each) if number in (2, 3, 7) else each
        for number, each in enumerate(sentences)
    ]
    some = write(tmp_path, "some.conllu", "\n\n".join(bare) + "\n\n")
    answer = call("reorder", some, "--rules", "R5", "--to", "conllu").good()
    note = "some.conllu: 3 of 12 sentences have no tree, and were parsed by en\n"
    assert answer.stderr.endswith(note)
    assert answer.stderr.count("note") == 2
    assert "some.conllu: tags: UPOS and XPOS of the file" in answer.stderr
    everything = write(tmp_path, "all.conllu", "\n\n".join(sentences) + "\n\n")
    whole = call("reorder", everything, "--rules", "R5", "--to", "conllu").good().text
    pairs = list(zip(answer.text.split("\n\n"), whole.split("\n\n"), strict=True))
    assert {n for n, (a, b) in enumerate(pairs) if a != b} <= {2, 3, 7}
    assert len(pairs) == len(sentences) + 1


def test_trees_come_out_in_the_new_order() -> None:
    answer = call("reorder", TREES, "--by", BY, "--to", "conllu").good()
    first = answer.text.split("\n\n")[0].splitlines()
    assert first[:4] == [
        "# sent_id = enja-001",
        "# text = Enter Press .",
        "# source_text = Press Enter.",
        "# order = 1 0 2",
    ]
    assert first[4].split("\t")[6:] == ["2", "obj", "_", "Source=2"]
    forms = [
        " ".join(row.split("\t")[1] for row in block.splitlines() if row[0] != "#")
        for block in answer.text.strip().split("\n\n")
    ]
    assert forms == moved(LINES, ORDERS).splitlines()


@pytest.mark.parametrize(
    ("missing", "expected"),
    [("next", "d b c a"), ("previous", "d c a b"), ("end", "d c a b"), ("drop", "d c a")],
)
def test_given_orders_with_ties_and_without_some_words(
    missing: str, expected: str, tmp_path: Path
) -> None:
    text = b"a b c d\n\ne f\n"
    by = write(tmp_path, "x.orders", "3 2,0\n\n1,0\n")
    answer = call("reorder", "--by", by, "-O", f"missing={missing}", stdin=text).good()
    assert answer.text == f"{expected}\n\nf e\n"
    notes = ["<stdin>: 1 empty line, which stays empty"]
    if missing == "drop":
        notes.append("<stdin>: left out 1 word that the orders lack")
    assert answer.stderr == "".join(f"wordorder: note: {note}\n" for note in notes)
    call("reorder", "--by", by, stdin=text).refused(
        1, "x.orders:1: no position 1 of a sentence of 4 words"
    )


def test_factored_tokens_move_whole(parsed: str) -> None:
    rows = [
        [line.split("\t") for line in block.splitlines() if line[0] != "#"]
        for block in parsed.strip().split("\n\n")
    ]
    lines = [" ".join(f"{row[1]}|x|{row[4]}|{row[3]}" for row in block) for block in rows]
    data = "".join(line + "\n" for line in lines).encode()
    options = ["--factors", "form,_,xpos,upos", "--rules", "R5"]
    answer = call("reorder", *options, stdin=data).good()
    orders = call("reorder", "--rules", "R5", "--to", "orders", stdin=parsed.encode()).good()
    assert answer.text == moved(lines, orders_of(orders.text))
    trees = call("reorder", *options, "--to", "conllu", stdin=data).good().text
    last = trees.split("\n\n")[0].splitlines()[-1].split("\t")
    assert last[1:5] == [".", "_", "PUNCT", "."]
    # By given orders the tokens are not looked into, bars or no bars.
    assert call("reorder", "--by", BY, stdin=data).good().text == moved(lines, ORDERS)
    # Early enough that nothing was answered yet.
    bad = b"".join(data.splitlines(keepends=True)[:9]) + b"one|x|NN|NOUN two|x|NN\n"
    call("reorder", *options, stdin=bad).refused(
        1, "<stdin>:10: the token 'two|x|NN'; expected 4 factors, form|_|xpos|upos"
    )


def test_alignments_go_along(tmp_path: Path) -> None:
    out, text = tmp_path / "b.talbot", tmp_path / "b.txt"
    options = ["--rules", "R5", "--alignments", ALIGNMENTS]
    call("reorder", TREES, *options, "--alignment-output", out, "-o", text).good()
    orders = orders_of(call("reorder", TREES, "--rules", "R5", "--to", "orders").good().text)
    for old, new, order in zip(
        Path(ALIGNMENTS).read_text().splitlines(), out.read_text().splitlines(), orders, strict=True
    ):
        numbers = [[*map(int, filter(None, field.split("_")))] for field in new.split(",")]
        back = [[str(order[number]) for number in field] for field in numbers]
        assert ",".join(map("_".join, back)) == old
    assert text.read_text() == moved(LINES, orders)
    printed = call("reorder", TREES, *options, "--to", "alignment").good()
    assert printed.stdout == out.read_bytes()
    # The better the order, the less is left to reorder.
    made = tmp_path / "b.orders"
    call("reference", out, "--source", text, "-o", made).good()
    assert frs_of_unchanged(made) > frs_of_unchanged(REFERENCE) + 0.1


def frs_of_unchanged(reference: str | Path) -> float:
    options = ["-i", str(SAMPLE / "unchanged.orders"), "-m", "frs", "--format", "json"]
    (system,) = call("score", reference, *options).good().json["systems"]
    (metric,) = system["scores"]
    return float(metric["value"])


@pytest.mark.parametrize("side", ["source", "target"])
def test_rules_that_the_links_speak_against_are_named(side: str, tmp_path: Path) -> None:
    """The same order of words on both sides: an order for Japanese scores far less than 1."""
    same = "".join(" ".join(f"{i}-{i}" for i in range(len(row))) + "\n" for row in ORDERS)
    options = ("--to", "alignment", "-O", f"side={side}", "--alignments")
    answer = call("reorder", TREES, "--rules", "R5", *options, write(tmp_path, "a.align", same))
    assert "a.align: by its links, the order of R5 is worse than the source" in answer.stderr
    assert "the source 1.0000 (72 sentences)" in answer.stderr
    plain = call("reorder", TREES, "--rules", "R1", *options, write(tmp_path, "a.align", same))
    japanese = call(
        "reorder", TREES, "--rules", "R5", "--to", "alignment", "--alignments", ALIGNMENTS
    )
    assert plain.good().stderr == japanese.good().stderr == ""


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("pharaoh", "0-0 1p2 2-1\n\n0-0\n", "1-0 2p2 0-1\n\n1-0\n"),
        (
            "lader",
            "3-3 ||| 0-0 1-2\n0-1 |||\n2-1 ||| 0-0\n",
            "3-3 ||| 1-0 2-2\n0-1 |||\n2-1 ||| 1-0\n",
        ),
        ("naacl", "1 1 1 S\n1 2 3 P\n3 1 1\n", "1-0 2p2\n\n1-0\n"),
        # The phrase 0-1 is torn apart.
        ("moses-phrases", "0-1=0 2=1\n\n0=0-1\n", "1-0 2-0 0-1\n\n1-0 1-1\n"),
    ],
)
def test_each_notation(name: str, given: str, expected: str, tmp_path: Path) -> None:
    links = write(tmp_path, "a.align", given)
    by = write(tmp_path, "a.orders", "2 0 1\n\n1 0\n")
    options = ["--by", by, "--alignments", links, "--to", "alignment"]
    answer = call("reorder", *options, stdin=b"a b c\n\nd e\n").good()
    assert answer.text == expected
    kept = name in ("pharaoh", "lader")
    assert (f"a.align: in the notation {name}" in answer.stderr) != kept


def test_alignments_of_the_other_side_and_from_one(tmp_path: Path) -> None:
    by = write(tmp_path, "a.orders", "2 0 1\n")
    options = ["reorder", "--by", by, "--to", "alignment", "--alignments"]
    links = write(tmp_path, "a.align", "0-0 0-2\n")
    assert call(*options, links, "-O", "side=target", stdin=b"a b c\n").good().text == "0-1 0-0\n"
    links = write(tmp_path, "b.align", "1-1 3-2\n")
    assert call(*options, links, "--one-based", stdin=b"a b c\n").good().text == "1-0 0-1\n"
    # Links of words that are left out go too, and are counted.
    by = write(tmp_path, "a.orders", "2 0\n")
    options = ["reorder", "--by", by, "-O", "missing=drop", "--to", "alignment", "--alignments"]
    links = write(tmp_path, "a.align", "0-0 1-2 1-1 2-1\n")
    answer = call(*options, links, stdin=b"a b c\n").good()
    assert answer.text == "1-0 0-1\n"
    note = "wordorder: note: <stdin>: left out 1 word that the orders lack, and 2 links of theirs\n"
    assert answer.stderr == note


@pytest.mark.parametrize("cut", [-1, 1])
def test_files_that_are_not_in_step(cut: int, tmp_path: Path) -> None:
    lines = Path(ALIGNMENTS).read_text().splitlines(keepends=True)
    links = write(tmp_path, "a.talbot", "".join(lines[:cut] if cut < 0 else [*lines, lines[0]]))
    outputs = ["-o", f"{tmp_path}/b.txt", "--alignment-output", f"{tmp_path}/b.talbot"]
    count = len(lines) + cut
    call("reorder", SOURCE, "--by", BY, "--alignments", links, *outputs).refused(
        1,
        f"a.talbot: {count} lines, but {SOURCE} has {len(lines)}; expected the same number",
    )
    call("reorder", TREES, "--by", BY, "--alignments", links, *outputs).refused(
        1, f"a.talbot: {count} sentences, but {TREES} has {len(lines)}"
    )
    orders = Path(BY).read_text().splitlines(keepends=True)
    by = write(tmp_path, "a.orders", "".join(orders[:cut] if cut < 0 else [*orders, orders[0]]))
    call("reorder", SOURCE, "--by", by, "-o", tmp_path / "b.txt").refused(
        1, f"a.orders: {count} lines, but {SOURCE} has {len(lines)}"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.orders", "a.talbot"]


def test_empty_lines_stay_where_they_are() -> None:
    text = f"\n{LINES[0]}\n \t\n\n{LINES[1]}\n".encode()
    answer = call("reorder", "--rules", "R1", stdin=text).good()
    assert answer.text == f"\n{LINES[0]}\n\n\n{LINES[1]}\n"
    assert answer.stderr == "wordorder: note: <stdin>: 3 empty lines, which stay empty\n"
    orders = call("reorder", "--rules", "R1", "--to", "orders", stdin=text).good().text
    assert orders.split("\n")[:3] == ["", "0 1 2", ""]
    nothing = call("reorder", "--rules", "R5", stdin=b"").good()
    assert (nothing.stdout, nothing.stderr) == (b"", "")


def test_raw_english_is_tokenised() -> None:
    answer = call(
        "reorder", "--rules", "R1", "--tokenizer", "english", stdin=b"Don't click it!\n"
    ).good()
    assert answer.text == "Do n't click it !\n"
    trees = call(
        *("reorder", "--rules", "R1", "--tokenizer", "english", "--to", "conllu"),
        stdin=b"Go, it's on!\n",
    )
    assert "# text = Go, it's on!\n" in trees.good().text


def test_ranges_are_counted_and_empty_nodes_stay() -> None:
    row = "\t_" * 8
    given = (
        f"1-2\tdon't{row}\n1\tdo\t_\tAUX\t_\t_\t3\taux\t_\t_\n2\tn't\t_\tPART\t_\t_\t3\tadvmod\t_\t_\n"
        f"2.1\te{row}\n3\tgo\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    ).encode()
    answer = call("reorder", "--rules", "R2", "--to", "conllu", stdin=given).good()
    note = "left out 1 multiword range: another order has no place"
    assert note in answer.stderr
    assert answer.text.count("\n") == 6
    assert call("reorder", "--rules", "R2", stdin=given).good().stderr == ""


def test_batches_and_threads_change_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    names = ("text", "orders", "links")

    def run(*options: str) -> list[bytes]:
        paths = [str(tmp_path / name) for name in names]
        call(
            *("reorder", TREES, "--rules", "R5", "-o", paths[0], "--orders-output", paths[1]),
            *("--alignments", ALIGNMENTS, "--alignment-output", paths[2], *options),
        ).good()
        return [Path(path).read_bytes() for path in paths]

    whole = run("--threads", "1")
    assert run("--threads", "3") == whole
    monkeypatch.setattr("wordorder.reordering.reordered_text.MAX_BATCH_SENTENCES", 5)
    assert run() == whole
    # The line of an error is that of the file, in any batch.
    lines = Path(BY).read_text().splitlines(keepends=True)
    lines[40] = "0\n"
    by = write(tmp_path, "bad.orders", "".join(lines))
    call("reorder", TREES, "--by", by, "-o", tmp_path / "x").refused(
        1, "bad.orders:41: no position"
    )


def test_lists_of_trees() -> None:
    lists = call("parse", "en", "--kbest", "2", stdin=LINES[0].encode() + b"\n").good()
    answer = call("reorder", "--rules", "R5", "--to", "conllu", stdin=lists.stdout).good()
    assert answer.text.count("# rank = ") == lists.text.count("# rank = ")


def test_as_a_process_in_a_pipe() -> None:
    answer = process("reorder", "--rules", "R5", stdin=b"John can hit the ball .\n").good()
    assert (answer.text, answer.stderr) == ("John the ball hit can .\n", "")


def test_a_word_with_a_blank_stays_one_word(tmp_path: Path) -> None:
    row = "{}\t{}\t_\tX\t_\t_\t{}\tdep\t_\t_\n"
    trees = row.format(1, "New York", 2) + row.format(2, "grows", 0)
    given = write(tmp_path, "a.conllu", trees)
    out, orders = tmp_path / "b.txt", tmp_path / "b.orders"
    answer = call(
        "reorder", given, "--rules", "head-final", "-o", out, "--orders-output", orders
    ).good()
    assert "a.conllu: 1 word of 2 with a blank inside, written with a no-break" in answer.stderr
    assert out.read_text() == "New\u00a0York grows\n"
    assert orders.read_text() == "0 1\n"
    answer = call("reorder", out, "--by", write(tmp_path, "c.orders", "1 0\n")).good()
    assert (answer.text, answer.stderr) == ("grows New\u00a0York\n", "")
    assert call("reorder", given, "--rules", "R1", "--to", "orders").good().stderr == ""
