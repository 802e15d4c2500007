"""
=========================
Words that make a subject
=========================

The data are 600 short texts on three subjects, as counts of words. Most words are equally frequent in all of
them. SKFR groups the texts and selects the words that tell the subjects apart. Sparse k-means gives weights
to words, and this example also shows when not to use it.

The texts are generated: every text draws its words from a mixture of a common distribution, in which the r-th
word has a probability proportional to 1 / (r + 10), and the words of its subject.
"""

# %%
# The texts
# ---------

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler, normalize
from sparsek import SKFR, SparseKMeans

SUBJECTS = {
    "space": "orbit launch moon rocket satellite shuttle "
    "lunar telescope astronaut planet mission comet",
    "medicine": "patient dose doctor disease clinical symptom "
    "therapy vaccine diagnosis blood tumor cure",
    "hockey": "goal puck team playoff goalie season coach league score rink penalty referee",
}
PER_SUBJECT, LENGTH, SHARE = 200, 60, 0.06

rng = np.random.default_rng(0)
common = np.array([f"w{rank:04d}" for rank in range(1500 - 36)])
probability = 1 / (np.arange(len(common)) + 10)
probability /= probability.sum()


def write(words):
    """One text: LENGTH words on average, SHARE of them from the subject."""
    n_own = rng.binomial(n := rng.poisson(LENGTH), SHARE)
    drawn = [
        *rng.choice(words.split(), n_own),
        *rng.choice(common, n - n_own, p=probability),
    ]
    return " ".join(rng.permutation(drawn))


texts = [write(words) for words in SUBJECTS.values() for _ in range(PER_SUBJECT)]
subject = np.repeat(list(SUBJECTS), PER_SUBJECT)
print(texts[0][:80], "...")

# %%
# From counts to numbers
# ----------------------
# Square roots of the shares of the words in a text make texts of different length comparable. Words in fewer
# than 3 % of the texts are left out. This matters: SKFR standardises columns, and a word in only three texts
# would lie 14 standard deviations from the mean there and make them a cluster of their own.
#
# The matrix stays sparse: SKFR and sparse k-means never make it dense, and give the results of the dense one.

vectorizer = CountVectorizer(min_df=0.03)
counts = vectorizer.fit_transform(texts)
words = vectorizer.get_feature_names_out()
X = normalize(counts, "l1").sqrt()
own = np.isin(words, " ".join(SUBJECTS.values()).split())
zeros = 1 - X.nnz / np.prod(X.shape)
print(f"{X.shape[0]} texts, {X.shape[1]} words, {zeros:.0%} of the counts are 0")

# %%
# k-means and SKFR
# ----------------


def report(method, labels, selected):
    """Print how well subjects and words are found."""
    print(
        f"{method}: adjusted Rand index {adjusted_rand_score(subject, labels):.2f}, "
        f"{(selected & own).sum()} of {own.sum()} words of the subjects "
        f"among {selected.sum()} in use"
    )


kmeans = KMeans(3, n_init=5, random_state=0).fit(X)
report("k-means", kmeans.labels_, np.ones(len(words), bool))
skfr = SKFR(3, n_features_to_select=36, random_state=0).fit(X)
report("SKFR", skfr.labels_, skfr.get_support())

# %%
# Sparse k-means
# --------------
# Its bound limits only how large the sum of the weights may be. So it can give nearly all weight to two
# words. Texts with one of these words make clear clusters, which have a better (smaller) objective but are
# unrelated to the subjects. If it starts from the clusters of SKFR, given as labels, its clusters stay
# close to the subjects. Look at the weights before you trust a fit, and use SKFR with a number of words if
# words are rare.

Z = StandardScaler(with_mean=False).fit_transform(
    X
)  # sparse k-means centres the columns itself
for name, start in (
    ("k-means++", {"n_init": 10}),
    ("SKFR", {"init": skfr.labels_, "n_init": 1}),
):
    sparse = SparseKMeans(3, l1_bound=6, random_state=0, **start).fit(Z)
    report(f"sparse k-means from {name}", sparse.labels_, sparse.get_support())
    largest = np.sort(sparse.feature_weights_)[::-1][:3]
    print(f"    objective {sparse.objective_:.0f}, largest weights {largest.round(2)}")

# %%
# The words of each cluster
# -------------------------
# These are the selected words whose centre lies farthest above the mean.

selected = skfr.get_support()
for cluster, center in enumerate(skfr.standardized_centers_):
    top = words[np.argsort(-center)[:6]]
    most = pd.Series(subject[skfr.labels_ == cluster]).mode()[0]
    size = np.sum(skfr.labels_ == cluster)
    print(f"cluster {cluster} ({size} texts, most on {most}): {', '.join(top)}")

# %%
# The pictures show the weights over the frequency of the words. SKFR standardises, so rare words count as
# much as frequent ones.

frequency = np.asarray(counts.sum(axis=0)).ravel()
fig, axes = plt.subplots(1, 2, figsize=(9, 4), sharex=True, layout="constrained")
for ax, model, title in zip(
    axes, (skfr, sparse), ("SKFR", "sparse k-means from SKFR"), strict=True
):
    for which, label in ((~own, "common words"), (own, "words of a subject")):
        ax.plot(frequency[which], model.feature_weights_[which], ".", label=label)
    ax.set(xscale="log", xlabel="occurrences", ylabel="weight", title=title)
    ax.set_xticks(ticks := [20, 50, 100, 200, 500], labels=ticks)
    ax.minorticks_off()
axes[0].legend()
