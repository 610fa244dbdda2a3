# SPDX-License-Identifier: MIT
"""What the texts of PyOpenCL's kernels for arithmetic are made of: operands, and operators between
dtypes, for which OpenCL C has functions where they are complex."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from treadle.pyopencl._c_names import dtype_to_ctype


class ArgumentKind(enum.Enum):
    """What an operand is: an array, an array of no dimensions, or a number."""

    ARRAY = enum.auto()
    DEV_SCALAR = enum.auto()
    SCALAR = enum.auto()


def get_argument_kind(v: Any) -> ArgumentKind:
    """The kind of an operand."""
    shape = getattr(v, "shape", None)
    if shape is None or isinstance(v, np.generic):
        return ArgumentKind.SCALAR
    return ArgumentKind.ARRAY if shape else ArgumentKind.DEV_SCALAR


def get_decl_and_access_for_kind(name: str, kind: ArgumentKind) -> tuple[str, str]:
    """How an operand is declared, behind its type, and how its element is written."""
    if kind == ArgumentKind.ARRAY:
        return f"*{name}", f"{name}[i]"
    return (f"*{name}", f"{name}[0]") if kind == ArgumentKind.DEV_SCALAR else (name, name)


def complex_dtype_to_name(dtype: Any) -> str:
    """What the functions on numbers of a complex dtype begin with."""
    names = {np.dtype(np.complex64): "cfloat", np.dtype(np.complex128): "cdouble"}
    if np.dtype(dtype) not in names:
        raise RuntimeError(f"invalid complex type: {dtype}")
    return names[np.dtype(dtype)]


def real_dtype(dtype: Any) -> np.dtype:
    """The dtype of the real part."""
    return np.empty(0, dtype).real.dtype


def is_complex(dtype: Any) -> bool:
    return np.dtype(dtype).kind == "c"


def cast(value: str, dtype: Any, dtype_z: Any) -> str:
    """`value` in the dtype of a result; a real operand of a complex result stays real."""
    dtype, dtype_z = np.dtype(dtype), np.dtype(dtype_z)
    if is_complex(dtype):
        if not is_complex(dtype_z):
            raise TypeError(f"a complex operand has no result of dtype {dtype_z}")
        return value if dtype == dtype_z else f"{complex_dtype_to_name(dtype_z)}_cast({value})"
    dtype_z = real_dtype(dtype_z)
    return value if dtype == dtype_z else f"(({dtype_to_ctype(dtype_z)}) {value})"


# {operator: its function, with a real right operand, with a real left one}
_FUNCTIONS = {
    "+": ("add", "addr", "radd"),
    "*": ("mul", "mulr", "rmul"),
    "/": ("divide", "divider", "rdivide"),
    "**": ("pow", "powr", "rpow"),
}


def result_text(operator: str, x: tuple[str, Any], y: tuple[str, Any], dtype_z: Any) -> str:
    """x operator y, as a value of the result's dtype; operands are a text and its dtype."""
    (left, dtype_x), (right, dtype_y) = x, y
    left, right = cast(left, dtype_x, dtype_z), cast(right, dtype_y, dtype_z)
    if not is_complex(dtype_z):
        return (
            _real_power(left, right, dtype_z) if operator == "**" else f"{left} {operator} {right}"
        )
    name = complex_dtype_to_name(dtype_z)
    if not is_complex(dtype_x) and not is_complex(dtype_y):
        return f"{name}_fromreal({result_text(operator, x, y, real_dtype(dtype_z))})"
    if operator == "-":
        right = right if is_complex(dtype_y) else f"{name}_fromreal({right})"
        left = left if is_complex(dtype_x) else f"{name}_fromreal({left})"
        return f"{name}_sub({left}, {right})"
    both, right_real, left_real = _FUNCTIONS[operator]
    function = left_real if not is_complex(dtype_x) else both
    function = right_real if not is_complex(dtype_y) else function
    return f"{name}_{function}({left}, {right})"


def stored(value: str, dtype: Any, dtype_z: Any) -> str:
    """`value` as what is stored: here real numbers become complex ones."""
    text = cast(value, dtype, dtype_z)
    if is_complex(dtype_z) and not is_complex(dtype):
        return f"{complex_dtype_to_name(dtype_z)}_fromreal({text})"
    return text


def compared(operator: str, a: tuple[str, Any], b: tuple[str, Any]) -> str:
    """1 or 0; of complex numbers, whether they are equal, part by part."""
    (left, dtype_a), (right, dtype_b) = a, b
    if not is_complex(dtype_a) and not is_complex(dtype_b):
        return f"{left} {operator} {right}"
    if operator not in ("==", "!="):
        raise TypeError(f"complex numbers have no order: {operator}")

    def parts(value: str, dtype: Any) -> tuple[str, str]:
        return (f"{value}.real", f"{value}.imag") if is_complex(dtype) else (value, "0")

    pairs = zip(parts(left, dtype_a), parts(right, dtype_b), strict=True)
    return (" && " if operator == "==" else " || ").join(f"{x} {operator} {y}" for x, y in pairs)


# Repeated products are exact; pow() has only the 53 bits of double. Negative exponents give the
# integer part of the fraction.
INTEGER_POWER = """
ulong integer_power(long base, ulong factor, long exponent, int is_signed) {
  if (is_signed && exponent < 0)
    return base == 1 || (base == -1 && exponent % 2 == 0) ? 1 : base == -1 ? base : 0;
  ulong result = 1;
  for (ulong left = exponent; left != 0; left >>= 1, factor *= factor)
    if (left & 1) result *= factor;
  return result;
}
"""


def _real_power(base: str, exponent: str, dtype_z: Any) -> str:
    dtype_z = np.dtype(dtype_z)
    if dtype_z.kind not in "iu":
        return f"pow({base}, {exponent})"
    is_signed = int(dtype_z.kind == "i")
    return f"({dtype_to_ctype(dtype_z)}) integer_power({base}, {base}, {exponent}, {is_signed})"
