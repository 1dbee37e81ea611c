"""Old names of options: they work for one more version, with a note that names the new one."""

from __future__ import annotations

from collections.abc import Collection

# Of any command that has the new option and no option of the old name.
EVERYWHERE = {
    "--metric": "--metrics",
    "--alignment": "--alignments",
    "--hypothesis-alignment": "--hypothesis-alignments",
    "--reference-alignment": "--reference-alignments",
    "--tokenize": "--tokenizer english",
    "--number": "--sentence",
    "--synonyms": "--aligner-synonyms",
    "--paraphrases": "--aligner-paraphrases",
}
# Of one command. An empty new name: the option changed nothing and is left out.
OF_COMMAND = {
    "analyze": {"--metric": "--sentence-metric", "--alignment": "--reference-alignments"},
    "correlate": {"--pictures": "--figures", "--ties": "--fit-ties"},
    "parse": {"--multiple-roots": ""},
    "reorder": {"--orders": "--orders-output"},
    "rules explain": {"--number": "--sentence", "--sent-id": "--sentence sent_id="},
    "tag": {"--multiple-roots": ""},
    "train parser": {"--weight": "--copies"},
    "train translation": {"--order": "--rules"},
    "translate": {"--nbest": "--kbest", "--nbest-output": "--kbest-output"},
    "tune": {"--starts": "--points"},
}
# What a command no longer has: the value that changed nothing and still works, and why there is no
# other.
GONE = {
    ("reference", "--blocks"): ("combine", "overlapping target spans become blocks that tie"),
}


def old_names(command: str, names: Collection[str]) -> dict[str, str]:
    """Return the old names of a command with their new ones.

    Parameters
    ----------
    command : str
        ``"train parser"``.
    names : collection of str
        All options that it has.

    Examples
    --------
    >>> old_names("translate", ["--kbest", "--kbest-output"])
    {'--nbest': '--kbest', '--nbest-output': '--kbest-output'}
    >>> old_names("select", ["-m", "--metrics"])
    {'--metric': '--metrics'}
    """
    everywhere = {
        old: new
        for old, new in EVERYWHERE.items()
        if new.partition(" ")[0] in names and old not in names
    }
    return everywhere | OF_COMMAND.get(command, {})
