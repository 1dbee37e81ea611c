"""The bill of materials of a release: what it needs, and what it ships with which licence."""

from __future__ import annotations

import hashlib
import json
import re
import struct
from importlib.metadata import PackageNotFoundError, distribution, requires
from pathlib import Path
from typing import Any

SHIPPED = ("samples", "reordering/sets")
OWN = "Apache-2.0"
# By their names on the models themselves, as SPDX has them.
SPDX = {"CC BY-SA 4.0": "CC-BY-SA-4.0", "CC BY-SA 3.0": "CC-BY-SA-3.0"}


def licence_of(path: Path) -> tuple[str, str]:
    """Return the licence that a shipped file names, by SPDX, and the sentence in which it does."""
    if path.suffix == ".safetensors":
        with path.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            kept = json.loads(file.read(length))["__metadata__"]["wordorder"]
        said = str(json.loads(kept)["about"]["licence"])
    else:
        said = path.read_text("utf-8")[:2000] if path.suffix == ".toml" else ""
    for name, spdx in SPDX.items():
        if name in said:
            return spdx, said if path.suffix == ".safetensors" else f"see the head of {path.name}"
    if path.suffix == ".safetensors":
        raise SystemExit(f"{path}: a model of unknown licence: {said}")
    return OWN, ""


def shipped(root: Path) -> list[dict[str, Any]]:
    """Return a component for each model, rule set and sample that the package ships."""
    package = root / "src" / "wordorder"
    components = []
    for folder in SHIPPED:
        for path in sorted((package / folder).rglob("*")):
            if path.is_dir() or path.suffix in (".py", ".pyc"):
                continue
            licence, said = licence_of(path)
            component = {
                "type": "machine-learning-model" if path.suffix == ".safetensors" else "data",
                "name": path.relative_to(package).as_posix(),
                "hashes": [
                    {"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}
                ],
                "licenses": [{"license": {"id": licence}}],
            }
            if said:
                component["description"] = said
            components.append(component)
    return components


def licences(bill: dict[str, Any]) -> str:
    """Return the models and data of a bill with their licences, as a table."""
    rows = ["name\tkind\tlicence\tsays"]
    for each in bill["components"]:
        if each["type"] != "library":
            licence = each["licenses"][0]["license"]["id"]
            rows.append(
                "\t".join((each["name"], each["type"], licence, each.get("description", "")))
            )
    return "\n".join(rows) + "\n"


def needed() -> list[dict[str, Any]]:
    """Return a component for each package that is installed with this one."""
    components = []
    for requirement in requires("wordorder") or []:
        if "extra ==" in requirement:
            continue
        found = re.match(r"[\w.-]+", requirement)
        assert found is not None
        name = found[0]
        component: dict[str, Any] = {"type": "library", "name": name, "description": requirement}
        try:
            metadata: Any = distribution(name).metadata
        except PackageNotFoundError:
            # Not on this version of Python.
            components.append(component)
            continue
        component["version"] = metadata["Version"]
        component["purl"] = f"pkg:pypi/{name.lower()}@{metadata['Version']}"
        licence = metadata.get("License-Expression") or metadata.get("License") or ""
        classified = [
            each.split(" :: ")[-1]
            for each in metadata.get_all("Classifier") or []
            if each.startswith("License :: ")
        ]
        # Some packages put the whole text there.
        named = licence if licence and "\n" not in licence else ", ".join(classified)
        if named:
            component["licenses"] = [{"license": {"name": named}}]
        components.append(component)
    return components


def bill_of_materials(root: Path, version: str) -> dict[str, Any]:
    """Return the bill in the form of CycloneDX 1.6."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "name": "wordorder",
                "version": version,
                "purl": f"pkg:pypi/wordorder@{version}",
                "licenses": [{"expression": "Apache-2.0 AND CC-BY-SA-4.0 AND CC-BY-SA-3.0"}],
            }
        },
        "components": [*needed(), *shipped(root)],
    }
