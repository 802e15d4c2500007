"""Mixed columns: Gower's dissimilarity, medoids and a tree."""

import numpy as np
import pandas as pd

from sparsek import rcompat as r

people = pd.DataFrame(
    {
        "age": [23.0, 35, 51, 47, 29, 62, 33, 58, 41, 26],
        "income": [21, 48, 60, 55, np.nan, 38, 44, 71, 52, 25],
        "owner": pd.Categorical(["no", "no", "yes", "yes", "no", "yes", "no", "yes", "yes", "no"]),
        "region": pd.Categorical(
            ["north", "south", "south", "west", "north", "north", "west", "south", "west", "south"]
        ),
        "level": pd.Categorical(
            ["low", "mid", "high", "high", "low", "mid", "mid", "high", "mid", "low"],
            categories=["low", "mid", "high"],
            ordered=True,
        ),
    }
)
people.index += 1
r.str(people)
r.summary(people).print()
gower_dist = r.daisy(people, metric="gower")
gower_dist.print()
gower_dist.summary().print()
gower_mat = r.as_matrix(gower_dist)
least = gower_mat[gower_mat != 0].min()
closest = np.argwhere(least == gower_mat.T)[0, ::-1] + 1
r.print(people.iloc[closest - 1])
pam_fit = r.pam(gower_dist, diss=True, k=2)
pam_fit.print()
r.print(people.iloc[pam_fit.medoids - 1])
pam_results = {str(k): people[pam_fit.clustering == k] for k in (1, 2)}
r.print(pam_results)
r.print({name: r.summary(d["age"]) for name, d in pam_results.items()})
hc = r.agnes(gower_dist, method="average")
r.print(r.round(hc.ac, 4))
r.table(people["region"], pam_fit["clustering"]).print()
r.print(people["region"])
r.print(people["level"])
