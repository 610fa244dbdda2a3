# SPDX-License-Identifier: MIT
"""Caches bound to contexts."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any

from treadle.pycuda import _native as cuda

context_dependent_memoized_functions: list[Any] = []


def context_dependent_memoize(func: Callable) -> Callable:
    """Remembers results for the context they were made in."""
    by_context: dict[cuda.Context | None, dict] = {}

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        key = (args, frozenset(kwargs.items())) if kwargs else (args,)
        results = by_context.setdefault(cuda.Context.get_current(), {})
        try:
            return results[key]
        except KeyError:
            result = results[key] = func(*args, **kwargs)
            return result

    wrapper._pycuda_ctx_dep_memoize_dic = by_context  # type: ignore[attr-defined]
    context_dependent_memoized_functions.append(wrapper)
    return wrapper


class ContextCache(dict):
    """What an object remembers for {context: {key: result}}, until it or the context is forgotten.
    A class, so that it can be referred to weakly."""

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        _context_caches.add(self)


_context_caches: weakref.WeakSet[Any] = weakref.WeakSet()  # objects with a clear()


def clear_context_caches() -> None:
    """Forgets every remembered result, and with them the references to contexts."""
    for func in context_dependent_memoized_functions:
        func._pycuda_ctx_dep_memoize_dic.clear()
    for cache in list(_context_caches):
        cache.clear()
