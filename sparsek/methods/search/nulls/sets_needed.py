"""How many sets without clusters a test needs. Light: the command line asks before anything is loaded."""

from __future__ import annotations


def require_sets(n_null: int, fdr: float) -> None:
    """Raise ValueError for fewer sets without clusters than a test at this rate needs."""
    if fdr * (n_null + 1) < 1:
        raise ValueError(
            f"n_null={n_null} sets give p-values of at least {1 / (n_null + 1):.3g}, above fdr={fdr}; give "
            "at least 1 / fdr - 1 sets"
        )
