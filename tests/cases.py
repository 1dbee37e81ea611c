"""Cases written as a text: what is given, and what is wanted of it."""


def cases(text: str) -> list[tuple[str, list[str]]]:
    """Return what is given, in one line, and the lines that begin with ``=``, of each case."""
    found: list[tuple[list[str], list[str]]] = []
    for line in text.strip().split("\n"):
        wanted = line.startswith("=")
        if not wanted and (not found or found[-1][1]):
            found.append(([], []))
        if not line.startswith("#"):
            found[-1][wanted].append(line[2:] if wanted else line)
    return [(" ".join(given), wanted) for given, wanted in found]
