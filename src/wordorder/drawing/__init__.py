"""SVG and text pictures from plain data."""
