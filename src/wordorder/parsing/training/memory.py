"""The memory that training needs, compared with that of the machine."""

from __future__ import annotations

from wordorder.errors import UsageError
from wordorder.notes import note

# Maximum bytes of training: constant, per word of the data, and per word for each copy of the
# weights; measured with ten epochs and the default features.
BYTES_AT_LEAST = 150 << 20
BYTES_A_WORD = 1200
BYTES_A_COPY = 800

# Files with the memory limit of a container, in two versions of Linux.
CGROUP = "/sys/fs/cgroup/"


def training_memory(words: int, shards: int = 1, richness: float = 1.0) -> int:
    """Return an estimate of the maximum memory of training, in bytes.

    Parameters
    ----------
    words, shards : int
    richness : float
        The memory of the weights, divided by that with the default features of a transition parser.

    Examples
    --------
    >>> training_memory(200_000) // 10**6
    557
    """
    copies = 1 if shards == 1 else shards + 1
    return BYTES_AT_LEAST + int(words * (BYTES_A_WORD + BYTES_A_COPY * richness * copies))


def require_memory(needed: int) -> None:
    """Refuse work that needs more memory, in bytes, than the machine has.

    Raises
    ------
    UsageError
        If the machine has less memory.

    Warns
    -----
    note
        If less memory is free.
    """
    total, free = _memory()
    if total is not None and needed > total:
        raise UsageError(f"this needs about {_size(needed)} of memory; there is {_size(total)}")
    if free is not None and needed > free:
        message = f"this needs about {_size(needed)} of memory; {_size(free)} is free"
        note(message)


def _memory() -> tuple[int | None, int | None]:
    """Return the total and the free memory in bytes, None if unknown."""
    sizes: dict[str, int] = {}
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                name, _, value = line.partition(":")
                sizes[name] = int(value.split()[0]) << 10
    except (OSError, ValueError, IndexError):
        pass
    total, free = sizes.get("MemTotal"), sizes.get("MemAvailable")
    for limit, used in (
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ):
        try:
            with open(CGROUP + limit, "rb") as file, open(CGROUP + used, "rb") as usage_file:
                limit_bytes, now = int(file.read()), int(usage_file.read())
        except (OSError, ValueError):
            # No such limit, or "max".
            continue
        total = limit_bytes if total is None else min(total, limit_bytes)
        free = limit_bytes - now if free is None else min(free, limit_bytes - now)
    return total, free


def _size(number: int) -> str:
    """Format a number of bytes.

    Examples
    --------
    >>> _size(1_500_000_000)
    '1.5 GB'
    """
    return f"{number / 1e9:.1f} GB"
