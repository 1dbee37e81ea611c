"""The version, in the one place that the build and the signatures read."""

__version__ = "1.0.0rc1"
