"""What one looks at before clustering: the columns in numbers, their correlations, holes."""

from pathlib import Path

import pandas as pd

from sparsek import rcompat as r

DATA = Path(__file__).resolve().parents[1] / "data"
USArrests = pd.read_csv(DATA / "USArrests.csv", index_col=0)
airquality = pd.read_csv(DATA / "airquality.csv", dtype={"Ozone": "Int64", "Solar.R": "Int64"})
airquality.index += 1

df = USArrests.dropna()
desc_stats = pd.DataFrame(
    {
        "Min": r.apply(df, 2, "min"),
        "Med": r.apply(df, 2, "median"),
        "Mean": r.apply(df, 2, "mean"),
        "SD": r.apply(df, 2, "sd"),
        "Max": r.apply(df, 2, "max"),
    },
    index=df.columns,
)
desc_stats = r.round(desc_stats, 1)
r.print(desc_stats.head(6))
r.str(df)
r.summary(df).print()
r.print(r.cor(df))
r.print(r.round(r.cor(df, method="spearman"), 3))
r.print(int(airquality.isna().to_numpy().sum()))
r.print(airquality.isna().sum())
complete = airquality[airquality.notna().all(axis=1)]
r.print(len(complete))
r.summary(airquality).print()
r.print(airquality.head(6))
df = r.scale(df)
r.print(df[:3])
r.print(r.round(r.colMeans(df), 10))
r.print(r.apply(df, 2, "sd"))
r.print(r.quantile(df[:, 0]))
