"""Summaries of fitted estimators, as text, HTML and LaTeX: sizes, criterion, features, starts."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from sparsek.engine import compiled_calls, describe_engine

FACTS = (
    ("L1 bound", "l1_bound_"),
    ("Objective", "objective_"),
    ("Maximised by weights", "weight_criterion_"),
    ("Inertia", "inertia_"),
    ("Total sum of squares", "tss_"),
    ("Iterations", "n_iter_"),
    ("Gamma", "gamma_"),
    ("Group gamma", "group_gamma_"),
    ("Feature gamma", "feature_gamma_"),
    ("Power s at the end", "s_"),
    ("Power p at the end", "alpha_"),
    ("Eta", "eta_"),
)
"""Names and attributes (single numbers) that the head of a summary shows if the estimator has them."""
COUNTS = (
    ("Outliers", "outliers_"),
    ("Must-links violated", "violated_must_link_"),
    ("Cannot-links violated", "violated_cannot_link_"),
)
"""Names and attributes (masks); the head of a summary shows the number of true entries."""
FEATURE_COLUMNS = (("score", "scores_adjusted_"), ("p-value", "pvalues_"), ("scatter", "feature_scatter_"))
"""Attributes of one number per feature."""
CLUSTER_COLUMNS = (("weight", "cluster_weights_"), ("scatter", "scatter_"))
"""Attributes of one number per cluster."""
SHOWN_CLUSTERS = 6
"""With more clusters than this, weights per cluster are left to `Summary.features`."""
SAME_OBJECTIVE = 1e-6
"""A start reaches the best objective if its own differs by at most this, relative to the best."""


@dataclass(frozen=True, slots=True, repr=False)
class Summary:
    """Summary of a fit, as tables; printing gives the text, a notebook shows the HTML.

    Attributes
    ----------
    title : str
        The estimator.
    tables : dict of str to DataFrame
        The tables shown, by heading.
    features : DataFrame
        One row per feature, the most important first; the columns depend on the estimator. Empty if it
        has no results per feature.
    notes : tuple of str
        Explanations of the numbers.
    """

    title: str
    tables: dict[str, pd.DataFrame]
    features: pd.DataFrame
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        return self.as_text()

    def _repr_html_(self) -> str:
        return self.as_html()

    def as_text(self) -> str:
        """The summary as plain text.

        Returns
        -------
        str
            Lines without a final line break.
        """
        blocks = [
            f"{heading}\n{table.to_string(index=False, float_format=_number, na_rep='')}"
            if heading
            # The facts: names to the left, values to the right.
            else _left(table).to_string(index=False, header=False)
            for heading, table in self.tables.items()
        ]
        width = max(len(line) for text in [self.title, *blocks] for line in text.splitlines())
        double, single = "=" * width, "-" * width
        body = f"\n{single}\n".join(blocks)
        text = "\n".join([self.title.center(width), double, body, double, *self.notes])
        return "\n".join(line.rstrip() for line in text.splitlines())

    def as_html(self) -> str:
        """The summary as a piece of HTML without styles.

        Returns
        -------
        str
            A ``div`` with one table per heading.
        """
        parts = [f"<h4>{escape(self.title)}</h4>"]
        for heading, table in self.tables.items():
            parts.append(f"<h5>{escape(heading)}</h5>" if heading else "")
            parts.append(
                table.to_html(index=False, header=heading != "", float_format=_number, na_rep="", border=0)
            )
        parts.extend(f"<p>{escape(note)}</p>" for note in self.notes)
        return "<div>\n" + "\n".join(part for part in parts if part) + "\n</div>"

    def as_latex(self) -> str:
        r"""The summary as LaTeX tables with the rules of the package booktabs.

        Returns
        -------
        str
            One ``tabular`` per heading.

        Raises
        ------
        ImportError
            Without jinja2, which pandas needs for this.
        """
        try:
            parts = [
                table.to_latex(
                    index=False, header=heading != "", float_format=_number, na_rep="", escape=True
                )
                for heading, table in self.tables.items()
            ]
        except ImportError as error:
            raise ImportError('LaTeX needs jinja2: pip install "sparsek[latex]"') from error
        titles = [self.title, *[heading for heading in self.tables if heading]]
        return "\n".join(f"% {title}\n{part}" for title, part in zip(titles, parts, strict=True))


class SummaryMixin:
    """Gives an estimator the method `summary`."""

    def summary(self, n_features: int = 10) -> Summary:
        """Summarise the fit: sizes, criterion, features with weights and gains, agreement of the starts.

        Parameters
        ----------
        n_features : int, default=10
            Number of features to show, the most important first; `Summary.features` has all of them.

        Returns
        -------
        Summary
            Printed as text; ``as_html()`` and ``as_latex()`` give the other forms.
        """
        check_is_fitted(self)
        return summarise(self, n_features)

    def _weights_by_cluster(self) -> Any:
        """Feature weights of shape (p,) or (n_clusters, p), or None."""
        return getattr(self, "feature_weights_", None)

    def _gains(self) -> Any:
        """Part of each feature explained by the clusters, with a note; None without centres in its units."""
        if not hasattr(self, "cluster_centers_"):
            return None
        sizes = _sizes(self)["weight of rows" if _row_weights(self) is not None else "rows"].to_numpy(float)
        centers = np.asarray(self.cluster_centers_, dtype=np.float64)
        used = sizes > 0
        # Squares of numbers around 1 do not overflow; a power of two changes no digit.
        exponent = np.frexp(np.max(np.abs(centers), initial=0.0, where=np.isfinite(centers)))[1]
        scaled = np.ldexp(centers[used], -exponent)
        mean = np.average(scaled, axis=0, weights=sizes[used])
        with np.errstate(over="ignore", under="ignore"):  # the sum itself can be beyond all doubles
            gains = np.ldexp(sizes[used] @ (scaled - mean) ** 2, 2 * exponent)
        return gains, "between: sum over clusters of size * (centre - mean)^2, squared units of the data"


class FitSummaryMixin(SummaryMixin):
    """Gives a clusterer the method `summary`, which can show how sure the fit is.

    `fit` begins with `_validate_params`, and calls `_note_engine` after its last loop.
    """

    _engine = "numpy"

    def _validate_params(self) -> None:
        super()._validate_params()  # type: ignore[misc]  # scikit-learn's
        self._calls_before = compiled_calls()

    def _note_engine(self) -> None:
        """Keep the name of the engine that ran since `_validate_params`."""
        before = vars(self).pop("_calls_before", None)
        if before is not None:  # not noted yet
            self._engine = describe_engine(compiled_calls() > before)

    def summary(
        self, n_features: int = 10, *, uncertainty: str | None = None, X: ArrayLike | None = None
    ) -> Summary:
        """Summarise the fit: sizes, criterion, features with weights and gains, agreement of the starts.

        Parameters
        ----------
        n_features : int, default=10
            Number of features to show, the most important first; `Summary.features` has all of them.
        uncertainty : {"bootstrap", "subsampling"} or None, default=None
            Add intervals of the weights, shares of selections and membership of the rows, from fits to 100
            resamples by `FitUncertainty`, whose seed is the estimator's `random_state`.
        X : array-like of shape (n_samples, n_features) or None, default=None
            The data of the fit, which the estimator does not keep; for `uncertainty`.

        Returns
        -------
        Summary
            Printed as text; ``as_html()`` and ``as_latex()`` give the other forms.

        Raises
        ------
        ValueError
            For `uncertainty` without X, or an X that is not the data of the fit.
        """
        check_is_fitted(self)
        if uncertainty is None:
            return summarise(self, n_features)
        if X is None:
            raise ValueError(f"uncertainty={uncertainty!r} fits resamples of the data; give them as X")
        from sparsek import FitUncertainty  # a search, which is above this module

        seed = getattr(self, "random_state", None)
        return summarise(
            self, n_features, FitUncertainty(self, uncertainty, random_state=seed)._of_fit(self, X)
        )


def summarise(estimator: Any, n_features: int, sure: Any = None) -> Summary:
    """The summary of a fitted estimator.

    Parameters
    ----------
    estimator : estimator
        With `SummaryMixin`, fitted.
    n_features : int
        Number of features to show.
    sure : FitUncertainty or None
        Fits to resamples, whose intervals, shares and membership are added.

    Returns
    -------
    Summary
        Its summary.

    Raises
    ------
    ValueError
        If `n_features` is not a positive integer.
    """
    if isinstance(n_features, bool) or not isinstance(n_features, int | np.integer) or n_features < 1:
        raise ValueError(f"n_features must be an integer of at least 1; got {n_features!r}")
    features, notes = _features(estimator, sure)
    tables = {"": _head(estimator, features), "Clusters": _sizes(estimator)}
    if sure is not None:
        tables["Clusters"]["membership"] = _mean_membership(sure, len(tables["Clusters"]))
        notes.append("membership: share of the resamples with a row that put it into its cluster, mean")
    shown = _shown(features).head(n_features)
    if len(shown):
        tables[_heading(features, len(shown))] = shown
    if np.size(getattr(estimator, "start_objectives_", ())) > 1:
        tables["Starts"] = _starts(estimator)
        notes.append(
            f"reached best: starts whose objective is the best one to {SAME_OBJECTIVE:g} of its size"
        )
    return Summary(type(estimator).__name__, tables, features, tuple(notes))


def _number(value: float) -> str:
    """A number as text with 4 significant digits."""
    return f"{value:.4g}"


def _left(facts: pd.DataFrame) -> pd.DataFrame:
    """The table of facts with its names padded to equal width, for left alignment."""
    padded = facts.copy()
    padded[0] = facts[0].str.ljust(facts[0].str.len().max())
    padded[2] = "   " + facts[2].str.ljust(facts[2].str.len().max())
    return padded


def _row_weights(estimator: Any) -> Any:
    """The sample weights of the fit, or None."""
    return getattr(estimator, "_fit_weights", None)


def _sizes(estimator: Any) -> pd.DataFrame:
    """One row per cluster: its size, and its weight and scatter if the estimator has them."""
    labels = np.asarray(estimator.labels_)
    n_clusters = max(int(estimator.n_clusters), int(labels.max()) + 1)
    rows = np.bincount(labels[labels >= 0], minlength=n_clusters)
    table = pd.DataFrame({"cluster": range(n_clusters), "rows": rows, "share": rows / len(labels)})
    weights = _row_weights(estimator)
    if weights is not None:
        table["weight of rows"] = np.bincount(labels[labels >= 0], weights[labels >= 0], minlength=n_clusters)
    return table.assign(
        **{name: getattr(estimator, key) for name, key in CLUSTER_COLUMNS if hasattr(estimator, key)}
    )


def _head(estimator: Any, features: pd.DataFrame) -> pd.DataFrame:
    """Facts about the fit, as two pairs of columns: name, value, name, value."""
    facts = {"Rows": str(len(estimator.labels_)), "Features": str(estimator.n_features_in_)}
    facts["Clusters"] = str(estimator.n_clusters)
    if "selected" in features:
        facts["Features in use"] = str(int(features["selected"].sum()))
    for name, key in FACTS:
        value = getattr(estimator, key, None)
        if value is not None and np.ndim(value) == 0:
            facts[name] = f"{value:.6g}"
    if hasattr(estimator, "tss_"):
        facts["Share explained"] = (
            f"{1 - float(estimator.objective_) / float(estimator.tss_):.4f}" if estimator.tss_ else "0"
        )
    for name, key in COUNTS:
        if hasattr(estimator, key):
            facts[name] = str(int(np.count_nonzero(getattr(estimator, key))))
    facts["Engine"] = estimator._engine
    half = (len(facts) + 1) // 2
    names, values = [*facts, ""], [*facts.values(), ""]
    columns = [names[:half], values[:half], names[half : 2 * half], values[half : 2 * half]]
    return pd.DataFrame(dict(enumerate(columns)))


def _mean_membership(sure: Any, n_clusters: int) -> list[float]:
    """For each cluster the mean probability of its rows to be in it; NaN for an empty one."""
    own = [sure.membership_[sure.labels_ == k, k : k + 1] for k in range(n_clusters)]
    return [float(np.nanmean(shares)) if np.isfinite(shares).any() else np.nan for shares in own]


def _features(estimator: Any, sure: Any) -> tuple[pd.DataFrame, list[str]]:
    """One row per feature, the most important first, and notes on the columns."""
    p = estimator.n_features_in_
    names = getattr(estimator, "feature_names_in_", [f"x{j}" for j in range(p)])
    columns: dict[str, Any] = {}
    notes = []
    if hasattr(estimator, "get_support"):
        columns["selected"] = estimator.get_support()
    weights = estimator._weights_by_cluster()
    by_cluster = np.ndim(weights) == 2
    if weights is not None:
        columns["weight"] = weights.max(axis=0) if by_cluster else weights
    if by_cluster:
        columns["cluster"] = weights.argmax(axis=0)
        notes.append("weight: the largest over the clusters, in the cluster named")
    gains = estimator._gains()
    if gains is not None:
        columns[gains[1].partition(":")[0]] = gains[0]
        notes.append(gains[1])
    columns |= {name: getattr(estimator, key) for name, key in FEATURE_COLUMNS if hasattr(estimator, key)}
    if not columns:
        return pd.DataFrame(), []
    order = _order(columns)
    if hasattr(estimator, "restart_table_"):
        columns["in starts"] = _selection_share(estimator.restart_table_["selected"], p)
        notes.append("in starts: share of the starts that ended with the feature selected")
    if sure is not None:
        columns |= _intervals(sure, weights)
        resamples = f"{sure.n_resamples} resamples ({sure.method})"
        notes.append(f"low, high: {sure.level:.0%} interval of the weight, from {resamples}")
        notes.append("frequency: share of these that select the feature")
    if by_cluster:
        columns |= {f"weight_{k}": row for k, row in enumerate(weights)}
    frame = pd.DataFrame({"feature": names, **columns}).iloc[order].reset_index(drop=True)
    frame.insert(0, "rank", np.arange(1, p + 1))
    return frame, notes


def _intervals(sure: Any, weights: Any) -> dict[str, Any]:
    """Ends of the intervals of the weights, in the cluster with the largest one, and shares of selections."""
    found = {"frequency": sure.selection_frequencies_}
    if not hasattr(sure, "weight_intervals_"):
        return found
    low, high = sure.weight_intervals_
    if low.ndim == 2:
        place = weights.argmax(axis=0), np.arange(low.shape[1])
        low, high = low[place], high[place]
    return {"low": low, "high": high, **found}


def _order(columns: dict[str, Any]) -> np.ndarray:
    """Order of the features: in use first, then by weight and the other columns, largest first."""
    keys = [
        -np.asarray(values, float) for name, values in columns.items() if name not in ("cluster", "p-value")
    ]
    return np.lexsort(keys[::-1])


def _shown(features: pd.DataFrame) -> pd.DataFrame:
    """Table of the features in use, as shown; many weights per cluster are left out."""
    if "selected" in features:
        features = features[features["selected"]].drop(columns="selected")
    by_cluster = [name for name in features if str(name).startswith("weight_")]
    return features.drop(columns=by_cluster) if len(by_cluster) > SHOWN_CLUSTERS else features


def _heading(features: pd.DataFrame, n_shown: int) -> str:
    """Heading of the table of features."""
    kind, total = ("Features", len(features))
    if "selected" in features:
        kind, total = "Selected features", int(features["selected"].sum())
    return kind if n_shown == total else f"{kind}: the first {n_shown} of {total}"


def _selection_share(selected: pd.Series[Any], p: int) -> np.ndarray:
    """Share of the starts that selected each feature for at least one cluster."""
    counts = np.zeros(p)
    for features in selected:
        counts[np.unique(np.array(features, dtype=np.intp))] += 1
    return counts / len(selected)


def _starts(estimator: Any) -> pd.DataFrame:
    """Table of the starts: objectives, how many reached the best, iterations."""
    objectives = np.asarray(estimator.start_objectives_, dtype=np.float64)
    finite = objectives[np.isfinite(objectives)]
    table = {"starts": objectives.size, "without result": objectives.size - finite.size}
    if not finite.size:
        return pd.DataFrame([table])
    best = finite.min()
    half = np.ldexp(finite, -1)  # sums of halves do not overflow
    reached = np.count_nonzero(half <= half.min() + SAME_OBJECTIVE * abs(half.min()))
    numbers = {
        "best": best,
        "median": float(np.ldexp(np.median(half), 1)),
        "worst": finite.max(),
        "reached best": reached,
    }
    iterations = np.asarray(estimator.start_n_iter_)
    return pd.DataFrame([{**table, **numbers, "iterations from": iterations.min(), "to": iterations.max()}])
