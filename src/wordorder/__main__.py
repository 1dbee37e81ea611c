"""Makes ``python -m wordorder`` the same program as ``wordorder``."""

from wordorder.cli import main

if __name__ == "__main__":
    main()
