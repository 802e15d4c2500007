"""Plots of fits, choices and data. Each takes axes and returns them; they need ``sparsek[plot]``."""

from sparsek._docstrings import complete
from sparsek.plots._clusters import plot_centers, plot_pairs
from sparsek.plots._convergence import plot_convergence
from sparsek.plots._dotplot import plot_dotplot
from sparsek.plots._elbow import plot_elbow
from sparsek.plots._feature_fdr import plot_feature_fdr
from sparsek.plots._gap import plot_choice, plot_gap
from sparsek.plots._heatmap import plot_heatmap
from sparsek.plots._missing import plot_missing
from sparsek.plots._path import plot_path
from sparsek.plots._projection import plot_clusters, plot_projection
from sparsek.plots._silhouette import plot_silhouette
from sparsek.plots._stability import plot_consensus, plot_stability, plot_uncertainty
from sparsek.plots._tree import plot_dendrogram
from sparsek.plots._weights import plot_weights

__all__ = [
    "plot_centers",
    "plot_choice",
    "plot_clusters",
    "plot_consensus",
    "plot_convergence",
    "plot_dendrogram",
    "plot_dotplot",
    "plot_elbow",
    "plot_feature_fdr",
    "plot_gap",
    "plot_heatmap",
    "plot_missing",
    "plot_pairs",
    "plot_path",
    "plot_projection",
    "plot_silhouette",
    "plot_stability",
    "plot_uncertainty",
    "plot_weights",
]

_TEXTS = {
    "model": "Any clusterer, or a search or pipeline that holds one.",
    "ax": "Where to draw; default a new figure.",
    "matplotlib Axes": "The axes drawn on.",
    "TypeError": "For an object that is not an estimator.",
    "sklearn.exceptions.NotFittedError": "For an estimator that is not fitted.",
    "ImportError": "Without matplotlib, when no axes are given.",
}
complete((globals()[name] for name in __all__), _TEXTS)


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
