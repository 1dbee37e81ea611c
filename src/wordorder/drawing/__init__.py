"""SVG and text pictures from plain data.

Trees, arcs, orders, alignments, plots and tables of plain lists and numbers. It knows no type of
ours but the simplest, so that these can draw themselves; pages are put together in `report`.
"""
