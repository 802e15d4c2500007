"""The command line by ``python -m sparsek``."""

from sparsek.cli import main

if __name__ == "__main__":
    main()
