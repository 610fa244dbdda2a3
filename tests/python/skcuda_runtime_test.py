# SPDX-License-Identifier: MIT
"""skcuda.cudart, cudadrv and cublasxt, and the handles of skcuda.misc."""

import ctypes

import numpy as np
import pytest

import treadle
import treadle.compat  # noqa: F401 - the tests import skcuda
from treadle.skcuda import cublas, cublasxt, cuda, cudadrv, cudart, cusolver, misc


@pytest.fixture
def gpuarray(context):
    import pycuda.gpuarray as gpuarray

    return gpuarray


def test_memory_is_allocated_copied_and_freed(context):
    x = np.arange(8, dtype="f4")
    memory = cudart.cudaMalloc(x.nbytes, ctypes.c_float)
    assert isinstance(memory, cudart.POINTER(ctypes.c_float))
    cudart.cudaMemcpy_htod(memory, x.ctypes.data, x.nbytes)
    back = np.zeros_like(x)
    cudart.cudaMemcpy_dtoh(back.ctypes.data, memory, x.nbytes)
    assert np.array_equal(back, x)
    kind, number = cudart.cudaPointerGetAttributes(memory)
    assert (kind, number) == (cudart.cudaMemoryTypeDevice, cudart.cudaGetDevice())
    address = ctypes.cast(memory, ctypes.c_void_p).value
    assert cudadrv.cuPointerGetAttribute(2, memory) == 2
    assert cudadrv.cuPointerGetAttribute(3, address) == address
    cudart.cudaFree(memory)
    with pytest.raises(cudart.cudaErrorInvalidDevicePointer, match="freed"):
        cudart.cudaFree(memory)
    plain, pitch = cudart.cudaMallocPitch(0, 3, 5, 4)
    assert pitch >= 20
    assert isinstance(plain, ctypes.c_void_p)
    cudart.cudaFree(plain)
    cudart.cudaFree(0)
    free, total = cudart.cudaMemGetInfo()
    assert 0 < free <= total


def test_versions_and_devices(context):
    assert cudart.cudaDriverGetVersion() >= 10000
    assert cudart.cudaRuntimeGetVersion() == cudart._cudart_version >= 10000
    import pycuda.driver as drv

    current = drv.Context.get_current()
    cudart.cudaSetDevice(cudart.cudaGetDevice())
    assert drv.Context.get_current() == current
    with pytest.raises(cudart.cudaErrorInvalidDevice, match="dev=99"):
        cudart.cudaSetDevice(99)


def test_statuses_have_classes_and_words(context):
    for module, check, base, number, name in [
        (cudart, cudart.cudaCheckStatus, cudart.cudaError, 2, "cudaErrorMemoryAllocation"),
        (cudart, cudart.cudaCheckStatus, cudart.cudaError, 700, "cudaErrorIllegalAddress"),
        (cudadrv, cudadrv.cuCheckStatus, cudadrv.CUDA_ERROR, 201, "CUDA_ERROR_INVALID_CONTEXT"),
    ]:
        check(0)
        with pytest.raises(getattr(module, name)):
            check(number)
        with pytest.raises(base):
            check(123456)
        assert getattr(cuda, name) is getattr(module, name)
    assert cudart.cudaGetErrorString(2) == b"memory allocation"
    assert cudart.cudaGetErrorString(0) == b"no error"
    with pytest.raises(cudadrv.CUDA_ERROR_INVALID_VALUE, match="attribute=0"):
        cudadrv.cuPointerGetAttribute(0, 0)
    with pytest.raises(cudart.cudaError):
        cudart.cudaPointerGetAttributes(id(context))


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8", "f4", "f8", "c8", "c16"])
def test_pointers_to_elements(gpuarray, on_cpu, dtype):
    x = gpuarray.to_gpu(np.arange(1, 5).astype(dtype))
    first = cudart.gpuarray_ptr(x)[0]
    assert getattr(first, "value", first) == 1
    with pytest.raises(TypeError, match="float16"):
        cudart.gpuarray_ptr(gpuarray.zeros(2, "f2"))


@pytest.mark.parametrize(("letter", "dtype"), [("S", "f4"), ("D", "f8"), ("C", "c8"), ("Z", "c16")])
def test_products_of_the_hosts_and_the_devices_matrices(gpuarray, letter, dtype):
    try:
        h = cublasxt.cublasXtCreate()
    except treadle.LibraryNotFound as missing:
        pytest.skip(str(missing))
    rng = np.random.default_rng(0)
    a, b = (np.asarray(rng.random(s), dtype, order="F") for s in [(4, 3), (3, 5)])
    c = np.zeros((4, 5), dtype, order="F")
    cublasxt.cublasXtDeviceSelect(h, 1, np.zeros(1, np.int32))
    cublasxt.cublasXtSetBlockDim(h, 64)
    assert cublasxt.cublasXtGetBlockDim(h) == 64
    cublasxt.cublasXtSetPinningMemMode(h, 0)
    gemm = getattr(cublasxt, f"cublasXt{letter}gemm")
    gemm(h, "n", "n", 4, 5, 3, 2, a.ctypes.data, 4, b.ctypes.data, 3, 0, c.ctypes.data, 4)
    np.testing.assert_allclose(c, 2 * a @ b, rtol=1e-5)
    a_gpu, b_gpu, c_gpu = (gpuarray.to_gpu(x) for x in (a, b, c))
    gemm(h, "n", "n", 4, 5, 3, 1, a_gpu.gpudata, 4, b_gpu.gpudata, 3, 1, c_gpu.gpudata, 4)
    np.testing.assert_allclose(c_gpu.get(), 3 * a @ b, rtol=1e-5)
    with pytest.raises(cublasxt.cublasInvalidValue, match="lda=3"):
        gemm(h, "n", "n", 4, 5, 3, 1, a_gpu.gpudata, 3, b_gpu.gpudata, 3, 1, c_gpu.gpudata, 4)
    cublasxt.cublasXtDestroy(h)


def test_what_a_program_says_of_several_devices(on_cpu):
    h = cublasxt.cublasXtCreate()
    assert cublasxt.cublasXtMaxBoards() >= 1
    assert cublasxt.cublasXtGetNumBoards(1, [0]) == 1
    cublasxt.cublasXtSetCpuRoutine(h, cublasxt.CUBLASXT_GEMM, cublasxt.CUBLASXT_FLOAT, None)
    cublasxt.cublasXtSetCpuRatio(h, cublasxt.CUBLASXT_GEMM, cublasxt.CUBLASXT_FLOAT, 0.5)
    for wrong in [
        lambda: cublasxt.cublasXtDeviceSelect(h, 2, [0]),
        lambda: cublasxt.cublasXtSetBlockDim(h, 0),
    ]:
        with pytest.raises(cublasxt.cublasInvalidValue):
            wrong()
    cublasxt.cublasXtDestroy(h)
    with pytest.raises(cublas.cublasNotInitialized):
        cublasxt.cublasXtGetBlockDim(h)


def test_global_handles_are_made_when_they_are_asked_for(gpuarray):
    try:
        h = misc._global_cublas_handle
    except treadle.LibraryNotFound as missing:
        pytest.skip(str(missing))
    assert h == misc._global_cublas_handle
    x = gpuarray.to_gpu(np.ones(4, "f4"))
    assert cublas.cublasSasum(h, 4, x.gpudata, 1) == 4
    solver = misc._global_cusolver_handle
    assert cusolver.cusolverDnGetStream(solver) is None
    misc.shutdown()
    misc.shutdown()
    with pytest.raises(cublas.cublasNotInitialized):
        cublas.cublasSasum(h, 4, x.gpudata, 1)
    again = misc._global_cublas_handle  # its number may be that of the one that is gone
    assert cublas.cublasSasum(again, 4, x.gpudata, 1) == 4
    misc.shutdown()
    with pytest.raises(AttributeError, match="nonsense"):
        misc.nonsense  # noqa: B018
