"""Which method the parameters of an estimator mean, and what it can then do."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, TypeVar

from sklearn.utils.metaestimators import available_if

from edgewise.errors import ParameterError
from edgewise.methods.method import Method
from edgewise.methods.registry import method_of, method_options, registered


def chosen_method(estimator: Any) -> Method:
    """The method with the options that were set; options of other methods are refused."""
    defaults = signature(type(estimator)).parameters
    options = {
        name: value
        for name in method_options()
        if name in defaults and not _same(value := getattr(estimator, name), defaults[name].default)
    }
    # scikit-learn's tools seed whatever has a seed; only some methods use one.
    method = estimator.method
    kind = type(method) if isinstance(method, Method) else registered().get(str(method))
    if kind is not None and "random_state" not in kind.__dataclass_fields__:
        options.pop("random_state", None)
    return method_of(method, options)


def _same(value: Any, default: Any) -> bool:
    """Whether an option has its default value; an array never does."""
    if value is default:
        return True
    return isinstance(value, str | int | float) and bool(value == default)


def _one_pass(estimator: Any) -> bool:
    try:
        chosen = chosen_method(estimator)
    except ParameterError:
        return True  # partial_fit's own error, not a missing attribute
    if chosen.needs.reads_again:
        able = [name for name, kind in registered().items() if not kind().needs.reads_again]
        raise AttributeError(
            f"method {chosen.name!r} with these options reads the rows twice, so it cannot "
            f"learn from batches; partial_fit needs a method out of {', '.join(able)}."
        )
    return True


_Function = TypeVar("_Function", bound=Callable[..., Any])
# scikit-learn has no type hints; without one here, users would lose the hints of the method.
if_one_pass: Callable[[_Function], _Function] = available_if(_one_pass)
