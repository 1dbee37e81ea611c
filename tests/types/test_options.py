"""The types of the front door list the options that are declared in one table.

``python -m tests.types.test_options`` writes them.
"""

import inspect
from pathlib import Path

import jedi
import pytest

import wordorder as wo
from wordorder import front_types
from wordorder.front import OPTIONS
from wordorder.options import Option

FILE = Path(front_types.__file__)
START = "class FileKeywords(TypedDict, total=False):"
DOCSTRING = '    """Options of the files that are scored."""\n'


def keyword_type(option: Option) -> str:
    """Return the type of what a caller may pass: paths of any type, one for several."""
    if option.python_type:
        return option.python_type
    if "{" in option.usage:
        values = option.usage.partition("{")[2].rstrip("}").split(",")
        return "Literal[" + ", ".join(f'"{value}"' for value in values) + "]"
    if not option.usage.removesuffix(" ...").endswith(("FILE", "PATH")):
        return option.type
    return {"str | None": "Path | None", "tuple[str, ...]": "Path | Sequence[Path]"}[option.type]


def generated() -> str:
    """Return the class that lists all options."""
    lines = [f"    {name}: {keyword_type(option)}" for name, option in OPTIONS.items()]
    return "\n".join([START, DOCSTRING, *lines, ""])


def test_options_are_typed_as_they_are_declared() -> None:
    assert FILE.read_text("utf-8").endswith(generated()), "run python -m tests.types.test_options"


@pytest.mark.parametrize("verb", ["score", "compare", "analyze"])
def test_signatures_list_the_options(verb: str) -> None:
    parameters = inspect.signature(getattr(wo, verb)).parameters
    assert set(OPTIONS) <= set(parameters)
    assert all(each.annotation is not inspect.Parameter.empty for each in parameters.values())


@pytest.mark.parametrize("verb", ["score", "compare", "analyze"])
@pytest.mark.parametrize(("start", "option"), [("lo", "lowercase="), ("tok", "tokenizer=")])
def test_jedi_completes_options(verb: str, start: str, option: str) -> None:
    call = jedi.Interpreter(f"wo.{verb}(1, 2, {start}", [{"wo": wo}])
    assert option in [each.name for each in call.complete()]


if __name__ == "__main__":
    FILE.write_text(FILE.read_text("utf-8").partition(START)[0] + generated(), "utf-8")
