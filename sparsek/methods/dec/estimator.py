"""Estimator of deep embedded clustering: DEC."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable, Mapping
from itertools import pairwise
from numbers import Integral
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from sparsek.core.scaling import warn_of_lost_structure
from sparsek.core.steps import Array
from sparsek.errors import callers_level
from sparsek.inputs.arguments import count, names
from sparsek.inputs.threads import thread_control
from sparsek.inputs.validation import require_array, require_rows, validate_data
from sparsek.methods.dec.algorithm import encode_all, encoder_and_centers, soft_assignment
from sparsek.methods.dec.autoencoder import Layers, whole
from sparsek.methods.dec.files import as_tuples, numbers, read_archive, require_kinds, several, write_archive
from sparsek.methods.dec.optimizers import RULES
from sparsek.methods.dec.run import CheckpointFile, Snapshot, run_watched
from sparsek.methods.dec.settings import HiddenSizes, far_means, make_plans, root_mean_square
from sparsek.methods.shared.base import start_seeds
from sparsek.methods.shared.clusterer.numbering import NumberedClusters
from sparsek.methods.shared.estimator import Estimator
from sparsek.methods.shared.no_weights import NoWeights
from sparsek.methods.shared.parameters import (
    AnyPath,
    BelowOne,
    Count,
    Flag,
    NotNegative,
    Positive,
    Runs,
    Seed,
    Verbose,
)
from sparsek.methods.shared.soft import SoftClusters, led_by
from sparsek.summary.estimators import FitSummaryMixin

logger = logging.getLogger("sparsek")


FITTED: dict[str, Callable[[Any], bool]] = {
    "labels_": numbers(1, "iu"),
    "embedding_": numbers(2),
    "cluster_centers_": numbers(2),
    "probabilities_": numbers(2),
    "initial_labels_": numbers(1, "iu"),
    "initial_embedding_": numbers(2),
    "reconstruction_error_": numbers(0),
    "start_errors_": numbers(1),
    "epoch_losses_": several(numbers(1)),
    "history_": several(numbers(1, "iuf")),
    "objective_": numbers(0),
    "n_iter_": numbers(0, "iu"),
    "coefs_": several(numbers(2)),
    "intercepts_": several(numbers(1)),
    "scale_": numbers(0),
    "offset_": numbers(1),
    "_scale": numbers(1),
    "n_features_in_": numbers(0, "iu"),
    "_engine": lambda value: isinstance(value, str),
}
"""Attributes that `save` writes, besides the parameters and the names of the features, and their kinds."""
ENGINE_UNKNOWN = "not recorded"
"""The engine of a model whose file was written before `save` kept the engine."""
LARGEST = 1e150
"""Embeddings with larger entries are refused, because their squares overflow."""


def _layers_fit(fitted: Mapping[str, Any]) -> bool:
    """Whether each layer takes what the one before gives, from the features to the centres."""
    coefs, intercepts = fitted["coefs_"], fitted["intercepts_"]
    widths = [fitted["n_features_in_"], *(len(bias) for bias in intercepts)]
    shapes = [np.shape(weights) for weights in coefs]
    return shapes == list(pairwise(widths)) and np.shape(fitted["cluster_centers_"])[1] == widths[-1]


class DEC(
    SoftClusters,
    NumberedClusters,
    FitSummaryMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    ClusterMixin,
    Estimator,
):
    r"""Deep embedded clustering: k-means on an embedding that is trained further to separate its clusters.

    A stacked denoising autoencoder maps each row :math:`x_i` to a short :math:`z_i`. From centres
    :math:`\mu_j` found by k-means, encoder and centres then minimise :math:`L = \sum_{ij} p_{ij}
    \log(p_{ij} / q_{ij})` with the soft assignments :math:`q_{ij} \propto (1 + \|z_i - \mu_j\|^2 /
    \alpha)^{-(\alpha + 1) / 2}` and their sharpened version :math:`p_{ij} \propto q_{ij}^2 / \sum_i q_{ij}`,
    which is held fixed between updates.

    Parameters
    ----------
    n_clusters : int, default=8
    n_components : int, default=10
        Length of the embedding z.
    hidden_sizes : sequence of int or None, default=None
        Units of the hidden layers of the encoder, which are rectified; the decoder mirrors them. None takes
        the paper's (500, 500, 2000) for 2000 rows or more, and (200, 200, 500) for fewer.
    n_init : int, default=1
        Number of autoencoders trained; the one with the least reconstruction error is kept.
    normalize : bool, default=True
        Divide X by the root of its mean square, one number, as the paper does. Columns are not made equal in
        scale: standardise those of different units first. A column is centred only where its mean is more
        than 10 standard deviations from 0, beside which the network would see no differences.
    layer_epochs, finetune_epochs : int, default=20 and 60
        Largest numbers of passes over the rows for every layer, and then for the whole autoencoder.
    patience : int or None, default=None
        Layers and autoencoder stop early when their loss has not fallen by a relative 1e-4 for so many
        epochs. None: never.
    dropout : float, default=0.2
        Probability, in [0, 1), with which inputs and hidden units are set to 0 while layers are trained.
    corrupt_input : bool, default=True
        Whether the data themselves, the inputs of the first layer, are corrupted too; the paper's released
        script does not.
    weight_init : {"glorot", "normal"}, default="glorot"
        Starting weights: uniform on +-sqrt(6 / (inputs + outputs)), or the paper's N(0, 0.01^2).
    pretrain_optimizer, optimizer : {"adam", "sgd"}, default="adam" and "sgd"
        Adam, or gradient descent with momentum, for the autoencoder, and for the clustering.
    pretrain_learning_rate, learning_rate : float or None, default=None
        Learning rates of both. None takes 1e-3 with "adam"; with "sgd" 0.1, divided by 10 every 20 000 steps
        of a layer, for the autoencoder, and 0.01 for the clustering.
    momentum : float, default=0.9
        Momentum of "sgd", in [0, 1).
    alpha : float, default=1.0
        Degrees of freedom of Student's kernel, positive.
    batch_size : int, default=256
        Largest number of rows of a step; an epoch is cut into batches of almost equal sizes.
    update_interval : int or None, default=None
        Steps of the clustering between updates of the target p. None takes 140 for 2000 rows or more and 30
        for fewer.
    max_iter : int, default=20000
        Largest number of steps of the clustering.
    tol : float, default=1e-3
        The clustering stops at an update at which less than this share of the rows changed their label.
    checkpoint : path-like or None, default=None
        File in which a run in progress is saved. If it exists, `fit` continues from it and ends with the same
        result as a run without interruption; a complete run removes it.
    checkpoint_every : float, default=60.0
        Shortest time between two writes of the checkpoint, seconds.
    blas_threads : int or None, default=1
        Threads of matrix products; None leaves them as they are. Results with other numbers of threads differ
        by rounding, which training magnifies.
    random_state : int, RandomState instance or None, default=None
        Seed of starting weights, dropout, batches and k-means. Equal seeds give equal results on one machine.
    verbose : int, default=0
        If positive, show progress bars, on a terminal only, and log each autoencoder to the logger "sparsek".

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Most probable clusters, by falling size; ties go to the lowest.
    embedding_ : ndarray of shape (n_samples, n_components)
        The rows z of the trained encoder, dimensionless.
    cluster_centers_ : ndarray of shape (n_clusters, n_components)
        Centres mu in the embedding.
    probabilities_ : ndarray of shape (n_samples, n_clusters)
        Soft assignments q; rows sum to 1.
    initial_labels_ : ndarray of shape (n_samples,), int32
        Labels of k-means on the embedding of the autoencoder, from which the clustering started.
    initial_embedding_ : ndarray of shape (n_samples, n_components)
        That embedding.
    reconstruction_error_ : float
        Mean squared error of the autoencoder over all entries of the normalised X.
    start_errors_ : ndarray of shape (n_init,)
        `reconstruction_error_` of every autoencoder.
    epoch_losses_ : list of ndarray of shape (n_epochs,)
        Mean squared error during every epoch of the layers and, last, of the whole autoencoder kept.
    history_ : dict of str to ndarray of shape (n_updates,)
        At every update "step", "kl" (L, a sum over rows) and "changed", the share of rows with a new label.
    objective_ : float
        L at the end, dimensionless. It does not serve to compare runs, because p changes with q.
    n_iter_ : int
        Steps of the clustering.
    coefs_, intercepts_ : list of ndarray
        Weights, (inputs, outputs), and biases, (outputs,), of the encoder's layers.
    scale_ : float
        Number by which X was divided, units of X; 1 without `normalize`.
    offset_ : ndarray of shape (n_features,)
        What was taken off before that, units of X: the means that are far from 0, and 0 for other columns.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: NaN or infinite data, fewer rows than clusters, a parameter outside its range, a loss that
        overflows, a checkpoint of other data or parameters.
    TypeError

    Warns
    -----
    ConvergenceWarning

    See Also
    --------
    KernelKMeans : K-means in the space of a kernel.
    IFPCA : Spectral clustering on features that are not normal.

    Notes
    -----
    Arithmetic is in the type of X; float32 halves the time. Weights of rows are not supported. Differences
    from the paper: Adam and far fewer steps for the autoencoder; batches of almost equal sizes.

    References
    ----------
    Xie, J., Girshick, R. and Farhadi, A. (2016). Unsupervised deep embedding for clustering analysis.
    Proceedings of the 33rd International Conference on Machine Learning, PMLR 48, 478-487.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import DEC
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(90, 6))
    >>> X[:30, :2] += 6
    >>> X[30:60, 2:4] += 6
    >>> model = DEC(3, n_components=2, hidden_sizes=(16,), batch_size=16, random_state=0).fit(X)
    >>> np.bincount(model.labels_)
    array([30, 30, 30])
    >>> model.transform(X).shape
    (90, 2)
    """

    cluster_centers_: Array
    coefs_: list[Array]
    intercepts_: list[Array]
    scale_: float

    _no_weights = NoWeights("its network learns from batches of rows that are drawn alike", "KernelKMeans")

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        n_components: Count = 10,
        hidden_sizes: HiddenSizes | None = None,
        n_init: Runs = 1,
        normalize: Flag = True,
        layer_epochs: Annotated[int, count(0)] = 20,
        finetune_epochs: Annotated[int, count(0)] = 60,
        patience: Count | None = None,
        dropout: BelowOne = 0.2,
        corrupt_input: Flag = True,
        weight_init: Annotated[str, names("glorot", "normal")] = "glorot",
        pretrain_optimizer: Annotated[str, names(*RULES)] = "adam",
        optimizer: Annotated[str, names(*RULES)] = "sgd",
        pretrain_learning_rate: Positive | None = None,
        learning_rate: Positive | None = None,
        momentum: BelowOne = 0.9,
        alpha: Positive = 1.0,
        batch_size: Count = 256,
        update_interval: Count | None = None,
        max_iter: Count = 20_000,
        tol: NotNegative = 1e-3,
        checkpoint: AnyPath | None = None,
        checkpoint_every: NotNegative = 60.0,
        blas_threads: Count | None = 1,
        random_state: Seed = None,
        verbose: Verbose = 0,
    ) -> None:
        self._keep(locals())

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Train the autoencoder, then cluster its embedding.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : None

        Returns
        -------
        DEC
            The fitted estimator.
        """
        self._validate_params()
        data = self._validate(X, reset=True)
        require_rows(len(data), self.n_clusters)
        file = self._checkpoint_file(data)
        snapshot = file.read() if file else None
        if snapshot is None:
            seeds = start_seeds(self.random_state, self.n_init)
            snapshot = Snapshot(tuple(seeds.tolist()))
        self.offset_ = far_means(data) if self.normalize else np.zeros(data.shape[1], data.dtype)
        self._scale = root_mean_square(self._centred(data)) if self.normalize else (0.5, 1)
        self.scale_ = float(np.ldexp(*self._scale))
        scaled = self._scaled(data)
        training, plan = make_plans(self, *data.shape)
        with thread_control().limit(limits=self.blas_threads), np.errstate(all="ignore"):
            for state in run_watched(scaled, training, plan, snapshot, self.verbose):
                if file:
                    file.write(state)
            self._store(scaled, training.sizes, state)
        if file:
            file.remove()
        self._note_engine()
        self._report(state)
        return self

    def transform(self, X: ArrayLike) -> Any:
        """Embedding of the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data in the units of the training data.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The rows z, dimensionless, in the type of X.
        """
        return self._embed(X)

    def predict_proba(self, X: ArrayLike) -> Array:
        """Soft assignments of the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data in the units of the training data.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            q; rows sum to 1.
        """
        Z = self._embed(X)
        q = soft_assignment(Z, self.cluster_centers_, self.alpha)
        return led_by(q, q.argmax(axis=1), Z.dtype)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file, as arrays and JSON, without pickle.

        Parameters
        ----------
        path : path-like
            File to write, usually ending in ".npz"; replaced if it exists. A `random_state` that is not an
            integer becomes None.

        Raises
        ------
        OSError
            If the file cannot be written, or the path leads to a folder, a device, a pipe or a socket.
        """
        check_is_fitted(self)
        parameters = self.get_params(deep=False)
        if not isinstance(self.random_state, Integral):
            parameters["random_state"] = None
        if self.checkpoint is not None:
            parameters["checkpoint"] = os.fspath(self.checkpoint)
        fitted = {name: getattr(self, name) for name in FITTED}
        names = list(getattr(self, "feature_names_in_", [])) or None
        write_archive(path, "model", {"parameters": parameters, "fitted": fitted, "feature_names": names})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model that `save` wrote.

        Parameters
        ----------
        path : path-like
            The file.

        Returns
        -------
        DEC
            The fitted estimator.

        Raises
        ------
        FileNotFoundError
            There is no such file.
        ValueError
            It is not a saved model.
        """
        values = read_archive(path, "model", ("parameters", "fitted", "feature_names"))
        if isinstance(values["fitted"], dict):
            values["fitted"].setdefault("_engine", ENGINE_UNKNOWN)
            width = np.shape(next(iter(values["fitted"].get("coefs_") or [()])))[:1]
            values["fitted"].setdefault("offset_", np.zeros(width or 1))
            values["fitted"].setdefault("_scale", (values["fitted"].get("scale_"), 0))
        wanted = [("parameters", cls._get_param_names()), ("fitted", FITTED)]
        for part, expected in wanted:
            found = values[part] if isinstance(values[part], dict) else {}
            unlike = sorted(set(found) ^ set(expected))
            if unlike:
                raise ValueError(
                    f"{os.fspath(path)!r} is not a model of DEC: {', '.join(unlike)} missing or unknown"
                )
        require_kinds(path, "model", values["fitted"], FITTED)
        if not _layers_fit(values["fitted"]):
            raise ValueError(f"{os.fspath(path)!r} is not a model of DEC: its layers do not fit each other")
        parameters = {name: as_tuples(value) for name, value in values["parameters"].items()}
        try:
            cls(**parameters)._validate_params()
        except (TypeError, ValueError) as error:
            raise ValueError(f"{os.fspath(path)!r} is not a model of DEC: {error}") from error
        model = cls(**parameters)
        model._begin()
        there = set(vars(model))
        for name, value in values["fitted"].items():
            setattr(model, name, value)
        if values["feature_names"] is not None:
            model.feature_names_in_ = np.array(values["feature_names"], dtype=object)
        model._end(there)
        return model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _checkpoint_file(self, X: Array) -> CheckpointFile | None:
        """The checkpoint file; its fingerprint covers the data and the parameters that affect the result."""
        if self.checkpoint is None:
            return None
        parameters = self.get_params(deep=False)
        for name in ("checkpoint", "checkpoint_every", "verbose"):
            del parameters[name]
        if not isinstance(self.random_state, Integral):
            del parameters["random_state"]  # the seeds drawn from it are in the file
        return CheckpointFile(self.checkpoint, X, parameters, self.checkpoint_every)

    def _store(self, X: Array, sizes: tuple[int, ...], snapshot: Snapshot) -> None:
        """Set the attributes from the last state of the run."""
        best, clustering = snapshot.best, snapshot.clustering
        assert best is not None
        assert clustering is not None
        layers, centers = encoder_and_centers(clustering.parameters, sizes)
        self.coefs_, self.intercepts_ = [w for w, _ in layers], [b for _, b in layers]
        self.cluster_centers_ = centers.copy()
        self.labels_ = self._number(clustering.labels)
        self.initial_labels_ = self._numbered(clustering.first_labels)
        self.embedding_ = encode_all(layers, X)
        del self._numbers  # the centres that `predict` reads have them
        q = soft_assignment(self.embedding_, self.cluster_centers_, self.alpha)
        self.probabilities_ = q.astype(X.dtype, copy=False)
        self.initial_embedding_ = encode_all(whole(best.parameters, sizes)[: len(layers)], X)
        self.start_errors_ = np.array(snapshot.start_errors)
        self.reconstruction_error_ = best.errors[-1]
        self.epoch_losses_ = [np.array(losses) for losses in best.losses]
        columns = zip(*clustering.history, strict=True)
        self.history_ = dict(zip(("step", "kl", "changed"), map(np.array, columns), strict=True))
        self.objective_ = float(self.history_["kl"][-1])
        self.n_iter_ = clustering.step

    def _report(self, snapshot: Snapshot) -> None:
        """Log the autoencoders; warn if the clustering did not converge or has fewer clusters."""
        if self.verbose:
            for i, error in enumerate(snapshot.start_errors):
                logger.info("autoencoder %d: reconstruction error %r", i, error)
        if snapshot.clustering is not None and not snapshot.clustering.converged:
            message = f"labels still change after {self.n_iter_} steps; increase max_iter or tol"
            warnings.warn(message, ConvergenceWarning, stacklevel=callers_level())
        found = len(np.unique(self.labels_))
        if found < self.n_clusters:
            message = (
                f"Number of distinct clusters ({found}) found smaller than n_clusters ({self.n_clusters}). "
                "Possibly due to duplicate points in X, or to clusters that merged in the embedding."
            )
            warnings.warn(message, ConvergenceWarning, stacklevel=callers_level())

    def _gains(self) -> None:
        """The summary has no gains of features, because the centres lie in the embedding."""

    @property
    def _n_features_out(self) -> int:
        width: int = self.cluster_centers_.shape[1]
        return width

    def _validate(self, X: ArrayLike, reset: bool) -> Array:
        X = require_array(X)
        data: Array = validate_data(self, X, reset=reset, dtype=[np.float64, np.float32], order="C")
        if reset:
            warn_of_lost_structure(data, getattr(self, "feature_names_in_", None), common_scale=True)
        return data

    def _scaled(self, X: Array) -> Array:
        """X in units of the scale: a power of two first, by which division is exact at every size."""
        m, e = self._scale
        with np.errstate(over="ignore"):  # numpy 1.26 tells of overflow where no quotient overflows
            return np.asarray(np.ldexp(self._centred(X), -e) / m)

    def _centred(self, X: Array) -> Array:
        """X without the means that lie far from 0."""
        if not self.offset_.any():
            return X
        with np.errstate(over="ignore"):
            return np.asarray(X - self.offset_.astype(X.dtype, copy=False))

    def _embed(self, X: ArrayLike) -> Array:
        """Embedding of checked rows."""
        check_is_fitted(self)
        data = self._validate(X, reset=False)
        layers: Layers = [
            (weights.astype(data.dtype, copy=False), bias.astype(data.dtype, copy=False))
            for weights, bias in zip(self.coefs_, self.intercepts_, strict=True)
        ]
        with thread_control().limit(limits=self.blas_threads), np.errstate(all="ignore"):
            Z = encode_all(layers, self._scaled(data))
        if not float(np.abs(Z).max()) < LARGEST:  # also refuses NaN
            raise ValueError(
                f"the embedding of X exceeds {LARGEST}; X must be in the units of the training data"
            )
        return Z
