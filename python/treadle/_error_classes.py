# SPDX-License-Identifier: MIT
"""Exception classes that are several at once: Treadle's typed one, and what programs of a face
catch. errors.cpp chooses the parts; here they become one class, whose instances can be serialised.
"""

from __future__ import annotations

import sys
from typing import Any

_made: dict[tuple[type, ...], type] = {}
_parts: dict[type, tuple[type, ...]] = {}  # of the classes that are made here

# Where a part is found by its name, in processes that have not renamed modules, too.
_HOMES = (
    "treadle",
    "treadle._core.driver",
    "treadle.pycuda._errors",
    "treadle.pyopencl._errors",
)


def combined(*parts: type[Exception]) -> type[Any]:
    """The class that is all of these at once; it has the name, the text and the constructor of the
    first. Of a class that was made here its parts count, each once."""
    made = _made.get(parts)
    if made is not None:
        return made
    flat = tuple(dict.fromkeys(one for part in parts for one in _parts.get(part, (part,))))
    if flat != parts:
        made = _made[parts] = combined(*flat)
        return made
    first = parts[0]
    members = {
        "__module__": first.__module__,
        "__doc__": first.__doc__,
        "__init__": first.__init__,
        "__str__": first.__str__,
        "__reduce__": reduced,
    }
    made = _made[parts] = type(first.__name__, parts, members)
    _parts[made] = parts
    return made


def reduced(error: Exception) -> tuple[Any, ...]:
    """__reduce__() for copies and for processes of a pool, which hand exceptions on."""
    return _restored, (_reference(type(error)), error.args, dict(error.__dict__))


def _reference(kind: type) -> Any:
    """What stands for a class that is serialised. Classes that programs derive stand for
    themselves."""
    if kind in _parts:
        return tuple(_reference(part) for part in _parts[kind])
    for home in _HOMES:
        module = sys.modules.get(home)
        if module is not None and vars(module).get(kind.__name__) is kind:
            return f"{home}:{kind.__name__}"
    return kind


def _class_of(reference: Any) -> Any:
    if isinstance(reference, tuple):
        return combined(*(_class_of(part) for part in reference))
    if isinstance(reference, str):
        home, name = reference.split(":")
        __import__(home)
        return getattr(sys.modules[home], name)
    return reference


def _restored(reference: Any, args: tuple[Any, ...], attributes: dict[str, Any]) -> Exception:
    """The exception of __reduce__()."""
    made = _class_of(reference)(*args)
    # Not by setattr(): a face's class may have a property of the name.
    made.__dict__.update(attributes)
    return made
