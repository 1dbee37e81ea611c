"""Trees in another order: the same words, tags and arcs, with other numbers."""

import io
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.files import data
from tests.strategies import shuffles

from wordorder.errors import InputError, UsageError
from wordorder.messages import WordOrderWarning
from wordorder.order.orders import Orders
from wordorder.reordering.reordered_trees import reorder_treebank
from wordorder.treebank.reading import TreebankReader, TreebankWriter
from wordorder.treebank.treebank import COLUMNS, NO_HEAD, Column, Margin, Treebank

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
2\tit\tit\tPRON\tPRP\t_\t6\tobj\t_\tSpaceAfter=No|Source=5
3\t!\t!\tPUNCT\t.\t_\t6\tpunct\t6:punct\tSource=6
4\tn't\tnot\tPART\tRB\t_\t6\tadvmod\t6:advmod\tSource=3
5\tdo\tdo\tAUX\tVBP\t_\t6\taux\t6:aux\tA=1|Source=2
6\tsee\tsee\tVERB\tVB\t_\t0\troot\t0:root|1:x\tSource=4

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
    with pytest.warns(WordOrderWarning, match="left out 2 multiword ranges and empty nodes"):
        found = reorder_treebank(bank, orders)
    assert written(found) == MOVED
    again = written(reorder_treebank(found, Orders.from_rows([[5, 0, 1, 2, 3, 4]])))
    # The order, and the positions of the words, are those in this text.
    text = next(line for line in written(found).splitlines() if line.startswith("# text = "))
    before = text.replace("# text", "# source_text")
    assert f"# text = see I it! n't do\n{before}\n# order = 5 0" in again
    assert again.count("source_text") == 1
    assert "1\tsee\tsee\tVERB\tVB\t_\t0\troot\t0:root|2:x\tSource=6\n" in again


def test_an_order_that_changes_nothing_keeps_the_text(tmp_path: Path) -> None:
    text = "".join(line + "\n" for line in DONT.split("\n")[:-2] if "-3\t" not in line)
    text = text.replace("don't", "do n't").replace("4.1\te" + "\t_" * 8 + "\n", "")
    bank = read(tmp_path / "a.conllu", text + "\n")
    found = reorder_treebank(bank, Orders.from_rows([range(6)]))
    assert found.margins[0].value("text") == bank.margins[0].value("text")
    kept = [entry.partition("|Source=")[0] for entry in found.columns["misc"].strings()]
    assert [entry == "SpaceAfter=No" for entry in kept] == [False] * 4 + [True] * 2
    assert found.heads.tolist() == bank.heads.tolist()


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
        for name in COLUMNS:
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


def test_heads_that_are_no_words_of_their_sentence() -> None:
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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", WordOrderWarning)
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
                number = order[int(head) - 1] + 1 if head != "0" else 0
                new.add((order[place], f"{number}:{label}"))
        assert new == {(w, e) for w, e in old if e != "_"}
        glued = ["SpaceAfter=No" in m for m in after.columns["misc"].strings()]
        text = "".join(
            form + ("" if tight else " ")
            for form, tight in zip(after.form.strings(), glued, strict=True)
        )
        assert after[0].text == text.strip()
