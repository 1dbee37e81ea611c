"""SVG and text pictures from plain data.

`trees`, `tree_svg` (permutation trees), `arcs` (dependency trees), `orders`, `alignments`, `plots`
and `figure` (matplotlib) draw plain lists and numbers, with the shared elements of `svg`. Their
inputs are protocols, so that the package's types can draw themselves; `report` composes pages.
"""
