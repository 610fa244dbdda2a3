# SPDX-License-Identifier: MIT
"""Flags that Python and C know by the same names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from treadle._core.tree import Generable, dtype_to_ctype


class Enum(Generable):
    """A derived class has `c_name`, `dtype` and `c_value_prefix`, and the flags as attributes of
    capitals. Its text is a typedef and a macro for each flag.
    """

    c_name: ClassVar[str]
    dtype: ClassVar[Any]
    c_value_prefix: ClassVar[str] = ""

    @classmethod
    def get_flag_names_and_values(cls) -> list[tuple[str, int]]:
        """Sorted by name."""
        names = sorted(name for name in dir(cls) if name[0].isupper() and name == name.upper())
        return [(name, getattr(cls, name)) for name in names]

    @classmethod
    def get_c_defines_lines(cls) -> list[str]:
        """A macro for each flag."""
        return [
            f"#define {cls.c_value_prefix}{name} {value}"
            for name, value in cls.get_flag_names_and_values()
        ]

    @classmethod
    def get_c_defines(cls) -> str:
        """The same as one text."""
        return "\n".join(cls.get_c_defines_lines())

    @classmethod
    def get_c_typedef_line(cls) -> str:
        """The type's declaration."""
        return f"typedef {dtype_to_ctype(cls.dtype)} {cls.c_name};"

    @classmethod
    def get_c_typedef(cls) -> str:
        """The same between empty lines."""
        return f"\n\n{cls.get_c_typedef_line()}\n\n"

    def generate(self, *args: Any, **kwargs: Any) -> Iterator[str]:
        """The lines of the declaration and the macros."""
        yield self.get_c_typedef_line()
        yield from self.get_c_defines_lines()

    @classmethod
    def stringify_value(cls, val: int) -> str:
        """The names of the flags in a value: "RED|BLUE"."""
        return "|".join(name for name, flag in cls.get_flag_names_and_values() if val & flag)
