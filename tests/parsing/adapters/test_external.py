"""Parsers of other projects by name; what is missing is said in one message."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.notes import any_notes, noted
from tests.refusing import refuses

from wordorder.errors import ModelError, UsageError
from wordorder.parsing.adapters.external import (
    attach_further_roots,
    load_package,
    open_external_parser,
)
from wordorder.treebank.treebank import Treebank
from wordorder.treebank.trees import check_trees


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("udpip:x", {}, r"did you mean 'udpipe'\?.*legal names: spacy, stanza, udpipe"),
        ("udpipe", {}, "names no model of udpipe; expected udpipe:MODEL"),
        ("spacy:", {}, "names no model of spacy; expected spacy:MODEL"),
        ("udpipe:/nowhere/m.udpipe", {}, "there is no model file /nowhere/m.udpipe"),
        ("udpipe:/tmp", {"tags": "gold"}, "legal names: given, own"),
    ],
)
def test_wrong_names(name: str, options: dict[str, str], message: str) -> None:
    refuses(UsageError, message, open_external_parser, name, **options)


@pytest.mark.parametrize(
    ("module", "name"), [("spacy", "spacy:en"), ("stanza", "stanza:en"), ("ufal.udpipe", "udpipe:")]
)
def test_missing_packages(
    module: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    extra = name.partition(":")[0]
    if extra == "udpipe":
        model = tmp_path / "a.udpipe"
        model.write_bytes(b"")
        name += str(model)
    # What Python does for a module that is not there, whether or not it is here.
    monkeypatch.setitem(sys.modules, module, None)
    refuses(
        UsageError,
        rf'not installed; pip install "wordorder\[{extra}\]"',
        open_external_parser,
        name,
    )


def test_a_package_that_breaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_parser.py").write_text("import no_such_module_at_all\n")
    (tmp_path / "old_parser.py").write_text("from json import no_such_name\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(UsageError, match="cannot be imported: No module named 'no_such_module_at"):
        load_package("broken_parser", "spacy")
    with pytest.raises(UsageError, match="cannot be imported: cannot import name"):
        load_package("old_parser", "spacy")


def test_nothing_is_imported_before_it_is_used() -> None:
    code = (
        "import sys; from wordorder.parsing.adapters.external import PARSERS\n"
        "[PARSERS.load(name) for name in PARSERS.built_in]\n"
        "print([m for m in ('spacy', 'stanza', 'torch', 'ufal.udpipe') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


# -- Several roots become one; everything else that is no tree is an error. ------------------------


@st.composite
def forests(draw: st.DrawFn) -> list[list[int]]:
    """Heads of sentences: words are attached in a random order, to the root or to one before."""
    rows = []
    for length in draw(st.lists(st.integers(0, 6), max_size=5)):
        places = draw(st.permutations(range(length)))
        heads = [0] * length
        for i, place in enumerate(places):
            heads[place] = draw(st.sampled_from([0, *(p + 1 for p in places[:i])]))
        rows.append(heads)
    return rows


def bank_of(rows: list[list[int]]) -> Treebank:
    names = [[f"w{i}" for i in range(len(row))] for row in rows]
    labels = [["ROOT" if head == 0 else f"l{i}" for i, head in enumerate(row)] for row in rows]
    return Treebank.from_words(names, heads=rows, label=labels)


@given(forests())
def test_against_a_loop_over_words(rows: list[list[int]]) -> None:
    bank = bank_of(rows)
    with any_notes() as caught:
        found, repaired = attach_further_roots(bank, "tool")
    heads, labels, several = [], [], 0
    for row in rows:
        roots = [place for place, head in enumerate(row) if head == 0]
        several += len(roots) > 1
        for place, head in enumerate(row):
            further = place in roots[1:]
            heads.append(roots[0] + 1 if further else head)
            root = "parataxis" if further else "root"
            labels.append(root if place in roots else f"l{place}")
    assert found.heads.tolist() == heads
    assert found.label.strings() == labels
    assert repaired == several
    assert len(caught) == (several > 0)
    if all(rows):
        check_trees(found)


def test_the_warning_counts() -> None:
    with noted("tool: 2 of 3 sentences had several roots"):
        attach_further_roots(bank_of([[0, 0], [0, 1], [0, 1, 0, 0]]), "tool")
    found, repaired = attach_further_roots(Treebank.from_words([]), "tool")
    assert (len(found), repaired) == (0, 0)
    assert found.heads.dtype == np.int32


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0], [2, 1, 0]], "tool: sentence 2, word 1: a cycle"),
        ([[0, 3]], "tool: sentence 1, word 2: head 3"),
        ([[0, -1]], "tool: sentence 1, word 2: no head"),
        ([[2, 1]], "tool: sentence 1, word 1: no root"),
    ],
)
def test_what_is_no_forest(rows: list[list[int]], message: str) -> None:
    refuses(ModelError, message, attach_further_roots, bank_of(rows), "tool")
