"""The base of all estimators: what a parameter is stands once, in the signature of `__init__`."""

from __future__ import annotations

from collections import ChainMap
from functools import cache, reduce
from operator import or_
from types import FunctionType, NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Union, get_args, get_origin, get_type_hints

from sklearn.base import BaseEstimator

from sparsek._docstrings import complete
from sparsek.methods.shared.no_weights import NoWeights, refuse_weights
from sparsek.methods.shared.texts import SHARED


class Estimator(BaseEstimator):
    """Base of all estimators: keeps the arguments of `__init__`, and checks them by their annotations.

    ``n_init: Runs = 20`` names the type and the constraints of `sparsek.methods.shared.parameters`. They
    become the table `_parameter_constraints`, and the signature shows the type alone. An entry of a docstring
    that has no text gets the one that `_texts` of the class or of a base has for its name.
    """

    _texts: ClassVar[dict[str, str]] = SHARED
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}
    _no_weights: ClassVar[NoWeights | None] = None  # why `fit` takes no `sample_weight`, if it does not

    if TYPE_CHECKING:  # no assignment shows a checker that the parameters are attributes

        def __getattr__(self, name: str) -> Any: ...

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        _complete(cls)
        if cls._no_weights is not None:
            refuse_weights(cls)
        if "__init__" in vars(cls) and "_parameter_constraints" not in vars(cls):
            _read_parameters(cls)

    # A search copies its estimator for each fit, and to read the signature takes a tenth of a small fit.
    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        names: list[str] = super()._get_param_names()
        return names

    def _keep(self, given: dict[str, Any]) -> None:
        """Keep the arguments of `__init__`, which are its `locals()`."""
        del given["self"]
        self.__dict__.update(given)


def _complete(cls: type[Estimator]) -> None:
    """Fill shared texts into the docstrings of a class, its methods and those of its mixins."""
    texts = ChainMap(*(vars(base).get("_texts", {}) for base in cls.__mro__))
    ours = (base for base in cls.__mro__ if base.__module__.startswith("sparsek."))
    mixins = (base for base in ours if not issubclass(base, BaseEstimator))
    parts = (getattr(part, "fn", part) for owner in (cls, *mixins) for part in vars(owner).values())
    complete((cls, *(part for part in parts if isinstance(part, FunctionType))), texts)


def _read_parameters(cls: type[Estimator]) -> None:
    """Make the table of constraints of the annotations of `__init__`, and leave it the plain types."""
    try:
        hints = get_type_hints(cls.__init__, include_extras=True)
    except (NameError, AttributeError):  # a subclass elsewhere may name types that only a checker imports
        return
    read = {name: _read(hint) for name, hint in hints.items()}
    inherited = cls._parameter_constraints
    cls.__init__.__annotations__ = {name: plain for name, (plain, _) in read.items()} | {"return": None}
    cls._parameter_constraints = inherited | {
        name: found for name, (_, found) in read.items() if any(entry is not None for entry in found)
    }


def _read(hint: Any) -> tuple[Any, list[Any]]:
    """The plain type of an annotation, and the constraints in it."""
    if get_origin(hint) is Annotated:
        return hint.__origin__, list(hint.__metadata__)
    if get_origin(hint) in (Union, UnionType):
        plains, tables = zip(*map(_read, get_args(hint)), strict=True)
        return Any if Any in plains else reduce(or_, plains), [entry for found in tables for entry in found]
    return hint, [None] if hint is NoneType else []
