"""The version, in the one place that the build and the signatures read."""

__version__ = "0.2.0"
