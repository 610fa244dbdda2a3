# SPDX-License-Identifier: MIT
"""numpy.fft: discrete Fourier transforms of any length, along any axes, of any layout.

Elements of float16, float32 and complex64 are transformed in float32, all others in float64. With
norm="backward" the inverse divides by the number of elements, with "forward" the forward transform,
with "ortho" both, by its root. Results wait until somebody looks at them; with `out` they are
written there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from typing import Any

from treadle._core import DTypeError, InvalidArgument
from treadle._core import fft as _fft
from treadle._core.array import Array
from treadle._core.device import Device
from treadle._division import DivisionByZero

from ._creation import asarray, asarrays, written

__all__ = [
    "Plan",
    "convolve_fft",
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

_Transform = Callable[[Array, list[int], list[int], str | None], Array]
_Lengths = Sequence[int] | None


def _along_one(
    transform: _Transform, a: Any, n: int | None, axis: int, norm: str | None, out: Array | None
) -> Array:
    lengths = [] if n is None else [index(n)]
    made = transform(a if type(a) is Array else asarray(a), [index(axis)], lengths, norm)
    return made if out is None else written(made, out)


def _along_many(
    transform: _Transform,
    a: Any,
    s: _Lengths,
    axes: Sequence[int] | None,
    norm: str | None,
    out: Array | None,
) -> Array:
    x = asarray(a)
    if axes is None:
        axes = range(-x.ndim if s is None else -len(s), 0)
    axes = [index(axis) for axis in axes]
    if s is None:
        return written(transform(x, axes, [], norm), out)
    lengths = [-1 if length is None else index(length) for length in s]
    if len(lengths) != len(axes):
        raise InvalidArgument(f"s={tuple(s)} has {len(lengths)} lengths for {len(axes)} axes")
    for k, axis in enumerate(axes):
        if lengths[k] == -1 and -x.ndim <= axis < x.ndim:  # as many as there are
            lengths[k] = x.shape[axis]
    return written(transform(x, axes, lengths, norm), out)


def fft(
    a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Array | None = None
) -> Array:
    """The sums of a[j] * exp(-2 pi i j k / n) along an axis, of n elements: what is beyond is left
    out, what is missing is 0."""
    return _along_one(_fft.fft, a, n, axis, norm, out)


def ifft(
    a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Array | None = None
) -> Array:
    """What fft() was applied to."""
    return _along_one(_fft.ifft, a, n, axis, norm, out)


def rfft(
    a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Array | None = None
) -> Array:
    """The first n // 2 + 1 elements of fft() of real elements, which tell the others."""
    return _along_one(_fft.rfft, a, n, axis, norm, out)


def irfft(
    a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Array | None = None
) -> Array:
    """The n real elements that rfft() was applied to; 2 * (m - 1) of them for m elements of the
    spectrum where n is not given."""
    return _along_one(_fft.irfft, a, n, axis, norm, out)


def hfft(
    a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Array | None = None
) -> Array:
    """The real spectrum, of n elements, of one half of a symmetric signal."""
    return _along_one(_fft.hfft, a, n, axis, norm, out)


def ihfft(
    a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Array | None = None
) -> Array:
    """What hfft() was applied to."""
    return _along_one(_fft.ihfft, a, n, axis, norm, out)


def fftn(
    a: Any,
    s: _Lengths = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    out: Array | None = None,
) -> Array:
    """fft() along all axes, or those named, of the lengths s; -1 is a length as it is."""
    return _along_many(_fft.fft, a, s, axes, norm, out)


def ifftn(
    a: Any,
    s: _Lengths = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    out: Array | None = None,
) -> Array:
    """What fftn() was applied to."""
    return _along_many(_fft.ifft, a, s, axes, norm, out)


def rfftn(
    a: Any,
    s: _Lengths = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    out: Array | None = None,
) -> Array:
    """rfft() along the last axis named, and fft() along the others."""
    return _along_many(_fft.rfft, a, s, axes, norm, out)


def irfftn(
    a: Any,
    s: _Lengths = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    out: Array | None = None,
) -> Array:
    """What rfftn() was applied to; of a last length that is even unless s says it."""
    return _along_many(_fft.irfft, a, s, axes, norm, out)


def fft2(
    a: Any,
    s: _Lengths = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
    out: Array | None = None,
) -> Array:
    """fftn() along two axes."""
    return fftn(a, s, axes, norm, out)


def ifft2(
    a: Any,
    s: _Lengths = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
    out: Array | None = None,
) -> Array:
    """ifftn() along two axes."""
    return ifftn(a, s, axes, norm, out)


def rfft2(
    a: Any,
    s: _Lengths = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
    out: Array | None = None,
) -> Array:
    """rfftn() along two axes."""
    return rfftn(a, s, axes, norm, out)


def irfft2(
    a: Any,
    s: _Lengths = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
    out: Array | None = None,
) -> Array:
    """irfftn() along two axes."""
    return irfftn(a, s, axes, norm, out)


def _samples(n: Any) -> int:
    try:
        return index(n)
    except TypeError:
        raise DTypeError(f"n={n!r}: the number of samples is an integer") from None


def _frequencies(made: Callable[..., Array], n: int, d: float, dtype: Any, device: Any) -> Array:
    count, spacing = _samples(n), float(d)
    if count == 0 or spacing == 0:
        raise DivisionByZero(f"{made.__name__}: frequencies over n * d, of n={n!r} and d={d!r}")
    return made(count, spacing, dtype or "float64", device)


def fftfreq(
    n: int, d: float = 1.0, device: Device | str | None = None, *, dtype: Any = None
) -> Array:
    """The frequencies of the elements of a transform of n samples that are d apart: 0, 1, ..., and
    the negative ones, over n * d. float64 unless dtype is another floating one."""
    return _frequencies(_fft.fftfreq, n, d, dtype, device)


def rfftfreq(
    n: int, d: float = 1.0, device: Device | str | None = None, *, dtype: Any = None
) -> Array:
    """The frequencies of rfft(): 0 to n // 2, over n * d."""
    return _frequencies(_fft.rfftfreq, n, d, dtype, device)


def _shifted_axes(x: Array, axes: int | Sequence[int] | None) -> list[int]:
    if axes is None:
        return list(range(x.ndim))
    return [index(axes)] if hasattr(axes, "__index__") else [index(axis) for axis in axes]


def fftshift(x: Any, axes: int | Sequence[int] | None = None) -> Array:
    """With frequency 0 in the middle of all axes, or of those named."""
    x = asarray(x)
    return _fft.fftshift(x, _shifted_axes(x, axes))


def ifftshift(x: Any, axes: int | Sequence[int] | None = None) -> Array:
    """What fftshift() was applied to."""
    x = asarray(x)
    return _fft.ifftshift(x, _shifted_axes(x, axes))


def convolve_fft(in1: Any, in2: Any, mode: str = "full") -> Array:
    """The sums of in1[k - j] * in2[j] over j along all axes, by transforms: scipy.signal's
    fftconvolve(). All places where they meet ("full"), those of in1 ("same"), or those where one
    lies within the other ("valid")."""
    x, y = asarrays((in1, in2))
    return _fft.convolve_fft(x, y, mode)


class Plan:
    """A transform that computes C texts where it loads and stores elements.

        power = tnp.fft.Plan(tnp.fft.rfft, "const float *window", load="x * window[i]",
                             store="x.x * x.x + x.y * x.y", dtype="float32")
        spectra = power(signals, window)

    `x` is the element, float or double, or float2 or double2 with the parts x.x and x.y, in the
    transform's dtype; `i` its place in C's order, `n` their number. `arguments` are C declarations
    of what the texts name, with types; arrays that they read as `window[i]` broadcast to the shape
    of the elements. For a product of two complex numbers, and for x + 1, write the parts,
    make_float2(x.x + 1, x.y) or make_double2(...): OpenCL's * and + work part by part, and CUDA
    refuses them. `dtype` is the result's. Where a generated kernel transforms whole rows (GPUs),
    the texts are a part of it; elsewhere each is a kernel before or behind the transform. explain()
    tells."""

    # over 6 parameters because texts stand beside what NumPy's transforms take
    def __init__(
        self,
        transform: Callable[..., Array] | str,
        arguments: str = "",
        *,
        load: str = "",
        store: str = "",
        dtype: Any = None,
        axes: Sequence[int] = (-1,),
        s: _Lengths = None,
        norm: str | None = None,
    ) -> None:
        name = getattr(transform, "__name__", transform)
        if not isinstance(name, str):
            raise TypeError(
                f"Plan: transform is {transform!r}; pass tnp.fft.fft, ifft, rfft, irfft, or a name"
            )
        lengths = [] if s is None else [index(length) for length in s]
        self._plan = _fft.Plan(
            name, arguments, load, store, dtype, [index(axis) for axis in axes], lengths, norm
        )

    def __call__(self, a: Any, *arguments: Any) -> Array:
        """The transform of an array. Behind it an array or a number for each declaration."""
        return self._plan(asarray(a), *arguments)
