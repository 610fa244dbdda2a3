# SPDX-License-Identifier: MIT
"""Arguments of functions in Python that take whatever has certain attributes."""

from __future__ import annotations

from typing import Any


def required(value: Any, argument: str, wanted: str, *attributes: str) -> Any:
    """The value. Raises TypeError, which names the argument, where it has not all attributes, or is
    a class, whose attributes are those of its objects."""
    if not isinstance(value, type) and all(hasattr(value, attribute) for attribute in attributes):
        return value
    raise TypeError(f"{argument} is a {type(value).__name__}, wanted: {wanted}")
