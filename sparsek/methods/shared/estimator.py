"""The base of all estimators: what a parameter is stands once, in the signature of `__init__`."""

from __future__ import annotations

import threading
from collections import ChainMap
from collections.abc import Callable, Iterable, Set
from copy import copy
from functools import cache, partial, reduce, wraps
from inspect import getattr_static
from operator import or_
from types import FunctionType, NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, Union, get_args, get_origin, get_type_hints

from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if

from sparsek._docstrings import complete
from sparsek.errors import own_version, warn_of_version
from sparsek.inputs.indices import aligned, aligned_call, index_of
from sparsek.methods.shared.forced import ignored_columns
from sparsek.methods.shared.no_weights import NoWeights, refuse_weights
from sparsek.methods.shared.texts import SHARED

ANSWERS = (
    *("predict", "predict_proba", "transform", "score", "impute"),
    *("get_support", "get_feature_names_out", "summary"),
)
"""Methods that tell of a fit."""
OF_RUNNING = ("n_jobs", "verbose", "memory_limit", "checkpoint", "cache", "blas_threads")
"""Parameters that say how work is done, and change no answer."""
VERSION = "_sparsek_version"
"""The name in a pickle of the version that wrote it."""
_RUNNING = threading.local()
"""The estimators whose `fit` runs in this thread: `models`."""


class Estimator(BaseEstimator):
    """Base of all estimators: keeps the arguments of `__init__`, and checks them by their annotations.

    ``n_init: Runs = 20`` names the type and the constraints of `sparsek.methods.shared.parameters`. They
    become the table `_parameter_constraints`, and the signature shows the type alone. An entry of a docstring
    that has no text gets the one that `_texts` of the class or of a base has for its name.
    """

    _texts: ClassVar[dict[str, str]] = SHARED
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}
    _no_weights: ClassVar[NoWeights | None] = None  # why `fit` takes no `sample_weight`, if it does not
    _gone: ClassVar[dict[str, str]] = {}  # parameters of earlier versions, and what to do without each

    if TYPE_CHECKING:  # no assignment shows a checker that the parameters are attributes

        def __getattr__(self, name: str) -> Any: ...

    def __new__(cls, *_: Any, **named: Any) -> Self:
        """Refuse parameters of earlier versions."""
        refuse_gone(cls, named)
        made: Self = super().__new__(cls)
        return made

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        _complete(cls)
        if "fit" in vars(cls):
            cls.fit = _whole(cls.fit)
        _answer_as_fitted(cls)
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

    def _ignored_columns(self, p: int, names: Any) -> Any:
        """Mask of the columns, (p,), that take no part in the fit; None where all do."""
        return ignored_columns(self, p, names)

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the estimator.

        Parameters
        ----------
        **params : dict
            Values by the names of the parameters. Those of an estimator that is a parameter are named
            parameter__name.

        Returns
        -------
        Self
            This estimator.

        Raises
        ------
        TypeError
            The estimator has a parameter of this name no longer.
        ValueError
            The estimator has no parameter of this name.
        """
        refuse_gone(type(self), params)
        model: Self = super().set_params(**params)
        return model

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), VERSION: own_version()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        version = state.get(VERSION, "before 0.1.0")
        if version != own_version():
            warn_of_version(type(self).__name__, version)
        super().__setstate__({name: value for name, value in state.items() if name != VERSION})

    def _keep(self, given: dict[str, Any]) -> None:
        """Keep the arguments of `__init__`, which are its `locals()`."""
        del given["self"]
        self.__dict__.update(given)

    def _begin(self) -> dict[str, Any]:
        """Begin a fit: keep its parameters, and take out and return what an earlier one has set."""
        names = [name for name in vars(self) if name.endswith("_") or name in vars(self).get("_by_fit", ())]
        before = {name: self.__dict__.pop(name) for name in names}
        kept = vars(self).keys() & set(self._get_param_names()) - set(OF_RUNNING)
        self._given = {name: vars(self)[name] for name in sorted(kept)}
        return before

    def _end(self, there: Set[str]) -> None:
        """End a fit: note which private attributes it has set beside these, which others put there."""
        found = {name for name in vars(self).keys() - there if not name.endswith("_")}
        self._by_fit: list[str] = sorted({"_by_fit", "_given"} | found)

    def _as_fitted(self) -> Self:
        """This estimator with the parameters of its fit, which `set_params` may have changed since."""
        given = vars(self).get("_given", {})
        if all(getattr(self, name) is value for name, value in given.items()):
            return self
        found = copy(self)
        found.__dict__.update(given)
        return found


def refuse_gone(cls: type[Estimator], names: Iterable[str]) -> None:
    """TypeError for a parameter that the class no longer has, with what to do without it."""
    for name in names:
        if name in cls._gone:
            raise TypeError(f"{cls.__name__} has no parameter {name} any more; {cls._gone[name]}")


def _whole(fit: Callable[..., Any]) -> Callable[..., Any]:
    """The `fit` of a class that begins with nothing of an earlier fit, and keeps that one if it fails."""

    # A class of the user's script goes to other processes by value, with all that this names: nothing else.
    @wraps(fit)
    def whole(self: Any, *args: Any, **named: Any) -> Any:
        return _fit_whole(fit, self, args, named)

    return whole


def is_fitting(model: Any) -> bool:
    """Whether the `fit` of a model runs in this thread."""
    return any(other is model for other in vars(_RUNNING).get("models", ()))


def _fit_whole(fit: Callable[..., Any], model: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Fit a model; the `fit` of a base, called by that of a subclass, is a part of it."""
    running = vars(_RUNNING).setdefault("models", [])
    if is_fitting(model):
        return fit(model, *args, **named)
    args, named = aligned_call(fit, args, named)
    before = model._begin()
    there = set(vars(model))
    init = vars(model).get("init")
    running.append(model)
    try:
        if getattr(init, "ndim", 0) == 1 and index_of(init) is not None:  # labels of the rows
            model.init = aligned(init, args[0] if args else named.get("X"), "init")
        found = fit(model, *args, **named)
    except BaseException:
        for name in {"_given"} | vars(model).keys() - there:
            del model.__dict__[name]
        model.__dict__.update(before)
        raise
    finally:
        running.pop()
        if "init" in vars(model):
            model.init = init
    model._end(there)
    return found


def _answer_as_fitted(cls: type[Estimator]) -> None:
    """Let the answers of a class, those of its mixins too, be given with the parameters of the fit."""
    for name in ANSWERS:
        found: Any = getattr_static(cls, name, None)
        method = getattr(found, "fn", found)
        ours = isinstance(method, FunctionType) and method.__module__.startswith("sparsek.")
        if not ours or hasattr(method, "as_fitted"):
            continue
        answer: Any = _as_fitted(method)
        if found is not method:  # some parameters take the method away
            answer = available_if(partial(_is_available, found.check))(answer)
        setattr(cls, name, answer)


def _is_available(check: Callable[[Any], bool], model: Any) -> bool:
    return check(model._as_fitted())


def _as_fitted(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that runs with the parameters of the fit."""

    @wraps(method)
    def answer(self: Any, *args: Any, **named: Any) -> Any:
        args, named = aligned_call(method, args, named)
        return method(self._as_fitted(), *args, **named)

    answer.as_fitted = True  # type: ignore[attr-defined]  # a mark, against a second wrapping
    return answer


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
