# SPDX-License-Identifier: MIT
"""Tests as users of PyCUDA write them, called without pytest."""

import numpy as np
import pycuda.driver as drv
from pycuda.compiler import SourceModule
from pycuda.tools import init_cuda_context_fixture, mark_cuda_test

ran = []


class TestDriver:
    @mark_cuda_test
    def test_memory(self):
        z = np.random.randn(400).astype(np.float32)
        new_z = drv.from_device_like(drv.to_device(z), z)
        assert np.linalg.norm(new_z - z) == 0
        ran.append("memory")

    @mark_cuda_test
    def test_vector_types(self):
        mod = SourceModule("""
        __global__ void set_them(float3 *dest, float3 x) { dest[threadIdx.x] = x; }
        """)
        a = np.zeros((8, 3), np.float32)
        x = np.float32([1, 2, 3])
        mod.get_function("set_them")(drv.InOut(a), x, block=(8, 1, 1))
        assert (a == [1, 2, 3]).all()
        ran.append("vector types")

    @mark_cuda_test
    def test_fp_textures_are_not_needed(self):
        sizes = drv.Context.get_device().get_attributes()
        assert sizes[drv.device_attribute.WARP_SIZE] == 32
        assert drv.device_attribute.WARP_SIZE == 10
        assert str(drv.device_attribute.WARP_SIZE) == "WARP_SIZE"
        ran.append("attributes")


tests = TestDriver()
for name in sorted(dir(tests)):
    if name.startswith("test_"):
        getattr(tests, name)()
assert drv.Context.get_current() is None
for _ in init_cuda_context_fixture():
    assert drv.Context.get_current() is not None
assert drv.Context.get_current() is None
assert len(ran) == 3
print(", ".join(ran))
