"""Fuzzy memberships: who belongs to more than one cluster?"""

from pathlib import Path

import numpy as np
import pandas as pd

from sparsek import rcompat as r

DATA = Path(__file__).resolve().parents[1] / "data"
attitude = pd.read_csv(DATA / "attitude.csv")

df = r.scale(attitude)
fannyx = r.fanny(df, 2, memb_exp=1.3)
fannyx.print()
r.print(fannyx.membership[:5])
r.print(r.round(fannyx.coeff, 4))
doubtful = np.flatnonzero(r.apply(fannyx.membership, 1, "max") < 0.6) + 1
r.print(doubtful)
r.table(fannyx["clustering"]).print()
memb = pd.DataFrame(r.round(fannyx.membership, 2), columns=["first", "second"])
memb.index += 1
r.print(memb.iloc[doubtful - 1])
r.summary(memb).print()
r.summary(fannyx).print()
