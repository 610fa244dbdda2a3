# SPDX-License-Identifier: MIT
"""Results that are remembered for a context or another object of OpenCL's."""

from __future__ import annotations

import atexit
import functools
import weakref
from collections.abc import Callable
from typing import Any


class Cache(dict):
    """{an object of OpenCL's: {key: result}}, until whoever holds it or the object is forgotten. A
    class, so that it can be referred to weakly."""

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        _caches.add(self)


_caches: weakref.WeakSet[Cache] = weakref.WeakSet()


def first_arg_dependent_memoize(func: Callable) -> Callable:
    """Remembers results for the first argument, an object of OpenCL's, and for the others."""
    by_object = Cache()

    @functools.wraps(func)
    def wrapper(cl_object: Any, *args: Any, **kwargs: Any) -> Any:
        key = (args, frozenset(kwargs.items())) if kwargs else (args,)
        results = by_object.setdefault(cl_object, {})
        try:
            return results[key]
        except KeyError:
            result = results[key] = func(cl_object, *args, **kwargs)
            return result

    return wrapper


context_dependent_memoize = first_arg_dependent_memoize

# {the enclosing function's code: its cache}
_nested_caches: dict[Any, Cache] = {}


def first_arg_dependent_memoize_nested(nested_func: Callable) -> Callable:
    """The same for a function that is made anew in each call of another: its cache stays."""
    by_object = _nested_caches.get(nested_func.__code__)
    if by_object is None:
        by_object = _nested_caches[nested_func.__code__] = Cache()

    @functools.wraps(nested_func)
    def wrapper(cl_object: Any, *args: Any) -> Any:
        results = by_object.setdefault(cl_object, {})
        try:
            return results[args]
        except KeyError:
            result = results[args] = nested_func(cl_object, *args)
            return result

    return wrapper


def clear_first_arg_caches() -> None:
    """Forgets every remembered result, and with them the references to contexts."""
    for cache in list(_caches):
        cache.clear()


atexit.register(clear_first_arg_caches)
