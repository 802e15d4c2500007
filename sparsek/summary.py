"""Summaries of fitted estimators, as text, HTML and LaTeX: settings, sizes, objective, features, starts."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from sparsek import _simple_tables
from sparsek._printable import in_html, on_one_line
from sparsek.engine import NamesEngine
from sparsek.inputs.in_use import in_use

__all__ = ["Summary", "summarise"]

DEFAULTS = (
    ("n_features_to_select", "half of the features"),
    ("l1_bound", "half the root of the number of features"),
)
"""Parameters whose default, None, chooses how many features are in use, and what it takes."""
UNCHOSEN = 8
"""The default number of clusters, which is scikit-learn's."""
SHOWN_CLUSTERS = 3
"""With more clusters than this, weights per cluster are left to `Summary.features`."""
NO_RESULTS = ("n_jobs", "verbose")
"""Parameters that change no result."""
LONGEST_VALUE = 60
"""Largest number of characters of the value of a parameter, whose middle is left out."""
MOST_LETTERS = 36
"""Names of the features of a group are shown up to so many letters."""
SAME_OBJECTIVE = 1e-6
"""A start reaches the best objective if its own differs by at most this, relative to the best."""
NEARLY_ALL = 0.9
"""A choice of more than this share of the features leaves little out."""


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
    lead : str
        What comes first: the parameters that differ from their defaults; for a search what it chose.
    groups : DataFrame
        One row per group of features that a fit selects as a whole, the most important first: rank, group,
        selected, gain per degree of freedom or weight, number of its features (size), and their names.
        Empty without groups.

    See Also
    --------
    summarise : The summary of a fitted estimator.
    """

    title: str
    tables: dict[str, pd.DataFrame]
    features: pd.DataFrame
    notes: tuple[str, ...]
    lead: str = ""
    groups: pd.DataFrame = field(default_factory=pd.DataFrame)

    def __repr__(self) -> str:
        return self.as_text()

    def _repr_html_(self) -> str:
        return self.as_html()

    def as_text(self) -> str:
        """The summary as plain text, in lines of at most 80 characters.

        A name and its value are never parted, so a line is longer where they need it. Wide characters, such
        as Chinese ones, count as two; control characters are shown as in Python's literals.

        Returns
        -------
        str
            Lines without a final line break.
        """
        tables = [_simple_tables.as_text(heading, table) for heading, table in self.tables.items()]
        lead = map(_simple_tables.wrapped, self.lead.splitlines())
        title = _simple_tables.wrapped(self.title)
        return "\n".join([title, *lead, *tables, *map(_simple_tables.wrapped, self.notes)])

    def as_html(self) -> str:
        """The summary as a piece of HTML without styles.

        Returns
        -------
        str
            A ``div`` with one table per heading.
        """
        parts = [
            f"<h4>{in_html(self.title)}</h4>",
            *(f"<p>{in_html(line)}</p>" for line in self.lead.splitlines()),
        ]
        for heading, table in self.tables.items():
            parts.append(f"<h5>{in_html(heading)}</h5>" if heading else "")
            parts.append(_simple_tables.as_html(table))
        parts.extend(f"<p>{in_html(note)}</p>" for note in self.notes)
        return "<div>\n" + "\n".join(part for part in parts if part) + "\n</div>"

    def as_latex(self) -> str:
        r"""The summary as LaTeX tables with the rules of the package booktabs.

        Returns
        -------
        str
            One ``tabular`` per heading.
        """
        titles = [
            " ".join([self.title, *self.lead.splitlines()]),
            *[heading for heading in self.tables if heading],
        ]
        parts = map(_simple_tables.as_latex, self.tables.values())
        return "\n".join(
            f"% {on_one_line(title)}\n{part}" for title, part in zip(titles, parts, strict=False)
        )


class SummaryMixin:
    """Gives an estimator the method `summary`. A class names the attributes that its summary shows."""

    _facts: ClassVar = {"Objective": "objective_", "Inertia": "inertia_", "Iterations": "n_iter_"}  # numbers
    _counts: ClassVar[dict[str, str]] = {}  # masks, of which the true entries are counted
    _feature_columns: ClassVar[dict[str, str]] = {}  # one number for each feature
    _cluster_columns: ClassVar[dict[str, str]] = {}  # one number for each cluster
    _scaling: Any
    standardize: bool
    cluster_centers_: Any

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

    def _cautions(self) -> list[str]:
        """Notes that come before those on the columns."""
        return _cautions(self)

    def _weights_by_cluster(self) -> Any:
        """Feature weights of shape (p,) or (n_clusters, p), or None."""
        return getattr(self, "feature_weights_", None)

    def _explained(self) -> Any:
        """Sums of squares of the features that the clusters explain, and in all; None where not known."""
        totals = getattr(self, "_column_total", None)
        if totals is None:
            return None
        gains, exponent = self._between()
        units = np.frexp(self._scaling.unit)[1] - 1  # powers of two
        with np.errstate(under="ignore", over="ignore", invalid="ignore"):
            own = np.ldexp(gains, 2 * (exponent + units)) / np.square(self._scaling.spread, dtype=float)
        return self._by_variable(own), self._by_variable(totals)

    def _by_variable(self, values: Any) -> Any:
        """Values of the columns of the algorithm, summed over those of each feature."""
        return values

    def _center_table(self, features: pd.DataFrame, n_features: int) -> pd.DataFrame | None:
        """Centres that the summary shows of the first features, or None."""
        return None

    def _between(self) -> tuple[Any, int]:
        """Sums of squares between the centres, divided by 4**e, and e."""
        sizes = _sizes(self)["weight of rows" if _row_weights(self) is not None else "rows"].to_numpy(float)
        centers = np.asarray(self.cluster_centers_, dtype=np.float64)
        used = sizes > 0
        # Squares of numbers around 1 do not overflow; a power of two changes no digit.
        exponent = int(np.frexp(np.max(np.abs(centers), initial=0.0, where=np.isfinite(centers)))[1])
        scaled = np.ldexp(centers[used], -exponent)
        mean = np.average(scaled, axis=0, weights=sizes[used])
        with np.errstate(under="ignore"):
            return sizes[used] @ (scaled - mean) ** 2, exponent

    def _gains(self) -> Any:
        """Part of each feature explained by the clusters, with a note; None without centres in its units."""
        if not hasattr(self, "cluster_centers_"):
            return None
        gains, exponent = self._between()
        unit = "squared units of the data"
        with np.errstate(over="ignore", under="ignore"):  # the sum itself can be beyond all doubles
            coded = getattr(self, "_coding", None) is not None
            divided = hasattr(self, "_scaling") and bool(np.any(self._scaling.spread != 1))
            if divided or (coded and hasattr(self, "_scaling")):
                exponent += np.frexp(self._scaling.unit)[1] - 1
                gains = gains / np.square(self._scaling.spread, dtype=float)
                unit = f"in squared units of the columns {_scaling_of(self)}"
            gains = self._by_variable(np.ldexp(gains, 2 * exponent))
        return gains, f"gain: sum over clusters of size * (centre - mean)^2, {unit}"


class FitSummaryMixin(NamesEngine, SummaryMixin):
    """Gives a clusterer the method `summary`, which can show how sure the fit is."""

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
        sure = FitUncertainty(self, uncertainty, random_state=seed)._of_fit(self, X)
        return summarise(self, n_features, sure)


def summarise(estimator: Any, n_features: int, sure: Any = None, search: Any = None) -> Summary:
    """The summary of a fitted estimator.

    Parameters
    ----------
    estimator : estimator
        With `SummaryMixin`, fitted.
    n_features : int
        Number of features to show.
    sure : FitUncertainty or None
        Fits to resamples, whose intervals, shares and membership are added.
    search : estimator or None
        What drew the estimator's seed; its own seed, which the user gave, is shown instead.

    Returns
    -------
    Summary
        Its summary.

    Raises
    ------
    TypeError
        For an estimator without a summary, or a `sure` that is no fitted `FitUncertainty`.
    ValueError
        If `n_features` is not a positive integer.

    See Also
    --------
    Summary : The summary as tables.
    """
    if not isinstance(estimator, SummaryMixin):
        raise TypeError(f"estimator must be a fitted estimator with a summary; got {estimator!r:.60}")
    check_is_fitted(estimator)
    if sure is not None and not (hasattr(sure, "membership_") and hasattr(sure, "selection_frequencies_")):
        raise TypeError(f"sure must be a fitted FitUncertainty or None; got {sure!r:.60}")
    if search is not None and not isinstance(search, SummaryMixin):
        raise TypeError(f"search must be an estimator with a summary or None; got {search!r:.60}")
    if isinstance(n_features, bool) or not isinstance(n_features, int | np.integer) or n_features < 1:
        raise ValueError(f"n_features must be an integer of at least 1; got {n_features!r}")
    features, notes = _features(estimator, sure)
    tables = {
        "": _head(estimator, features, estimator if search is None else search),
        "Clusters": _sizes(estimator),
    }
    notes = estimator._cautions() + notes
    if sure is not None:
        tables["Clusters"]["membership"] = _mean_membership(sure, len(tables["Clusters"]))
        notes.append("membership: share of the resamples with a row that put it into its cluster, mean")
    groups = _groups(estimator)
    if len(groups):
        some = groups[groups["selected"]].drop(columns="selected").head(n_features)
        some = some.assign(features=[_cut(text) for text in some["features"]])
        tables[heading("Selected groups", len(some), int(groups["selected"].sum()))] = some
    shown = _shown(features).head(n_features)
    if len(shown):
        tables[_heading(features, len(shown))] = shown
    centers = estimator._center_table(features, n_features)
    if centers is not None:
        tables["Centres"] = centers
        notes.append("centres: means of numbers, and shares of the levels of categories")
    if np.size(getattr(estimator, "start_objectives_", ())) > 1:
        tables["Starts"] = _starts(estimator)
        notes.append("reached best: starts that ended with the best objective, to a millionth of it")
    left_out = NO_RESULTS if search is None else (*NO_RESULTS, "random_state")
    lead = _settings(estimator, left_out)
    return Summary(type(estimator).__name__, tables, features, tuple(notes), lead, groups)


def _settings(estimator: Any, left_out: tuple[str, ...]) -> str:
    """The parameters that differ from their defaults, and the choice."""
    defaults = inspect.signature(type(estimator)).parameters
    changed = ", ".join(
        f"{name}={_in_words(value)}"
        for name, value in estimator.get_params(deep=False).items()
        if name not in left_out and repr(value) != repr(defaults[name].default)
    )
    given = f"{changed}; others at their defaults" if changed else "all parameters at their defaults"
    scaling, choice = getattr(estimator, "scaling_", None), getattr(estimator, "_size_choice", None)
    chosen = [] if scaling is None or scaling.carrying is None else [scaling.in_words()]
    return "\n".join([given, *chosen, *([] if choice is None else [choice.in_words()])])


def _in_words(value: Any) -> str:
    """The value of a parameter on one line, without what no reader can use."""
    if isinstance(value, np.random.RandomState):
        return "a generator"
    if np.ndim(value) and hasattr(value, "shape"):
        return f"array of {' x '.join(map(str, value.shape))}"
    if hasattr(value, "in_short"):  # a scale of columns, of which the line below says more
        return f"({value.in_short()})"
    plain = value.item() if isinstance(value, np.generic) else value
    text = getattr(plain, "__name__", None) or " ".join(repr(plain).split())
    return _simple_tables.without_middle(text, LONGEST_VALUE)


def _row_weights(estimator: Any) -> Any:
    """The sample weights of the fit, or None."""
    return getattr(estimator, "_fit_weights", None)


def _sizes(estimator: Any) -> pd.DataFrame:
    """One row per cluster: its size, and its weight and scatter if the estimator has them."""
    labels = np.asarray(estimator.labels_)
    n_clusters = max(int(estimator.n_clusters), int(labels.max()) + 1)
    rows = np.bincount(labels[labels >= 0], minlength=n_clusters)
    names = names_of_clusters(estimator, n_clusters)
    table = pd.DataFrame({"cluster": names, "rows": rows, "share": rows / len(labels)})
    weights = _row_weights(estimator)
    if weights is not None:
        table["weight of rows"] = np.bincount(labels[labels >= 0], weights[labels >= 0], minlength=n_clusters)
    return table.assign(**{name: getattr(estimator, key) for name, key in estimator._cluster_columns.items()})


def names_of_clusters(estimator: Any, n_clusters: int) -> list[Any]:
    """What the clusters are called: numbers, or the labels that were given."""
    return list(getattr(estimator, "classes_", range(n_clusters)))


def _head(estimator: Any, features: pd.DataFrame, seeded: Any) -> pd.DataFrame:
    """Facts about data and settings, and beside them about the result; the seed is that of `seeded`."""
    missing = getattr(estimator, "_n_missing", 0)
    given = {
        "Rows": str(len(estimator.labels_)),
        "Features": str(estimator.n_features_in_),
        "Missing cells": "not counted" if missing is None else str(missing),
        "Clusters": str(estimator.n_clusters),
        "Scaling": _scaling_of(estimator),
        "Seed": seed_of(seeded),
        "Engine": estimator._engine,
    }
    found = _shares(estimator, features)
    if getattr(estimator, "_own_groups", None) is not None:
        chosen = len(np.unique(estimator.selected_groups_))
        found["Groups in use"] = f"{chosen} of {len(estimator.groups_)}"
    if "selected" in features:
        found["Features in use"] = f"{int(features['selected'].sum())} of {len(features)}"
    objective = getattr(estimator, "objective_", None)
    for name, key in estimator._facts.items():
        value = getattr(estimator, key, None)
        if value is None or np.ndim(value):
            continue
        if key != "inertia_" or objective is None or not np.isclose(value, objective, SAME_OBJECTIVE):
            found[name] = f"{value:.6g}"
    for name, key in estimator._counts.items():
        found[name] = str(int(np.count_nonzero(getattr(estimator, key))))
    return _simple_tables.facts(given, found)


def _scaling_of(estimator: Any) -> str:
    """In which units the columns were compared."""
    if not hasattr(estimator, "standardize"):
        return "by the method"
    standardized = estimator.standardize
    if standardized is None:
        standardized = not estimator._compares_columns()
    several = len(getattr(estimator, "batches_", ())) > 1
    found = getattr(estimator, "scaling_", None)
    if found is not None and not several:
        return str(found.in_short())
    if several:
        return "within batches" if standardized else "centred by batch"
    return "standardised" if standardized else "as given"


def seed_of(estimator: Any) -> str:
    """The seed that the user gave."""
    if not hasattr(estimator, "random_state"):
        return "nothing is random"
    seed = estimator.random_state
    return "none given" if seed is None else _in_words(seed)


def _shares(estimator: Any, features: pd.DataFrame) -> dict[str, str]:
    """Shares of the sums of squares that the clusters explain: of the features in use, and of all."""
    explained = estimator._explained()
    if explained is None:
        return {}
    gains, totals = explained
    if not (np.isfinite(gains).all() and np.isfinite(totals).all() and totals.sum() > 0):
        return {}
    shares = {"Share explained, all features": gains.sum() / totals.sum()}
    used = estimator.get_support() if hasattr(estimator, "get_support") else np.ones(len(totals), bool)
    if not used.all():
        own = gains[used].sum() / totals[used].sum() if totals[used].sum() > 0 else 0.0
        shares = {"Share explained, in use": own, **shares}
    return {name: f"{share:.4f}" for name, share in shares.items()}


def _cautions(estimator: Any) -> list[str]:
    """Notes on settings that say little: as many clusters as rows, numbers that are defaults."""
    notes = []
    if estimator.n_clusters == len(estimator.labels_):
        notes.append("n_clusters is the number of rows, so that each is a cluster: k must be below n")
    elif estimator.n_clusters == UNCHOSEN and not hasattr(estimator, "estimator"):
        notes.append(
            f"n_clusters={UNCHOSEN} is the default and not chosen from the data; ModelChoice compares others"
        )
    notes += _advice(estimator)
    choice = getattr(estimator, "_size_choice", None)
    if choice is not None and len(choice.values) > 1:
        notes.append("permutation gap: log of what the clusters explain, less that on shuffled columns")
    return notes + [
        f"{name}=None took {what}; it was not chosen from the data"
        for name, what in DEFAULTS
        if getattr(estimator, name, 0) is None
    ]


def _advice(estimator: Any) -> list[str]:
    """What to do about starts that disagree, clusters of one row, and choices at an end of their range."""
    notes = []
    objectives = np.asarray(getattr(estimator, "start_objectives_", ()), dtype=np.float64)
    if objectives.size > 1 and _reached(objectives) == 1:
        notes.append(
            f"only 1 of {objectives.size} starts reached the best objective, so a better one may exist: "
            f"raise n_init, to {10 * objectives.size} for instance"
        )
    sizes = _sizes(estimator)["rows"].to_numpy()
    single = np.flatnonzero(sizes == 1)
    if len(single) and estimator.n_clusters < len(estimator.labels_):
        notes.append(
            f"cluster {single[0]} has one row, likely an outlier: look at it, lower n_clusters, or use a "
            "method for outliers (RobustSparseKMeans)"
        )
    choice = getattr(estimator, "_size_choice", None)
    return notes + ([] if choice is None or len(choice.values) == 1 else _advice_on_size(estimator, choice))


def _advice_on_size(estimator: Any, choice: Any) -> list[str]:
    """What to do where the choice took all features, nearly all, or one."""
    used, p = int(np.count_nonzero(estimator.get_support())), estimator.n_features_in_
    if used > NEARLY_ALL * p:
        most = "all features" if used == p else f"{used} of {p} features"
        return [f"the choice took {most}: nothing speaks for a selection, so compare with plain k-means"]
    if used == 1:
        return [
            "the choice took one feature: look at it, and fit again without it to see whether others make "
            "clusters too"
        ]
    return []


def _reached(objectives: np.ndarray) -> int:
    """How many starts have the best objective."""
    half = np.ldexp(objectives[np.isfinite(objectives)], -1)  # sums of halves do not overflow
    return int(np.count_nonzero(half <= half.min() + SAME_OBJECTIVE * abs(half.min()))) if half.size else 0


def _mean_membership(sure: Any, n_clusters: int) -> list[float]:
    """For each cluster the mean probability of its rows to be in it; NaN for an empty one."""
    own = [sure.membership_[sure.labels_ == k, k : k + 1] for k in range(n_clusters)]
    return [float(np.nanmean(shares)) if np.isfinite(shares).any() else np.nan for shares in own]


def _features(estimator: Any, sure: Any) -> tuple[pd.DataFrame, list[str]]:
    """One row per feature, the most important first, and notes on the columns."""
    p = estimator.n_features_in_
    names = names_of_features(estimator)
    columns: dict[str, Any] = {}
    groups = getattr(estimator, "_own_groups", None)
    notes = []
    weights = estimator._weights_by_cluster()
    if hasattr(estimator, "get_support"):
        columns["selected"] = estimator.get_support()
    elif weights is not None:
        columns["selected"] = in_use(weights)
    by_cluster = np.ndim(weights) == 2
    clusters = names_of_clusters(estimator, len(weights)) if by_cluster else []
    if weights is not None:
        columns["weight"] = weights.max(axis=0) if by_cluster else weights
    if by_cluster:
        columns["cluster"] = [clusters[k] for k in weights.argmax(axis=0)]
        notes.append("weight: the largest over the clusters, in the cluster named")
    gains = estimator._gains()
    if gains is not None:
        columns[gains[1].partition(":")[0]] = gains[0]
        notes.append(gains[1])
    more = estimator._feature_columns.items()
    columns |= {name: getattr(estimator, key) for name, key in more if hasattr(estimator, key)}
    if not columns:
        return pd.DataFrame(), []
    order = _order(columns)
    if hasattr(estimator, "restart_table_"):
        columns["in starts"] = _selection_share(estimator.restart_table_["selected"], p)
        notes.append("in starts: share of the starts that ended with the feature selected")
    if sure is not None:
        columns |= _intervals(sure, weights)
        kind = "replicates" if hasattr(sure, "selection_errors_") else "resamples"
        resamples = f"{sure.n_resamples_} {kind} ({sure.method})"
        notes.append(f"low, high: {sure.level:.0%} interval of the weight, from {resamples}")
        notes.append("frequency: share of these that select the feature")
    if by_cluster:
        columns |= {f"weight_{name}": row for name, row in zip(clusters, weights, strict=True)}
    own = {} if groups is None else {"group": groups.names[groups.codes]}
    frame = pd.DataFrame({"feature": names, **own, **columns}).iloc[order].reset_index(drop=True)
    frame.insert(0, "rank", np.arange(1, p + 1))
    return frame, notes


def names_of_features(estimator: Any) -> list[Any]:
    """Names of the columns, or x0, x1, ..."""
    return list(getattr(estimator, "feature_names_in_", [f"x{j}" for j in range(estimator.n_features_in_)]))


def _groups(estimator: Any) -> pd.DataFrame:
    """One row per group of features, the most important first; empty without groups."""
    groups = getattr(estimator, "_own_groups", None)
    if groups is None:
        return pd.DataFrame()
    names = names_of_features(estimator)
    columns = {"selected": np.isin(groups.names, estimator.selected_groups_), **estimator._group_columns()}
    table = pd.DataFrame({"group": groups.names, **columns, "size": groups.sizes})
    table["features"] = [", ".join(str(names[j]) for j in own) for own in groups.columns]
    table = table.iloc[_order(columns)].reset_index(drop=True)
    table.insert(0, "rank", np.arange(1, len(table) + 1))
    return table


def _cut(text: str) -> str:
    """The text, or its beginning."""
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 3]}..."


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


def heading(kind: str, n_shown: int, total: int) -> str:
    """Heading of a table of features of which the first are shown."""
    return kind if n_shown == total else f"{kind}: the first {n_shown} of {total}"


def _heading(features: pd.DataFrame, n_shown: int) -> str:
    """Heading of the table of features."""
    if "selected" in features:
        return heading("Selected features", n_shown, int(features["selected"].sum()))
    return heading("Features", n_shown, len(features))


def _selection_share(selected: pd.Series[Any], p: int) -> np.ndarray:
    """Share of the starts that selected each feature for at least one cluster."""
    counts = np.zeros(p)
    for features in selected:
        by_cluster = bool(features) and isinstance(features[0], tuple)
        counts[np.unique(np.hstack(features) if by_cluster else np.array(features, dtype=np.intp))] += 1
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
    iterations = np.asarray(estimator.start_n_iter_)
    numbers = {
        "best": best,
        "median": float(np.ldexp(np.median(half), 1)),
        "worst": finite.max(),
        "reached best": _reached(finite),
        "iterations": " to ".join(map(str, np.unique([iterations.min(), iterations.max()]))),
    }
    return pd.DataFrame([{**table, **numbers}])


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
