# SPDX-License-Identifier: MIT
"""What packages on top of PyOpenCL call of its arrays' insides: operations into an array that is
there, each with the queue at the end."""

from __future__ import annotations

from typing import Any

from treadle import _face_array
from treadle._core import array as _native


def _into(out: Any, result: Any, queue: Any, *operands: Any) -> Any:
    """result(), computed after the operands' events, becomes the elements of `out`."""
    with out._work(*operands, queue=queue):
        if out.size:
            _face_array.assign(out, result())
    out._changed()
    return out


class Runners:
    """Of which the array class is made. Each gives `out`."""

    @staticmethod
    def _copy(dest: Any, src: Any, queue: Any = None) -> Any:
        """dest = src, of any dtype."""
        return _into(dest, lambda: src, queue, src)

    @staticmethod
    def _fill(result: Any, scalar: Any, queue: Any = None) -> Any:
        """result = scalar."""
        return _into(result, lambda: scalar, queue)

    # over 6 parameters because they are those of PyOpenCL's
    @staticmethod
    def _axpbyz(out: Any, afac: Any, a: Any, bfac: Any, b: Any, queue: Any = None) -> Any:
        """out = afac * a + bfac * b."""

        def sum_of_products() -> Any:
            mine = _native.apply("multiply", a, afac)
            return _native.apply("add", mine, _native.apply("multiply", b, bfac))

        return _into(out, sum_of_products, queue, a, b)

    @staticmethod
    def _axpbz(out: Any, a: Any, x: Any, b: Any, queue: Any = None) -> Any:
        """out = a * x + b."""
        return _into(
            out,
            lambda: _native.apply("add", _native.apply("multiply", x, a), b),
            queue,
            x,
        )
