# SPDX-License-Identifier: MIT
"""skcuda.special: integral sines, cosines and exponentials of arrays. Kernels of your own call the
same functions: `#include <cuSpecialFuncs.h>`, and -I with skcuda.install_headers.

They are computed in float64. At poles they are infinite, as SciPy's, where scikit-cuda gave the
largest number.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from treadle._core import DTypeError
from treadle.pycuda import gpuarray
from treadle.pycuda.elementwise import ElementwiseKernel

from . import install_headers
from .misc import init

__all__ = ["exp1", "expi", "init", "sici"]


@functools.cache
def _kernel(arguments: str, operation: str, name: str) -> ElementwiseKernel:
    # The header's text is part of what the compiler's cache goes by.
    options = ["-I", install_headers]
    preamble = "#include <cuSpecialFuncs.h>"
    return ElementwiseKernel(arguments, operation, name, options=options, preamble=preamble)


def _require(x_gpu: Any, *names: str) -> None:
    if x_gpu.dtype not in map(np.dtype, names):
        wanted = " or ".join(np.dtype(name).name for name in names)
        raise DTypeError(f"an array of {x_gpu.dtype}: it is of {wanted}")


def sici(x_gpu: Any) -> tuple[Any, Any]:
    """The integrals of sin(t)/t from 0 to x, and of cos(t)/t from infinity, of float32 or float64:
    (si, ci). Of negative x si is odd, and ci that of the magnitude."""
    _require(x_gpu, "f4", "f8")
    si, ci = gpuarray.empty_like(x_gpu), gpuarray.empty_like(x_gpu)
    name, ctype = ("sicif", "float") if x_gpu.dtype == "f4" else ("sici", "double")
    arguments = f"{ctype} *x, {ctype} *si, {ctype} *ci"
    _kernel(arguments, f"{name}(x[i], &si[i], &ci[i])", f"{name}_array")(x_gpu, si, ci)
    return si, ci


def _of_complex(name: str, z_gpu: Any) -> Any:
    _require(z_gpu, "c8", "c16")
    made = gpuarray.empty_like(z_gpu)
    is_single = z_gpu.dtype == "c8"
    ctype = f"pycuda::complex<{'float' if is_single else 'double'}>"
    function = name + "f" if is_single else name
    _kernel(f"{ctype} *z, {ctype} *e", f"e[i] = {function}(z[i])", f"{name}_array")(z_gpu, made)
    return made


def exp1(z_gpu: Any) -> Any:
    """The exponential integral E1 of complex64 or complex128. On the negative half of the real axis
    it is that from above, and for -0j that from below."""
    return _of_complex("exp1", z_gpu)


def expi(z_gpu: Any) -> Any:
    """The exponential integral Ei of complex64 or complex128, real on the real axis."""
    return _of_complex("expi", z_gpu)
