"""The same examples in every run; no limits of time that a loaded machine would break."""

from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")
