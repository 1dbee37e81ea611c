"""The words of a file, plain text or treebank."""

from __future__ import annotations

from wordorder.notes import note
from wordorder.text.conllu_words import ConlluWordReader
from wordorder.text.input_kind import PeekableInput, input_kind
from wordorder.text.opening import Path, display_name
from wordorder.text.reading import TextReader
from wordorder.text.treebank_names import is_treebank


def word_reader(path: Path, kind: str = "auto") -> TextReader | ConlluWordReader:
    r"""Open a file whose sentences are read as lines.

    Parameters
    ----------
    path : path or "-"
        As `wordorder.text.opening.Source` takes it.
    kind : str
        ``conllu`` for a treebank, of which the words are read; ``auto`` if it is named
        so (`is_treebank`); anything else is plain text.

    Warns
    -----
    WordOrderWarning
        If a file that is taken for plain text begins like a treebank.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.conllu")
    >>> _ = path.write_text("1\tIt" + "\t_" * 8 + "\n2\train" + "\t_" * 8 + "\n\n")
    >>> with word_reader(path) as reader:
    ...     reader.take(9).strings()
    ['It rain']
    """
    if kind == "conllu" or (kind == "auto" and is_treebank(path)):
        return ConlluWordReader(path)
    source = PeekableInput(path)
    try:
        if kind == "auto" and input_kind(source) == "conllu":
            note(
                f"{display_name(path)}: looks like CoNLL-U, but is read as lines of text; the name "
                "of a treebank ends in .conllu"
            )
        return TextReader(source)
    except BaseException:
        source.close()
        raise
