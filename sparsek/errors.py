"""Exceptions and warnings: some with R's own message, some about pairwise constraints and empty clusters."""

import sys
import warnings
from typing import Any

__all__ = [
    "AssumptionWarning",
    "BlasDependentWarning",
    "ColumnWarning",
    "ConstraintConflictWarning",
    "ContradictoryConstraintsError",
    "EmptyClusterError",
    "EmptyRowWarning",
    "InfeasibleConstraintsError",
    "ModelVersionWarning",
    "PrecisionWarning",
    "PredictionWarning",
    "RError",
    "RWarning",
    "ScaleWarning",
    "SelectionWarning",
]


class RError(ValueError):
    """An error that R raises too; the text gives R's message and then the remedy.

    Parameters
    ----------
    r_message : str
        R's message, word for word.
    remedy : str, default=""
        What is wrong with the value at hand and what to do about it.

    Attributes
    ----------
    r_message : str
        R's message alone, for comparison with a recorded R error.
    """

    def __init__(self, r_message: str, remedy: str = "") -> None:
        self.r_message = r_message
        super().__init__(f"{r_message} [{remedy}]" if remedy else r_message)


class RWarning(UserWarning):
    """A warning that R raises too, with R's message word for word."""


class AssumptionWarning(UserWarning):
    """A p-value may be too small: it rests on a law of the noise, and the data do not look like it."""


class BlasDependentWarning(UserWarning):
    """A result depends on rounding errors of a decomposition, so that R's own answer depends on its BLAS.

    `sparsek.rcompat` has the answer of R with the reference BLAS; R with OpenBLAS may have another one.
    """


class ConstraintConflictWarning(UserWarning):
    """Pairwise constraints that cannot all hold were given to a method that penalises violations."""


class PrecisionWarning(UserWarning):
    """An entry or a column of the data is so large that others, or its own values, are lost in rounding.

    Parameters
    ----------
    message : str
        What is lost, and what to do about it.
    row : int or None
        Row of the entry, from 0; None for a whole column.
    column : int
        Column, from 0.

    Attributes
    ----------
    row : int or None
        Row of the entry, from 0; None for a whole column.
    column : int
        Column, from 0.
    """

    def __init__(self, message: str, row: int | None, column: int) -> None:
        self.row, self.column = row, column
        super().__init__(message)

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.row, self.column)


class PredictionWarning(UserWarning):
    """`predict` gives rows of the fit other clusters than `labels_`, for the reason that the text names."""


class EmptyRowWarning(UserWarning):
    """Rows have no value in the features that tell the clusters apart, so that their labels say nothing."""


class ModelVersionWarning(UserWarning):
    """A model that another version of sparsek wrote is read: it may answer otherwise, or not at all."""


class ColumnWarning(UserWarning):
    """A column of a data frame looks like an identifier or a class, which clusters would follow.

    It is told by its name and its whole numbers; a first column that counts the rows is one too.
    """


class SelectionWarning(UserWarning):
    """What was chosen from the data decides more than the data do.

    The clusters explain hardly more than on shuffled columns, they differ with the scale of the columns, or
    they are spread unevenly over the batches.
    """


class ScaleWarning(UserWarning):
    """Columns of very different variances were given to a method that compares columns in their own units.

    The clusters then depend almost only on the column of the largest variance.

    Parameters
    ----------
    message : str
        The two columns, their variances, and what to do about it.
    widest : int
        Column of the largest variance, from 0.
    narrowest : int
        Column of the smallest variance above 0, from 0.

    Attributes
    ----------
    widest : int
        Column of the largest variance, from 0.
    narrowest : int
        Column of the smallest variance above 0, from 0.
    """

    def __init__(self, message: str, widest: int, narrowest: int) -> None:
        self.widest, self.narrowest = widest, narrowest
        super().__init__(message)

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.widest, self.narrowest)


class ContradictoryConstraintsError(ValueError):
    """A cannot-link was given between rows that must-links join."""


class InfeasibleConstraintsError(ValueError):
    """No assignment that satisfies all constraints was found."""


class EmptyClusterError(RuntimeError):
    """A cluster lost all its rows.

    Parameters
    ----------
    message : str
        What happened and what to do about it.
    iteration : int, default=0
        The pass, counted from 1, after which the cluster was empty.
    labels : ndarray of shape (n_samples,) or None, default=None
        The labels after this pass.

    Attributes
    ----------
    iteration : int
        The pass, counted from 1, after which the cluster was empty.
    labels : ndarray of shape (n_samples,) or None
        The labels after this pass.
    """

    def __init__(self, message: str, iteration: int = 0, labels: Any = None) -> None:
        self.iteration = iteration
        self.labels = labels
        super().__init__(message)


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)


def own_version() -> str:
    """The version of this package, whose first module is imported before all others."""
    return str(sys.modules["sparsek"].__version__)


def warn_of_version(name: str, version: str) -> None:
    """Warn of a model that another version wrote."""
    message = (
        f"this {name} was written by sparsek {version} and is read by {own_version()}: it may answer "
        "otherwise, or not at all; fit it again, or install the version that wrote it"
    )
    warnings.warn(message, ModelVersionWarning, stacklevel=callers_level())


def callers_level() -> int:
    """The `stacklevel` of a warning, given by the function that asks, which points outside this package.

    What ends a ``with`` of the package is called by `contextlib`, which counts as part of it.
    """
    level, frame, ours = 1, sys._getframe(1), ("sparsek.", "contextlib")
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(ours):
        level, frame = level + 1, frame.f_back
    return level
