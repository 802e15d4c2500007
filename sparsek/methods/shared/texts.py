"""What most estimators say of a parameter, an attribute or an argument."""

NUMBERS = (
    "from 0 by falling size (by weight, where rows have weights), clusters of one size by their first row, "
    "empty ones last"
)
"""How clusters are numbered."""
SHARED = {
    "n_clusters": "Number of clusters.",
    "n_init": "Number of starts; the one with the smallest `objective_` is kept.",
    "standardize": (
        "Divide every column by its standard deviation (divisor n - 1) first; constant columns become 0. "
        "`cluster_centers_` stay in units of X; criteria and distances are in standardised units then."
    ),
    "[column scale]": (
        "What the centred columns are divided by. True: their standard deviations. False: nothing, for "
        'columns of one unit of which wide ones matter. "range": their ranges, for columns of several units. '
        'An array of shape (n_features,): these numbers, in units of X. "auto": deviations where at most a '
        "third of the features carry the clusters of the standardised columns, or few features are asked "
        "for; else a power of the ranges, between 0 where these are alike and 1 where they differ as units "
        "do (see Notes). Columns of categories, and of batches, are standardised."
    ),
    "scaling_": (
        "What the columns were divided by and why: its `divisors`, `method`, `alpha`, `carrying` and "
        "`agreement`, with ``transform(X)`` for other methods."
    ),
    "[groups]": (
        "An array of shape (n_features,) with the label of the group of each feature, integers or strings; "
        "or a mapping from the labels to the features of each group, by names of columns, indices from 0 or "
        "a mask, so that each feature is in one group."
    ),
    "categories": (
        "Columns that are categories whatever they hold, by names, indices from 0, or a mask. In a table "
        "columns of texts and unordered categories need no naming; ordered categories count as the scores 1, "
        "2, ..., and truth values as numbers, unless they are named. A category of m levels becomes m "
        "columns: the indicator of a level with the share p, centred and divided by sqrt(p) (times sqrt(1 - "
        "ddof / n) where columns are standardised). Its variance is 1 - p, and that of the category m - 1, "
        "its degrees of freedom (PCAmix: Chavent, Kuentz-Simonet and Saracco 2012). Attributes by feature "
        "are by column of X; `cluster_centers_` has a column for each level, with its shares in the clusters."
    ),
    "never": (
        "Features, by names of columns, indices from 0, or a mask of shape (n_features,), that take no part "
        "in the clusters: none is selected or has a weight, and starts are chosen on the others."
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
    "labels_": (
        f"Labels: numbers of the clusters, {NUMBERS}; clusters from an array given as `init` keep its order. "
        "Rows of weight 0 get their nearest cluster."
    ),
    "rows_without_values_": (
        "Numbers of the rows without a value in the features by which rows are compared: their labels say "
        "nothing. Not of a Dask collection."
    ),
    "inertia_": "Sum over rows of the squared weighted distance to the nearest centre, squared units of X.",
    "gap_objective_": "``-objective_``, which `PermutationGap` compares with permuted data.",
    "n_iter_": "Iterations of the best start.",
    "start_objectives_": "`objective_` of every start.",
    "start_n_iter_": "Iterations of every start.",
    "n_features_in_": "Number of features seen in `fit`.",
    "feature_names_in_": "Column names, when X has some.",
    "X": "Data, finite; float32 stays float32 unless a column is too far from 0 for it. Never changed.",
    "y": "Ignored.",
    "sample_weight": "Numbers of repetitions of the rows.",
    "batch": "[batch of new rows]",
    "[batch of new rows]": (
        "Label of the batch of each row, one of those of `fit`; None where `fit` was given none."
    ),
    "[the scale]": (
        'With ``standardize="auto"`` the columns are standardised first, and the number of features or '
        "the bound is chosen. A feature carries the clusters if it is in use and its gain, in squared "
        "standard deviations, is above the .95 quantile of a chi-square variable with n_clusters - 1 "
        "degrees of freedom, as gains of noise are. If at most a third of the features do, that fit "
        "stays. Otherwise the logarithms of the ranges have a variance v, of which .36 is that of columns "
        "of one unit: the columns are divided by their ranges to the power alpha, 0 for v up to .36 and 1 "
        "- .36 / v up to 1 (shrinkage of James and Stein 1961), from where on it grows to 1 at v = 2. "
        "What is left of a range is at most a factor of exp(1.2) from the median. The rule was made on "
        "real data: see the page on it."
    ),
    "[batches]": (
        "With `batch` in `fit`, columns are centred, and with `standardize` scaled, within each batch by "
        "weighted means and standard deviations of the observed entries, before anything else; a column that "
        "is constant in a batch is 0 there. The indicator of a level is centred by its share in the batch, "
        "and scaled by it as `categories` says; a variable has the mean of its degrees of freedom in the "
        "batches, by weight of the rows. A value that is chosen from the data is compared with columns that "
        "are shuffled within batches. `cluster_centers_`, starts given as centres and criteria are in these "
        "units. New rows need the batch of each, one of those of the fit. A batch of one row of positive "
        "weight is refused."
    ),
    "batches_": "Only with `batch` in `fit`: the labels of the batches, in order.",
    "batch_means_": "Only with several batches: weighted means of the columns in each, units of X.",
    "batch_scales_": (
        "Only with several batches: what the centred columns of each are divided by, units of X: standard "
        "deviations with `standardize`, 1 without it and for columns that are constant in the batch."
    ),
    "batch_centers_": (
        "Only with several batches: the cluster centres of each, units of X; at most the largest number of "
        "the type."
    ),
    "l1_bound_": "The bound used.",
    "linkage": "How the dissimilarity of two clusters follows from those of their rows.",
    "children_": "Merges: values below n_samples are rows, i >= n_samples is the merge i - n_samples.",
    "distances_": "Heights of the merges, in units of `dissimilarity_matrix_`.",
    "n_leaves_": "Number of rows.",
    "n_connected_components_": "1; scikit-learn's name.",
    "gamma_": "The gamma used, squared units of X.",
    "Summary": "Printed as text; ``as_html()`` and ``as_latex()`` give the other forms.",
    "TypeError": "From `fit`: sparse data, or a parameter of the wrong type.",
    "ValueError": (
        "From `fit`: NaN or infinite data, fewer rows than clusters, a parameter outside its range, negative "
        "or all-zero `sample_weight`."
    ),
    "ConvergenceWarning": "`max_iter` was reached, or fewer distinct clusters than `n_clusters` were found.",
    "EmptyRowWarning": "Rows have no value by which rows are compared, so that their labels say nothing.",
    "[large bound]": "`l1_bound` exceeds sqrt(n_features), which is used then.",
    "[starts]": (
        '"k-means++" and "random" (distinct rows) draw `n_init` of them; "dkm++", "robin" and "maximin" (see '
        "`sparsek.init`) make one, the same every time, whatever `n_init`. [given starts]"
    ),
    "[given starts]": (
        "An array makes one too: centres of shape (n_clusters, n_features) in the units of X, integer labels "
        "of shape (n_samples,), or row numbers of shape (n_clusters,). A callable "
        "``init(X, n_clusters, random_state=seed)``, called for every start, returns any of these."
    ),
    "[sparse weights]": (
        "Non-negative, unit L2 norm, L1 norm at most `l1_bound`, dimensionless; 0 for every feature when "
        "none separates clusters (one cluster, constant data)."
    ),
    "[repetitions]": (
        "Numbers of repetitions of the rows, not negative; 0 leaves a row out. With `standardize` a variance "
        "divides by their sum less 1, which must be positive: multiply weights that add up to 1."
    ),
    "PredictionWarning": "`predict` gives rows of the fit other clusters than `labels_`, see there.",
    "[new rows]": (
        "Data in the units of the training data. Where `fit` takes Dask collections, one of these too."
    ),
    "[lazy rows]": "For a Dask collection, a lazy array with the chunks of its rows.",
    "[dask]": (
        "Dask arrays and data frames are fitted chunk by chunk, with the scheduler in force. Their labels, "
        "and what the methods give for them, are Dask arrays. Starts are found as for files. Data that are "
        "not persisted are computed once and kept for the time of the fit, if they take at most half of "
        "`memory_limit` and a quarter of the free memory of the workers; larger data are computed anew for "
        "every step."
    ),
}
