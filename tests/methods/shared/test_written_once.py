"""The base of all estimators: kept arguments, annotations that are read, plain signatures, shared texts."""

from __future__ import annotations

import ast
import inspect
import pickle
import pydoc
import re
import subprocess
import sys
import textwrap
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpydoc.docscrape import NumpyDocString
from sklearn.base import clone
from sklearn.utils._param_validation import InvalidParameterError

import sparsek
from sparsek._docstrings import BARE, completed
from sparsek._registry import ESTIMATORS
from sparsek.inputs.arguments import names
from sparsek.methods.shared.estimator import Estimator
from sparsek.methods.shared.parameters import Count, Flag, NotNegative, Share

if TYPE_CHECKING:
    from nowhere import Unknown  # type: ignore[import-not-found]

SECTIONS = ("Parameters", "Attributes")
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
    assert "n_init: int = 20, standardize: Any = 'auto'" in shown


@pytest.mark.parametrize("name", NAMES)
def test_the_body_of_the_constructor_is_one_call(name: str) -> None:
    source = inspect.getsource(getattr(sparsek, name).__init__)
    assert source.rstrip().endswith(") -> None:\n        self._keep(locals())")


@pytest.mark.thorough  # Python compiles all that it imports once more for -OO
def test_nothing_needs_docstrings() -> None:
    code = (
        "import sparsek\nfrom sparsek._registry import ESTIMATORS\n"
        "print([getattr(sparsek, row.name).__doc__ for row in ESTIMATORS] == [None] * len(ESTIMATORS))\n"
        "print(sparsek.SKFR(2, 0.5, n_init=2, random_state=0).fit([[0.0], [1], [9]]).labels_.tolist())"
    )
    done = subprocess.run([sys.executable, "-OO", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0] == "True"


WORDS = st.text("ab c", min_size=1).map(str.strip).filter(bool)


@given(st.dictionaries(st.sampled_from(["n_init", "seed", "tol"]), WORDS), st.sampled_from(["", "    "]))
def test_an_entry_without_a_text_gets_the_shared_one(texts: dict[str, str], indent: str) -> None:
    bare = f"{indent}n_init : int\n{indent}tol : float\n{indent}    Own.\n{indent}seed : int\n"
    once = completed(bare, texts)
    assert completed(once, texts) == once
    for name in ("n_init", "seed"):
        shown = f"{indent}{name} : int\n" + (f"{indent}    {texts[name]}\n" if name in texts else "")
        assert shown in once
    assert f"{indent}tol : float\n{indent}    Own.\n" in once


def entries(docstring: str) -> list[tuple[str, str]]:
    """Names and texts of the parameters and attributes."""
    parts = NumpyDocString(inspect.cleandoc(docstring))
    return [(entry.name, " ".join(entry.desc)) for part in SECTIONS for entry in parts[part]]


def classes() -> list[type]:
    """The estimators and their bases."""
    found = {base for name in NAMES for base in getattr(sparsek, name).__mro__}
    return sorted((base for base in found if issubclass(base, Estimator)), key=lambda cls: cls.__qualname__)


@pytest.mark.parametrize("name", NAMES)
def test_no_entry_is_left_without_a_text(name: str) -> None:
    cls = getattr(sparsek, name)
    methods = [item for key, item in inspect.getmembers(cls, inspect.isfunction) if not key.startswith("_")]
    for part in (cls, *(method for method in methods if method.__module__.startswith("sparsek"))):
        assert [entry for entry, text in entries(part.__doc__) if not text] == []


def test_every_shared_text_serves_two_docstrings_at_least() -> None:
    used: Counter[tuple[type, str]] = Counter()
    for cls in classes():
        node = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
        assert isinstance(node, ast.ClassDef)
        for part in (node, *(item for item in node.body if isinstance(item, ast.FunctionDef))):
            for entry in BARE.finditer((ast.get_docstring(part) or "") + "\n"):
                owner = next((base for base in cls.__mro__ if entry[2] in vars(base).get("_texts", {})), None)
                used[owner, entry[2]] += owner is not None
    stated = {(cls, entry) for cls in classes() for entry in vars(cls).get("_texts", {})}
    assert {pair for pair in stated if used[pair] < 2} == set()
