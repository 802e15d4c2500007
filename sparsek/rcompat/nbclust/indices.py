"""The indices of NbClust in R's order: their names, what computes them, and how they are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sparsek.rcompat.nbclust import choice as read
from sparsek.rcompat.nbclust import distance_indices as distance
from sparsek.rcompat.nbclust import scatter_indices as scatter
from sparsek.rcompat.nbclust.gap import gap, gap_decides
from sparsek.rcompat.nbclust.scatter_indices import Groupings
from sparsek.rcompat.nbclust.split_indices import find_split


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """An index."""

    column: str  # Its column in All.index
    compute: Callable[[Groupings, int], float]  # Its value for a number of clusters
    read: read.Rule  # How it is read
    proposes: str = ""  # Its column in Best.nc, where that has another name
    critical: Callable[[Groupings, int], float] | None = None  # Its critical value
    critical_column: str = ""  # Column of the critical value
    by_distance: bool = False  # Whether dissimilarities are enough
    with_all: bool = True  # Whether it is one of "all"
    inverts: bool = False  # Whether R inverts W, needed or not
    levels: int = 1  # Smallest number of numbers of clusters, where it is asked for alone


INDICES: dict[str, IndexEntry] = {
    "kl": IndexEntry("KL", scatter.kl, read.largest),
    "ch": IndexEntry("CH", scatter.ch, read.largest),
    "hartigan": IndexEntry("Hartigan", scatter.hartigan, read.largest_step, levels=3),
    "ccc": IndexEntry("CCC", scatter.ccc, read.largest, inverts=True),
    "scott": IndexEntry("Scott", scatter.scott, read.largest_step, levels=3, inverts=True),
    "marriot": IndexEntry("Marriot", scatter.marriot, read.largest_bend, levels=3, inverts=True),
    "trcovw": IndexEntry("TrCovW", scatter.tr_cov_w, read.largest_step, levels=3, inverts=True),
    "tracew": IndexEntry("TraceW", scatter.trace_pooled, read.largest_bend, levels=3, inverts=True),
    "friedman": IndexEntry("Friedman", scatter.friedman, read.largest_step, levels=3, inverts=True),
    "rubin": IndexEntry("Rubin", scatter.rubin, read.smallest_bend, levels=3, inverts=True),
    "cindex": IndexEntry("Cindex", distance.cindex, read.smallest, by_distance=True, levels=3),
    "db": IndexEntry("DB", scatter.db, read.smallest),
    "silhouette": IndexEntry("Silhouette", distance.silhouette_mean, read.largest, by_distance=True),
    "duda": IndexEntry(
        "Duda",
        lambda groups, q: find_split(groups, q).duda,
        read.first_above,
        critical=lambda groups, q: find_split(groups, q).critical_duda,
        critical_column="CritValue_Duda",
    ),
    "pseudot2": IndexEntry(
        "Pseudot2",
        lambda groups, q: find_split(groups, q).pseudot2,
        read.first_below,
        proposes="PseudoT2",
        critical=lambda groups, q: find_split(groups, q).critical_pseudot2,
        critical_column="CritValue_PseudoT2",
    ),
    "beale": IndexEntry(
        "Beale",
        lambda groups, q: find_split(groups, q).beale,
        read.first_insignificant,
        critical=lambda groups, q: find_split(groups, q).p_value,
        critical_column="Fvalue_Beale",
    ),
    "ratkowsky": IndexEntry("Ratkowsky", scatter.ratkowsky, read.largest),
    "ball": IndexEntry("Ball", scatter.ball, read.largest_step, levels=3),
    "ptbiserial": IndexEntry("Ptbiserial", distance.ptbiserial, read.largest, proposes="PtBiserial"),
    "gap": IndexEntry(
        "Gap",
        gap,
        read.first_not_negative,
        critical=gap_decides,
        critical_column="CritValue_Gap",
        with_all=False,
    ),
    "frey": IndexEntry("Frey", distance.frey, read.before_below_one, by_distance=True),
    "mcclain": IndexEntry("McClain", distance.mcclain, read.smallest, by_distance=True),
    "gamma": IndexEntry("Gamma", distance.gamma, read.largest, with_all=False),
    "gplus": IndexEntry("Gplus", distance.gplus, read.smallest, with_all=False),
    "tau": IndexEntry("Tau", distance.tau, read.largest_or_slip, with_all=False),
    "dunn": IndexEntry("Dunn", distance.dunn, read.largest, by_distance=True),
    "hubert": IndexEntry("Hubert", distance.hubert, read.by_eye, levels=3),
    "sdindex": IndexEntry("SDindex", scatter.sd_index, read.smallest),
    "dindex": IndexEntry("Dindex", scatter.d_index, read.by_eye, levels=3),
    "sdbw": IndexEntry("SDbw", scatter.s_dbw, read.smallest),
}
