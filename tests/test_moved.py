"""Modules are still found where version 0.2 had them, and say where they are now."""

import importlib
import sys

import pytest

from tests.cli.running import python
from wordorder._moved import moved


def test_an_old_place_leads_to_the_new_one() -> None:
    for old, place in moved().items():
        sys.modules.pop(f"wordorder.{old}", None)
        with pytest.warns(DeprecationWarning, match=f"wordorder.{place}"):
            module = importlib.import_module(f"wordorder.{old}")
        new = importlib.import_module(f"wordorder.{place}")
        public = [name for name in vars(new) if not name.startswith("_")]
        assert public, place
        assert all(getattr(module, name) is getattr(new, name) for name in public), old


def test_names_are_imported_from_old_places_in_a_fresh_process() -> None:
    code = (
        "from wordorder.statistics.correlation.fisher import fisher_interval as old\n"
        "from wordorder.statistics.coefficients import fisher_interval as new\n"
        "assert old is new"
    )
    done = python("-W", "default", "-c", code).good()
    assert "correlation.fisher is now wordorder.statistics.coefficients" in done.stderr


def test_what_never_was_is_not_found() -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("wordorder.statistics.never")
