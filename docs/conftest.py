"""The pages are doctests; the extension needs what only the building of the site installs."""

collect_ignore = ["own_annotations.py"]
