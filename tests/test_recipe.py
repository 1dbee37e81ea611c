"""What installs the package elsewhere asks for what pyproject.toml asks for."""

import hashlib
import io
import json
import os
import re
import shutil
import sys
import tarfile
from pathlib import Path

import pytest

import wordorder
from tests.cli.running import python

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
RECIPE = (ROOT / "recipe" / "recipe.yaml").read_text("utf-8")
MARKERS = {"python_version < '3.14'": "<3.14", "python_version < '3.11'": "<3.11"}


def entries(name: str) -> set[tuple[str, str, str]]:
    """Return name, versions and condition of each entry of a list in the recipe."""
    found = re.search(rf"^  {name}:\n((?:    .*\n)+)", RECIPE, re.MULTILINE)
    assert found is not None, name
    plain = re.findall(r"^    - ([\w.-]+)(?: (.*))?$", found[1], re.MULTILINE)
    conditional = re.findall(
        r'^    - if: match\(python, "(.*)"\)\n      then: ([\w.-]+) (.*)$', found[1], re.MULTILINE
    )
    return {(package, versions, "") for package, versions in plain if package != "if"} | {
        (package, versions, condition) for condition, package, versions in conditional
    }


def asked(requirement: str) -> tuple[str, str, str]:
    """Return name, versions and marker of a requirement of pyproject.toml."""
    needed, _, marker = requirement.partition(";")
    found = re.fullmatch(r"([\w.-]+)(.*)", needed.strip())
    assert found is not None
    return found[1].lower(), found[2].strip(), MARKERS[marker.strip()] if marker else ""


def test_dependencies() -> None:
    python = ("python", PROJECT["project"]["requires-python"], "")
    assert entries("run") == {python, *map(asked, PROJECT["project"]["dependencies"])}
    assert {asked(each) for each in PROJECT["build-system"]["requires"]} <= entries("host")


def test_version_and_program() -> None:
    assert f'version: "{wordorder.__version__}"' in RECIPE
    ((name, place),) = PROJECT["project"]["scripts"].items()
    assert f"    entry_points:\n      - {name} = {place}\n" in RECIPE
    assert f"license: {PROJECT['project']['license']}" in RECIPE
    assert f"summary: {PROJECT['project']['description']}" in RECIPE


# What GitHub offers for public repositories, by its reference of hosted runners.
RUNNERS = {
    *("ubuntu-latest", "ubuntu-24.04", "ubuntu-22.04", "ubuntu-24.04-arm", "ubuntu-22.04-arm"),
    *("windows-latest", "windows-2025", "windows-2022", "windows-11-arm"),
    *("macos-latest", "macos-26", "macos-15", "macos-14", "macos-15-intel"),
}


def test_workflows_run_on_machines_that_there_are() -> None:
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml")):
        text = path.read_text("utf-8")
        named = set(re.findall(r"runs-on: ([\w.-]+)$", text, re.MULTILINE))
        for found in re.findall(r"\bos: \[([^]]*)\]", text):
            named |= {name.strip() for name in found.split(",")}
        named |= set(re.findall(r"\{ os: ([\w.-]+),", text))
        assert named
        assert named <= RUNNERS, path


def test_cython_is_needed_to_build_and_not_to_run() -> None:
    assert "cython" not in {asked(each)[0] for each in PROJECT["project"]["dependencies"]}
    assert "cython" in {asked(each)[0] for each in PROJECT["build-system"]["requires"]}


def test_what_ships_has_a_licence_and_a_hash() -> None:
    program = "import bill, json, sys; print(json.dumps(bill.shipped(bill.Path(sys.argv[1]))))"
    done = python("-c", program, ROOT, cwd=ROOT / "tools").good()
    found = {each["name"]: each for each in done.json}
    licences = {name: each["licenses"][0]["license"]["id"] for name, each in found.items()}
    assert licences["samples/models/en.safetensors"] == "CC-BY-SA-4.0"
    assert licences["reordering/sets/en-ja.safetensors"] == "CC-BY-SA-3.0"
    assert licences["reordering/sets/learned-en-ja.toml"] == "CC-BY-SA-3.0"
    assert licences["reordering/sets/R5.toml"] == "Apache-2.0"
    for folder in ("samples", "reordering/sets"):
        for path in (ROOT / "src" / "wordorder" / folder).rglob("*.*"):
            if path.suffix not in (".py", ".pyc"):
                name = path.relative_to(ROOT / "src" / "wordorder").as_posix()
                digest = hashlib.sha256(path.read_bytes()).hexdigest()
                assert found[name]["hashes"] == [{"alg": "SHA-256", "content": digest}]
    notice, readme = ((ROOT / name).read_text("utf-8") for name in ("NOTICE", "README.md"))
    assert {*licences.values()} == {*PROJECT["project"]["license"].split(" AND ")}
    for name, licence in licences.items():
        if licence != "Apache-2.0":
            terms = f"LICENSES/{licence}.txt"
            title = f"Attribution-ShareAlike {licence.rpartition('-')[2]}"
            assert title in (ROOT / terms).read_text("utf-8")[:100]
            assert f"\n{name}\n" in notice
            assert f"\n- `{Path(name).stem}`, " in readme
            assert all(f"({terms})" in text for text in (notice, readme))
            assert f"    - {terms}\n" in RECIPE


def test_the_list_of_licences_has_models_and_data() -> None:
    program = (
        "import bill, sys; "
        "print(bill.licences(bill.bill_of_materials(bill.Path(sys.argv[1]), '1')), end='')"
    )
    done = python("-c", program, ROOT, cwd=ROOT / "tools").good()
    head, *rows = [line.split("\t") for line in done.text.splitlines()]
    assert head == ["name", "kind", "licence", "says"]
    found = {name: (kind, licence) for name, kind, licence, _ in rows}
    assert found["samples/models/en.safetensors"] == ("machine-learning-model", "CC-BY-SA-4.0")
    assert found["samples/enja/source.en"][0] == "data"
    assert "numpy" not in found


@pytest.mark.parametrize(
    ("answers", "status", "said"),
    [
        # pip-audit ends with 1 both when it finds something and when it cannot ask.
        (
            [{"name": "a", "version": "1", "vulns": [{"id": "X-1", "fix_versions": ["2"]}]}],
            1,
            "a 1: X-1, mended in 2\n1 packages checked, 1 known vulnerabilities\n",
        ),
        (
            [{"name": "a", "version": "1", "vulns": []}, {"name": "b", "skip_reason": "?"}],
            0,
            "note: 1 of 2 packages not checked: b\n1 packages checked, 0 known vulnerabilities\n",
        ),
        (None, 0, "note: nothing is checked for known vulnerabilities: cannot reach pypi.org\n"),
    ],
)
def test_known_vulnerabilities(tmp_path: Path, answers: object, status: int, said: str) -> None:
    """By a stand-in for pip-audit, which answers as it does."""
    program = "import sys, pathlib\n"
    if answers is None:
        program += "sys.exit('cannot reach pypi.org')\n"
    else:
        text = json.dumps({"dependencies": answers, "fixes": []})
        program += "output = sys.argv[sys.argv.index('--output') + 1]\n"
        program += f"pathlib.Path(output).write_text({text!r})\nsys.exit({status})\n"
    (tmp_path / "pip_audit.py").write_text(program)
    done = python(ROOT / "tools" / "audit.py", tmp_path, PYTHONPATH=str(tmp_path))
    assert (done.status, done.text, done.stderr) == (status, said, "")


def test_the_source_archive_has_the_same_bytes_again(tmp_path: Path) -> None:
    archives = []
    for name, seconds in (("a", 1_000_000_000), ("another", 1_500_000_000)):
        folder = tmp_path / name
        folder.mkdir()
        parts = "setup.py pyproject.toml README.md LICENSE NOTICE LICENSES MANIFEST.in recipe"
        for part in parts.split():
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
            copy(ROOT / part, folder / part)
        source, copied = (each / "src" / "wordorder" for each in (ROOT, folder))
        shutil.copytree(source / "schemas", copied / "schemas")
        shutil.copy(source / "_version.py", copied)
        for path in folder.rglob("*"):
            os.utime(path, (seconds, seconds))
        times = {"WORDORDER_NO_COMPILE": "1", "SOURCE_DATE_EPOCH": "1700000000"}
        python("setup.py", "--quiet", "sdist", cwd=folder, **times).good()
        (archive,) = (folder / "dist").iterdir()
        archives.append(archive.read_bytes())
    assert archives[0] == archives[1]
    with tarfile.open(fileobj=io.BytesIO(archives[0])) as source_archive:
        names = {name.partition("/")[2] for name in source_archive.getnames()}
    texts = {f"LICENSES/CC-BY-SA-{version}.txt" for version in ("3.0", "4.0")}
    assert names >= {"LICENSE", "NOTICE", *texts}
