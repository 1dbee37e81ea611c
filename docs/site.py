"""What the builder of the site lacks: addresses of earlier versions, search without a server."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from wordorder.metrics import METRICS
from wordorder.schemas import schema_names, schema_path

# The page of a browser that follows an address of an earlier version.
MOVED = """<!doctype html>
<meta charset="utf-8">
<title>Moved</title>
<meta http-equiv="refresh" content="0; url={place}">
<link rel="canonical" href="{place}">
<p>Moved to <a href="{place}">{place}</a>.
"""


def metric_places(docs: Path) -> dict[str, str]:
    """Return the place of each metric's section, such as `order.html#frs`."""
    found = {
        name: f"{page.stem}.html#{name}"
        for page in sorted((docs / "metrics").glob("*.md"))
        for name in re.findall(r"^##+ .* \{#([a-z0-9-]+)\}$", page.read_text("utf-8"), re.MULTILINE)
    }
    # Presets of a metric are described in its section.
    return {name: found[name] for name in METRICS.built_in if name in found}


def on_config(config: Any) -> Any:
    """Take our search for the builder's."""
    config.extra_javascript.remove("search/main.js")
    return config


def on_files(files: Any, config: Any) -> Any:
    """Put the schemas that the package ships on the site."""
    from mkdocs.structure.files import File

    for name in schema_names():
        place = f"schemas/{name}.json"
        files.append(File.generated(config, place, abs_src_path=str(schema_path(name))))
    return files


def on_post_build(config: Any) -> None:
    """Write the index as a script, which a page opened as a file may load; redirect old pages."""
    folder = Path(config.site_dir, "search")
    found = json.loads((folder / "search_index.json").read_text("utf-8"))["docs"]
    for unused in folder.iterdir():
        unused.unlink()
    text = json.dumps(found, ensure_ascii=False)
    (folder / "index.js").write_text(f"const searchIndex = {text};\n", "utf-8")
    # Until 0.2 each metric had a page.
    for name, place in metric_places(Path(config.docs_dir)).items():
        page = Path(config.site_dir, "metrics", f"{name}.html")
        page.write_text(MOVED.format(place=place), "utf-8")
