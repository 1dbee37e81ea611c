"""From files to numbers: one public function per verb, one class per kind of file.

`files` says what is given and what a kind of files is, `text_files` and `kinds` are the kinds,
`systems` reads them in step, `scores` scores them and `comparisons` tests pairs of systems. Values
are computed in `metrics`, intervals in `statistics`, tables in `report`; the front door of Python
is `wordorder.front`.
"""

from wordorder import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
