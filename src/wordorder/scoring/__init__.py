"""From files to scores: one function per command, one class per file format.

`files` defines the inputs and the base class of input formats; `text_files` and `file_formats`
implement the formats, and `kind_detection` chooses one; `systems` reads the files of all systems
line by line in parallel. `scores` scores them and `comparisons` tests pairs of systems. Values are
computed in `metrics`, intervals in `statistics`, tables in `report`; the public Python API is
`wordorder.front`.
"""

from wordorder import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
