"""The base of all estimators: arguments are kept, annotations are read, signatures show plain types."""

from __future__ import annotations

import inspect
import pickle
import pydoc
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils._param_validation import InvalidParameterError

import sparsek
from sparsek._registry import ESTIMATORS
from sparsek.inputs.arguments import names
from sparsek.methods.shared.estimator import Estimator
from sparsek.methods.shared.parameters import Count, Flag, NotNegative, Share

if TYPE_CHECKING:
    from nowhere import Unknown  # type: ignore[import-not-found]

NAMES = [row.name for row in ESTIMATORS]
PLAIN = re.compile(
    r"(int|float|str|bool|None|os\.PathLike|tuple|Any|collections\.abc\.\w+|typing\.Any|[\[\],| ])*"
)


class Small(Estimator):
    """An estimator with a parameter of each kind."""

    def __init__(
        self,
        size: Count = 2,
        *,
        share: Share | None = None,
        kind: Annotated[str, names("a", "b")] = "a",
        free: int = 0,
    ) -> None:
        self._keep(locals())


class Widened(Small):
    """A subclass with a parameter more, which annotates one of the others anew and one not at all."""

    def __init__(self, size: int = 3, *, share: NotNegative = 0.0, more: Flag = False) -> None:
        super().__init__(size, share=share)
        self.more = more


class Foreign(Small):
    """A subclass whose annotations are names for type checkers only."""

    def __init__(self, size: Unknown = 2) -> None:
        super().__init__(size)


class Tabled(Small):
    """A subclass with a table of its own, as scikit-learn's estimators have."""

    _parameter_constraints = {"size": [str]}  # noqa: RUF012  # scikit-learn's form

    def __init__(self, size: Any = "x") -> None:
        self.size = size


@given(st.integers(), st.none() | st.floats(), st.text(), st.integers())
def test_arguments_are_kept_as_they_are(size: int, share: float | None, kind: str, free: int) -> None:
    model = Small(size, share=share, kind=kind, free=free)
    assert vars(model) == {"size": size, "share": share, "kind": kind, "free": free} == model.get_params()
    for copy in (clone(model, safe=False), pickle.loads(pickle.dumps(model))):
        assert repr(copy.get_params()) == repr(model.get_params())


def test_annotations_become_the_table() -> None:
    assert list(Small._parameter_constraints) == ["size", "share", "kind"]
    with pytest.raises(InvalidParameterError, match="'kind' parameter of Small must be a str among"):
        Small(kind="c")._validate_params()
    with pytest.raises(InvalidParameterError, match=r"'share' parameter of Small must be .* or None"):
        Small(share=2)._validate_params()
    Small(share=None, free=-1)._validate_params()


def test_a_subclass_adds_to_the_table_and_keeps_the_rest() -> None:
    Widened(share=7)._validate_params()
    for wrong in (Widened(size=0), Widened(share=-1), Widened(more="no")):
        with pytest.raises(InvalidParameterError):
            wrong._validate_params()
    assert Small._parameter_constraints["share"] != Widened._parameter_constraints["share"]
    assert Widened(size=4).kind == "a"
    with pytest.raises(InvalidParameterError):
        Foreign(size=0)._validate_params()  # type: ignore[arg-type]
    Tabled()._validate_params()


@pytest.mark.parametrize("name", NAMES)
def test_signatures_and_help_show_plain_types(name: str) -> None:
    cls = getattr(sparsek, name)
    for parameter in inspect.signature(cls).parameters.values():
        shown = inspect.formatannotation(parameter.annotation)
        assert parameter.annotation is not inspect.Parameter.empty
        assert PLAIN.fullmatch(shown), (parameter.name, shown)
    help_text = pydoc.plain(pydoc.render_doc(cls))
    assert "Annotated" not in help_text
    assert f"class {name}(" in help_text


def test_help_shows_int_and_not_its_alias() -> None:
    shown = pydoc.plain(pydoc.render_doc(sparsek.SKFR))
    assert "SKFR(n_clusters: int = 8, n_features_to_select: int | float | str | None = 'auto'" in shown
    assert "n_init: int = 20, standardize: bool = True" in shown


@pytest.mark.parametrize("name", NAMES)
def test_the_body_of_the_constructor_is_one_call(name: str) -> None:
    source = inspect.getsource(getattr(sparsek, name).__init__)
    assert source.rstrip().endswith(") -> None:\n        self._keep(locals())")


def test_nothing_needs_docstrings() -> None:
    code = (
        "import sparsek\nfrom sparsek._registry import ESTIMATORS\n"
        "print([getattr(sparsek, row.name).__doc__ for row in ESTIMATORS] == [None] * len(ESTIMATORS))\n"
        "print(sparsek.SKFR(2, 0.5, n_init=2, random_state=0).fit([[0.0], [1], [9]]).labels_.tolist())"
    )
    done = subprocess.run([sys.executable, "-OO", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0] == "True"
