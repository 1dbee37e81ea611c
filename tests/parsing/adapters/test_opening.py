"""Parsers of other projects by name; what is missing is said in one message."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from wordorder.errors import UsageError
from wordorder.parsing.adapters.opening import load_package, open_parser


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("udpip:x", r"did you mean 'udpipe'\?.*legal names: spacy, stanza, udpipe"),
        ("udpipe", "names no model of udpipe; expected udpipe:MODEL"),
        ("spacy:", "names no model of spacy; expected spacy:MODEL"),
        ("udpipe:/nowhere/m.udpipe", "there is no model file /nowhere/m.udpipe"),
    ],
)
def test_wrong_names(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        open_parser(name)


def test_tags_are_own_or_given(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="legal names: given, own"):
        open_parser(f"udpipe:{tmp_path}", tags="gold")


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
    with pytest.raises(UsageError, match=rf'not installed; pip install "wordorder\[{extra}\]"'):
        open_parser(name)


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
        "import sys; from wordorder.parsing.adapters.opening import PARSERS\n"
        "[PARSERS.load(name) for name in PARSERS.built_in]\n"
        "print([m for m in ('spacy', 'stanza', 'torch', 'ufal.udpipe') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
