# SPDX-License-Identifier: MIT
"""Programs that call scikit-cuda's modules, as people write them."""

import numpy as np
import pytest

import treadle
import treadle.compat  # noqa: F401 - the tests import skcuda
from treadle.skcuda import cublas


@pytest.fixture
def gpuarray(context):
    import pycuda.gpuarray as gpuarray

    return gpuarray


@pytest.fixture
def handle(context):
    try:
        made = cublas.cublasCreate()
    except treadle.LibraryNotFound as missing:
        pytest.skip(str(missing))
    yield made
    cublas.cublasDestroy(made)


def near(ours, theirs):
    ours = ours.get() if hasattr(ours, "get") else np.asarray(ours)
    bound = 1e-3 if ours.dtype.itemsize <= 4 * (1 + (ours.dtype.kind == "c")) else 1e-9
    np.testing.assert_allclose(ours, theirs, rtol=bound, atol=bound)


def test_a_row_major_product_by_column_major_functions(gpuarray, handle):
    """C = A B of arrays in C's order is C^T = B^T A^T."""
    import skcuda.cublas as cublas

    rng = np.random.default_rng(0)
    a, b = rng.random((5, 7)).astype("f4"), rng.random((7, 6)).astype("f4")
    a_gpu, b_gpu, c_gpu = gpuarray.to_gpu(a), gpuarray.to_gpu(b), gpuarray.empty((5, 6), "f4")
    h = cublas.cublasCreate()
    cublas.cublasSgemm(
        h, "n", "n", 6, 5, 7, np.float32(1), b_gpu.gpudata, 6, a_gpu.gpudata, 7, np.float32(0),
        c_gpu.gpudata, 6,
    )  # fmt: skip
    cublas.cublasDestroy(h)
    near(c_gpu, a @ b)
    with pytest.raises(cublas.cublasNotInitialized):
        cublas.cublasDestroy(h)


def test_functions_by_names_that_are_built_and_keywords(handle, gpuarray):
    x = gpuarray.to_gpu(np.arange(4, dtype="f8"))
    assert getattr(cublas, f"cublas{'D'}nrm2")(handle, x.size, x.gpudata, 1) == np.sqrt(14)
    assert cublas._CUBLAS_OP["T"] == cublas._CUBLAS_OP["t"] == 1
    a = gpuarray.to_gpu(np.eye(4))
    cublas.cublasDtrmv(
        handle, uplo="u", trans="n", diag="n", n=4, A=a.gpudata, lda=4, x=x.gpudata, inx=1
    )
    cublas.cublasDscal(handle, 4, alpha=2, x=int(x.gpudata), incx=1)
    near(x, [0, 2, 4, 6])
    cublas.cublasSetPointerMode(handle, 1)
    assert cublas.cublasGetPointerMode(handle) == 1
    assert cublas.cublasDdot(handle, 4, x.gpudata, 1, x.gpudata, 1) == 56
    assert cublas.cublasGetVersion(handle) >= 5000


def test_work_keeps_the_order_of_its_stream(handle, gpuarray):
    import pycuda.driver as drv

    stream = drv.Stream()
    cublas.cublasSetStream(handle, stream.handle)
    x = gpuarray.to_gpu(np.zeros(1000, "f4"))
    later, at = x + 1, x.gpudata
    host = drv.pagelocked_empty(1000, "f4")
    host[:] = 3
    drv.memcpy_htod_async(at, host, stream)
    cublas.cublasSscal(handle, 1000, 2, at, 1)
    drv.memcpy_dtoh_async(host, at, stream)
    stream.synchronize()
    near(host, np.full(1000, 6))
    near(later, np.ones(1000))  # of what x was
    cublas.cublasSetStream(handle, 0)
    assert cublas.cublasGetStream(handle) is None
    doubled = x * 2
    cublas.cublasSscal(handle, 1000, 0, at, 1)
    near(doubled, np.full(1000, 12))


def test_conjugate_gradients_by_vectors(handle, gpuarray):
    """A loop of axpy, dot, symv and scal."""
    rng = np.random.default_rng(5)
    a = rng.random((20, 20))
    a = a @ a.T + 20 * np.eye(20)
    b = rng.random(20)
    a_gpu, x, r = gpuarray.to_gpu(a), gpuarray.zeros(20, "f8"), gpuarray.to_gpu(b)
    p, q = r.copy(), gpuarray.empty(20, "f8")
    square = cublas.cublasDdot(handle, 20, r.gpudata, 1, r.gpudata, 1)
    for _ in range(40):
        cublas.cublasDsymv(handle, "u", 20, 1, a_gpu.gpudata, 20, p.gpudata, 1, 0, q.gpudata, 1)
        step = square / cublas.cublasDdot(handle, 20, p.gpudata, 1, q.gpudata, 1)
        cublas.cublasDaxpy(handle, 20, step, p.gpudata, 1, x.gpudata, 1)
        cublas.cublasDaxpy(handle, 20, -step, q.gpudata, 1, r.gpudata, 1)
        before, square = square, cublas.cublasDdot(handle, 20, r.gpudata, 1, r.gpudata, 1)
        if square < 1e-24:
            break
        cublas.cublasDscal(handle, 20, square / before, p.gpudata, 1)
        cublas.cublasDaxpy(handle, 20, 1, r.gpudata, 1, p.gpudata, 1)
    near(x, np.linalg.solve(a, b))
