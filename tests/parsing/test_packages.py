"""Models as packages: what is in a wheel, and what pip makes of it."""

import base64
import csv
import hashlib
import json
import site
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path

import pytest
from tests.notes import noted
from tests.parsing.small_treebank import TREEBANK, without_trees
from tests.refusing import refuses

from wordorder.errors import UsageError
from wordorder.parsing import installed
from wordorder.parsing.language import nearest_model
from wordorder.parsing.model_file import load_models
from wordorder.parsing.pipeline.sentence_files import parse_files
from wordorder.parsing.training.packages import Package, write_package
from wordorder.parsing.training.recipes import ParserOptions, TaggerOptions
from wordorder.parsing.training.train_files import train_parser_files, train_tagger_files
from wordorder.parsing.training.training_run import TrainingRun


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("packages")
    (place / "train.conllu").write_text(TREEBANK)
    train_parser_files(
        place / "train.conllu",
        TrainingRun(place / "toy.model", licence="CC0\nour own"),
        ParserOptions(epochs=5),
    )
    return place


@pytest.fixture(scope="module")
def made(folder: Path) -> Package:
    return write_package(
        folder / "toy.model", "wordorder-xx", folder, dev=folder / "train.conllu", version="1.5"
    )


def test_a_wheel_has_what_pip_needs(made: Package, folder: Path) -> None:
    assert made.path == str(folder / "wordorder_xx-1.5-py3-none-any.whl")
    assert (made.size, made.model) == (Path(made.path).stat().st_size, "xx")
    assert made.scores == {"LAS": 100, "UAS": 100, "XPOS": 100, "UPOS": 100}
    with zipfile.ZipFile(made.path) as wheel:
        files = {name: wheel.read(name) for name in wheel.namelist()}
    info = "wordorder_xx-1.5.dist-info"
    # Every file with its digest, as PEP 376 has it.
    rows = list(csv.reader(files[f"{info}/RECORD"].decode().splitlines()))
    assert {row[0] for row in rows} == set(files)
    for name, digest, size in rows[:-1]:
        own = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).decode().rstrip("=")
        assert (digest, size) == (f"sha256={own}", str(len(files[name])))
    assert rows[-1] == [f"{info}/RECORD", "", ""]
    points = files[f"{info}/entry_points.txt"].decode()
    assert points == "[wordorder.trained]\nxx = wordorder_xx\n"
    said = Parser().parsestr(files[f"{info}/METADATA"].decode())
    found = (said["Name"], said["Version"], said["License"])
    assert found == ("wordorder-xx", "1.5", "CC0 our own")
    about = json.loads(files["wordorder_xx/about.json"])
    assert about["scores"] == made.scores
    assert about["data_signature"] == load_models(folder / "toy.model").about["data_signature"]
    assert files["wordorder_xx/LICENSE.txt"] == b"CC0\nour own\n"


def test_the_same_model_gives_the_same_bytes(made: Package, folder: Path, tmp_path: Path) -> None:
    dev = folder / "train.conllu"
    again = write_package(folder / "toy.model", "wordorder-xx", tmp_path, dev=dev, version="1.5")
    assert Path(again.path).read_bytes() == Path(made.path).read_bytes()


def test_a_smaller_file_says_what_it_costs(folder: Path, tmp_path: Path) -> None:
    dev = folder / "train.conllu"
    small = write_package(folder / "toy.model", "toy", tmp_path, dev=dev, megabytes=0.021)
    assert small.loss == 100 - small.scores["LAS"]
    with zipfile.ZipFile(small.path) as wheel:
        assert wheel.getinfo("toy/model.safetensors").file_size < 25_000
        assert wheel.getinfo("toy/model.safetensors").file_size < (
            (folder / "toy.model").stat().st_size
        )


def test_what_is_no_package(folder: Path, tmp_path: Path) -> None:
    model = folder / "toy.model"
    for name in ("Wordorder-XX", "a b", "../a", "", "-a", "2024", "1-b", "wordorder-de.v2"):
        refuses(UsageError, "expected lower case", write_package, model, name, tmp_path)
    with pytest.raises(UsageError, match="en is the model that comes with wordorder"):
        write_package(model, "wordorder-en", tmp_path)
    with pytest.raises(UsageError, match="would replace wordorder itself"):
        write_package(model, "wordorder", tmp_path)
    train_tagger_files(folder / "train.conllu", tmp_path / "tagger", TaggerOptions(model="tnt"))
    with pytest.raises(UsageError, match="needs a tagger and a parser"):
        write_package(tmp_path / "tagger", "toy", tmp_path)
    refuses(UsageError, "none", write_package, model, "toy", tmp_path / "none")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tagger"]


@pytest.fixture
def environment(made: Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """What pip would lay out, in a folder that is searched for packages."""
    with zipfile.ZipFile(made.path) as wheel:
        wheel.extractall(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    installed.installed_models.cache_clear()
    yield tmp_path
    installed.installed_models.cache_clear()


def test_a_model_is_found_by_its_name_and_no_code_runs(environment: Path, tmp_path: Path) -> None:
    package = environment / "wordorder_xx"
    (package / "__init__.py").write_text("raise SystemExit('imported')")
    found = installed.installed_models()["xx"]
    assert (found.package, found.version) == ("wordorder-xx", "1.5")
    assert found.scores["LAS"] == 100
    bare = tmp_path / "bare.conllu"
    bare.write_text(without_trees(TREEBANK))
    parse_files("xx", bare, tmp_path / "out.conllu")
    assert (tmp_path / "out.conllu").read_text() == TREEBANK
    assert "wordorder_xx" not in sys.modules


def test_packages_that_lie(environment: Path) -> None:
    points = environment / "wordorder_xx-1.5.dist-info" / "entry_points.txt"
    for value in ("no_such_folder", "../wordorder_xx", "wordorder_xx:model"):
        points.write_text(f"[wordorder.trained]\nxx = {value}\n")
        installed.installed_models.cache_clear()
        with noted("wordorder-xx has no model 'xx'"):
            assert "xx" not in installed.installed_models()
    points.write_text("[wordorder.trained]\nxx = wordorder_xx\n")
    for about in ("[", 100_000 * "["):
        (environment / "wordorder_xx" / "about.json").write_text(about)
        installed.installed_models.cache_clear()
        assert installed.installed_models()["xx"].scores == {}


def test_a_broken_package_does_not_stop_other_models(environment: Path) -> None:
    (environment / "wordorder_xx" / "model.safetensors").write_text("version of a file elsewhere")
    installed.installed_models.cache_clear()
    assert isinstance(nearest_model(Counter(["der", "Hund", "schläft"]), "none"), str)


def test_a_missing_model_says_how_to_get_one() -> None:
    refuses(UsageError, "wordorder-qq it writes a package", load_models, "qq")
    with pytest.raises(UsageError) as raised:
        load_models("no/qq.model")
    assert "wordorder-" not in str(raised.value)


@pytest.mark.slow
def test_pip_installs_it(made: Package, tmp_path: Path) -> None:
    """In an environment of its own, which sees wordorder and its dependencies."""
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    (own,) = (tmp_path / "venv" / "lib").glob("python*/site-packages")
    # `addsitedir` reads the paths of editable installations too.
    lines = [f"import site; site.addsitedir({path!r})" for path in site.getsitepackages()]
    (own / "beside.pth").write_text("\n".join(lines) + "\n")

    def run(*command: str, given: str = "") -> str:
        done = subprocess.run(
            [python, "-m", *command], input=given, capture_output=True, text=True, cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("pip", "install", "--quiet", "--no-index", made.path)
    listed = run("wordorder", "list", "models")
    assert "xx" in listed
    assert "LAS=100" in listed
    assert "\tsees\t_\tVERB\t" in run("wordorder", "parse", "xx", given="she sees birds .\n")
    run("pytest", "-q", "--pyargs", "wordorder_xx")
    run("pip", "uninstall", "--quiet", "--yes", "wordorder-xx")
