"""Parts of other packages: found by their entry points, used like built-ins."""

from pathlib import Path

import pytest

from tests.cli.running import Answer, elsewhere, python
from wordorder.errors import UsageError
from wordorder.metrics import METRICS
from wordorder.registry import Registry

MODULE = '''
import numpy as np
from wordorder.metrics.contract import BaseMetric
from wordorder.signature import Signature

class FirstWord(BaseMetric):
    """Whether the first word is right."""
    name = "first-word"
    def __init__(self, *, weight=1.0):
        self.weight = weight
    def statistics(self, segments):
        rows = segments.permutation
        right = [float(len(row) > 0 and row[0] == 0) * self.weight for row in rows]
        return np.array([[value, 1.0] for value in right]).reshape(-1, 2)
    def score(self, totals):
        return np.divide(totals[..., 0], totals[..., 1], out=np.zeros(totals.shape[:-1]),
                         where=totals[..., 1] > 0)
    def signature(self):
        return Signature(self.name, (("weight", repr(self.weight)),), version="7")
'''


def package(folder: Path, name: str, points: str) -> None:
    """Install a package that has only a name and entry points."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(points)


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with another package that brings a metric, and one whose module is missing."""
    (tmp_path / "firstword.py").write_text(MODULE)
    points = "[wordorder.metrics]\nfirst-word = firstword:FirstWord\nbroken = nowhere:Metric\n"
    package(tmp_path, "firstword", points)
    return tmp_path


def run(
    folder: Path, *arguments: str, code: str = "from wordorder.cli import main; main()"
) -> Answer:
    """Run the program, or other code, where a folder is searched for packages first."""
    return python("-c", f"import sys; sys.path.insert(0, {str(folder)!r})\n{code}", *arguments)


def test_a_metric_of_another_package(installed: Path) -> None:
    orders = installed / "a.orders"
    orders.write_text("0 1\n1 0\n")
    reference = installed / "r.orders"
    reference.write_text("0 1\n0 1\n")
    options = ("-m", "first-word,frs", "-O", "weight=0.5", "--confidence")
    done = run(installed, "score", str(reference), "-i", str(orders), *options).good()
    assert "0.2500" in done.text
    assert "first-word|weight:0.5|v:7" in done.text


def test_it_keeps_the_contract(installed: Path) -> None:
    code = (
        "import wordorder as wo; from wordorder.testing import check_metric; "
        "check_metric(wo.metric('first-word'))"
    )
    run(installed, code=code).good()


def test_a_broken_package_is_named(installed: Path) -> None:
    done = run(installed, "score", "r", "-i", "a", "-m", "broken")
    done.refused(2, "metric 'broken' cannot be loaded from nowhere:Metric")


def test_built_ins_cannot_be_replaced_in_silence(tmp_path: Path) -> None:
    package(tmp_path, "thief", "[wordorder.metrics]\nfrs = thief:Metric\n")
    code = (
        "import wordorder as wo\n"
        "assert type(wo.metric('frs')).__module__ == 'wordorder.metrics.order.chunks'"
    )
    run(tmp_path, code=code).good()


BROKEN = {
    "raises": "raise RuntimeError('not today')",
    "leaves": "import sys; sys.exit(0)",
    "interrupts": "raise KeyboardInterrupt",
    "strange": "class Strange(BaseException): pass\nraise Strange()",
    "number": "Part = 7",
    "bare": "class Part:\n    'Has nothing.'",
    "function": "def Part(): raise KeyError",
    "missing": "",
    "young": "import wordorder_of_2050",
}
# What of a part is said, whatever it should be.
REASONS = {
    "raises": "RuntimeError: not today",
    "leaves": "it calls sys.exit(0)",
    "interrupts": "KeyboardInterrupt",
    "strange": "Strange",
    "number": "it is of type int; expected a class",
    "missing": "has no attribute 'Part'",
    "young": "No module named 'wordorder_of_2050'",
}
GROUPS = ("metrics", "aligners", "parsers", "rules", "models")


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A folder with packages that are broken in many ways, and a metric that is not."""
    for name, code in BROKEN.items():
        (tmp_path / f"{name}_part.py").write_text(code)
        parts = (f"[wordorder.{group}]\n{name} = {name}_part:Part\n" for group in GROUPS)
        package(tmp_path, f"{name}-part", "".join(parts))
    info = tmp_path / "torn-1.0.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text("[wordorder.metrics]\nno equals sign\n")
    (tmp_path / "r.orders").write_text("0 1\n0 1\n")
    (tmp_path / "a.orders").write_text("0 1\n1 0\n")
    (tmp_path / "firstword.py").write_text(
        MODULE + "class Late(FirstWord):\n"
        "    def __init__(self): raise ValueError('cannot be made')\n"
        "class Wrong(FirstWord):\n    columns = 'permutation'\n"
    )
    points = "".join(
        f"{name} = firstword:{kind}\n"
        for name, kind in (("first-word", "FirstWord"), ("late", "Late"), ("wrong", "Wrong"))
    )
    package(tmp_path, "firstword", f"[wordorder.metrics]\n{points}")
    return tmp_path


@pytest.mark.parametrize("kind", ["metrics", "aligners", "parsers"])
def test_a_list_passes_over_broken_packages_and_names_each_once(broken: Path, kind: str) -> None:
    done = run(broken, "list", kind).good()
    assert run(broken, "-q", "list", kind).stderr == ""
    notes = done.stderr.splitlines()
    assert all(line.startswith("wordorder: note: passed over: ") for line in notes)
    for name, reason in (REASONS | {"bare": "the class Part lacks " * (kind != "metrics")}).items():
        (said,) = [line for line in notes if f"'{name}'" in line]
        assert f"(package {name}-part)" in said
        assert reason in said
    assert ("first-word ↑\n" in done.text) == (kind == "metrics")
    assert "bare" not in done.text


def test_what_a_package_prints_is_no_result(tmp_path: Path) -> None:
    (tmp_path / "firstword.py").write_text(f"print('I am loaded')\n{MODULE}")
    package(tmp_path, "firstword", "[wordorder.metrics]\nfirst-word = firstword:FirstWord\n")
    done = run(tmp_path, "list", "metrics", "--format", "json").good()
    assert "first-word" in str(done.json["entries"])
    assert done.stderr == "I am loaded\n"


def test_rules_that_cannot_be_used_are_listed_with_the_reason(broken: Path) -> None:
    done = run(broken, "list", "rules").good()
    for name, reason in REASONS.items():
        assert f"rule set '{name}' cannot be loaded from {name}_part:Part" in done.text
        assert reason in done.text


def test_all_metrics_are_those_that_work(broken: Path) -> None:
    files = [str(broken / "r.orders"), "-i", str(broken / "a.orders")]
    done = run(broken, "score", *files, "-m", "all").good()
    assert "first-word" in done.text
    for name in (*BROKEN, "late", "wrong"):
        assert sum(f"'{name}'" in line for line in done.stderr.splitlines()) == 1
    assert "ValueError: cannot be made" in done.stderr
    assert run(broken, "score", *files, "-m", "frs").stderr == ""


@pytest.mark.parametrize("kind", ["metric", "aligner", "parser", "rule set"])
def test_asked_for_by_name_any_broken_part_is_one_plain_error(broken: Path, kind: str) -> None:
    text = str(broken / "text")
    Path(text).write_text("a b\n")
    files = [str(broken / "r.orders"), "-i", str(broken / "a.orders")]
    names = [*REASONS, "bare", *(["late", "wrong"] if kind == "metric" else [])]
    commands = {
        "metric": ["score", *files, "-m", "NAME"],
        "aligner": ["align", text, text, "--model", "NAME"],
        "parser": ["parse", "NAME:m", text],
        "rule set": ["reorder", text, "--rules", "NAME"],
    }
    asked = [[word.replace("NAME", name) for word in commands[kind]] for name in names]
    for name, done in zip(names, elsewhere(asked, broken), strict=True):
        done.refused(2, f"{kind} '{name}' cannot be ", REASONS.get(name, ""))
        assert kind != "metric" or done.stderr.startswith("wordorder: error: metric ")
        assert kind != "metric" or done.stderr.count("\n") == 1


def test_broken_kinds_of_models_are_named(broken: Path) -> None:
    code = (
        "from wordorder.errors import UsageError\n"
        "from wordorder.parsing.model_file import MODELS\n"
        "for name in sys.argv[1:]:\n"
        "    try: MODELS.load(name)\n"
        "    except UsageError as error: print(error)\n"
    )
    names = [*REASONS, "bare"]
    done = run(broken, *names, code=code).good()
    for name, line in zip(names, done.text.splitlines(), strict=True):
        assert line.startswith(f"kind of model '{name}' cannot be loaded from {name}_part:Part")


def test_names_and_messages() -> None:
    assert METRICS.names()[: len(METRICS.built_in)] == list(METRICS.built_in)
    registry = Registry("toy", "wordorder.nothing", {"a": "wordorder.errors:InputError"})
    assert registry.names() == ["a"]
    with pytest.raises(UsageError, match="unknown toy 'b'; legal names: a"):
        registry.load("b")
