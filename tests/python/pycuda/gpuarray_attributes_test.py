# SPDX-License-Identifier: MIT
"""Attributes of a GPUArray that programs set, as the plain ones that PyCUDA's are."""

import itertools

import numpy as np
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pytest
from pycuda.elementwise import ElementwiseKernel

pytestmark = pytest.mark.usefixtures("context")

CUBE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


@pytest.fixture
def u(context):
    return gpuarray.to_gpu(CUBE)


@pytest.mark.parametrize("order", list(itertools.permutations(("shape", "strides", "gpudata"))))
@pytest.mark.parametrize("made_as", ["empty", "null", "copy", "small"])
def test_a_plane_of_an_array_is_set_part_by_part(u, order, made_as):
    w = {
        "empty": lambda: gpuarray.GPUArray((0,), np.float32),
        "null": lambda: gpuarray.GPUArray((5,), np.float32, gpudata=0),
        "copy": lambda: u.copy(),
        "small": lambda: gpuarray.zeros(3, np.float32),
    }[made_as]()
    parts = {
        "shape": u.shape[:2],
        "strides": u.strides[:2],
        "gpudata": int(u.gpudata) + u.strides[2],
    }
    for name in order:
        setattr(w, name, parts[name])
    assert (w.shape, w.strides, w.ndim, w.size, w.mem_size) == ((2, 3), (48, 16), 2, 6, 6)
    assert w.ptr == parts["gpudata"]
    np.testing.assert_array_equal(w.get(), CUBE[:, :, 1])
    w += 100
    np.testing.assert_array_equal(u.get()[:, :, 1], CUBE[:, :, 1] + 100)


def test_shapes_of_the_same_size_take_the_elements_in_order(u):
    for shape in ((6, 4), (24,), 24, (2, 3, 4)):
        u.shape = shape
        np.testing.assert_array_equal(u.get(), CUBE.reshape(shape))
    turned = gpuarray.to_gpu(CUBE).T
    turned.shape = (4, 6)  # no view has these elements in order: the strides are set next
    turned.strides = (4, 16)
    np.testing.assert_array_equal(turned.get(), CUBE.reshape(6, 4).T)


def test_a_part_and_the_whole_again(u):
    u.shape, u.strides = (6,), (16,)
    np.testing.assert_array_equal(u.get(), CUBE.ravel()[::4])
    u.shape, u.strides = CUBE.shape, CUBE.strides
    np.testing.assert_array_equal(u.get(), CUBE)
    assert u.flags.c_contiguous


def test_sizes_are_those_of_shapes_in_the_end(u):
    u.size = u.mem_size = 12
    with pytest.raises(ValueError, match="size 12 .*shape"):
        u.get()
    u.shape = (3, 4)
    assert u.size == 12
    np.testing.assert_array_equal(u.get(), CUBE.ravel()[:12].reshape(3, 4))
    u.size = 12
    u += 1
    np.testing.assert_array_equal(u.get(), CUBE.ravel()[:12].reshape(3, 4) + 1)


def test_dtypes(u):
    u.dtype = np.int32
    np.testing.assert_array_equal(u.get(), CUBE.view(np.int32))
    u.dtype = np.complex64
    np.testing.assert_array_equal(u.get(), CUBE.view(np.complex64))
    u.dtype = np.uint8
    np.testing.assert_array_equal(u.get(), CUBE.view(np.uint8))
    with pytest.raises(TypeError, match="object"):
        u.dtype = object
    mask = gpuarray.to_gpu(CUBE) > 3
    mask.dtype = np.int32
    assert mask.get().dtype == np.int32


def test_what_does_not_fit_is_refused_at_the_next_use(u):
    double = ElementwiseKernel("float *x", "x[i] *= 2")
    for name, value in (("shape", (5, 5)), ("strides", (64, 16, 4)), ("strides", (2**62, 16, 4)),
                        ("dtype", np.complex128)):  # fmt: skip
        w = u.copy()
        setattr(w, name, value)
        uses = (
            lambda w: w.get(), lambda w: w + 1, lambda w: w[0], lambda w: w.fill(1), double,
            lambda w: w.gpudata, lambda w: w.ptr, lambda w: w.reshape(-1), lambda w: w.set(CUBE),
            lambda w: gpuarray.sum(w).get(), lambda w: -w, lambda w: u + w, lambda w: w + u,
        )  # fmt: skip
        if name == "dtype":
            w.shape = (24,)
        for use in uses:
            with pytest.raises((ValueError, RuntimeError)):
                use(w)
        w.dtype, w.shape, w.strides = CUBE.dtype, CUBE.shape, CUBE.strides
        assert w.get().shape == CUBE.shape


def test_memory_that_is_set_may_hold_more_than_the_array_had(u):
    memory = cuda.to_device(CUBE)
    w = gpuarray.empty(4, np.float32)
    w.gpudata = memory
    w.shape = CUBE.shape
    np.testing.assert_array_equal(w.get(), CUBE)
    w.shape = (1000, 1000, 1000)
    with pytest.raises(ValueError, match="gpudata"):
        w.get()
    w.shape = 24
    np.testing.assert_array_equal(w.get(), CUBE.ravel())
    w.gpudata = None
    with pytest.raises(ValueError, match="gpudata"):
        w.get()
    w.gpudata = u.gpudata
    np.testing.assert_array_equal(w.get(), CUBE.ravel())


def test_what_no_array_has_is_refused_at_once(u):
    for name, value in (
        ("shape", (-1, 4)), ("shape", (2.5, 4)), ("strides", (1.5,) * 3), ("shape", (2, 2**62)),
        ("shape", (2**62,)), ("strides", (-(2**62),) * 3),
        ("strides", (2**70, 4, 4)),
    ):  # fmt: skip
        with pytest.raises((ValueError, TypeError)):
            setattr(u, name, value)
    np.testing.assert_array_equal(u.get(), CUBE)


def test_an_address_without_room_for_the_elements_is_refused_at_the_next_use(context):
    memory = cuda.to_device(CUBE)
    w = gpuarray.GPUArray(CUBE.shape, CUBE.dtype, gpudata=memory)
    for address in (int(memory) + 4, int(memory) + 92, int(memory) + 80):
        w.gpudata = address
        for use in (lambda: w.get(), lambda: w + 1, lambda: w.fill(1), lambda: gpuarray.sum(w)):
            with pytest.raises(ValueError, match="no room"):
                use()
    w.shape = (4,)
    np.testing.assert_array_equal(w.get(), CUBE.ravel()[20:])
    w.gpudata -= 16
    np.testing.assert_array_equal((w + 1).get(), CUBE.ravel()[16:20] + 1)
    w.strides = (-4,)
    np.testing.assert_array_equal(w.get(), CUBE.ravel()[16:12:-1])
    w.gpudata = int(memory) + 8
    with pytest.raises(ValueError, match="no room"):
        w.get()


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_memory_that_no_device_has_is_missed_at_the_call(context, dtype):
    for make in (gpuarray.zeros, gpuarray.ones, gpuarray.empty):
        with pytest.raises(cuda.MemoryError):
            make(10**13, dtype)
    with pytest.raises(cuda.MemoryError):
        gpuarray.arange(10**13, dtype=dtype)
