"""Files and trees in another order, and how far links keep the phrases of trees together."""

import io
import random
import re
from itertools import combinations, pairwise
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.cli.running import ALIGNMENTS, SOURCE, TREES, call
from tests.files import data
from tests.notes import any_notes, noted
from tests.oracles_trees import random_tree
from tests.refusing import refuses
from tests.strategies import shuffles

import wordorder as wo
from wordorder.errors import InputError, UsageError
from wordorder.order.orders import Orders
from wordorder.reordering.cohesion import Crossings, phrasal_cohesion
from wordorder.reordering.compiled import check_factors, split_factors
from wordorder.reordering.reorder_files import (
    LinkFiles,
    ReorderedFile,
    reorder_files,
    reorder_with_options,
)
from wordorder.reordering.reordered_text import text_lines
from wordorder.reordering.reordered_trees import reorder_treebank
from wordorder.samples import sample_path
from wordorder.text.lockstep import take_exactly
from wordorder.treebank.reading import TreebankReader, TreebankWriter, read_treebank
from wordorder.treebank.treebank import NO_HEAD, STRING_COLUMNS, Column, Margin, Treebank


class Backwards:
    """The last word first; and mistakes, where they are asked for."""

    name = "backwards"

    def __init__(self, forget: int = -1, refuse: int = -1) -> None:
        self.forget = forget
        self.refuse = refuse
        self.seen = 0

    def orders(self, treebank: Treebank) -> Orders:
        assert treebank.has_trees
        rows = [list(range(n))[::-1] for n in treebank.lengths.tolist()]
        for row in range(len(rows)):
            self.seen += 1
            if self.seen == self.refuse:
                raise InputError(f"sentence {row + 1}, word 2", "this", "that")
            if self.seen == self.forget:
                rows[row].pop(0)
        return Orders.from_rows(rows)


def test_rules_of_others(tmp_path: Path) -> None:
    out, orders = tmp_path / "a.txt", tmp_path / "a.orders"
    done = reorder_files(TREES, out, rules=Backwards(), orders=orders)
    lines = Path(sample_path("source.en")).read_text().splitlines()
    assert out.read_text().splitlines() == [" ".join(line.split()[::-1]) for line in lines]
    assert orders.read_text() == Path(sample_path("reversed.orders")).read_text()
    words = sum(len(line.split()) for line in lines)
    changed = sum(len(line.split()) > 1 for line in lines)
    assert done == ReorderedFile(sentences=len(lines), words=words, changed=changed)


def test_mistakes_of_others_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("wordorder.reordering.reordered_text.MAX_BATCH_SENTENCES", 7)
    out = tmp_path / "a.txt"
    message = r"trees\.conllu: sentence 17: backwards gives no position 12 of a .* each word once$"
    refuses(InputError, message, reorder_files, TREES, out, rules=Backwards(forget=17))
    with pytest.raises(
        InputError, match=r"trees\.conllu: sentence 17, word 2: this; expected that"
    ):
        reorder_files(TREES, out, rules=Backwards(refuse=17))
    assert not out.exists()

    class Lists:
        name = "lists"

        def orders(self, treebank: Treebank) -> Orders:
            return cast(Orders, [[0]] * len(treebank))

    with pytest.raises(UsageError, match="the rules lists return list, not Orders"):
        reorder_files(TREES, out, rules=Lists())


def test_what_was_done_is_counted(tmp_path: Path) -> None:
    source, by, links = tmp_path / "a.txt", tmp_path / "a.orders", tmp_path / "a.align"
    source.write_text("a b\n\nc d\ne f g\n")
    by.write_text("1 0\n\n0 1\n2 0\n")
    links.write_text("0-0\n\n\n0-1 1-1\n")
    out = tmp_path / "b"
    told: list[int] = []
    with noted() as notes:
        done = reorder_files(
            source, out, by=by, links=LinkFiles(alignment=links), to="alignment", missing="drop",
            progress=told.append,
        )  # fmt: skip
    assert out.read_text() == "1-0\n\n\n1-1\n"
    assert notes == [
        f"{source}: 1 empty line, which stays empty",
        f"{source}: left out 1 word that the orders lack, and 1 link of theirs",
    ]
    assert told == [4]
    assert done == ReorderedFile(
        sentences=4, words=7, changed=2, empty_lines=1, dropped_words=1, dropped_links=1
    )


def test_sentences_that_are_parsed_are_counted(tmp_path: Path) -> None:
    source = tmp_path / "a.txt"
    source.write_text("Press Enter .\n")
    done = reorder_files(source, tmp_path / "b.conllu", rules="R2", to="conllu")
    assert (done.parsed, done.changed) == (1, 1)
    bank = read_treebank(tmp_path / "b.conllu")
    assert sorted(bank.form.strings()) == [".", "Enter", "Press"]
    assert np.count_nonzero(bank.heads == 0) == 1


def test_calls_that_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    wrong: list[tuple[dict[str, object], str]] = [
        ({}, "by rules or by given orders: name one of the two"),
        ({"rules": "R1", "by": "x"}, "name one of the two"),
        ({"rules": "R1", "to": "trees"}, "legal names: alignment, conllu, orders, text"),
        ({"rules": "R1", "missing": "first"}, "legal names: drop, end, error, next, previous"),
        ({"rules": "R1", "alignment": "x"}, "needs a file"),
        ({"rules": "R1", "to": "alignment"}, "no alignment to reorder"),
        (
            {"rules": "R1", "to": "alignment", "alignment": "x", "alignment_output": out},
            "the result is the alignment",
        ),
        ({"rules": "R1", "kind": "xml"}, "legal names: auto, conllu, text"),
    ]
    for options, message in wrong:
        files = {"source": TREES, "output": out}
        refuses(UsageError, message, reorder_with_options, **files, **cast(dict[str, str], options))
    assert not out.exists()


@pytest.mark.parametrize("names", [("b.txt", "./b.txt"), ("b.txt", "link"), ("-", "/dev/stdout")])
def test_two_outputs_of_one_name(names: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a b\n")
    (tmp_path / "a.orders").write_text("1 0\n")
    (tmp_path / "b.txt").write_text("")
    (tmp_path / "link").symlink_to("b.txt")
    one, other = (name if name[0] in "-/" else f"{tmp_path}/{name}" for name in names)
    with pytest.raises(UsageError, match="two outputs have one name"):
        reorder_files(tmp_path / "a.txt", one, by=tmp_path / "a.orders", orders=other)


# -- Factored text: cut at the bars into columns, or refused at its line. --------------------------


def test_each_factor_in_its_column() -> None:
    bank = Treebank.from_words([["a|DT|x|a|DET"], [], ["cats|NNS|y|cat|NOUN", "a|DT|x|a|DET"]])
    found = split_factors(bank, ["form", "xpos", "_", "lemma", "upos"], "a.txt", 0)
    assert found.form.strings() == ["a", "cats", "a"]
    assert found.xpos.strings() == ["DT", "NNS", "DT"]
    assert found.columns["lemma"].strings() == ["a", "cat", "a"]
    assert found.upos.strings() == ["DET", "NOUN", "DET"]
    assert found.columns["feats"].strings() == ["_"] * 3
    assert split_factors(bank[1:2], ["form", "xpos"], "a.txt", 1).words == 0


@pytest.mark.parametrize("token", ["b", "b|B|c", "|B", "b|", "||"])
def test_a_token_with_other_factors_is_named_with_its_line(token: str) -> None:
    bank = Treebank.from_words([["a|A"], [], ["a|A", token]])
    message = f"x.txt:9: the token '{token}'; expected 2 factors, form|xpos"
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        split_factors(bank, ["form", "xpos"], "x.txt", 6)
    # Only words that are there count, not all strings of the vocabulary.
    assert split_factors(bank[:2], ["form", "xpos"], "x.txt", 6).form.strings() == ["a"]


def test_names_of_factors() -> None:
    check_factors(["_", "form", "_"])
    for factors in (["xpos"], ["form", "form"], ["form", "xpos", "xpos"]):
        with pytest.raises(UsageError, match="one form, the word itself, and each other name"):
            check_factors(factors)
    with pytest.raises(UsageError, match="unknown factor 'tag'; legal names: form, lemma, upos"):
        check_factors(["form", "tag"])


# -- Trees in another order: the same words, tags and arcs, with other numbers. --------------------


DONT = """# newdoc
# sent_id = x
# text = I don't see it!
# order = 9
1\tI\tI\tPRON\tPRP\tCase=Nom\t4\tnsubj\t4:nsubj\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t4:aux\tA=1
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t4:advmod\t_
4\tsee\tsee\tVERB\tVB\t_\t0\troot\t0:root|3.1:dep|1:x\tSource=9
4.1\te\t_\t_\t_\t_\t_\t_\t_\t_
5\tit\tit\tPRON\tPRP\t_\t4\tobj\t4.1:obj\tSpaceAfter=No
6\t!\t!\tPUNCT\t.\t_\t4\tpunct\t4:punct\tSpaceAfter=No

"""
MOVED = """# newdoc
# sent_id = x
# text = I it! n't do see
# source_text = I don't see it!
# order = 0 4 5 2 1 3
1\tI\tI\tPRON\tPRP\tCase=Nom\t6\tnsubj\t6:nsubj\tSource=1
2\tit\tit\tPRON\tPRP\t_\t6\tobj\t6.1:obj\tSpaceAfter=No|Source=5
3\t!\t!\tPUNCT\t.\t_\t6\tpunct\t6:punct\tSource=6
4\tn't\tnot\tPART\tRB\t_\t6\tadvmod\t6:advmod\tSource=3
5\tdo\tdo\tAUX\tVBP\t_\t6\taux\t6:aux\tA=1|Source=2
6\tsee\tsee\tVERB\tVB\t_\t0\troot\t0:root|1:x|4.1:dep\tSource=4
6.1\te\t_\t_\t_\t_\t_\t_\t_\t_

"""


def read(path: Path, text: str) -> Treebank:
    path.write_text(text)
    with TreebankReader(path, trees="optional", single_root=False) as reader:
        return reader.take(1 << 20)


def written(bank: Treebank) -> str:
    stream = io.BytesIO()
    TreebankWriter(stream).write(bank)
    return stream.getvalue().decode()


def test_all_columns_comments_and_what_is_lost(tmp_path: Path) -> None:
    bank = read(tmp_path / "a.conllu", DONT)
    orders = Orders.from_rows([[0, 4, 5, 2, 1, 3]])
    with noted("left out 1 multiword range: another"):
        found = reorder_treebank(bank, orders)
    assert written(found) == MOVED
    again = written(reorder_treebank(found, Orders.from_rows([[5, 0, 1, 2, 3, 4]])))
    # The order, and the positions of the words, are those in this text.
    text = next(line for line in written(found).splitlines() if line.startswith("# text = "))
    before = text.replace("# text", "# source_text")
    assert f"# text = see I it! n't do\n{before}\n# order = 5 0" in again
    assert again.count("source_text") == 1
    assert "1\tsee\tsee\tVERB\tVB\t_\t0\troot\t0:root|2:x|5.1:dep\tSource=6\n" in again


def test_an_order_that_changes_nothing_keeps_the_text(tmp_path: Path) -> None:
    text = "".join(line + "\n" for line in DONT.split("\n")[:-2] if "-3\t" not in line)
    text = text.replace("don't", "do n't").replace("4.1\te" + "\t_" * 8 + "\n", "")
    bank = read(tmp_path / "a.conllu", text + "\n")
    found = reorder_treebank(bank, Orders.from_rows([range(6)]))
    assert found.margins[0].value("text") == bank.margins[0].value("text")
    kept = [entry.partition("|Source=")[0] for entry in found.columns["misc"].strings()]
    assert [entry == "SpaceAfter=No" for entry in kept] == [False] * 4 + [True] * 2
    assert found.heads.tolist() == bank.heads.tolist()


@pytest.mark.parametrize("seed", range(5))
def test_enhanced_graphs_stay_the_same(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    words = draw.randint(2, 7)
    nodes = [str(n) for n in range(1, words + 1)]
    empty = [f"{draw.randint(0, words)}.1" for _ in range(3)]
    empty = sorted(set(empty), key=float)
    rows = []
    for node in sorted([*nodes, *empty], key=float):
        heads = sorted(set(draw.choices(["0", *nodes, *empty], k=2)), key=float)
        deps = "|".join(f"{head}:x{node}" for head in heads)
        tree = "_\t_" if "." in node else f"{int(node) - 1}\tdep"
        misc = f"CopyOf={draw.choice(nodes)}" if "." in node else "_"
        rows.append(f"{node}\tw{node}\t_\t_\t_\t_\t{tree}\t{deps}\t{misc}")
    bank = read(tmp_path / "a.conllu", "\n".join([*rows, "", ""]))
    order = draw.sample(range(words), words)
    moved = written(reorder_treebank(bank, Orders.from_rows([order])))
    cells = [line.split("\t") for line in moved.splitlines() if "\t" in line]
    identifiers = [row[0] for row in cells]
    assert identifiers == sorted(identifiers, key=float)
    # Each form holds the old number of its node, so the old lines can be written again.
    old = {row[0]: row[1][1:] for row in cells} | {"0": "0"}
    again = []
    for row in cells:
        entries = [entry.split(":") for entry in row[8].split("|")]
        assert [float(head) for head, _ in entries] == sorted(float(head) for head, _ in entries)
        row[8] = "|".join(sorted((f"{old[head]}:{label}" for head, label in entries), key=by_head))
        copy = f"CopyOf={old[row[9][7:]]}" if "CopyOf" in row[9] else "_"
        again.append([old[row[0]], *row[1:6], old.get(row[6], "_"), *row[7:9], copy])
    assert ["\t".join(row) for row in sorted(again, key=lambda row: float(row[0]))] == rows


def by_head(entry: str) -> float:
    return float(entry.partition(":")[0])


@st.composite
def banks(draw: st.DrawFn) -> tuple[Treebank, list[list[int]]]:
    orders = draw(st.lists(shuffles(shortest=0, longest=7), max_size=4))
    heads, forms = [], []
    for row in orders:
        words = len(row)
        if draw(st.booleans()):
            heads.append([NO_HEAD] * words)
        else:
            heads.append([draw(st.integers(0, words)) for _ in range(words)])
        forms.append([draw(st.sampled_from("abc")) for _ in range(words)])
    return Treebank.from_words(forms, heads=heads, upos=forms, label=forms, misc=forms), orders


@given(banks())
def test_the_same_arcs_between_the_same_words(drawn: tuple[Treebank, list[list[int]]]) -> None:
    bank, orders = drawn
    found = reorder_treebank(bank, Orders.from_rows(orders))
    assert found.offsets.tolist() == bank.offsets.tolist()
    for (first, last), order in zip(pairwise(bank.offsets.tolist()), orders, strict=True):
        heads = bank.heads[first:last].tolist()
        new_heads = found.heads[first:last].tolist()
        for place, word in enumerate(order):
            head, new_head = heads[word], new_heads[place]
            assert (order[new_head - 1] + 1 if new_head > 0 else new_head) == head
        for name in STRING_COLUMNS:
            before = bank.columns[name].strings()[first:last]
            after = found.columns[name].strings()[first:last]
            expected = [before[word] for word in order]
            if name == "misc":
                expected = [f"{s}|Source={w + 1}" for s, w in zip(expected, order, strict=True)]
            assert after == expected


def test_sentences_without_words_and_orders_without_some() -> None:
    bank = Treebank.from_words([[], ["a", "b", "c"]], heads=[[], [0, 1, 1]])
    bank = Treebank(bank.offsets, bank.heads, bank.columns, [Margin(("# text =",)), Margin()])
    found = reorder_treebank(bank, Orders.from_rows([[], [2, 0]]), missing="next")
    assert found.form.strings() == ["b", "c", "a"]
    assert found.margins[0] == Margin(("# text =",))
    assert found.heads.tolist() == [3, 3, 0]
    with pytest.raises(InputError, match="orders:2: no position 1 "):
        reorder_treebank(bank, Orders.from_rows([[], [2, 0]]))
    with pytest.raises(UsageError, match="legal names: end, error, next, previous"):
        reorder_treebank(bank, Orders.from_rows([[], [2, 0]]), missing="drop")
    assert len(reorder_treebank(Treebank.from_words([]), Orders.from_rows([]))) == 0
    # Heads that are no words of their sentence.
    bank = Treebank.from_words([["a"], ["b", "c"]], heads=[[0], [3, 0]])
    with pytest.raises(InputError, match="sentence 2, word 1: head 3; expected a word of the"):
        reorder_treebank(bank, Orders.from_rows([[0], [1, 0]]))


def test_strings_that_no_word_has_do_not_matter() -> None:
    """A column keeps the strings of the whole that it was cut from."""
    bank = Treebank.from_words([["a"], ["b"]], deps=[["1:x"], ["_"]], misc=[["A"], ["B"]])
    found = reorder_treebank(bank[1:], Orders.from_rows([[0]]))
    assert isinstance(found.columns["deps"], Column)
    assert found.columns["misc"].strings() == ["B|Source=1"]


def test_a_treebank_with_enhanced_dependencies() -> None:
    """Each arc between words is there afterwards, and each text is that of its words."""
    with TreebankReader(data("ud-english-ewt", "en_ewt-ud-dev.conllu.gz")) as reader:
        bank = reader.take(300)
    rng = np.random.default_rng(1)
    orders = Orders.from_rows([rng.permutation(n) for n in bank.lengths.tolist()])
    with any_notes():
        found = reorder_treebank(bank, orders)
    for row, order in enumerate(orders.positions.to_lists()):
        after = found[row : row + 1]
        first = bank[row : row + 1].columns["deps"].strings()
        second = after.columns["deps"].strings()
        old = {
            (word, entry)
            for word, entries in enumerate(first)
            for entry in entries.split("|")
            if "." not in entry.partition(":")[0]
        }
        new = set()
        for place, entries in enumerate(second):
            for entry in entries.split("|") if entries != "_" else []:
                head, _, label = entry.partition(":")
                # Empty nodes have numbers after the word before them.
                if "." in head:
                    continue
                number = order[int(head) - 1] + 1 if head != "0" else 0
                new.add((order[place], f"{number}:{label}"))
        assert new == {(w, e) for w, e in old if e != "_"}
        glued = ["SpaceAfter=No" in m for m in after.columns["misc"].strings()]
        text = "".join(
            form + ("" if tight else " ")
            for form, tight in zip(after.form.strings(), glued, strict=True)
        )
        assert after[0].text == text.strip()


# -- Rows that come in parts, and lines as they are written. ---------------------------------------


WORDS = st.text(st.characters(exclude_characters=" \t\n", exclude_categories=["Cs"]), min_size=1)


@given(st.integers(1, 12), st.integers(0, 15), st.integers(1, 5))
def test_parts_make_up_what_is_asked(count: int, available: int, most: int) -> None:
    rest = list(range(available))

    def take(there: int, missing: int) -> list[int]:
        assert there + missing == count
        given = rest[: min(missing, most)]
        del rest[: len(given)]
        return given

    found = take_exactly(take, count, lambda parts: [each for part in parts for each in part])
    assert found == (list(range(count)) if count <= available else None)


@given(st.lists(st.lists(WORDS, max_size=4), max_size=5))
def test_lines_are_words_between_blanks(rows: list[list[str]]) -> None:
    bank = Treebank.from_words(rows)
    expected = "".join(" ".join(row) + "\n" for row in rows)
    assert text_lines(bank.form, bank.offsets).decode() == expected


def test_a_blank_inside_a_word_does_not_make_two() -> None:
    found = text_lines(Column.of(["New York", "is"]), np.array([0, 2]))
    assert found.decode() == "New\u00a0York is\n"


# -- Phrasal cohesion against a count by brute force, and by hand. ---------------------------------


def descendants(heads: list[int], word: int) -> set[int]:
    """The word and all that reach it by going from head to head."""
    found = set()
    for start in range(1, len(heads) + 1):
        above = start
        while above not in (0, word):
            above = heads[above - 1]
        if above == word:
            found.add(start)
    return found


def brute(heads: list[int], links: set[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """Crossings of heads and of modifiers, place by place: pairs, crossed, shared."""

    def targets(words: set[int]) -> set[int]:
        return {target for source, target in links if source + 1 in words}

    def add(counts: list[int], one: set[int], other: set[int]) -> None:
        if not one or not other:
            return
        spans = [set(range(min(each), max(each) + 1)) for each in (one, other)]
        overlap = spans[0] & spans[1]
        counts[0] += 1
        counts[1] += bool(overlap)
        counts[2] += bool(overlap) and all(
            place in one and place in other for place in overlap if place in one | other
        )

    head, modifier = [0, 0, 0], [0, 0, 0]
    for word in range(1, len(heads) + 1):
        below = [w for w in range(1, len(heads) + 1) if heads[w - 1] == word]
        for child in below:
            add(head, targets({word}), targets(descendants(heads, child)))
        for one, other in combinations(below, 2):
            add(modifier, targets(descendants(heads, one)), targets(descendants(heads, other)))
    return head, modifier


@settings(max_examples=80)
@given(st.integers(0, 2**32))
def test_crossings_are_those_of_brute_force(seed: int) -> None:
    rng = random.Random(seed)
    rows = []
    for words in (0, 1, 2, rng.randrange(3, 10), rng.randrange(3, 10)):
        heads = random_tree(rng, words) if words else []
        cells = [(source, target) for source in range(words) for target in range(6)]
        rows.append((heads, set(rng.sample(cells, rng.randrange(len(cells) // 2 + 1)))))
    trees = Treebank.from_words(
        [["w"] * len(heads) for heads, _ in rows], heads=[h for h, _ in rows]
    )
    links = wo.Alignments.from_rows([sorted(each) for _, each in rows])
    found = phrasal_cohesion(trees, links)
    counted = [brute(*row) for row in rows]
    for kind, ours in enumerate((found.head, found.modifier)):
        sums = [sum(row[kind][column] for row in counted) for column in range(3)]
        assert [ours.pairs, ours.crossed, ours.shared] == sums
    assert found.cohesive == sum(not (head[1] or other[1]) for head, other in counted)
    assert found.sentences == len(rows)


def test_sentences_counted_by_hand() -> None:
    """(the old man) saw (a dog), into an order that keeps phrases, and into one that mixes them."""
    trees = Treebank.from_words(
        [["the", "old", "man", "saw", "a", "dog"]], heads=[[3, 3, 4, 0, 6, 4]]
    )
    kept = [(0, 0), (1, 1), (2, 2), (3, 5), (4, 3), (5, 4)]
    mixed = [(0, 0), (1, 1), (2, 5), (3, 3), (4, 4), (5, 2)]
    found = phrasal_cohesion(trees, wo.Alignments.from_rows([kept]))
    assert (found.cohesive, found.head, found.modifier) == (1, Crossings(5), Crossings(2))
    found = phrasal_cohesion(trees, wo.Alignments.from_rows([mixed]))
    # "saw" is inside the spans of both its phrases, and these overlap.
    assert (found.head.pairs, found.head.crossed) == (5, 2)
    assert (found.modifier.pairs, found.modifier.crossed) == (2, 1)
    # Words of one phrase on the same target word.
    found = phrasal_cohesion(trees, wo.Alignments.from_rows([[(2, 0), (3, 0)]]))
    assert found.head == Crossings(1, 1, 1)


def test_what_does_not_fit() -> None:
    trees = Treebank.from_words([["a", "b"]], heads=[[2, 0]])
    with pytest.raises(InputError, match="2 rows of links; expected 1 row"):
        phrasal_cohesion(trees, wo.Alignments.from_rows([[], []]))
    with pytest.raises(InputError, match="sentence 1: a link of word 2; expected words 0 to 1"):
        phrasal_cohesion(trees, wo.Alignments.from_rows([[(2, 0)]]))
    with pytest.raises(InputError, match="words without a head"):
        phrasal_cohesion(Treebank.from_words([["a"]]), wo.Alignments.from_rows([[]]))
    cycle = Treebank.from_words([["a", "b", "c"]], heads=[[0, 3, 2]])
    refuses(InputError, "word 2: a cycle", phrasal_cohesion, cycle, wo.Alignments.from_rows([[]]))


def test_the_command_prints_it(tmp_path: Path) -> None:
    arguments = ["reference", ALIGNMENTS, "--source", SOURCE, "--trees", TREES]
    answer = call(*arguments, "-o", tmp_path / "a.orders").good()
    assert "of 72 sentences have no crossing" in answer.stderr
    assert "head crossings: " in answer.stderr
    plain = call(*arguments[:-2]).good()
    assert plain.stdout == (tmp_path / "a.orders").read_bytes()
    refused = ["reference", "-", "--source", SOURCE, "--trees", TREES]
    call(*refused, stdin=b"").refused(2, "they must be a file")
