"""The tables of what each criterion finds, from lines whose answers are known."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from validation.benchmarks import criteria_page as page
from validation.papers.shared.store import load_table, save_table


def lines_with(right: dict[str, list[int]], method: str = "SKFR", data: str = "designs") -> pd.DataFrame:
    """Lines of one design, by criterion with one for each sample."""
    rows = [
        {
            "method": method,
            "data": data,
            "name": "groups",
            "trial": trial,
            "criterion": criterion,
            "rule": "" if criterion == "truth" else "min",
            "right k": bool(value),
            "k off": 1 - value,
            "FPR": 0.25 if data == "designs" else np.nan,
            "FNR": 0.0 if data == "designs" else np.nan,
            "kept": 0.5,
            "ARI": 0.5 * value,
            "seconds": 2.0,
        }
        for criterion, values in right.items()
        for trial, value in enumerate(values)
    ]
    return pd.DataFrame(rows)


LINES = lines_with(
    {
        "thinning": [1, 1, 1, 0],
        "gap": [1, 1, 0, 1],
        "strength": [0, 0, 0, 0],
        "truth": [1, 1, 1, 1],
    }
)


def test_what_cannot_be_told_from_the_best_is_found_on_the_same_samples() -> None:
    assert page.as_good(LINES, "right k") == {("thinning", "min"), ("gap", "min")}
    always = lines_with({"gap": [1, 1, 1, 1], "blocks": [1, 1, 1, 1], "strength": [0, 0, 0, 0]})
    assert page.as_good(always, "ARI") == {("gap", "min"), ("blocks", "min")}


def test_cells_have_means_and_standard_errors_and_bold_ones_are_as_good() -> None:
    table = page.table_of(LINES)
    assert table["criterion"].tolist() == ['`"thinning"`', '`"gap"`', '`"strength"`', "the right k and s"]
    # Of 1, 1, 1, 0: sd 0.5, divided by sqrt(4).
    assert table["right k"].tolist() == ["**0.75 ± 0.25**", "**0.75 ± 0.25**", "0.00 ± 0.00", "1.00 ± 0.00"]
    assert table["ARI"].tolist()[:2] == ["**0.38 ± 0.12**"] * 2
    assert table["FPR"].tolist() == ["0.25 ± 0.00"] * 4
    assert page.mean_and_error(pd.Series([0.5])) == "0.50"


@pytest.mark.parametrize("missing", ["FPR", "FNR"])
def test_measures_without_values_have_no_column(missing: str) -> None:
    assert missing not in page.table_of(lines_with({"gap": [1, 0]}, data="real"))


def test_the_text_follows_from_the_record(tmp_path: Path) -> None:
    real = lines_with({"thinning": [1, 1, 1, 1], "gap": [0, 0, 0, 0], "truth": [1, 1, 1, 1]}, data="real")
    save_table(pd.concat([LINES, real]), tmp_path, page.NAME, "criteria.py --trials 4")
    table, about = load_table(page.NAME, tmp_path)
    text = page.criteria_text(table, about, lambda frame: frame.to_string() + "\n")
    assert 'Cannot be told from the best in 4 of 4 lines, most of all: `"thinning"`.' in text
    assert "`python validation/benchmarks/methods/criteria.py --trials 4`" in text
    assert "**`SKFR`, simulated data** (designs: 1, samples of each: 4)" in text
    assert "**`SKFR`, real data** (data sets: 1)" in text
    assert "gap 2.0, strength 2.0, thinning 2.0." in text


def test_shares_of_samples_without_clusters_follow_from_the_record(tmp_path: Path) -> None:
    rows = [
        {"design": design, "trial": trial, "criterion": criterion, "rule": rule, "k": k}
        for criterion, rule, chosen in (("gap", "max", (2, 3)), (page.TEST, "", (1, 1, 1, 2)))
        for design in ("normal", "correlated")
        for trial, k in enumerate(chosen)
    ]
    save_table(pd.DataFrame(rows), tmp_path, page.NULL_NAME, "criteria.py --null --trials 4")
    lines, about = load_table(page.NULL_NAME, tmp_path)
    table = page.null_table(lines)
    assert table["criterion"].tolist() == ['`"gap"`', page.TEST]
    assert table["rule"].tolist() == ['`"max"`', ""]
    # The deviation of one of four is .5, half of it is the error of a mean of four.
    assert table["normal"].tolist() == table["correlated"].tolist() == ["1.00", "0.25 ± 0.25"]
    text = page.null_text(lines, about, lambda frame: frame.to_string() + "\n")
    assert "2 samples of each design, and 4 for the test (± its standard error)" in text
    assert "criteria.py --null --trials 4`" in text
