"""Build a release twice, check it with the tools of PyPI and conda, and list what it ships.

    .venv/bin/pip install '.[release]' && .venv/bin/python tools/release.py --out dist

Builds the sdist and a wheel for this machine from two clones of the current commit in folders of
different names, and compares their bytes. Then twine, check-wheel-contents and pyroma look at
them, and rattler-build at the recipe of conda. Into the folder go the sdist, the wheel, the recipe
with the hash of the sdist, and `sbom.cdx.json` (CycloneDX): the package, what it needs, and each
model and sample that it ships, with hash and licence, of which `licences.tsv` is the list. Stops at
the first fault.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from bill import bill_of_materials, licences

ROOT = Path(__file__).parents[1]
PLATFORMS = ("linux-64", "linux-aarch64", "osx-64", "osx-arm64", "win-64")


def run(*command: str | Path, cwd: Path = ROOT, **environment: str) -> str:
    """Run a command and return what it prints; stop with that if it fails."""
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, **environment}, capture_output=True, encoding="utf-8"
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def versions() -> set[str]:
    """Return the versions that the package, the recipe, the citation and the changelog name."""
    patterns = {
        "src/wordorder/_version.py": r'^__version__ = "(.*)"',
        "recipe/recipe.yaml": r'^  version: "(.*)"',
        "CITATION.cff": r"^version: (.*)",
        "CHANGELOG.md": r"^## (\d\S*)",
    }
    found = set()
    for name, pattern in patterns.items():
        match = re.search(pattern, (ROOT / name).read_text("utf-8"), re.MULTILINE)
        if match is None:
            raise SystemExit(f"{name}: no version found")
        found.add(match[1])
    return found


def build(folder: Path, when: str) -> list[Path]:
    """Clone the current commit into a folder and build both archives; return them by name."""
    run("git", "clone", "--quiet", ROOT, folder)
    run(sys.executable, "-m", "build", cwd=folder, SOURCE_DATE_EPOCH=when)
    return sorted((folder / "dist").iterdir())


def digest(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def rate(sdist: Path) -> None:
    """Let pyroma look at the metadata: ten of ten points, and without an address eight."""
    address = "email" in (ROOT / "pyproject.toml").read_text("utf-8").split("[project.urls]")[0]
    if not address:
        print("pyproject.toml: the authors have no address; eight points of pyroma are the most")
    run(sys.executable, "-m", "pyroma", "--min", "10" if address else "8", sdist)


def render_recipe(text: str) -> None:
    """Render the recipe for each platform, as rattler-build does before it builds."""
    from rattler_build import PlatformConfig, RenderConfig, Stage0Recipe, VariantConfig

    recipe: Any = Stage0Recipe.from_yaml(text)
    compilers = {"c_compiler": ["gcc"], "c_stdlib": ["sysroot"], "python": ["3.10", "3.14"]}
    for name in PLATFORMS:
        platform = PlatformConfig(target_platform=name)
        if not recipe.render(VariantConfig(compilers), RenderConfig(platform=platform)):
            raise SystemExit(f"recipe/recipe.yaml: nothing to build for {name}")


def main() -> None:
    """Build, compare, check and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where all files go")
    out: Path = parser.parse_args().out
    found = versions()
    if len(found) > 1:
        raise SystemExit(f"versions differ: {', '.join(sorted(found))}")
    when = run("git", "log", "-1", "--format=%ct").strip()
    with tempfile.TemporaryDirectory() as scratch:
        first = build(Path(scratch, "one"), when)
        second = build(Path(scratch, "another-folder"), when)
        if [path.name for path in first] != [path.name for path in second]:
            raise SystemExit(f"two builds gave {first} and {second}")
        for one, other in zip(first, second, strict=True):
            if digest(one) != digest(other):
                raise SystemExit(f"two builds of {one.name} differ")
            print(f"{digest(one)}  {one.name}: the same bytes twice")
        run(sys.executable, "-m", "twine", "check", "--strict", *first)
        wheel, sdist = sorted(first, key=lambda path: path.name.endswith(".tar.gz"))
        run(sys.executable, "-m", "check_wheel_contents", wheel)
        rate(sdist)
        out.mkdir(parents=True, exist_ok=True)
        for path in first:
            (out / path.name).write_bytes(path.read_bytes())
        recipe = (ROOT / "recipe" / "recipe.yaml").read_text("utf-8")
        recipe = re.sub(r'sha256: "0+"', f'sha256: "{digest(sdist)}"', recipe)
        render_recipe(recipe)
        (out / "recipe.yaml").write_text(recipe, "utf-8")
        bill = bill_of_materials(ROOT, (version := found.pop()))
        # The same for the same release, as all that is built here.
        bill["serialNumber"] = f"urn:uuid:{uuid5(NAMESPACE_URL, digest(sdist))}"
        (out / "sbom.cdx.json").write_text(json.dumps(bill, indent=2, ensure_ascii=False), "utf-8")
        (out / "licences.tsv").write_text(licences(bill), "utf-8")
    print(f"wordorder {version}: {out}")


if __name__ == "__main__":
    main()
