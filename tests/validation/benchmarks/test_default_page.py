"""The table and the verdict on the default number of features, from lines whose answers are known."""

from typing import Any

import pandas as pd
import pytest

from validation.benchmarks import default_page as page
from validation.papers.shared.store import load_table, save_table

BEST = {"ARI": 1.0, "best ARI": 1.0, "k-means": 0.5, "warned": False, "chosen": 4, "cost": 8.0}
BEST |= {"missed": 0, "false": 0.0}


def lines_with(*changes: dict[str, Any], design: str = "groups") -> pd.DataFrame:
    """One line for each change of a line that reaches the goal."""
    return pd.DataFrame([{"method": "SKFR", "design": design, "trial": 0, **BEST, **one} for one in changes])


@pytest.mark.parametrize(
    ("change", "reached", "loss"),
    [
        ({}, True, False),
        ({"ARI": 0.95}, True, False),
        ({"ARI": 0.94}, False, False),
        ({"ARI": 0.47}, False, True),
        ({"ARI": 0.49}, False, False),
        ({"ARI": 0.4, "warned": True}, False, False),
    ],
)
def test_lines_are_judged(change: dict[str, Any], reached: bool, loss: bool) -> None:
    (line,) = page.judged(lines_with(change)).to_dict("records")
    assert (line["reached"], line["loss"]) == (reached, loss)


def test_verdict_and_table(tmp_path: Any) -> None:
    lines = lines_with(*[{}] * 9, {"ARI": 0.6})
    assert "in 90% of 10 samples, and unwarned below k-means in 0. The goal, 90% and none, is reached." in (
        page.verdict(lines)
    )
    assert "none, is not reached" in page.verdict(lines_with(*[{}] * 9, {"ARI": 0.1}))
    assert "none, is not reached" in page.verdict(lines_with(*[{}] * 8, {"ARI": 0.6}, {"ARI": 0.6}))
    assert page.verdict(lines).endswith("The median cost is 8.0 fits. The goal, at most 8, is reached.")
    assert page.verdict(lines_with({"cost": 8.1})).endswith("at most 8, is not reached.")
    noise = lines_with({"ARI": 0.0}, design="no clusters")
    assert page.verdict(pd.concat([lines, noise])) == page.verdict(lines)
    (row,) = page.table_of(lines).to_dict("records")
    assert (row["as good"], row["ARI"], row["cost"], row["below k-means"]) == ("0.90", "0.96", "8.0", "0")
    save_table(lines, tmp_path, page.NAME, "default_size.py --trials 1")
    text = page.default_text(*load_table(page.NAME, tmp_path), lambda table: table.to_string())
    assert "`python validation/benchmarks/methods/default_size.py --trials 1`" in text
    assert "*false* are others" in text
    assert (row["missed"], row["false"]) == ("0.0", "0.0")
    without = page.table_of(lines.drop(columns=["missed", "false"]))
    assert not {"missed", "false"} & set(without)
    assert page.verdict(lines) in text


def test_both_shares_are_said() -> None:
    """The harder design counts in the first share and not in the second."""
    harder = lines_with(*[{"ARI": 0.1, "warned": True}] * 9, {"ARI": 1.0}, design=page.HARDER)
    text = page.verdict(pd.concat([lines_with(*[{}] * 10), harder]))
    assert "all designs with clusters: as good as the best s in 55% of 20 samples" in text
    assert "Without common factors: as good as the best s in 100% of 10 samples" in text
    assert "Of the 10 samples of common factors, 1 are as good, and 9 have a warning." in text
