# SPDX-License-Identifier: MIT
"""PyOpenCL's kernels for Bessel and Hankel functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle._core import NotSupported
from treadle.pyopencl._arguments import ScalarArg, VectorArg
from treadle.pyopencl._caches import context_dependent_memoize
from treadle.pyopencl._elementwise_programs import get_elwise_kernel

_COMPLEX_HEADER = "#include <treadle-bessel.cl>\n"
_REAL_HEADER = "#include <treadle-bessel-orders.cl>\n"


def _vector(dtype: Any, name: str) -> VectorArg:
    return VectorArg(dtype, name, with_offset=True)


@context_dependent_memoize
def get_bessel_kernel(
    context: Any,
    which_func: str,
    out_dtype: Any = np.float64,
    order_dtype: Any = np.int32,
    x_dtype: Any = np.float64,
) -> Any:
    """z = the Bessel function "j" or "y" of an order. Arguments: z, the order, x, n."""
    if np.dtype(x_dtype).kind == "c":
        if which_func != "j":
            raise NotSupported(f"Bessel's {which_func} of complex numbers")
        header = _COMPLEX_HEADER
        operation = (
            "cdouble_t value, above; bessel_j_complex(ord_n, x[i], &value, &above); z[i] = value"
        )
    else:
        header = _REAL_HEADER
        operation = f"z[i] = bessel_{which_func}n(ord_n, x[i])"
    return get_elwise_kernel(
        context,
        [_vector(out_dtype, "z"), ScalarArg(order_dtype, "ord_n"), _vector(x_dtype, "x")],
        operation,
        name="bessel_kernel",
        preamble=header,
    )


@context_dependent_memoize
def get_hankel_01_kernel(context: Any, out_dtype: Any, x_dtype: Any) -> Any:
    """h0 and h1 = Hankel functions of the first kind. Arguments: h0, h1, x, n."""
    return get_elwise_kernel(
        context,
        [_vector(out_dtype, "h0"), _vector(out_dtype, "h1"), _vector(x_dtype, "x")],
        "cdouble_t first, second; hankel_01_complex(x[i], &first, &second, 0); "
        "h0[i] = first; h1[i] = second",
        name="hankel_kernel",
        preamble=_COMPLEX_HEADER,
    )
