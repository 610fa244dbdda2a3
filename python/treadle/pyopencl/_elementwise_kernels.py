# SPDX-License-Identifier: MIT
"""Texts of PyOpenCL's kernels for arithmetic on arrays: TEXTS has them by the name of the function
of pyopencl.elementwise that builds one. The output comes first among the arguments of each, the
number of elements last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from treadle._kernel_rows import Face, texts_of
from treadle.pyopencl._arguments import Argument, ScalarArg, VectorArg
from treadle.pyopencl._c_names import dtype_to_ctype
from treadle.pyopencl._elementwise_texts import (
    INTEGER_POWER,
    ArgumentKind,
    cast,
    compared,
    get_decl_and_access_for_kind,
    is_complex,
    real_dtype,
    result_text,
    stored,
)


class Text(NamedTuple):
    """A kernel around an operation."""

    arguments: Sequence[Argument]
    operation: str
    name: str
    preamble: str = ""


TEXTS: dict[str, Callable[..., Text]] = {}


def _text(function: Callable[..., Text]) -> Callable[..., Text]:
    TEXTS[function.__name__] = function
    return function


# --- what the texts are made of ------------------------------------------------------------------


def _vector(dtype: Any, name: str) -> VectorArg:
    return VectorArg(dtype, name, with_offset=True)


def _vectors(dtype: Any, *names: str) -> list[Argument]:
    return [_vector(dtype, name) for name in names]


def _element(name: str, is_scalar: bool) -> str:
    """The operand of an element. An operand without axes is the same for every element."""
    return f"{name}[0]" if is_scalar else f"{name}[i]"


# --- copies --------------------------------------------------------------------------------------


@_text
def get_copy_kernel(dtype_dest: Any, dtype_src: Any) -> Text:
    """dest = src, converted. Arguments: dest, src, n."""
    return Text(
        [_vector(dtype_dest, "dest"), _vector(dtype_src, "src")],
        f"dest[i] = {stored('src[i]', dtype_src, dtype_dest)}",
        "copy_kernel",
    )


@_text
def get_arange_kernel(dtype: Any) -> Text:
    """z = start + i * step. Arguments: z, start, step, n."""
    product = result_text("*", ("i", np.int64), ("step", dtype), dtype)
    product_dtype = dtype
    total = result_text("+", ("start", dtype), (f"({product})", product_dtype), dtype)
    return Text(
        [_vector(dtype, "z"), ScalarArg(dtype, "start"), ScalarArg(dtype, "step")],
        f"z[i] = {total}",
        "arange_kernel",
    )


def _numbered(dtype: Any, name: str, count: int) -> list[Argument]:
    return _vectors(dtype, *(f"{name}{k}" for k in range(count)))


@_text
def get_take_kernel(dtype: Any, idx_dtype: Any, vec_count: int = 1) -> Text:
    """dest_k = src_k[index]. Arguments: each dest, each src, the indices, n."""
    lines = [f"dest{k}[i] = src{k}[place];" for k in range(vec_count)]
    return Text(
        [
            *_numbered(dtype, "dest", vec_count),
            *_numbered(dtype, "src", vec_count),
            _vector(idx_dtype, "idx"),
        ],
        "\n".join([f"{dtype_to_ctype(idx_dtype)} place = idx[i];", *lines]),
        "take_kernel",
    )


@_text
def get_take_put_kernel(dtype: Any, idx_dtype: Any, with_offsets: bool, vec_count: int = 1) -> Text:
    """dest_k[to] = src_k[from + offset_k]. Arguments: each dest, the indices to and from, each src,
    each offset if there are any, n."""
    arguments = [
        *_numbered(dtype, "dest", vec_count),
        *_vectors(idx_dtype, "gmem_dest_idx", "gmem_src_idx"),
        *_numbered(dtype, "src", vec_count),
    ]
    if with_offsets:
        arguments += [ScalarArg(idx_dtype, f"offset{k}") for k in range(vec_count)]
    lines = [f"{dtype_to_ctype(idx_dtype)} from = gmem_src_idx[i], to = gmem_dest_idx[i];"]
    for k in range(vec_count):
        offset = f" + offset{k}" if with_offsets else ""
        lines.append(f"dest{k}[to] = src{k}[from{offset}];")
    return Text(arguments, "\n".join(lines), "take_put_kernel")


@_text
def get_put_kernel(dtype: Any, idx_dtype: Any, vec_count: int = 1) -> Text:
    """dest_k[index] = src_k. Arguments: each dest, the indices, each src, n."""
    lines = [f"dest{k}[place] = src{k}[i];" for k in range(vec_count)]
    return Text(
        [
            *_numbered(dtype, "dest", vec_count),
            _vector(idx_dtype, "gmem_dest_idx"),
            *_numbered(dtype, "src", vec_count),
        ],
        "\n".join([f"{dtype_to_ctype(idx_dtype)} place = gmem_dest_idx[i];", *lines]),
        "put_kernel",
    )


@_text
def get_diff_kernel(dtype: Any) -> Text:
    """result = array[i + 1] - array[i]. Arguments: result, array, n (of the result)."""
    value = result_text("-", ("array[i + 1]", dtype), ("array[i]", dtype), dtype)
    return Text(_vectors(dtype, "result", "array"), f"result[i] = {value}", "diff_kernel")


# --- arithmetic ----------------------------------------------------------------------------------


# over 6 parameters because they are PyOpenCL's
@_text
def get_axpbyz_kernel(
    dtype_x: Any,
    dtype_y: Any,
    dtype_z: Any,
    x_is_scalar: bool = False,
    y_is_scalar: bool = False,
) -> Text:
    """z = a * x + b * y. Arguments: z, a, x, b, y, n."""
    terms = []
    for factor, name, dtype, is_scalar in (
        ("a", "x", dtype_x, x_is_scalar),
        ("b", "y", dtype_y, y_is_scalar),
    ):
        # A product of real numbers stays real until it is added.
        dtype_term = dtype_z if is_complex(dtype) else real_dtype(dtype_z)
        product = result_text("*", (factor, dtype), (_element(name, is_scalar), dtype), dtype_term)
        terms.append((f"({product})", dtype_term))
    return Text(
        [
            _vector(dtype_z, "z"),
            ScalarArg(dtype_x, "a"),
            _vector(dtype_x, "x"),
            ScalarArg(dtype_y, "b"),
            _vector(dtype_y, "y"),
        ],
        f"z[i] = {result_text('+', terms[0], terms[1], dtype_z)}",
        "axpbyz_kernel",
    )


@_text
def get_axpbz_kernel(dtype_a: Any, dtype_x: Any, dtype_b: Any, dtype_z: Any) -> Text:
    """z = a * x + b. Arguments: z, a, x, b, n."""
    is_real = not is_complex(dtype_a) and not is_complex(dtype_x)
    dtype_term = real_dtype(dtype_z) if is_real else dtype_z
    product = result_text("*", ("a", dtype_a), ("x[i]", dtype_x), dtype_term)
    return Text(
        [
            _vector(dtype_z, "z"),
            ScalarArg(dtype_a, "a"),
            _vector(dtype_x, "x"),
            ScalarArg(dtype_b, "b"),
        ],
        f"z[i] = {result_text('+', (f'({product})', dtype_term), ('b', dtype_b), dtype_z)}",
        "axpb_kernel",
    )


@_text
def get_pow_kernel(
    dtype_x: Any,
    dtype_y: Any,
    dtype_z: Any,
    is_base_array: bool,
    is_exp_array: bool,
) -> Text:
    """z = x to the power of y. Arguments: z, x and y, arrays or numbers, n."""
    x, y = "x[i]" if is_base_array else "x", "y[i]" if is_exp_array else "y"
    return Text(
        [
            _vector(dtype_z, "z"),
            _vector(dtype_x, "x") if is_base_array else ScalarArg(dtype_x, "x"),
            _vector(dtype_y, "y") if is_exp_array else ScalarArg(dtype_y, "y"),
        ],
        f"z[i] = {result_text('**', (x, dtype_x), (y, dtype_y), dtype_z)}",
        "pow_kernel",
        INTEGER_POWER if np.dtype(dtype_z).kind in "iu" else "",
    )


@_text
def get_array_scalar_comparison_kernel(operator: str, dtype_a: Any) -> Text:
    """out = a operator b, 1 or 0 as int8. Arguments: out, a, the number b, n."""
    return Text(
        [_vector(np.int8, "out"), _vector(dtype_a, "a"), ScalarArg(dtype_a, "b")],
        f"out[i] = {compared(operator, ('a[i]', dtype_a), ('b', dtype_a))}",
        "scalar_comparison",
    )


@_text
def get_array_comparison_kernel(operator: str, dtype_a: Any, dtype_b: Any) -> Text:
    """out = a operator b, 1 or 0 as int8. Arguments: out, a, b, n."""
    return Text(
        [_vector(np.int8, "out"), _vector(dtype_a, "a"), _vector(dtype_b, "b")],
        f"out[i] = {compared(operator, ('a[i]', dtype_a), ('b[i]', dtype_b))}",
        "comparison",
    )


@_text
def get_logical_not_kernel(in_dtype: Any) -> Text:
    """z = y is 0, 1 or 0 as int8. Arguments: z, y, n."""
    return Text(
        [_vector(np.int8, "z"), _vector(in_dtype, "y")],
        f"z[i] = {compared('==', ('y[i]', in_dtype), ('0', np.int32))}",
        "logical_not",
    )


# --- functions -----------------------------------------------------------------------------------


# over 6 parameters because they are PyOpenCL's
@_text
def get_binary_func_kernel(
    func_name: str,
    x_dtype: Any,
    y_dtype: Any,
    out_dtype: Any,
    preamble: str = "",
    name: str = "binary_function",
) -> Text:
    """z = func(x, y). Arguments: z, x, y, n."""
    return Text(
        [_vector(out_dtype, "z"), _vector(x_dtype, "x"), _vector(y_dtype, "y")],
        f"z[i] = {func_name}(x[i], y[i])",
        name,
        preamble,
    )


# over 6 parameters because they are PyOpenCL's
@_text
def get_float_binary_func_kernel(
    func_name: str,
    x_dtype: Any,
    y_dtype: Any,
    out_dtype: Any,
    preamble: str = "",
    name: str = "float_binary_function",
) -> Text:
    """z = func(x, y), computed in double if the result or an operand is. Arguments: z, x, y, n."""
    is_double = np.dtype(np.float64) in map(np.dtype, (x_dtype, y_dtype, out_dtype))
    dtype = np.float64 if is_double else np.float32
    return Text(
        [_vector(out_dtype, "z"), _vector(x_dtype, "x"), _vector(y_dtype, "y")],
        f"z[i] = {func_name}({cast('x[i]', x_dtype, dtype)}, {cast('y[i]', y_dtype, dtype)})",
        name,
        preamble,
    )


# --- choices -------------------------------------------------------------------------------------


def _operand(dtype: Any, name: str, kind: ArgumentKind) -> Argument:
    return ScalarArg(dtype, name) if kind == ArgumentKind.SCALAR else _vector(dtype, name)


# over 6 parameters because they are PyOpenCL's
@_text
def get_minmaximum_kernel(
    minmax: str,
    dtype_z: Any,
    dtype_x: Any,
    dtype_y: Any,
    kind_x: ArgumentKind = ArgumentKind.ARRAY,
    kind_y: ArgumentKind = ArgumentKind.ARRAY,
) -> Text:
    """z = the smaller or the larger one of x and y, minmax being "min" or "max"; what is no number
    stays so. Arguments: z, x, y, n."""
    x = cast(get_decl_and_access_for_kind("x", kind_x)[1], dtype_x, dtype_z)
    y = cast(get_decl_and_access_for_kind("y", kind_y)[1], dtype_y, dtype_z)
    # A comparison with NaN is false, which returns y if y is NaN; isnan() returns x if x is NaN.
    comparison = "<" if minmax.startswith("min") else ">"
    is_float = np.dtype(dtype_z).kind == "f"
    is_x = f"{x} {comparison} {y}" + (f" || isnan({x})" if is_float else "")
    return Text(
        [_vector(dtype_z, "z"), _operand(dtype_x, "x", kind_x), _operand(dtype_y, "y", kind_y)],
        f"z[i] = {is_x} ? {x} : {y}",
        "minmaximum",
    )


# over 6 parameters because they are PyOpenCL's
@_text
def get_if_positive_kernel(
    crit_dtype: Any,
    then_else_dtype: Any,
    is_then_array: bool = True,
    is_else_array: bool = True,
    is_then_scalar: bool = False,
    is_else_scalar: bool = False,
) -> Text:
    """result = crit > 0 ? then : else; these are arrays, arrays of no dimensions, or numbers.
    Arguments: result, crit, then, else, n."""
    operands = []
    for name, is_array, is_scalar in (
        ("then_", is_then_array, is_then_scalar),
        ("else_", is_else_array, is_else_scalar),
    ):
        kind = ArgumentKind.SCALAR if is_scalar else ArgumentKind.DEV_SCALAR
        operands.append((name, ArgumentKind.ARRAY if is_array else kind))
    then_, else_ = (get_decl_and_access_for_kind(*operand)[1] for operand in operands)
    return Text(
        [
            _vector(then_else_dtype, "result"),
            _vector(crit_dtype, "crit"),
            *(_operand(then_else_dtype, *operand) for operand in operands),
        ],
        f"result[i] = crit[i] > 0 ? {then_} : {else_}",
        "if_positive",
    )


# --- one statement each ---------------------------------------------------------------------------


FACE = Face(Text, _vector, ScalarArg, dtype_to_ctype, cast, result_text)
ROWS = """
get_fill_kernel(dtype)
  fill_kernel(dtype *z, dtype a)
  z[i] = a
  z = a. Arguments: z, a, n.
get_reverse_kernel(dtype)
  reverse_kernel(dtype *z, dtype *y)
  z[i] = y[n - 1 - i]
  z = y from its end. Arguments: z, y, n.
get_multiply_kernel(dtype_x, dtype_y, dtype_z, x_is_scalar=False, y_is_scalar=False)
  binary_operator(dtype_z *z, dtype_x *x, dtype_y *y)
  z[i] = {x * y}
  z = x * y. Arguments: z, x, y, n.
get_divide_kernel(dtype_x, dtype_y, dtype_z, x_is_scalar=False, y_is_scalar=False)
  binary_operator(dtype_z *z, dtype_x *x, dtype_y *y)
  z[i] = {x / y}
  z = x / y. Arguments: z, x, y, n.
get_rdivide_elwise_kernel(dtype_x, dtype_y, dtype_z)
  divide_r(dtype_z *z, dtype_x *x, dtype_y y)
  z[i] = {y / x}
  z = y / x. Arguments: z, x, the number y, n.
get_unop_kernel(operator, res_dtype, in_dtype)
  unary_operator(res_dtype *z, in_dtype *y)
  z[i] = {operator} y[i]
  z = operator y. Arguments: z, y, n.
get_array_scalar_binop_kernel(operator, dtype_res, dtype_a, dtype_b)
  scalar_operator(dtype_res *out, dtype_a *a, dtype_b b)
  out[i] = a[i] {operator} b
  out = a operator b. Arguments: out, a, the number b, n.
get_array_binop_kernel(operator, dtype_res, dtype_a, dtype_b, a_is_scalar=False, b_is_scalar=False)
  array_operator(dtype_res *out, dtype_a *a, dtype_b *b)
  out[i] = {a[]} {operator} {b[]}
  out = a operator b. Arguments: out, a, b, n.
get_unary_func_kernel(func_name, in_dtype, out_dtype=None)
  unary_function(out_dtype|in_dtype *z, in_dtype *y)
  z[i] = {func_name}(y[i])
  z = func(y). Arguments: z, y, n.
get_fmod_kernel(out_dtype=float32, arg_dtype=float32, mod_dtype=float32)
  fmod_kernel(out_dtype *z, arg_dtype *arg, mod_dtype *mod)
  z[i] = fmod({arg}, {mod})
  z = what is left of arg / mod. Arguments: z, arg, mod, n.
get_modf_kernel(int_dtype=float32, frac_dtype=float32, x_dtype=float32)
  modf_kernel(int_dtype *intpart, frac_dtype *fracpart, x_dtype *x)
  {x_dtype} whole; fracpart[i] = modf(x[i], &whole); intpart[i] = whole
  x in its parts. Arguments: the whole part, the fraction, x, n.
get_frexp_kernel(sign_dtype=float32, exp_dtype=float32, x_dtype=float32)
  frexp_kernel(sign_dtype *significand, exp_dtype *exponent, x_dtype *x)
  int power; significand[i] = frexp(x[i], &power); exponent[i] = power
  x = significand * 2^exponent. Arguments: the significand, the exponent, x, n.
get_ldexp_kernel(out_dtype=float32, sig_dtype=float32, expt_dtype=float32)
  ldexp_kernel(out_dtype *z, sig_dtype *sig, expt_dtype *expt)
  z[i] = ldexp({sig}, (int) expt[i])
  z = significand * 2^exponent. Arguments: z, the significand, the exponent, n.
"""

TEXTS.update(texts_of(ROWS, FACE, __name__))
