# SPDX-License-Identifier: MIT
"""Texts of PyCUDA's kernels for arithmetic on arrays: TEXTS has them by the name of the function of
pycuda.elementwise that compiles one. The number of elements is the last argument of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from treadle._kernel_rows import Face, texts_of
from treadle.pycuda._arguments import Argument, ScalarArg, VectorArg, dtype_to_ctype


class Text(NamedTuple):
    """A kernel around an operation. The last arguments are sources, if there are any: what to read
    there is not passed by each call, but bound before."""

    arguments: Sequence[Argument]
    operation: str
    name: str
    preamble: str = ""
    sources: int | None = None


TEXTS: dict[str, Callable[..., Text]] = {}


def _text(function: Callable[..., Text]) -> Callable[..., Text]:
    TEXTS[function.__name__] = function
    return function


# --- what the texts are made of ------------------------------------------------------------------


def _cast(value: str, dtype: Any, dtype_z: Any) -> str:
    """Casts `value` to the dtype of a result. A real operand of a complex result stays real."""
    dtype, dtype_z = np.dtype(dtype), np.dtype(dtype_z)
    if dtype_z.kind == "c" and dtype.kind != "c":
        dtype_z = np.empty(0, dtype_z).real.dtype
    return value if dtype == dtype_z else f"(({dtype_to_ctype(dtype_z)}) {value})"


def _vectors(dtype: Any, names: str) -> list[Argument]:
    return [VectorArg(dtype, name) for name in names.split()]


# --- copies --------------------------------------------------------------------------------------


@_text
def get_arange_kernel(dtype: Any) -> Text:
    """z = start + i * step. Arguments: z, start, step, n."""
    dtype = np.dtype(dtype)
    ctype = dtype_to_ctype(dtype)
    # Computed in double and rounded once, at the end: float has 24 bits, and indices have more.
    if dtype == np.float32:
        value = "(float) ((double) start + (double) i * (double) step)"
    else:
        value = f"start + {_cast('i', np.uintp, dtype)} * step"
    return Text(
        [VectorArg(dtype, "z"), ScalarArg(dtype, "start"), ScalarArg(dtype, "step")],
        f"z[i] = ({ctype}) ({value})",
        "arange",
    )


@_text
def get_put_kernel(dtype: Any, idx_dtype: Any, vec_count: int = 1) -> Text:
    """dest_k[index] = src_k. Arguments: the indices, each dest, each src, n."""
    sources = [VectorArg(dtype, f"src{k}") for k in range(vec_count)]
    destinations = [VectorArg(dtype, f"dest{k}") for k in range(vec_count)]
    text = "\n".join(f"dest{k}[place] = src{k}[i];" for k in range(vec_count))
    return Text(
        [VectorArg(idx_dtype, "gmem_dest_idx"), *destinations, *sources],
        f"{dtype_to_ctype(idx_dtype)} place = gmem_dest_idx[i];\n{text}",
        "put",
    )


# --- kernels that once read through textures -----------------------------------------------------


def _with_sources(
    arguments: list[Argument], dtypes: Sequence[Any], operation: str, name: str
) -> Text:
    """Makes a kernel that reads src0, src1 ... besides its arguments."""
    sources = [VectorArg(dtype, f"src{k}") for k, dtype in enumerate(dtypes)]
    return Text([*arguments, *sources], operation, name, sources=len(sources))


@_text
def get_take_kernel(dtype: Any, idx_dtype: Any, vec_count: int = 1) -> Text:
    """dest_k = src_k[index], and what to bind the sources to. Arguments: the indices, each dest,
    n."""
    text = "\n".join(f"dest{k}[i] = src{k}[place];" for k in range(vec_count))
    return _with_sources(
        [VectorArg(idx_dtype, "idx"), *(VectorArg(dtype, f"dest{k}") for k in range(vec_count))],
        [dtype] * vec_count,
        f"{dtype_to_ctype(idx_dtype)} place = idx[i];\n{text}",
        "take",
    )


@_text
def get_take_put_kernel(dtype: Any, idx_dtype: Any, with_offsets: bool, vec_count: int = 1) -> Text:
    """dest_k[to] = src_k[from + offset_k], and what to bind the sources to. Arguments: the indices
    to and from, each dest, each offset if there are any, n."""
    arguments: list[Argument] = [
        VectorArg(idx_dtype, "gmem_dest_idx"),
        VectorArg(idx_dtype, "gmem_src_idx"),
        *(VectorArg(dtype, f"dest{k}") for k in range(vec_count)),
    ]
    if with_offsets:
        arguments += [ScalarArg(idx_dtype, f"offset{k}") for k in range(vec_count)]
    ctype = dtype_to_ctype(idx_dtype)
    lines = [f"{ctype} from = gmem_src_idx[i], to = gmem_dest_idx[i];"]
    for k in range(vec_count):
        offset = f" + offset{k}" if with_offsets else ""
        lines.append(f"dest{k}[to] = src{k}[from{offset}];")
    return _with_sources(arguments, [dtype] * vec_count, "\n".join(lines), "take_put")


@_text
def get_linear_combination_kernel(
    summand_descriptors: Sequence[tuple[bool, Any, Any]], dtype_z: Any
) -> Text:
    """z = the sum of a_k * x_k, and what to bind factors that are on the device to. Arguments: a_k
    (if it is not on the device) and x_k of each summand, z, n.

    A descriptor is (the factor is on the device, its dtype, the vector's dtype).
    """
    arguments: list[Argument] = []
    on_device: list[Any] = []
    summands = []
    for k, (is_on_device, scalar_dtype, vector_dtype) in enumerate(summand_descriptors):
        if is_on_device:
            factor = f"src{len(on_device)}[0]"
            on_device.append(scalar_dtype)
        else:
            factor = f"a{k}"
            arguments.append(ScalarArg(scalar_dtype, factor))
        arguments.append(VectorArg(vector_dtype, f"x{k}"))
        product = (
            f"{_cast(factor, scalar_dtype, dtype_z)} * {_cast(f'x{k}[i]', vector_dtype, dtype_z)}"
        )
        summands.append(product)
    return _with_sources(
        [*arguments, VectorArg(dtype_z, "z")],
        on_device,
        f"z[i] = {' + '.join(summands)}",
        "linear_combination",
    )


# --- arithmetic ----------------------------------------------------------------------------------


@_text
def get_scalar_op_kernel(dtype_x: Any, dtype_a: Any, dtype_y: Any, operator: str) -> Text:
    """y = x operator a. Arguments: x, the number a, y, n."""
    x, a = "x[i]", "a"
    if "c" in (np.dtype(dtype_x).kind, np.dtype(dtype_a).kind):
        common = np.promote_types(dtype_x, dtype_a)  # operators take one precision
        x, a = _cast(x, dtype_x, common), _cast(a, dtype_a, common)
    return Text(
        [VectorArg(dtype_x, "x"), ScalarArg(dtype_a, "a"), VectorArg(dtype_y, "y")],
        f"y[i] = {x} {operator} {a}",
        "scalar_op",
    )


# Repeated products are exact; pow() has only the 53 bits of double.
_INTEGER_POWER = """
template <class T>
static __device__ T integer_power(T base, T exponent) {
  unsigned long long result = 1, factor = base;
  for (; exponent != T(0); exponent /= 2, factor *= factor)
    if (exponent % 2) result *= factor;
  return (T) result;
}
"""
# Negative exponents give the integer part of the fraction.
_SIGNED_POWER = """
template <class T>
static __device__ T signed_power(T base, T exponent) {
  if (exponent >= 0) return integer_power(base, exponent);
  return base == 1 || (base == -1 && exponent % 2 == 0) ? 1 : base == -1 ? -1 : 0;
}
"""


def _power(base: str, exponent: str, dtype_x: Any, dtype_y: Any, dtype_z: Any) -> str:
    dtype_z = np.dtype(dtype_z)
    base = _cast(base, dtype_x, dtype_z)
    exponent = _cast(exponent, dtype_y, dtype_z)
    if dtype_z.kind in "iu":
        name = "signed_power" if dtype_z.kind == "i" else "integer_power"
        return f"{name}<{dtype_to_ctype(dtype_z)}>({base}, {exponent})"
    name = {"c": "pycuda::pow"}.get(dtype_z.kind, "powf" if dtype_z == np.float32 else "pow")
    return f"{name}({base}, {exponent})"


@_text
def get_pow_array_kernel(
    dtype_x: Any, dtype_y: Any, dtype_z: Any, is_base_array: bool, is_exp_array: bool
) -> Text:
    """z = x to the power of y. Arguments: x and y, arrays or numbers, z, n."""
    assert is_base_array or is_exp_array, "neither the base nor the exponent is an array"
    arguments: list[Argument] = [
        (VectorArg if is_array else ScalarArg)(dtype, name)
        for is_array, dtype, name in ((is_base_array, dtype_x, "x"), (is_exp_array, dtype_y, "y"))
    ]
    x, y = "x[i]" if is_base_array else "x", "y[i]" if is_exp_array else "y"
    return Text(
        [*arguments, VectorArg(dtype_z, "z")],
        f"z[i] = {_power(x, y, dtype_x, dtype_y, dtype_z)}",
        "pow_method",
        preamble=f"{_INTEGER_POWER}{_SIGNED_POWER}" if np.dtype(dtype_z).kind in "iu" else "",
    )


# --- functions -----------------------------------------------------------------------------------


def _minmax(is_min: bool, dtypes: tuple[Any, Any, Any], use_scalar: bool) -> Text:
    dtype_x, dtype_y, dtype_z = dtypes
    x = _cast("x[i]", dtype_x, dtype_z)
    y = _cast("y" if use_scalar else "y[i]", dtype_y, dtype_z)
    if np.dtype(dtype_z).kind == "f":  # NaN is skipped
        text = f"{'fmin' if is_min else 'fmax'}({x}, {y})"
    else:
        text = f"{x} {'<' if is_min else '>'} {y} ? {x} : {y}"
    second = ScalarArg if use_scalar else VectorArg
    return Text(
        [VectorArg(dtype_x, "x"), second(dtype_y, "y"), VectorArg(dtype_z, "z")],
        f"z[i] = {text}",
        "binary_minmax",
    )


@_text
def get_binary_minmax_kernel(
    func: str, dtype_x: Any, dtype_y: Any, dtype_z: Any, use_scalar: bool
) -> Text:
    """z = the smaller or the larger one of x and y, func being "min" or "max". Arguments: x, y (a
    number, if use_scalar), z, n."""
    return _minmax("min" in func, (dtype_x, dtype_y, dtype_z), use_scalar)


# --- complex numbers -----------------------------------------------------------------------------


@_text
def get_conj_kernel(dtype: Any, conj_dtype: Any) -> Text:
    """z = y with its imaginary part negated. Arguments: y, z, n."""
    value = _cast("pycuda::conj(y[i])", dtype, conj_dtype)
    return Text(
        [VectorArg(dtype, "y"), VectorArg(conj_dtype, "z")], f"z[i] = {value}", "conj_kernel"
    )


# --- one statement each ---------------------------------------------------------------------------


FACE = Face(Text, VectorArg, ScalarArg, dtype_to_ctype, _cast)
ROWS = """
get_copy_kernel(dtype_dest, dtype_src)
  copy(dtype_dest *dest, dtype_src *src)
  dest[i] = {src}
  dest = src, converted. Arguments: dest, src, n.
get_fill_kernel(dtype)
  fill(dtype a, dtype *z)
  z[i] = a
  z = a. Arguments: a, z, n.
get_reverse_kernel(dtype)
  reverse(dtype *y, dtype *z)
  z[i] = y[n - 1 - i]
  z = y from its end. Arguments: y, z, n.
get_axpbyz_kernel(dtype_x, dtype_y, dtype_z, x_is_scalar=False, y_is_scalar=False)
  axpbyz(dtype_x a, dtype_x *x, dtype_y b, dtype_y *y, dtype_z *z)
  z[i] = {a} * {x} + {b} * {y}
  z = a * x + b * y. Arguments: a, x, b, y, z, n.
get_axpbz_kernel(dtype_x, dtype_z)
  axpb(dtype_z a, dtype_x *x, dtype_z b, dtype_z *z)
  z[i] = a * {x} + b
  z = a * x + b. Arguments: a, x, b, z, n.
get_binary_op_kernel(dtype_x, dtype_y, dtype_z, operator, x_is_scalar=False, y_is_scalar=False)
  binary_op(dtype_x *x, dtype_y *y, dtype_z *z)
  z[i] = {x} {operator} {y}
  z = x operator y. Arguments: x, y, z, n.
get_rdivide_elwise_kernel(dtype_x, dtype_z)
  divide_r(dtype_x *x, dtype_z y, dtype_z *z)
  z[i] = y / {x}
  z = y / x. Arguments: x, the number y, z, n.
get_logical_not_kernel(dtype_x, dtype_out)
  logical_not(dtype_x *x, dtype_out *out)
  out[i] = x[i] == ({dtype_x}) 0
  out = x is 0. Arguments: x, out, n.
get_unary_func_kernel(func_name, in_dtype, out_dtype=None)
  unary_func(in_dtype *y, out_dtype|in_dtype *z)
  z[i] = {func_name}(y[i])
  z = func(y). Arguments: y, z, n.
get_binary_func_kernel(func, dtype_x, dtype_y, dtype_z)
  binary_func(dtype_x *x, dtype_y *y, dtype_z *z)
  z[i] = {func}(x[i], y[i])
  z = func(x, y). Arguments: x, y, z, n.
get_binary_func_scalar_kernel(func, dtype_x, dtype_y, dtype_z)
  binary_func_scalar(dtype_x *x, dtype_y y, dtype_z *z)
  z[i] = {func}(x[i], y)
  z = func(x, y). Arguments: x, the number y, z, n.
get_fmod_kernel(dtype=float32)
  fmod_kernel(dtype *arg, dtype *mod, dtype *z)
  z[i] = fmod(arg[i], mod[i])
  z = what is left of arg / mod. Arguments: arg, mod, z, n.
get_modf_kernel(dtype=float32)
  modf_kernel(dtype *x, dtype *intpart, dtype *fracpart)
  fracpart[i] = modf(x[i], &intpart[i])
  x in its parts. Arguments: x, the whole part, the fraction, n.
get_frexp_kernel(dtype=float32)
  frexp_kernel(dtype *x, dtype *significand, dtype *exponent)
  int power; significand[i] = frexp(x[i], &power); exponent[i] = power
  x = significand * 2^exponent. Arguments: x, the significand, the exponent, n.
get_ldexp_kernel(dtype=float32)
  ldexp_kernel(dtype *sig, dtype *expt, dtype *z)
  z[i] = ldexp(sig[i], (int) expt[i])
  z = significand * 2^exponent. Arguments: the significand, the exponent, z, n.
get_real_kernel(dtype, real_dtype)
  real_kernel(dtype *y, real_dtype *z)
  z[i] = pycuda::real(y[i])
  z = the real part of y. Arguments: y, z, n.
get_imag_kernel(dtype, real_dtype)
  imag_kernel(dtype *y, real_dtype *z)
  z[i] = pycuda::imag(y[i])
  z = the imaginary part of y. Arguments: y, z, n.
get_if_positive_kernel(crit_dtype, dtype)
  if_positive(crit_dtype *crit, dtype *then_, dtype *else_, dtype *result)
  result[i] = crit[i] > ({crit_dtype}) 0 ? then_[i] : else_[i]
  result = crit > 0 ? then : else. Arguments: crit, then, else, result, n.
get_where_kernel(crit_dtype, dtype)
  where(crit_dtype *crit, dtype *then_, dtype *else_, dtype *result)
  result[i] = crit[i] != ({crit_dtype}) 0 ? then_[i] : else_[i]
  result = crit != 0 ? then : else. Arguments: crit, then, else, result, n.
"""

TEXTS.update(texts_of(ROWS, FACE, __name__))
