"""SVG and text pictures from plain data.

`trees`, `tree_svg` (permutation trees), `arcs` (dependency trees), `orders`, `alignments`, `plots`
and `figure` (matplotlib) of plain lists and numbers; what they share is in `svg`. It knows no type
of ours but the simplest, so that these can draw themselves; pages are put together in `report`.
"""
