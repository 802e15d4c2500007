"""Clusters of the cells of an AnnData object: matrix in, results in ``.obs``, ``.var`` and ``.uns``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline

import sparsek
from sparsek.core.tasks import last_step
from sparsek.methods.search.resamples import input_support

__all__ = ["cluster"]

KEY = "sparsek"
"""Name under which results are stored, and beginning of the names of further columns."""
NUMBERS = ("objective_", "inertia_", "n_iter_", "l1_bound_")
"""Attributes of the fit that go to ``.uns``."""


def cluster(adata: Any, estimator: Any, layer: str | None = None) -> Any:
    """Cluster the cells of an AnnData object and store the results in it.

    Parameters
    ----------
    adata : AnnData
        Cells in rows, genes in columns. Its matrices are not changed; these entries are added or replaced:

        - ``.obs["sparsek"]``: the cluster of every cell, as categories "0", "1", ...;
        - ``.obs["sparsek_outlier"]``: whether the cell is an outlier, for robust estimators;
        - ``.var["sparsek_selected"]``: whether the gene is selected, for estimators that select;
        - ``.var["sparsek_weight"]``: weight of the gene, dimensionless, for estimators that weight;
        - ``.varm["sparsek_weights"]``: weights of the gene in every cluster, where clusters have their own;
        - ``.uns["sparsek"]``: estimator with its parameters, layer, version and criterion.
    estimator : estimator
        A clusterer of sparsek or scikit-learn, a search or a Pipeline that ends in a clusterer. It is not
        fitted itself; a copy is.
    layer : str or None, default=None
        Name of the layer to cluster; None takes ``.X``.

    Returns
    -------
    estimator
        The fitted copy, for `summary`, plots and `predict`.

    Raises
    ------
    TypeError
        For an object that is not like an AnnData, or a sparse matrix that the estimator does not take.
    KeyError
        For a layer that is not there.
    ValueError
        From the fit.

    See Also
    --------
    sparsek.SKFR : K-means on the s features that separate the clusters best.
    sparsek.plots.plot_weights : Draw the feature weights.

    Notes
    -----
    Nothing is normalised here: filter, normalise and take logarithms first, with scanpy for example, and set
    `standardize` where genes of small variance should count as much as others.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import SKFR
    >>> from sparsek.anndata import cluster
    >>> import anndata  # doctest: +SKIP
    >>> adata = anndata.AnnData(np.random.default_rng(0).normal(size=(60, 20)))  # doctest: +SKIP
    >>> model = cluster(adata, SKFR(n_clusters=2, n_features_to_select=5, random_state=0))  # doctest: +SKIP
    >>> adata.obs["sparsek"].value_counts()  # doctest: +SKIP
    """
    X = _matrix(adata, layer)
    names = np.asarray(adata.var_names, dtype=object).astype(str).astype(object)
    copy = clone(estimator)
    model = copy.fit(X if issparse(X) else pd.DataFrame(np.asarray(X), columns=names))
    found = last_step(getattr(model, "best_estimator_", model))
    if issparse(X) and not isinstance(model, Pipeline) and found.n_features_in_ == len(names):
        found.feature_names_in_ = names  # a sparse matrix has no names
    adata.obs[KEY] = _categories(found.labels_, adata.obs_names)
    if hasattr(found, "outliers_"):
        adata.obs[f"{KEY}_outlier"] = np.asarray(found.outliers_)
    _store_genes(adata, getattr(model, "best_estimator_", model), found)
    adata.uns[KEY] = _record(estimator, found, layer)
    return model


def _matrix(adata: Any, layer: str | None) -> Any:
    """The matrix to cluster."""
    if not all(hasattr(adata, name) for name in ("X", "obs", "var", "uns", "layers")):
        raise TypeError(
            f"an AnnData object is needed; got {type(adata).__name__}: estimators take arrays and tables "
            "themselves, as in SKFR(3).fit(X)"
        )
    if layer is None:
        if adata.X is None:
            known = ", ".join(map(repr, adata.layers)) or "none"
            raise TypeError(f"adata.X is None; name one of its layers ({known}) as layer")
        return adata.X
    if layer not in adata.layers:
        known = ", ".join(map(repr, adata.layers)) or "no layers"
        raise KeyError(f"adata has no layer {layer!r}; it has {known}")
    return adata.layers[layer]


def _categories(labels: Any, cells: Any) -> pd.Series[Any]:
    """Labels as texts in the order of the numbers, as scanpy's clusterings give them."""
    numbers = np.unique(labels)
    texts = np.asarray(labels).astype(int).astype(str)
    found = pd.Categorical(texts, categories=[str(int(number)) for number in numbers])
    return pd.Series(found, index=cells)


def _store_genes(adata: Any, fit: Any, found: Any) -> None:
    """Store which genes are selected, and weights; a Pipeline that makes new features has neither."""
    p = adata.shape[1]
    if hasattr(found, "get_support"):
        adata.var[f"{KEY}_selected"] = input_support(fit, p)
    weights = found._weights_by_cluster() if hasattr(found, "_weights_by_cluster") else None
    if weights is None or np.shape(weights)[-1] != p:
        return
    if np.ndim(weights) == 1:
        adata.var[f"{KEY}_weight"] = np.asarray(weights, dtype=np.float64)
    else:
        adata.varm[f"{KEY}_weights"] = np.asarray(weights, dtype=np.float64).T


def _record(estimator: Any, found: Any, layer: str | None) -> dict[str, Any]:
    """What ``.uns`` keeps, in types that h5ad files hold."""
    numbers = {name.rstrip("_"): float(getattr(found, name)) for name in NUMBERS if hasattr(found, name)}
    return {
        "estimator": " ".join(repr(estimator).split()),
        "layer": "X" if layer is None else layer,
        "version": sparsek.__version__,
        **numbers,
    }


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
