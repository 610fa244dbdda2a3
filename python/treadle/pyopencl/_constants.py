# SPDX-License-Identifier: MIT
"""The constant classes: mem_flags, device_info, status_code and the others.

They are plain classes with integers as attributes, made from the C++ core's one list of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treadle._core.opencl import _constants, program_kind  # noqa: F401


def _single_bits(members: dict[str, int], value: int) -> list[str]:
    """The members with one bit that `value` contains, ordered by name. Drivers report newer bits,
    which have no member and so no name."""
    return [
        name
        for name, number in sorted(members.items())
        if number and number & (number - 1) == 0 and value & number
    ]


# Not an attribute of the classes: programs pass every name in dir(), also names with one
# underscore, to get_info().
_members: dict[type, dict[str, int]] = {}


def members_of(group: type) -> dict[str, int]:
    """The constants of a class, by name."""
    return _members.get(group, {})


class _Constants:
    """Base of the constant classes."""

    _is_bitfield = False

    @classmethod
    def to_string(cls, value: int, default_format: str | None = None) -> str:
        """The name of a number; of a bit field the names, joined by ` | `."""
        members = members_of(cls)
        for name in sorted(members):
            if members[name] == value:
                return name
        names = _single_bits(members, value) if cls._is_bitfield else []
        if names:
            return " | ".join(names)
        if default_format is None:
            raise ValueError(f"a {cls.__name__} of value {value!r} has no name")
        return default_format % value


def _make(name: str, is_bitfield: bool, members: dict[str, int]) -> type[_Constants]:
    # The members come last: as in PyOpenCL, some groups have a member with the name of a class
    # attribute.
    namespace: dict[str, Any] = {
        "__module__": "pyopencl._cl",
        "__doc__": f"Constants: {name}.",
        "_is_bitfield": is_bitfield,
        **members,
    }
    made = type(name, (_Constants,), namespace)
    _members[made] = members
    return made


_groups = {name: _make(name, *group) for name, group in _constants().items()}
globals().update(_groups)

CONSTANT_CLASSES = tuple(_groups.values())
BITFIELD_CONSTANT_CLASSES = frozenset(c for c in CONSTANT_CLASSES if c._is_bitfield)

# The constant classes have this attribute.
program_kind._is_bitfield = False  # type: ignore[attr-defined]

__all__ = [*_groups, "program_kind"]

if TYPE_CHECKING:  # the classes are made at run time

    def __getattr__(name: str) -> Any: ...
