"""``python -m wordorder.schemas``: print a schema, or the names of all."""

import sys

from wordorder.errors import UsageError
from wordorder.schemas import schema_names, schema_text


def main() -> int:
    """Print the schemas that are named, or else all names; return the exit status."""
    names = sys.argv[1:]
    try:
        texts = [schema_text(name) for name in names]
    except UsageError as error:
        print(f"wordorder: error: {error}", file=sys.stderr)
        return 2
    sys.stdout.write("".join(texts) if names else "\n".join([*schema_names(), ""]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
