"""What stands in Python for R's own words and for functions that `sparsek.rcompat` does not have."""

_WORDS = (
    "abs c cat ceiling character colnames cos data.frame dev.off dim exp factor floor identity integer "
    "invisible is.na is.null legend length levels library lines list log log10 log2 logical max message "
    "min names ncol NCOL nrow NROW numeric options par paste paste0 pdf plot png points require "
    "requireNamespace rownames sin sqrt stop stopifnot str suppressMessages suppressWarnings "
    "suppressPackageStartupMessages text title trunc vector warning"
)
PLAIN = frozenset(_WORDS.split())
"""Words of every script, which need no hint."""
WAYS = {
    "all.equal": "numpy.allclose(a, b)",
    "any": "numpy.any(x)",
    "all": "numpy.all(x)",
    "array": "numpy.reshape(x, dim, order='F')",
    "as.factor": "pandas.Categorical(x)",
    "as.integer": "numpy.trunc(x).astype(int)",
    "as.numeric": "numpy.asarray(x, dtype=float)",
    "as.vector": "numpy.ravel(x, order='F')",
    "barplot": "matplotlib's ax.bar",
    "boxplot": "matplotlib's ax.boxplot",
    "cbind": "numpy.column_stack([a, b])",
    "complete.cases": "frame.notna().all(axis=1)",
    "crossprod": "x.T @ x",
    "cumprod": "numpy.cumprod(x)",
    "data": "sparsek.datasets or sklearn.datasets",
    "data.matrix": "frame.to_numpy()",
    "det": "numpy.linalg.det(x)",
    "diag": "numpy.diag(x)",
    "diff": "numpy.diff(x)",
    "do.call": "f(*arguments)",
    "duplicated": "pandas.Series(x).duplicated()",
    "expand.grid": "itertools.product, whose last entry moves first",
    "heatmap": "sparsek.plots.plot_heatmap, or matplotlib's ax.imshow",
    "hist": "matplotlib's ax.hist",
    "identical": "numpy.array_equal(a, b)",
    "ifelse": "numpy.where(condition, a, b)",
    "image": "matplotlib's ax.imshow",
    "is.finite": "numpy.isfinite(x)",
    "lapply": "[f(v) for v in x]",
    "Map": "[f(a, b) for a, b in zip(x, y)]",
    "mapply": "[f(a, b) for a, b in zip(x, y)]",
    "Mclust": "no twin: sklearn.mixture.GaussianMixture has other numbers",
    "merge": "frame.merge(other)",
    "na.omit": "frame.dropna()",
    "nchar": "len(text)",
    "order": "numpy.argsort(x, kind='stable') + 1",
    "outer": "numpy.multiply.outer(a, b)",
    "prod": "numpy.prod(x)",
    "pvclust": "no twin: bootstrap the tree with rcompat.hclust and rcompat.sample",
    "range": "x.min(), x.max()",
    "rank": "scipy.stats.rankdata(x)",
    "rbind": "numpy.vstack([a, b])",
    "read.csv": "pandas.read_csv(file)",
    "read.table": "pandas.read_csv(file, sep=r'\\s+')",
    "readRDS": "save as csv in R, then pandas.read_csv",
    "Reduce": "functools.reduce(f, x)",
    "rep": "numpy.repeat(x, each), numpy.tile(x, times)",
    "replicate": "[f() for _ in range(n)]",
    "sapply": "[f(v) for v in x]",
    "saveRDS": "numpy.save, or frame.to_csv",
    "seq": "numpy.arange(a, b + 1), numpy.linspace(a, b, n)",
    "seq_along": "range(len(x))",
    "seq_len": "range(n), from 0",
    "setdiff": "[v for v in a if v not in b]",
    "solve": "numpy.linalg.solve(a, b)",
    "sort": "numpy.sort(x)",
    "split": "frame.groupby(groups)",
    "sprintf": "f'{x:.2f}'",
    "subset": "frame[condition]",
    "system.time": "time.perf_counter()",
    "t": "x.T",
    "tabulate": "numpy.bincount(x)[1:]",
    "unique": "pandas.unique(x)",
    "unlist": "numpy.concatenate(x)",
    "vapply": "[f(v) for v in x]",
    "which": "numpy.flatnonzero(condition) + 1",
    "which.max": "numpy.argmax(x) + 1",
    "which.min": "numpy.argmin(x) + 1",
    "with": "frame.column",
    "write.csv": "frame.to_csv(file)",
}
"""The nearest way in Python of R functions, by R's name; positions are R's, from 1."""
GUIDE = "docs/migrating-from-r.md"
"""The page on R."""
_SECTIONS = {
    "base": "base",
    "stats": "stats mass mvtnorm parallel",
    "cluster-and-mclust": "cluster mclust fpc",
    "sparcl": "sparcl",
    "kpodclustr": "kpodclustr",
    "gmedian": "gmedian",
    "wskm": "wskm",
    "rskc-and-clues": "rskc clues",
    "datathin": "datathin",
    "wrsk": "wrsk",
    "kmeansinference-clusterpval-cadet-validiclust": "kmeansinference clusterpval cadet validiclust",
}
PAGES = {package: anchor for anchor, packages in _SECTIONS.items() for package in packages.split()}
"""Where on that page a package is, by its name in lower case."""
