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


def test_inverses_of_many_matrices_in_one_stack(handle, gpuarray):
    """Addresses are an arange over the base address; pivots and info are on the device."""
    n, count = 4, 6
    a = np.random.default_rng(2).random((count, n, n)).astype("f4") + 2 * np.eye(n, dtype="f4")
    a_gpu = gpuarray.to_gpu(a)
    c_gpu = gpuarray.empty_like(a_gpu)

    def pointers(x):
        return gpuarray.arange(x.ptr, x.ptr + count * x.strides[0], x.strides[0], dtype=np.uintp)

    a_at, c_at = pointers(a_gpu), pointers(c_gpu)
    pivots, info = gpuarray.zeros((count, n), np.int32), gpuarray.zeros(count, np.int32)
    cublas.cublasSgetrfBatched(handle, n, a_at.gpudata, n, pivots.gpudata, info.gpudata, count)
    cublas.cublasSgetriBatched(
        handle, n, a_at.gpudata, n, pivots.gpudata, c_at.gpudata, n, info.gpudata, count
    )
    near(c_gpu, np.linalg.inv(a))  # rows are columns in both


def test_singular_values_by_cusolver(gpuarray):
    import skcuda.cusolver as solver

    m, n = 6, 4
    a = np.random.default_rng(3).random((m, n))
    a_gpu = gpuarray.to_gpu(np.asfortranarray(a))
    s, u = gpuarray.empty(n, "f8"), gpuarray.empty((m, m), "f8", order="F")
    vh, info = gpuarray.empty((n, n), "f8", order="F"), gpuarray.empty(1, np.int32)
    try:
        h = solver.cusolverDnCreate()
    except treadle.LibraryNotFound as missing:
        pytest.skip(str(missing))
    size = solver.cusolverDnDgesvd_bufferSize(h, m, n)
    work = gpuarray.empty(size, "f8")
    solver.cusolverDnDgesvd(
        h, "A", "A", m, n, a_gpu.gpudata, m, s.gpudata, u.gpudata, m, vh.gpudata, n, work.gpudata,
        size, 0, info.gpudata,
    )  # fmt: skip
    solver.cusolverDnDestroy(h)
    assert info.get()[0] == 0
    near(u.get()[:, :n] * s.get() @ vh.get(), a)


def test_linear_systems_by_keywords_of_cusolver(gpuarray):
    import skcuda.cusolver as solver

    rng = np.random.default_rng(4)
    a, b = rng.random((5, 5)).astype("f4"), rng.random((5, 2)).astype("f4")
    a_gpu, b_gpu = (gpuarray.to_gpu(np.asfortranarray(x)) for x in (a, b))
    try:
        h = solver.cusolverDnCreate()
    except treadle.LibraryNotFound as missing:
        pytest.skip(str(missing))
    size = solver.cusolverDnSgetrf_bufferSize(handle=h, m=5, n=5, a=a_gpu.gpudata, lda=5)
    work = gpuarray.empty(size, "f4")
    pivots, info = gpuarray.empty(5, "i4"), gpuarray.empty(1, "i4")
    solver.cusolverDnSgetrf(
        handle=h, m=5, n=5, a=a_gpu.gpudata, lda=5, workspace=work.gpudata,
        devIpiv=pivots.gpudata, devInfo=info.gpudata,
    )  # fmt: skip
    solver.cusolverDnSgetrs(
        h, "n", 5, 2, a_gpu.gpudata, 5, pivots.gpudata, b_gpu.gpudata, 5, info.gpudata
    )
    solver.cusolverDnDestroy(h)
    near(b_gpu, np.linalg.solve(a, b))


def test_arrays_and_functions_share_a_handle(gpuarray):
    import skcuda.linalg as culinalg
    import skcuda.misc as cumisc

    culinalg.init()
    try:
        h = cumisc._global_cublas_handle
    except treadle.LibraryNotFound as missing:
        pytest.skip(str(missing))
    rng = np.random.default_rng(6)
    a, b = rng.random((4, 3)).astype("f4"), rng.random((3, 5)).astype("f4")
    a_gpu, b_gpu = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    c_gpu = culinalg.dot(a_gpu, b_gpu, handle=h)
    near(c_gpu, a @ b)
    cublas.cublasSscal(h, c_gpu.size, 0.5, c_gpu.gpudata, 1)
    near(c_gpu, a @ b / 2)
    near(culinalg.add_dot(a_gpu, b_gpu, c_gpu, handle=h), a @ b * 1.5)
    near(cumisc.sum(c_gpu, axis=0), 1.5 * (a @ b).sum(0))
    near(cumisc.cumsum(c_gpu.ravel()), np.cumsum(1.5 * a @ b))
    near(cumisc.mean(culinalg.transpose(c_gpu)), 1.5 * (a @ b).mean())
    cumisc.shutdown()


def test_a_spectral_filter_by_plans(gpuarray):
    import skcuda.fft as cu_fft

    x = np.random.default_rng(8).random((3, 64)).astype("f4")
    x_gpu, y_gpu = gpuarray.to_gpu(x), gpuarray.empty((3, 33), "c8")
    forward = cu_fft.Plan(64, np.float32, np.complex64, batch=3)
    back = cu_fft.Plan((64,), np.complex64, np.float32, 3, auto_allocate=False)
    back.set_work_area(gpuarray.empty(back.worksize, np.uint8))
    cu_fft.fft(x_gpu, y_gpu, forward)
    low = np.arange(33) < 8
    y_gpu *= gpuarray.to_gpu(np.broadcast_to(low, (3, 33)).astype("c8"))
    cu_fft.ifft(y_gpu, x_gpu, back, scale=True)
    near(x_gpu, np.fft.irfft(np.fft.rfft(x) * low))


def test_solutions_and_factors_of_arrays(gpuarray):
    import skcuda.linalg as culinalg

    rng = np.random.default_rng(9)
    a = rng.random((6, 6))
    a = a @ a.T + np.eye(6)
    b = rng.random((6, 1))
    a_gpu, b_gpu = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    culinalg.cho_solve(a_gpu, b_gpu)
    near(b_gpu, np.linalg.solve(a, b))
    near(culinalg.inv(gpuarray.to_gpu(a)), np.linalg.inv(a))
    near(culinalg.dot(gpuarray.to_gpu(a), gpuarray.to_gpu(a), "t", "n"), a.T @ a)
    q, r = culinalg.qr(gpuarray.to_gpu(np.asfortranarray(a)))
    near(culinalg.mdot(q, r), a)
