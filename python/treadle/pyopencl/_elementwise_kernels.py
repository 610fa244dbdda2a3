# SPDX-License-Identifier: MIT
"""PyOpenCL's kernels for arithmetic on arrays. Each function gives a typed kernel for launches of
any shape, made once for a context. The output comes first among its arguments, the number of
elements last."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.pyopencl._arguments import Argument, ScalarArg, VectorArg
from treadle.pyopencl._caches import context_dependent_memoize
from treadle.pyopencl._elementwise_programs import get_elwise_kernel
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
from treadle.pyopencl.compyte.dtypes import dtype_to_ctype

__all__ = [
    "get_arange_kernel",
    "get_array_binop_kernel",
    "get_array_comparison_kernel",
    "get_array_scalar_binop_kernel",
    "get_array_scalar_comparison_kernel",
    "get_axpbyz_kernel",
    "get_axpbz_kernel",
    "get_binary_func_kernel",
    "get_copy_kernel",
    "get_diff_kernel",
    "get_divide_kernel",
    "get_fill_kernel",
    "get_float_binary_func_kernel",
    "get_fmod_kernel",
    "get_frexp_kernel",
    "get_if_positive_kernel",
    "get_ldexp_kernel",
    "get_logical_not_kernel",
    "get_minmaximum_kernel",
    "get_modf_kernel",
    "get_multiply_kernel",
    "get_pow_kernel",
    "get_put_kernel",
    "get_rdivide_elwise_kernel",
    "get_reverse_kernel",
    "get_take_kernel",
    "get_take_put_kernel",
    "get_unary_func_kernel",
    "get_unop_kernel",
]

# --- what the texts are made of ------------------------------------------------------------------


def _vector(dtype: Any, name: str) -> VectorArg:
    return VectorArg(dtype, name, with_offset=True)


def _vectors(dtype: Any, *names: str) -> list[Argument]:
    return [_vector(dtype, name) for name in names]


def _element(name: str, is_scalar: bool) -> str:
    """The operand; that of no dimensions is the same for every element."""
    return f"{name}[0]" if is_scalar else f"{name}[i]"


# --- copies --------------------------------------------------------------------------------------


@context_dependent_memoize
def get_copy_kernel(context: Any, dtype_dest: Any, dtype_src: Any) -> Any:
    """dest = src, converted. Arguments: dest, src, n."""
    return get_elwise_kernel(
        context,
        [_vector(dtype_dest, "dest"), _vector(dtype_src, "src")],
        f"dest[i] = {stored('src[i]', dtype_src, dtype_dest)}",
        name="copy_kernel",
    )


@context_dependent_memoize
def get_fill_kernel(context: Any, dtype: Any) -> Any:
    """z = a. Arguments: z, a, n."""
    arguments = [_vector(dtype, "z"), ScalarArg(dtype, "a")]
    return get_elwise_kernel(context, arguments, "z[i] = a", name="fill_kernel")


@context_dependent_memoize
def get_reverse_kernel(context: Any, dtype: Any) -> Any:
    """z = y from its end. Arguments: z, y, n."""
    return get_elwise_kernel(
        context, _vectors(dtype, "z", "y"), "z[i] = y[n - 1 - i]", name="reverse_kernel"
    )


@context_dependent_memoize
def get_arange_kernel(context: Any, dtype: Any) -> Any:
    """z = start + i * step. Arguments: z, start, step, n."""
    product = result_text("*", ("i", np.int64), ("step", dtype), dtype)
    product_dtype = dtype
    total = result_text("+", ("start", dtype), (f"({product})", product_dtype), dtype)
    return get_elwise_kernel(
        context,
        [_vector(dtype, "z"), ScalarArg(dtype, "start"), ScalarArg(dtype, "step")],
        f"z[i] = {total}",
        name="arange_kernel",
    )


def _numbered(dtype: Any, name: str, count: int) -> list[Argument]:
    return _vectors(dtype, *(f"{name}{k}" for k in range(count)))


@context_dependent_memoize
def get_take_kernel(context: Any, dtype: Any, idx_dtype: Any, vec_count: int = 1) -> Any:
    """dest_k = src_k[index]. Arguments: each dest, each src, the indices, n."""
    lines = [f"dest{k}[i] = src{k}[place];" for k in range(vec_count)]
    return get_elwise_kernel(
        context,
        [
            *_numbered(dtype, "dest", vec_count),
            *_numbered(dtype, "src", vec_count),
            _vector(idx_dtype, "idx"),
        ],
        "\n".join([f"{dtype_to_ctype(idx_dtype)} place = idx[i];", *lines]),
        name="take_kernel",
    )


@context_dependent_memoize
def get_take_put_kernel(
    context: Any, dtype: Any, idx_dtype: Any, with_offsets: bool, vec_count: int = 1
) -> Any:
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
    return get_elwise_kernel(context, arguments, "\n".join(lines), name="take_put_kernel")


@context_dependent_memoize
def get_put_kernel(context: Any, dtype: Any, idx_dtype: Any, vec_count: int = 1) -> Any:
    """dest_k[index] = src_k. Arguments: each dest, the indices, each src, n."""
    lines = [f"dest{k}[place] = src{k}[i];" for k in range(vec_count)]
    return get_elwise_kernel(
        context,
        [
            *_numbered(dtype, "dest", vec_count),
            _vector(idx_dtype, "gmem_dest_idx"),
            *_numbered(dtype, "src", vec_count),
        ],
        "\n".join([f"{dtype_to_ctype(idx_dtype)} place = gmem_dest_idx[i];", *lines]),
        name="put_kernel",
    )


@context_dependent_memoize
def get_diff_kernel(context: Any, dtype: Any) -> Any:
    """result = array[i + 1] - array[i]. Arguments: result, array, n (of the result)."""
    value = result_text("-", ("array[i + 1]", dtype), ("array[i]", dtype), dtype)
    return get_elwise_kernel(
        context, _vectors(dtype, "result", "array"), f"result[i] = {value}", name="diff_kernel"
    )


# --- arithmetic ----------------------------------------------------------------------------------


# over 6 parameters because they are PyOpenCL's
@context_dependent_memoize
def get_axpbyz_kernel(
    context: Any,
    dtype_x: Any,
    dtype_y: Any,
    dtype_z: Any,
    x_is_scalar: bool = False,
    y_is_scalar: bool = False,
) -> Any:
    """z = a * x + b * y. Arguments: z, a, x, b, y, n."""
    terms = []
    for factor, name, dtype, is_scalar in (
        ("a", "x", dtype_x, x_is_scalar),
        ("b", "y", dtype_y, y_is_scalar),
    ):
        # The product of real numbers stays real until it is added.
        dtype_term = dtype_z if is_complex(dtype) else real_dtype(dtype_z)
        product = result_text("*", (factor, dtype), (_element(name, is_scalar), dtype), dtype_term)
        terms.append((f"({product})", dtype_term))
    return get_elwise_kernel(
        context,
        [
            _vector(dtype_z, "z"),
            ScalarArg(dtype_x, "a"),
            _vector(dtype_x, "x"),
            ScalarArg(dtype_y, "b"),
            _vector(dtype_y, "y"),
        ],
        f"z[i] = {result_text('+', terms[0], terms[1], dtype_z)}",
        name="axpbyz_kernel",
    )


@context_dependent_memoize
def get_axpbz_kernel(context: Any, dtype_a: Any, dtype_x: Any, dtype_b: Any, dtype_z: Any) -> Any:
    """z = a * x + b. Arguments: z, a, x, b, n."""
    is_real = not is_complex(dtype_a) and not is_complex(dtype_x)
    dtype_term = real_dtype(dtype_z) if is_real else dtype_z
    product = result_text("*", ("a", dtype_a), ("x[i]", dtype_x), dtype_term)
    return get_elwise_kernel(
        context,
        [
            _vector(dtype_z, "z"),
            ScalarArg(dtype_a, "a"),
            _vector(dtype_x, "x"),
            ScalarArg(dtype_b, "b"),
        ],
        f"z[i] = {result_text('+', (f'({product})', dtype_term), ('b', dtype_b), dtype_z)}",
        name="axpb_kernel",
    )


# over 6 parameters because they are those of the functions below
def _binary(
    context: Any,
    operator: str,
    dtypes: tuple[Any, Any, Any],
    names: str,
    x_is_scalar: bool = False,
    y_is_scalar: bool = False,
) -> Any:
    """z = x operator y, with the operands' names as PyOpenCL has them."""
    dtype_z, dtype_x, dtype_y = dtypes
    z, x, y = names.split()
    value = result_text(
        operator,
        (_element(x, x_is_scalar), dtype_x),
        (_element(y, y_is_scalar), dtype_y),
        dtype_z,
    )
    return get_elwise_kernel(
        context,
        [_vector(dtype_z, z), _vector(dtype_x, x), _vector(dtype_y, y)],
        f"{z}[i] = {value}",
        name="binary_operator",
    )


# over 6 parameters because they are PyOpenCL's
@context_dependent_memoize
def get_multiply_kernel(
    context: Any,
    dtype_x: Any,
    dtype_y: Any,
    dtype_z: Any,
    x_is_scalar: bool = False,
    y_is_scalar: bool = False,
) -> Any:
    """z = x * y. Arguments: z, x, y, n."""
    return _binary(context, "*", (dtype_z, dtype_x, dtype_y), "z x y", x_is_scalar, y_is_scalar)


# over 6 parameters because they are PyOpenCL's
@context_dependent_memoize
def get_divide_kernel(
    context: Any,
    dtype_x: Any,
    dtype_y: Any,
    dtype_z: Any,
    x_is_scalar: bool = False,
    y_is_scalar: bool = False,
) -> Any:
    """z = x / y. Arguments: z, x, y, n."""
    return _binary(context, "/", (dtype_z, dtype_x, dtype_y), "z x y", x_is_scalar, y_is_scalar)


@context_dependent_memoize
def get_rdivide_elwise_kernel(context: Any, dtype_x: Any, dtype_y: Any, dtype_z: Any) -> Any:
    """z = y / x. Arguments: z, x, the number y, n."""
    return get_elwise_kernel(
        context,
        [_vector(dtype_z, "z"), _vector(dtype_x, "x"), ScalarArg(dtype_y, "y")],
        f"z[i] = {result_text('/', ('y', dtype_y), ('x[i]', dtype_x), dtype_z)}",
        name="divide_r",
    )


@context_dependent_memoize
def get_pow_kernel(
    context: Any,
    dtype_x: Any,
    dtype_y: Any,
    dtype_z: Any,
    is_base_array: bool,
    is_exp_array: bool,
) -> Any:
    """z = x to the power of y. Arguments: z, x and y, arrays or numbers, n."""
    x, y = "x[i]" if is_base_array else "x", "y[i]" if is_exp_array else "y"
    return get_elwise_kernel(
        context,
        [
            _vector(dtype_z, "z"),
            _vector(dtype_x, "x") if is_base_array else ScalarArg(dtype_x, "x"),
            _vector(dtype_y, "y") if is_exp_array else ScalarArg(dtype_y, "y"),
        ],
        f"z[i] = {result_text('**', (x, dtype_x), (y, dtype_y), dtype_z)}",
        name="pow_kernel",
        preamble=INTEGER_POWER if np.dtype(dtype_z).kind in "iu" else "",
    )


@context_dependent_memoize
def get_unop_kernel(context: Any, operator: str, res_dtype: Any, in_dtype: Any) -> Any:
    """z = operator y. Arguments: z, y, n."""
    return get_elwise_kernel(
        context,
        [_vector(res_dtype, "z"), _vector(in_dtype, "y")],
        f"z[i] = {operator} y[i]",
        name="unary_operator",
    )


@context_dependent_memoize
def get_array_scalar_binop_kernel(
    context: Any, operator: str, dtype_res: Any, dtype_a: Any, dtype_b: Any
) -> Any:
    """out = a operator b. Arguments: out, a, the number b, n."""
    return get_elwise_kernel(
        context,
        [_vector(dtype_res, "out"), _vector(dtype_a, "a"), ScalarArg(dtype_b, "b")],
        f"out[i] = a[i] {operator} b",
        name="scalar_operator",
    )


# over 6 parameters because they are PyOpenCL's
@context_dependent_memoize
def get_array_binop_kernel(
    context: Any,
    operator: str,
    dtype_res: Any,
    dtype_a: Any,
    dtype_b: Any,
    a_is_scalar: bool = False,
    b_is_scalar: bool = False,
) -> Any:
    """out = a operator b. Arguments: out, a, b, n."""
    a, b = _element("a", a_is_scalar), _element("b", b_is_scalar)
    return get_elwise_kernel(
        context,
        [_vector(dtype_res, "out"), _vector(dtype_a, "a"), _vector(dtype_b, "b")],
        f"out[i] = {a} {operator} {b}",
        name="array_operator",
    )


@context_dependent_memoize
def get_array_scalar_comparison_kernel(context: Any, operator: str, dtype_a: Any) -> Any:
    """out = a operator b, 1 or 0 as int8. Arguments: out, a, the number b, n."""
    return get_elwise_kernel(
        context,
        [_vector(np.int8, "out"), _vector(dtype_a, "a"), ScalarArg(dtype_a, "b")],
        f"out[i] = {compared(operator, ('a[i]', dtype_a), ('b', dtype_a))}",
        name="scalar_comparison",
    )


@context_dependent_memoize
def get_array_comparison_kernel(context: Any, operator: str, dtype_a: Any, dtype_b: Any) -> Any:
    """out = a operator b, 1 or 0 as int8. Arguments: out, a, b, n."""
    return get_elwise_kernel(
        context,
        [_vector(np.int8, "out"), _vector(dtype_a, "a"), _vector(dtype_b, "b")],
        f"out[i] = {compared(operator, ('a[i]', dtype_a), ('b[i]', dtype_b))}",
        name="comparison",
    )


@context_dependent_memoize
def get_logical_not_kernel(context: Any, in_dtype: Any) -> Any:
    """z = y is 0, 1 or 0 as int8. Arguments: z, y, n."""
    return get_elwise_kernel(
        context,
        [_vector(np.int8, "z"), _vector(in_dtype, "y")],
        f"z[i] = {compared('==', ('y[i]', in_dtype), ('0', np.int32))}",
        name="logical_not",
    )


# --- functions -----------------------------------------------------------------------------------


@context_dependent_memoize
def get_unary_func_kernel(
    context: Any, func_name: str, in_dtype: Any, out_dtype: Any = None
) -> Any:
    """z = func(y). Arguments: z, y, n."""
    out_dtype = in_dtype if out_dtype is None else out_dtype
    return get_elwise_kernel(
        context,
        [_vector(out_dtype, "z"), _vector(in_dtype, "y")],
        f"z[i] = {func_name}(y[i])",
        name="unary_function",
    )


# over 6 parameters because they are PyOpenCL's
@context_dependent_memoize
def get_binary_func_kernel(
    context: Any,
    func_name: str,
    x_dtype: Any,
    y_dtype: Any,
    out_dtype: Any,
    preamble: str = "",
    name: str = "binary_function",
) -> Any:
    """z = func(x, y). Arguments: z, x, y, n."""
    return get_elwise_kernel(
        context,
        [_vector(out_dtype, "z"), _vector(x_dtype, "x"), _vector(y_dtype, "y")],
        f"z[i] = {func_name}(x[i], y[i])",
        name=name,
        preamble=preamble,
    )


# over 6 parameters because they are PyOpenCL's
@context_dependent_memoize
def get_float_binary_func_kernel(
    context: Any,
    func_name: str,
    x_dtype: Any,
    y_dtype: Any,
    out_dtype: Any,
    preamble: str = "",
    name: str = "float_binary_function",
) -> Any:
    """z = func(x, y), computed in double if the result or an operand is. Arguments: z, x, y, n."""
    is_double = np.dtype(np.float64) in map(np.dtype, (x_dtype, y_dtype, out_dtype))
    dtype = np.float64 if is_double else np.float32
    return get_elwise_kernel(
        context,
        [_vector(out_dtype, "z"), _vector(x_dtype, "x"), _vector(y_dtype, "y")],
        f"z[i] = {func_name}({cast('x[i]', x_dtype, dtype)}, {cast('y[i]', y_dtype, dtype)})",
        name=name,
        preamble=preamble,
    )


@context_dependent_memoize
def get_fmod_kernel(
    context: Any,
    out_dtype: Any = np.float32,
    arg_dtype: Any = np.float32,
    mod_dtype: Any = np.float32,
) -> Any:
    """z = what is left of arg / mod. Arguments: z, arg, mod, n."""
    arg, mod = cast("arg[i]", arg_dtype, out_dtype), cast("mod[i]", mod_dtype, out_dtype)
    return get_elwise_kernel(
        context,
        [_vector(out_dtype, "z"), _vector(arg_dtype, "arg"), _vector(mod_dtype, "mod")],
        f"z[i] = fmod({arg}, {mod})",
        name="fmod_kernel",
    )


@context_dependent_memoize
def get_modf_kernel(
    context: Any,
    int_dtype: Any = np.float32,
    frac_dtype: Any = np.float32,
    x_dtype: Any = np.float32,
) -> Any:
    """x in its parts. Arguments: the whole part, the fraction, x, n."""
    ctype = dtype_to_ctype(x_dtype)
    return get_elwise_kernel(
        context,
        [_vector(int_dtype, "intpart"), _vector(frac_dtype, "fracpart"), _vector(x_dtype, "x")],
        f"{ctype} whole; fracpart[i] = modf(x[i], &whole); intpart[i] = whole",
        name="modf_kernel",
    )


@context_dependent_memoize
def get_frexp_kernel(
    context: Any,
    sign_dtype: Any = np.float32,
    exp_dtype: Any = np.float32,
    x_dtype: Any = np.float32,
) -> Any:
    """x = significand * 2^exponent. Arguments: the significand, the exponent, x, n."""
    return get_elwise_kernel(
        context,
        [_vector(sign_dtype, "significand"), _vector(exp_dtype, "exponent"), _vector(x_dtype, "x")],
        "int power; significand[i] = frexp(x[i], &power); exponent[i] = power",
        name="frexp_kernel",
    )


@context_dependent_memoize
def get_ldexp_kernel(
    context: Any,
    out_dtype: Any = np.float32,
    sig_dtype: Any = np.float32,
    expt_dtype: Any = np.float32,
) -> Any:
    """z = significand * 2^exponent. Arguments: z, the significand, the exponent, n."""
    return get_elwise_kernel(
        context,
        [_vector(out_dtype, "z"), _vector(sig_dtype, "sig"), _vector(expt_dtype, "expt")],
        f"z[i] = ldexp({cast('sig[i]', sig_dtype, out_dtype)}, (int) expt[i])",
        name="ldexp_kernel",
    )


# --- choices -------------------------------------------------------------------------------------


def _operand(dtype: Any, name: str, kind: ArgumentKind) -> Argument:
    return ScalarArg(dtype, name) if kind == ArgumentKind.SCALAR else _vector(dtype, name)


# over 6 parameters because they are PyOpenCL's
@context_dependent_memoize
def get_minmaximum_kernel(
    context: Any,
    minmax: str,
    dtype_z: Any,
    dtype_x: Any,
    dtype_y: Any,
    kind_x: ArgumentKind = ArgumentKind.ARRAY,
    kind_y: ArgumentKind = ArgumentKind.ARRAY,
) -> Any:
    """z = the smaller or the larger one of x and y, minmax being "min" or "max"; what is no number
    stays so. Arguments: z, x, y, n."""
    x = cast(get_decl_and_access_for_kind("x", kind_x)[1], dtype_x, dtype_z)
    y = cast(get_decl_and_access_for_kind("y", kind_y)[1], dtype_y, dtype_z)
    # A comparison with what is no number is false: both ways to say it, and it is returned.
    comparison = "<" if minmax.startswith("min") else ">"
    is_float = np.dtype(dtype_z).kind == "f"
    is_x = f"{x} {comparison} {y}" + (f" || isnan({x})" if is_float else "")
    return get_elwise_kernel(
        context,
        [_vector(dtype_z, "z"), _operand(dtype_x, "x", kind_x), _operand(dtype_y, "y", kind_y)],
        f"z[i] = {is_x} ? {x} : {y}",
        name="minmaximum",
    )


# over 6 parameters because they are PyOpenCL's
@context_dependent_memoize
def get_if_positive_kernel(
    context: Any,
    crit_dtype: Any,
    then_else_dtype: Any,
    is_then_array: bool = True,
    is_else_array: bool = True,
    is_then_scalar: bool = False,
    is_else_scalar: bool = False,
) -> Any:
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
    return get_elwise_kernel(
        context,
        [
            _vector(then_else_dtype, "result"),
            _vector(crit_dtype, "crit"),
            *(_operand(then_else_dtype, *operand) for operand in operands),
        ],
        f"result[i] = crit[i] > 0 ? {then_} : {else_}",
        name="if_positive",
    )
