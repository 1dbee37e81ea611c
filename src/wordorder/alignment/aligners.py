"""The aligners that are installed, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordorder.registry import Registry
from wordorder.text.opening import Path

if TYPE_CHECKING:
    from wordorder.alignment.statistical.aligner import StatisticalAligner

ALIGNERS = Registry(
    "aligner",
    "wordorder.aligners",
    {
        "agreement": "wordorder.alignment.statistical.agreement:AgreementAligner",
        "hmm": "wordorder.alignment.statistical.hmm:HMMAligner",
        "ibm1": "wordorder.alignment.statistical.ibm1:IBMModel1",
    },
    needs=("train", "load"),
    class_methods=True,
    listed_by="wordorder list aligners",
)


def load_aligner(path: Path) -> StatisticalAligner:
    """Read a model that was saved, of whatever kind.

    Raises
    ------
    ModelError
        If the file is no model, or damaged.
    UsageError
        If there is no such file, or no aligner of the model's kind is installed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "en-de.model")
    >>> ALIGNERS.load("hmm").train(["a b"], ["x y"]).save(path)
    >>> load_aligner(path).name
    'hmm'
    """
    from wordorder.alignment.statistical.model_file import read_model

    name, *learned = read_model(path)
    aligner: StatisticalAligner = ALIGNERS.make(name, *learned)
    return aligner
