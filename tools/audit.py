"""Ask pip-audit for known vulnerabilities of installed packages: audit.py SITE-PACKAGES

Fails if there is one. Packages that the service does not know, or all of them where it does not
answer, are named and do not fail: that says nothing of them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any


def verdict(packages: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """Return the vulnerabilities, a line each, and the names of packages nothing is known of.

    Examples
    --------
    >>> verdict([{"name": "a", "version": "1", "vulns": [{"id": "X-1", "fix_versions": ["2"]}]},
    ...          {"name": "b", "version": "1", "vulns": []}, {"name": "c", "skip_reason": "?"}])
    (['a 1: X-1, mended in 2'], ['c'])
    """
    found = [
        f"{each['name']} {each['version']}: {fault['id']}, mended in "
        + (", ".join(fault["fix_versions"]) or "no version")
        for each in packages
        for fault in each.get("vulns", ())
    ]
    return found, [each["name"] for each in packages if "skip_reason" in each]


def main() -> int:
    """Ask, print and return the status."""
    (folder,) = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch, "found.json")
        command = [sys.executable, "-m", "pip_audit", "--path", folder, "--progress-spinner", "off"]
        command += ["--format", "json", "--output", str(output)]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
        if not output.exists():
            last = (done.stderr.strip().splitlines() or ["no answer"])[-1]
            print(f"note: nothing is checked for known vulnerabilities: {last}")
            return 0
        packages = json.loads(output.read_text("utf-8"))["dependencies"]
    found, unknown = verdict(packages)
    if unknown:
        print(f"note: {len(unknown)} of {len(packages)} packages not checked: {', '.join(unknown)}")
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(packages) - len(unknown)} packages checked, {len(found)} known vulnerabilities")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
