"""The action and the hooks for users' repositories: their commands are run here."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from wordorder.samples import sample_path

ROOT = Path(__file__).parents[1]
SCORE = "reference.orders -i head-final.orders -m frs"


def steps() -> dict[str, str]:
    """Return the script of each step of the action, by name."""
    text = (ROOT / "action.yml").read_text("utf-8")
    found = re.findall(r"- name: (\w+)\n(.*?)(?=\n    - name|\n    #|\Z)", text, re.DOTALL)
    scripts = {}
    for name, step in found:
        script = step.partition("run: ")[2]
        scripts[name] = re.sub(r"^ {8}", "", script.removeprefix("|\n"), flags=re.MULTILINE)
        # Text of a user inside a script could run anything.
        assert "${{" not in script
    return scripts


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("reference.orders", "head-final.orders", "alignments.talbot", "source.en"):
        shutil.copy(sample_path(name), tmp_path)
    rules = ROOT / "src" / "wordorder" / "reordering" / "sets" / "R5.toml"
    shutil.copy(rules, tmp_path / "mine.rules.toml")
    (tmp_path / "bad.rules.toml").write_text("name = 3\n")
    (tmp_path / "bad.talbot").write_text("0,x\n")
    program = tmp_path / "bin" / "wordorder"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m wordorder "$@"\n')
    program.chmod(0o755)
    return tmp_path


def run(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env={**os.environ, **variables, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("step", "variables", "status", "said"),
    [
        ("Rules", {"RULES": "mine.rules.toml"}, 0, "fine"),
        ("Rules", {"RULES": "mine.rules.toml bad.rules.toml"}, 1, "bad.rules.toml"),
        ("Alignments", {"ALIGNMENTS": "alignments.talbot --source source.en"}, 0, "72 sentences"),
        ("Alignments", {"ALIGNMENTS": "bad.talbot --source source.en"}, 1, "bad.talbot:1"),
        ("Scores", {"SCORE": SCORE, "FAIL_UNDER": "frs=0.5 frs=0.7"}, 0, "0.7587"),
        ("Scores", {"SCORE": SCORE, "FAIL_UNDER": "frs=0.9"}, 1, "less than 0.9"),
        ("Scores", {"SCORE": SCORE, "FAIL_UNDER": ""}, 0, "0.7587"),
        ("Scores", {"SCORE": "$(touch made) *", "FAIL_UNDER": ""}, 2, ""),
    ],
)
def test_steps_of_the_action(
    folder: Path, step: str, variables: dict[str, str], status: int, said: str
) -> None:
    done = run(steps()[step], folder, **variables)
    assert done.returncode == status, done.stderr
    assert said in done.stdout + done.stderr
    assert not (folder / "made").exists()


@pytest.mark.slow
def test_the_action_installs_into_an_environment_of_its_own(tmp_path: Path) -> None:
    """The runner's Python stays as it is: a small wheel stands for the package."""
    wheel = tmp_path / "wordorder-0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("wordorder.py", "def main():\n    print('installed')\n")
        parts = {
            "METADATA": "Metadata-Version: 2.1\nName: wordorder\nVersion: 0\n",
            "WHEEL": "Wheel-Version: 1.0\nTag: py3-none-any\n",
            "entry_points.txt": "[console_scripts]\nwordorder = wordorder:main\n",
            "RECORD": "",
        }
        for name, text in parts.items():
            archive.writestr(f"wordorder-0.dist-info/{name}", text)
    temporary, path = tmp_path / "a folder", tmp_path / "path"
    temporary.mkdir()
    variables = {"RUNNER_TEMP": str(temporary), "GITHUB_PATH": str(path), "PIP_NO_INDEX": "1"}
    done = run(steps()["Install"], tmp_path, PACKAGE=str(wheel), **variables)
    assert done.returncode == 0, done.stderr
    (folder,) = map(Path, path.read_text().splitlines())
    assert [each.stem for each in folder.iterdir()] == ["wordorder"]
    said = subprocess.run([folder / "wordorder"], capture_output=True, text=True, check=True).stdout
    assert said == "installed\n"


def test_the_summary_has_the_scores(folder: Path) -> None:
    summary = folder / "summary"
    variables = {"SCORE": SCORE, "FAIL_UNDER": "frs=0.9", "GITHUB_STEP_SUMMARY": str(summary)}
    done = run(steps()["Scores"], folder, **variables)
    assert summary.read_text() == done.stdout != ""


@pytest.mark.parametrize(
    ("hook", "arguments", "status"),
    [
        ("wordorder-rules", "mine.rules.toml", 0),
        ("wordorder-rules", "bad.rules.toml", 1),
        ("wordorder-alignments", "alignments.talbot --source source.en", 0),
        ("wordorder-score", f"{SCORE} --fail-under frs=0.7", 0),
        ("wordorder-score", f"{SCORE} --fail-under frs=0.9", 1),
    ],
)
def test_hooks(folder: Path, hook: str, arguments: str, status: int) -> None:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
    entries = dict(re.findall(r"- id: (\S+)\n.*?entry: ([^\n]+)", text, re.DOTALL))
    done = run(f"{entries[hook]} {arguments}", folder)
    assert done.returncode == status, done.stderr
