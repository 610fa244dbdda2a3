# SPDX-License-Identifier: MIT
"""What a vtable holds for a virtual function that has no body."""

import ctypes

import numpy as np
import pytest


@pytest.fixture
def failing_context(device):
    """A context that may fail, which it does for good."""
    context = ctypes.c_void_p()
    device.check("cuCtxCreate_v2", ctypes.byref(context), 0, 0)
    yield
    device.check("cuCtxDestroy_v2", context)


def test_a_call_of_a_function_without_body_ends_the_kernel(device, failing_context):
    kernel = device.compile(
        """struct A;
        __device__ float call(A* a);
        struct A { __device__ A() { call(this); } __device__ virtual float f() = 0; };
        __device__ __noinline__ float call(A* a) { return a->f(); }
        struct B : A { __device__ float f() override { return 1; } };
        extern "C" __global__ void k(float* o) { B b; o[0] = call(&b); }"""
    ).kernel()
    with pytest.raises(RuntimeError, match="cuCtxSynchronize = 719"):
        kernel(np.zeros(1, np.float32))


def test_deleted_virtual_functions_stand_in_a_table(device):
    source = """struct A { __device__ virtual void f() = delete;
          __device__ virtual int g() { return 1; } };
        struct B : A { __device__ void f() override = delete;
          __device__ int g() override { return 2; } };
        __device__ __noinline__ A* make(int i) { return i ? new B : new A; }
        extern "C" __global__ void k(int* o) { o[threadIdx.x] = make(threadIdx.x)->g(); }"""
    for options in ((), ("-G",)):
        assert device.run(source, 2, np.int32, block=(2,), options=options).tolist() == [1, 2]
