"""Sentences of several docstrings, once: an entry without a text gets the shared one of its name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from textwrap import fill

BARE = re.compile(r"^( *)(\w[\w, ]*) : .+\n(?!\1 +\S)", re.MULTILINE)
"""The line of a parameter or an attribute, with its indentation and name, that no text follows."""

SHARED = {
    "n_clusters": "Number of clusters.",
    "n_init": "Number of starts; the one with the smallest `objective_` is kept.",
    "standardize": (
        "Divide every column by its standard deviation (divisor n - 1) first; constant columns become 0. "
        "`cluster_centers_` stay in units of X; criteria and distances are in standardised units then."
    ),
    "max_iter": "Largest number of weight updates of one start.",
    "n_jobs": "Threads over the starts. Results do not depend on it.",
    "random_state": "Seed of the starts.",
    "verbose": 'If positive, log each start to the logger "sparsek".',
    "memory_limit": (
        'Bytes, or a text such as "2GB", that a fit may take; None means half of the machine\'s memory. '
        "Data that need more are read and fitted by blocks of rows (see Notes)."
    ),
    "cluster_centers_": "Cluster means, units of X.",
    "labels_": "Labels from 0; rows of weight 0 get their nearest cluster.",
    "inertia_": "Sum over rows of the squared weighted distance to the nearest centre, squared units of X.",
    "gap_objective_": "``-objective_``, which `PermutationGap` compares with permuted data.",
    "n_iter_": "Iterations of the best start.",
    "start_objectives_": "`objective_` of every start.",
    "start_n_iter_": "Iterations of every start.",
    "n_features_in_": "Number of features seen in `fit`.",
    "feature_names_in_": "Column names, when X has some.",
    "X": "Data, finite; float32 stays float32. Never changed.",
    "y": "Ignored.",
    "sample_weight": "Numbers of repetitions of the rows.",
    "l1_bound_": "The bound used.",
    "linkage": "How the dissimilarity of two clusters follows from those of their rows.",
    "children_": "Merges: values below n_samples are rows, i >= n_samples is the merge i - n_samples.",
    "distances_": "Heights of the merges, in units of `dissimilarity_matrix_`.",
    "n_leaves_": "Number of rows.",
    "n_connected_components_": "1; scikit-learn's name.",
    "gamma_": "The gamma used, squared units of X.",
}
"""What most estimators say of a parameter, an attribute or an argument."""


def completed(docstring: str, texts: Mapping[str, str]) -> str:
    """The docstring with a text for each entry that has none."""

    def entry(found: re.Match[str]) -> str:
        text = texts.get(found[2])
        if text is None:
            return found[0]
        indent = found[1] + " " * 4
        lines = fill(
            text,
            110,
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        return f"{found[0]}{lines}\n"

    return BARE.sub(entry, docstring)
