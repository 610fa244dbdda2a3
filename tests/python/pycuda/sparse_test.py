# SPDX-License-Identifier: MIT
"""pycuda.sparse: the names of 2009, on every CUDA device."""

import importlib
import sys

import numpy as np
import pytest

import treadle
import treadle.compat  # the tests import pycuda

scipy_sparse = pytest.importorskip("scipy.sparse")

import pycuda.driver as drv  # noqa: E402
from pycuda import gpuarray  # noqa: E402
from pycuda.tools import PageLockedMemoryPool  # noqa: E402

with pytest.warns(DeprecationWarning, match="treadle.sparse"):
    sys.modules.pop("treadle.pycuda.sparse", None)
    sys.modules.pop("pycuda.sparse", None)
    importlib.import_module("pycuda.sparse")

from pycuda.sparse import inner, pkt_build  # noqa: E402
from pycuda.sparse.cg import CGStateContainer, ConvergenceError, solve_pkt_with_cg  # noqa: E402
from pycuda.sparse.coordinate import CoordinateSpMV  # noqa: E402
from pycuda.sparse.operator import (  # noqa: E402
    DiagonalPreconditioner,
    IdentityOperator,
    OperatorBase,
)
from pycuda.sparse.packeted import PacketedSpMV  # noqa: E402

pytestmark = pytest.mark.usefixtures("context")


def poisson(n, dtype="f8"):
    line = scipy_sparse.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)],
                                    offsets=[-1, 0, 1])  # fmt: skip
    one = scipy_sparse.eye_array(n)
    return (scipy_sparse.kron(line, one) + scipy_sparse.kron(one, line)).astype(dtype).tocsr()


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_products(dtype):
    rng = np.random.default_rng(0)
    shuffled = rng.permutation(144)
    matrix = poisson(12, dtype)[shuffled][:, shuffled]
    x = rng.random(144).astype(dtype)
    on_gpu = gpuarray.to_gpu(x)
    tolerance = 1e-5 if dtype == "f4" else 1e-12
    spmv = PacketedSpMV(matrix, True, dtype)
    assert spmv.shape == (144, 144) and spmv.dtype == np.dtype(dtype)
    permuted = spmv.permute(on_gpu)
    assert not np.array_equal(permuted.get(), x)
    assert np.array_equal(np.sort(permuted.get()), np.sort(x))
    assert np.array_equal(spmv.unpermute(permuted).get(), x)
    result = spmv.unpermute(spmv(permuted))
    assert isinstance(result, gpuarray.GPUArray) and result.dtype == np.dtype(dtype)
    assert np.allclose(result.get(), matrix @ x, atol=tolerance)
    y = gpuarray.zeros_like(permuted)
    assert spmv(permuted, y) is y
    assert np.allclose(spmv.unpermute(y).get(), matrix @ x, atol=tolerance)
    coordinate = CoordinateSpMV(matrix.tocoo(), dtype)
    assert np.allclose(coordinate(on_gpu).get(), matrix @ x, atol=tolerance)
    y = gpuarray.to_gpu(x)
    assert np.allclose(coordinate(on_gpu, y).get(), x + matrix @ x, atol=tolerance)
    with pytest.raises(ValueError, match="square"):
        PacketedSpMV(scipy_sparse.csr_matrix((2, 3)), False, dtype)
    with pytest.raises(treadle.NotSupported, match="PacketedSpMV"):
        pkt_build.build_pkt_data_structure()


@pytest.mark.parametrize("dtype", ["f4", "c16"])
def test_several_packets_and_entries_between_them(dtype, monkeypatch):
    monkeypatch.setattr(pkt_build, "SHARED_BYTES", 100 + 2 * 40 * np.dtype(dtype).itemsize)
    matrix = poisson(12).astype(dtype)
    matrix[3, 100] = matrix[100, 3] = 0.5
    spmv = PacketedSpMV(matrix, True, dtype)
    packets = spmv._packets
    assert packets.rows_each == 40 and packets.count == 4
    words, values, starts = packets.arrays
    there = words != pkt_build.NO_ENTRY
    assert packets.remainder.nnz > 0 and there.sum() + packets.remainder.nnz == matrix.nnz
    assert not values[~there].any() and starts[-1] == words.size
    assert np.all(np.diff(starts) % packets.threads == 0)
    x = np.random.default_rng(2).random(144).astype(dtype)
    x[5] = np.inf
    with np.errstate(invalid="ignore"):
        expected = matrix @ x
    found = spmv.unpermute(spmv(spmv.permute(gpuarray.to_gpu(x)))).get()
    finite = np.isfinite(expected)
    assert np.array_equal(np.isfinite(found), finite) and not finite.all()
    assert np.allclose(found[finite], expected[finite], rtol=1e-5)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_solve_pkt_with_cg(dtype, capsys):
    matrix = poisson(16, dtype)
    b = np.random.default_rng(1).random(256).astype(dtype)
    spmv = PacketedSpMV(matrix, True, dtype)
    tolerance = 1e-4 if dtype == "f4" else 1e-9
    right = gpuarray.to_gpu(b)
    x, iterations, residuals = solve_pkt_with_cg(spmv, right, tol=tolerance)
    assert isinstance(x, gpuarray.GPUArray) and iterations > 0 and residuals > 0
    assert np.linalg.norm(b - matrix @ x.get()) <= 1.1 * tolerance * np.linalg.norm(b)
    assert np.array_equal(right.get(), b)
    again = solve_pkt_with_cg(spmv, right, x=x, tol=0.5, debug=True)
    assert again[1] <= 10 and "residual" in capsys.readouterr().out
    precon = DiagonalPreconditioner(spmv.permute(gpuarray.to_gpu(1 / matrix.diagonal())))
    pool = PageLockedMemoryPool()
    found = solve_pkt_with_cg(spmv, right, precon, tol=tolerance,
                              pagelocked_allocator=pool.allocate)[0]  # fmt: skip
    assert np.linalg.norm(b - matrix @ found.get()) <= 1.1 * tolerance * np.linalg.norm(b)
    with pytest.raises(ConvergenceError, match="3 iterations"):
        solve_pkt_with_cg(spmv, right, tol=tolerance, max_iterations=3)
    minus = PacketedSpMV(-matrix, True, dtype)
    with pytest.raises(ConvergenceError, match="direction"):
        solve_pkt_with_cg(minus, right, tol=tolerance)
    assert issubclass(ConvergenceError, RuntimeError)
    zero = solve_pkt_with_cg(spmv, gpuarray.zeros(256, dtype))
    assert zero[1] == 0 and not zero[0].get().any()


def test_steps_of_a_state():
    class Twice(OperatorBase):
        shape = (4, 4)

        def __call__(self, operand):
            return 2 * operand

    state = CGStateContainer(Twice("f4"), IdentityOperator("f4", 4))
    b = gpuarray.to_gpu(np.arange(4, dtype="f4"))
    state.reset(b)
    state.one_iteration()
    assert np.allclose(state.x.get(), np.arange(4) / 2)
    state.reset(b, b.copy())
    assert state.run(max_iterations=20) == 10
    assert np.allclose(state.x.get(), np.arange(4) / 2)
    one, two = gpuarray.to_gpu(np.float32([1, 2])), gpuarray.to_gpu(np.float32([3, 4]))
    out = gpuarray.empty_like(one)
    assert state.lc2(2, one, 1, two, out=out) is out
    assert out.get().tolist() == [5, 8]
    assert state.guarded_div(0 * one, 0 * one).get().tolist() == [0, 0]
    seen = []
    state.reset(b)
    state.run(debug_callback=lambda *values: seen.append(values))
    assert len(seen) == 11
    with pytest.raises(TypeError, match="abstract"):
        OperatorBase("f4")
    assert IdentityOperator("f4", 3).shape == (3, 3)


def test_inner_products_come_when_they_are_there():
    a = gpuarray.to_gpu(np.arange(1000, dtype="f4"))
    product = inner.AsyncInnerProduct(a, a, drv.pagelocked_empty)
    while (found := product.get_host_result()) is None:
        pass
    assert found == product.gpu_result.get() and np.isclose(found, (np.arange(1000.0) ** 2).sum())
    assert inner.STREAM_POOL and isinstance(inner.get_stream(), drv.Stream)
    assert not inner.STREAM_POOL
