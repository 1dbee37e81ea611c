"""The colours of pages, pictures and figures, from the one file that names them: look.css."""

import re
from functools import cache
from importlib.resources import files


@cache
def style_sheet() -> str:
    """Return the style sheet that declares the colours, for light, dark and printed pages."""
    return (files(__package__) / "look.css").read_text("utf-8")


@cache
def _light_colours() -> dict[str, str]:
    """Return the colours of light pages and of pictures, by name."""
    light = style_sheet().partition("}")[0]
    return dict(re.findall(r"--([\w-]+): (#[0-9A-Fa-f]{6});", light))


def colour(name: str) -> str:
    """Return the colour of a name of look.css, as ``#RRGGBB``.

    Raises
    ------
    KeyError
        If the file has no such colour.

    Examples
    --------
    >>> colour("picture-early")
    '#0072B2'
    """
    return _light_colours()[name]
