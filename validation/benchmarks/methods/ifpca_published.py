"""Numbers of features and errors of IFPCA and SpectralGEM under several seeds beside the printed ones.

Run with ``python validation/benchmarks/methods/ifpca_published.py [--seeds 3] [--only NAME]``; needs
the folder of the gene expression sets in SPARSEK_DATA. Times and memory are those of
``python -m validation speed alone.ifpca``.
"""

from __future__ import annotations

import argparse
import tempfile

from sparsek import IFPCA, SpectralGEM
from sparsek.datasets import DatasetError, fetch_microarray
from sparsek.metrics import misclassification_error

PRINTED = {
    "brain": (5, 453, 0.262, 0.143),
    "colon": (2, 25, 0.403, 0.484),
    "leukemia": (2, 213, 0.069, 0.292),
    "lung1": (2, 251, 0.033, 0.122),
    "lymphoma": (3, 44, 0.065, 0.226),
    "prostate": (2, 1551, 0.382, 0.422),
    "srbct": (4, 52, 0.444, 0.508),
}
"""As printed: clusters; features and errors of IF-HCT-PCA; error of SpecGem."""


def line_of(name: str, seeds: int, folder: str) -> str:
    """The numbers of a set."""
    n_clusters, features, error, gem_error = PRINTED[name]
    try:
        X, target = fetch_microarray(name, download_if_missing=False, return_X_y=True)
    except DatasetError as missing:
        return f"{name:>9} {str(missing).splitlines()[0]}"
    fits = [
        IFPCA(n_clusters, null_seed=s, random_state=s, cache=folder, n_jobs=2).fit(X) for s in range(seeds)
    ]
    found = " ".join(f"{m.hc_index_}/{misclassification_error(target, m.labels_):.3f}" for m in fits)
    gem = misclassification_error(target, SpectralGEM(n_clusters, random_state=0).fit_predict(X))
    printed = f"printed {features}/{error:.3f}, here {found}"
    return f"{name:>9} {printed}; SpecGem printed {gem_error}, here {gem:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", choices=list(PRINTED), help="default: every set")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in [options.only] if options.only else PRINTED:
            print(line_of(name, options.seeds, folder), flush=True)


if __name__ == "__main__":
    main()
