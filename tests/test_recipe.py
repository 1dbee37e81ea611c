"""What installs the package elsewhere asks for what pyproject.toml asks for."""

import re
import sys
from pathlib import Path

import wordorder

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
RECIPE = (ROOT / "recipe" / "meta.yaml").read_text("utf-8")
MARKERS = {"python_version < '3.14'": "py<314", "python_version < '3.11'": "py<311"}


def section(name: str, within: str = RECIPE) -> list[str]:
    """Return the entries of a list in the recipe."""
    found = re.search(rf"^ *{name}:\n((?: +- .*\n)+)", within, re.MULTILINE)
    assert found is not None, name
    return [line.strip().removeprefix("- ") for line in found[1].splitlines()]


def asked(requirement: str) -> tuple[str, str, str]:
    """Return name, versions and marker of a requirement of pyproject.toml."""
    needed, _, marker = requirement.partition(";")
    found = re.fullmatch(r"([\w.-]+)(.*)", needed.strip())
    assert found is not None
    return found[1].lower(), found[2].strip(), MARKERS[marker.strip()] if marker else ""


def offered(entry: str) -> tuple[str, str, str]:
    """Return the same of a line of the recipe."""
    needed, _, selector = entry.partition("#")
    name, *versions = needed.split()
    return name, "".join(versions), selector.strip(" []")


def test_dependencies() -> None:
    run = {offered(entry) for entry in section("run")} - {("python", "", "")}
    assert run == {asked(each) for each in PROJECT["project"]["dependencies"]}
    host = {offered(entry) for entry in section("host")}
    assert {asked(each) for each in PROJECT["build-system"]["requires"]} <= host


def test_version_and_program() -> None:
    assert f'version = "{wordorder.__version__}"' in RECIPE
    ((name, place),) = PROJECT["project"]["scripts"].items()
    assert section("entry_points") == [f"{name} = {place}"]
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
