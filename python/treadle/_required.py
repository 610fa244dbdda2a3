# SPDX-License-Identifier: MIT
"""Arguments of functions in Python: what has certain attributes, and texts that can be encoded."""

from __future__ import annotations

from typing import Any


def required(value: Any, argument: str, wanted: str, *attributes: str) -> Any:
    """The value. Raises TypeError, which names the argument, where it has not all attributes, or is
    a class, whose attributes are those of its objects."""
    if not isinstance(value, type) and all(hasattr(value, attribute) for attribute in attributes):
        return value
    raise TypeError(f"{argument} is a {type(value).__name__}, wanted: {wanted}")


def encodable(text: str, call: str, argument: str) -> str:
    """The text. Raises TypeError, which names the call and its argument, for one with half of a
    character, which no compiler and no driver can be given."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        shown = repr(text if len(text) <= 40 else text[:37] + "...")
        raise TypeError(
            f"{call}(): {argument} is {shown}, whose character {error.start} is half of one (a "
            "lone surrogate) and cannot be encoded"
        ) from None
    return text
