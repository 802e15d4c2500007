"""Names, order and defaults of arguments in `sparsek.rcompat` are R's, but for what arguments.toml states."""

import shutil

import pytest

from r_reference import formals
from r_reference.formals import COLUMNS, differences, load_formals, stated_differences, unrecorded
from r_reference.listing import twins
from sparsek import rcompat

NOT_ASKED = {"wrsk"}
"""R packages that were not installed when the table was written."""


@pytest.mark.parametrize("function", sorted(load_formals()))
def test_arguments_and_defaults_are_those_of_r(function: str) -> None:
    found = {f"{function}({argument})": kind for argument, kind in differences(function).items()}
    stated = {name: e["kind"] for name, e in stated_differences().items() if e["function"] == function}
    assert found == stated


def test_every_function_is_in_the_table_or_its_package_is_named() -> None:
    assert load_formals().keys() <= twins().keys()
    assert set(unrecorded()) == NOT_ASKED
    assert all(entry["reason"] for entry in stated_differences().values())
    assert {entry["function"] for entry in stated_differences().values()} <= load_formals().keys()


def test_a_default_a_name_and_an_order_of_our_own_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def sparse(x, wbounds=None, K=None, *, silent=True, nstart=20.0, maximum=6, centers=None, memory=1):  # type: ignore[no-untyped-def]
        """Have another default, order and name."""

    monkeypatch.setattr(rcompat, "KMeansSparseCluster", sparse)
    assert differences("KMeansSparseCluster") == {"silent": "default", "maxiter": "lacks", "...": "order"}


@pytest.mark.live_r
def test_r_here_has_these_arguments(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed")
    monkeypatch.setattr(formals, "TABLE", tmp_path / "formals.csv")
    before = load_formals()
    formals.main()
    now = load_formals()
    load_formals.cache_clear()
    assert (tmp_path / "formals.csv").read_text().startswith(",".join(COLUMNS))
    # Another version of a package may have other arguments; those of one version are facts.
    same = [name for name, entry in now.items() if entry.version == before[name].version]
    assert same
    assert {name: now[name] for name in same} == {name: before[name] for name in same}
