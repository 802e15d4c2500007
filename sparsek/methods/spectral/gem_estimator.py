"""Estimator of spectral clustering from inner products of the rows: SpectralGEM."""

from __future__ import annotations

from typing import Annotated, Self

import numpy as np
from numpy.typing import ArrayLike

from sparsek.core.scaling import prepare
from sparsek.core.steps import Array
from sparsek.inputs.arguments import names
from sparsek.inputs.threads import thread_control
from sparsek.methods.shared.no_weights import NoWeights
from sparsek.methods.shared.parameters import Count, Flag, Runs, Seed, Verbose
from sparsek.methods.spectral.base import SpectralClusterer, with_ones
from sparsek.methods.spectral.gram import gram, project, scale_columns
from sparsek.methods.spectral.spectral_gem import GRAPHS, graph_project, graph_rows, principal_rows


class SpectralGEM(SpectralClusterer):
    r"""Spectral clustering of the rows from their inner products, on all features.

    Without a graph, k-means runs on the first left singular vectors of the standardised data. This is SpecGem
    in the tables of the sparse MinMax paper, and :class:`IFPCA` without its selection. With a graph, it is
    the method of Lee, Luca and Roeder: rows i and i' of the centred data are joined by an edge of weight
    :math:`w_{ii'} = \sqrt{\max(x_i' x_{i'}, 0)}`, where W is their matrix and D has its row sums on the
    diagonal. K-means runs on the second and the following eigenvectors of :math:`D^{-1/2} W D^{-1/2}`.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters K.
    n_components : int or None, default=None
        Number of vectors; None means K - 1.
    graph : {None, "root", "linear"}, default=None
        Weights of the edges: no graph, the root of the positive inner products, or these themselves.
    standardize : bool or None, default=None
        Divide every column by its standard deviation (ddof 1). None does so without a graph only.
    n_init : int, default=30
    max_iter : int, default=300
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Clusters from 0.
    embedding_ : ndarray of shape (n_samples, n_components), float64
        Orthonormal vectors, the entry of largest modulus of each positive; dimensionless.
    inertia_ : float
    n_iter_ : int
    start_objectives_ : ndarray of shape (n_starts,)
        Sum of squares of every start.
    start_n_iter_ : ndarray of shape (n_starts,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: NaN or infinite data, fewer rows than clusters or than 2, no feature that varies, a
        parameter outside its range.
    TypeError

    Warns
    -----
    UserWarning
        There are fewer directions of positive eigenvalue than wanted; those are used.
    ConvergenceWarning

    See Also
    --------
    IFPCA : Spectral clustering on features that are not normal.
    KernelKMeans : K-means in the space of a kernel.

    Notes
    -----
    `predict` projects rows on the vectors of the training data (with a graph by their edges to the training
    rows, which are then kept) and takes the nearest mean of a cluster; `transform` gives the distances to
    these means, in the coordinates of `embedding_`.

    With many more features than rows, or with a graph, an n_samples x n_samples matrix is formed; never one
    of n_features x n_features.

    References
    ----------
    Lee, A. B., Luca, D. and Roeder, K. (2010). A spectral graph approach to discovering genetic ancestry.
    Annals of Applied Statistics 4, 179-202.

    Dey, S., Das, S. and Mallipeddi, R. (2020). The sparse MinMax k-means algorithm for high-dimensional
    clustering. IJCAI 2020, 2103-2110, column SpecGem of the tables.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import SpectralGEM
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 100))
    >>> X[:30, :20] += 2
    >>> model = SpectralGEM(n_clusters=2, random_state=0).fit(X)
    >>> np.bincount(model.labels_)
    array([30, 30])
    """

    _no_weights = NoWeights(
        "its eigenvectors are those of a graph that has one node for each row",
        "KernelKMeans",
    )

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        n_components: Count | None = None,
        graph: Annotated[str, names(*GRAPHS)] | None = None,
        standardize: Flag | None = None,
        n_init: Runs = 30,
        max_iter: Count = 300,
        random_state: Seed = None,
        verbose: Verbose = 0,
    ) -> None:
        self._keep(locals())

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data, finite, at least two rows. Never changed; products are in double precision.
        y : None

        Returns
        -------
        SpectralGEM
            The fitted estimator.
        """
        self._validate_params()
        wanted = self.n_clusters - 1 if self.n_components is None else int(self.n_components)
        if wanted == 0 and self.graph is not None:
            raise ValueError(
                f"n_clusters=1 leaves no vectors of graph={self.graph!r} to embed the rows in; give "
                "n_components, or use more clusters"
            )
        data = self._validate_rows(X, least=2)
        with thread_control().limit(limits=1):
            self._find(data, wanted)
            self._cluster_rows(with_ones(self.embedding_))
        return self

    def _find(self, data: Array, wanted: int) -> None:
        """Scale the columns and embed the rows."""
        if not self._compares_columns():
            self._scaling = scale_columns(data)
        else:
            self._scaling = prepare(data, None, standardize=False, by_column=False)[1]
        self._columns = np.flatnonzero(data.max(axis=0) > data.min(axis=0))
        if not len(self._columns):
            raise ValueError("every feature of X is constant; give at least one that varies")
        if self.graph is None:
            found = principal_rows(data, self._scaling, self._columns, wanted)
        else:
            found = graph_rows(data, self._scaling, self._columns, wanted, self.graph)
            self._rows = data.copy()
        self.embedding_, self._loadings = found.rows, found.loadings
        self._check_rank(wanted, self.embedding_.shape[1])

    def _compares_columns(self) -> bool:
        return self.graph is not None if self.standardize is None else not self.standardize

    def _coordinates(self, X: Array) -> Array:
        if self.graph is None:
            return with_ones(project(X, self._scaling, self._columns, self._loadings))
        products = gram(X, self._scaling, self._columns, self._rows)
        return with_ones(graph_project(products, self._loadings, self.graph))
