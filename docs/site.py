"""What the builder of the site lacks: navigation, colours, search without a server."""

from __future__ import annotations

import json
from importlib.resources import files as files_of
from pathlib import Path
from typing import Any

from wordorder.metrics import METRICS
from wordorder.schemas import schema_names, schema_path

SECTIONS = {
    "order": "Metrics of order",
    "text": "Metrics of text",
    "links": "Metrics of word alignments",
    "trees": "Metrics of trees",
}
OVERVIEW = "metrics/index.md"


def metric_pages(docs: Path) -> list[dict[str, list[str]]]:
    """Return the navigation of the metrics' pages: the sections, each in the registry's order."""
    sections: dict[str, list[str]] = {folder: [] for folder in SECTIONS}
    for name, place in METRICS.built_in.items():
        # Presets of a metric are described on its page.
        if (docs / "metrics" / f"{name}.md").exists():
            folder = place.split(".")[-2]
            sections.get(folder, sections["text"]).append(f"metrics/{name}.md")
    return [{SECTIONS[folder]: pages} for folder, pages in sections.items()]


def on_config(config: Any) -> Any:
    """Put the metrics' pages after their overview; take our search for the builder's."""
    overview = next(i for i, entry in enumerate(config.nav) if OVERVIEW in entry.values())
    config.nav[overview + 1 : overview + 1] = metric_pages(Path(config.docs_dir))
    config.extra_javascript.remove("search/main.js")
    return config


def on_files(files: Any, config: Any) -> Any:
    """Put the schemas that the package ships on the site, and the colours of all its pages."""
    from mkdocs.structure.files import File

    look = (files_of("wordorder.report.page") / "look.css").read_text("utf-8")
    files.append(File.generated(config, "colours.css", content=look[: look.index("\n* {")]))

    for name in schema_names():
        place = f"schemas/{name}.json"
        files.append(File.generated(config, place, abs_src_path=str(schema_path(name))))
    return files


def on_post_build(config: Any) -> None:
    """Write the index as a script: a page opened as a file may load scripts, but read no files."""
    folder = Path(config.site_dir, "search")
    found = json.loads((folder / "search_index.json").read_text("utf-8"))["docs"]
    for unused in folder.iterdir():
        unused.unlink()
    text = json.dumps(found, ensure_ascii=False)
    (folder / "index.js").write_text(f"const searchIndex = {text};\n", "utf-8")
