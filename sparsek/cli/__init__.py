"""The command line, ``sparsek``. It needs ``sparsek[cli]``; ``import sparsek`` does not load it."""

import os
import sys


def main() -> None:
    """Run the command line."""
    # Python puts the current folder first on the path of a process that it starts by -c or -m, as workers of
    # joblib are, and would run a numpy.py that stands there.
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        from sparsek.cli._app import app
    except KeyboardInterrupt:  # later ones are handled by the commands
        print("sparsek: stopped by SIGINT", file=sys.stderr)
        sys.exit(130)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("typer", "rich"):
            raise
        print(f'sparsek: error: {error.name} is missing: pip install "sparsek[cli]"', file=sys.stderr)
        sys.exit(2)
    app(prog_name="sparsek")
