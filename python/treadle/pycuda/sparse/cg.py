# SPDX-License-Identifier: MIT
"""Conjugate gradients, step by step and as a whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import treadle.numpy as tnp
from treadle._core import array as _array
from treadle.pycuda import gpuarray
from treadle.pycuda.sparse.operator import IdentityOperator


class ConvergenceError(RuntimeError):
    """All iterations that were allowed are done, or a direction showed that the matrix is not
    positive definite."""


class CGStateContainer:
    """The state of preconditioned conjugate gradients (Hestenes and Stiefel 1952) for a symmetric
    positive definite operator. All numbers are arrays without axes on the device."""

    look_every = 10
    """Iterations of run() between two looks of the host at delta, for which it waits."""
    residual_every = 50
    """Iterations between two residuals that are computed from x."""

    def __init__(self, operator: Any, precon: Any = None, pagelocked_allocator: Any = None) -> None:
        rows, columns = operator.shape
        if rows != columns:
            raise ValueError(f"conjugate gradients for {rows} x {columns}; pass a square operator")
        self.operator = operator
        self.precon = IdentityOperator(operator.dtype, rows) if precon is None else precon
        self.pagelocked_allocator = pagelocked_allocator

    def lc2(self, a: Any, x: Any, b: Any, y: Any, out: Any = None) -> Any:
        """a * x + b * y, also where a and b are arrays without axes."""
        made = gpuarray.GPUArray._adopt(x, tnp.asarray(x) * a + tnp.asarray(y) * b)
        if out is None:
            return made
        out[:] = made
        return out

    def guarded_div(self, a: Any, b: Any) -> Any:
        """a / b, and 0 where a is 0: of a residual that has vanished."""
        return gpuarray.GPUArray._adopt(a, tnp.where(tnp.equal(a, 0), 0 * a, a / b))

    def inner_product(self, a: Any, b: Any) -> Any:
        """The sum of a * b, an array without axes."""
        return gpuarray.GPUArray._adopt(a, tnp.vdot(a, b))

    def reset(self, rhs: Any, x: Any = None) -> None:
        """Begins to solve for `rhs`, from x or from zeros."""
        self.rhs = rhs
        self.x = gpuarray.zeros_like(rhs) if x is None else x
        self.residual = rhs.copy() if x is None else rhs - self.operator(x)
        self.d = self.precon(self.residual)
        self.delta = self.inner_product(self.residual, self.d)
        self.curvature = self.delta
        self.real_residual_count = 0 if x is None else 1

    def one_iteration(self, compute_real_residual: bool = False) -> Any:
        """One step; the residual is computed from x on request. delta, the product of the residual
        and the preconditioned one, as an array without axes."""
        q = self.operator(self.d)
        self.curvature = self.inner_product(self.d, q)
        alpha = self.guarded_div(self.delta, self.curvature)
        self.x = self.lc2(1, self.x, alpha, self.d)
        if compute_real_residual:
            self.residual = self.rhs - self.operator(self.x)
            self.real_residual_count += 1
        else:
            self.residual = self.lc2(1, self.residual, -alpha, q)
        preconditioned = self.precon(self.residual)
        last, self.delta = self.delta, self.inner_product(self.residual, preconditioned)
        self.d = self.lc2(1, preconditioned, self.guarded_div(self.delta, last), self.d)
        _array.evaluate(self.x, self.residual, self.delta, self.curvature, self.d)
        return self.delta

    def run(
        self,
        max_iterations: int | None = None,
        tol: float = 1e-7,
        debug_callback: Callable[..., Any] | None = None,
    ) -> int:
        """Iterates until delta is at most tol**2 of the first one, and a residual that is computed
        from x says the same. The number of iterations. Raises ConvergenceError after
        max_iterations (ten times the rows), and for an operator that is not positive definite."""
        if max_iterations is None:
            max_iterations = max(10 * self.operator.shape[0], self.look_every)
        first = abs(self.delta.get().item())
        if debug_callback is not None:
            debug_callback("init", 0, self.x, self.residual, self.d, first)
        if first == 0:
            return 0
        for iteration in range(1, max_iterations + 1):
            looks = iteration % self.look_every == 0 or iteration == max_iterations
            is_real = iteration % self.residual_every == 0
            self.one_iteration(compute_real_residual=is_real)
            if debug_callback is not None:
                debug_callback("it", iteration, self.x, self.residual, self.d, self.delta)
            if not looks:
                continue
            delta, curvature = self.delta.get().item(), self.curvature.get().item().real
            if abs(delta) <= tol**2 * first:
                if is_real or self._is_solved(tol**2 * first):
                    return iteration
            elif not curvature > 0:
                raise ConvergenceError(
                    f"after {iteration} iterations a direction d has (d, A d) = {curvature}"
                )
        raise ConvergenceError(f"no solution after {max_iterations} iterations")

    def _is_solved(self, wanted: float) -> bool:
        """Whether the residual computed from x is small. It replaces the updated residual."""
        self.residual = self.rhs - self.operator(self.x)
        self.real_residual_count += 1
        preconditioned = self.precon(self.residual)
        self.delta = self.inner_product(self.residual, preconditioned)
        if abs(self.delta.get().item()) <= 1.1 * wanted:
            return True
        self.d = preconditioned
        return False


# over 6 parameters because they are PyCUDA's
def solve_pkt_with_cg(
    pkt_spmv: Any,
    b: Any,
    precon: Any = None,
    x: Any = None,
    tol: float = 1e-7,
    max_iterations: int | None = None,
    debug: bool = False,
    pagelocked_allocator: Any = None,
) -> tuple[Any, int, int]:
    """(x, iterations, residuals that were computed from x) with A x = b for a PacketedSpMV of a
    symmetric positive definite A. b, x and the result are in the order of the matrix; `precon` is
    called with vectors in that of the product. With `debug` the residual is printed. Raises
    ConvergenceError.
    """

    def show(what: str, iteration: int, *values: Any) -> None:
        delta = values[-1]
        size = abs(delta if isinstance(delta, float) else delta.get().item())
        print(f"{what} {iteration}: residual {size**0.5:.3e}")

    state = CGStateContainer(pkt_spmv, precon, pagelocked_allocator)
    state.reset(pkt_spmv.permute(b), None if x is None else pkt_spmv.permute(x))
    iterations = state.run(max_iterations, tol, show if debug else None)
    return pkt_spmv.unpermute(state.x), iterations, state.real_residual_count
