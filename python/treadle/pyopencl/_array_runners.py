# SPDX-License-Identifier: MIT
"""What packages on top of PyOpenCL call of its arrays' insides: operations into an array that is
there, each with the queue and what it waits for at the end. They give the event."""

from __future__ import annotations

from typing import Any

from treadle import _face_array
from treadle._core import array as _native
from treadle.pyopencl._array_operators import require_real
from treadle.pyopencl._array_places import Events


def _into(out: Any, result: Any, queue: Any, wait_for: Any, *operands: Any) -> Any:
    """Computes result() after the operands' events, and stores it in `out`."""
    with out._work(*operands, queue=queue) as place:
        Events(wait_for or ()).order(place)
        if out.size:
            _face_array.assign(out, result())
    out._changed()
    return out.events[-1]


class Runners:
    """Of which the array class is made."""

    @staticmethod
    def _copy(dest: Any, src: Any, queue: Any = None, wait_for: Any = None) -> Any:
        """dest = src, of any dtype."""
        return _into(dest, lambda: src, queue, wait_for, src)

    @staticmethod
    def _fill(result: Any, scalar: Any, queue: Any = None, wait_for: Any = None) -> Any:
        """result = scalar."""
        require_real(result, scalar)
        return _into(result, lambda: scalar, queue, wait_for)

    # over 6 parameters because they are those of PyOpenCL's
    @staticmethod
    def _axpbyz(
        out: Any, afac: Any, a: Any, bfac: Any, b: Any, queue: Any = None, wait_for: Any = None
    ) -> Any:
        """out = afac * a + bfac * b."""

        def sum_of_products() -> Any:
            mine = _native.apply("multiply", a, afac)
            return _native.apply("add", mine, _native.apply("multiply", b, bfac))

        return _into(out, sum_of_products, queue, wait_for, a, b)

    @staticmethod
    def _axpbz(out: Any, a: Any, x: Any, b: Any, queue: Any = None, wait_for: Any = None) -> Any:
        """out = a * x + b."""

        def of_product() -> Any:
            return _native.apply("add", _native.apply("multiply", x, a), b)

        return _into(out, of_product, queue, wait_for, x)

    def _zero_fill(self: Any, queue: Any = None, wait_for: Any = None) -> None:
        """Makes every byte of the elements 0, whatever the dtype."""
        if not self.size:
            return
        with self._work(queue=queue) as place:
            Events(wait_for or ()).order(place)
            _face_array.assign_zero(self)
        self._changed()
