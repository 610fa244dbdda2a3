# SPDX-License-Identifier: MIT
"""Page-locked, mapped, aligned, registered and managed host memory."""

import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

pycuda.autoinit.context.pop()
ctx = cuda.Device(0).make_context(cuda.ctx_flags.SCHED_AUTO | cuda.ctx_flags.MAP_HOST)
double = SourceModule("""
__global__ void doublify(float *a)
{ int idx = threadIdx.x + threadIdx.y * blockDim.x; a[idx] *= 2; }
""").get_function("doublify")

mapped = cuda.pagelocked_empty((4, 4), np.float32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
mapped[:] = np.random.randn(4, 4)
before = mapped.copy()
double(np.intp(mapped.base.get_device_pointer()), block=(4, 4, 1))
cuda.Context.synchronize()
assert (mapped == 2 * before).all()
assert mapped.base.get_flags() & cuda.host_alloc_flags.DEVICEMAP

aligned = cuda.aligned_zeros((1024,), np.float32, alignment=4096)
assert aligned.ctypes.data % 4096 == 0 and isinstance(aligned.base, cuda.AlignedHostAllocation)
registered = cuda.register_host_memory(aligned, flags=cuda.mem_host_register_flags.DEVICEMAP)
registered[:16] = 3
double(np.intp(registered.base.get_device_pointer()), block=(16, 1, 1))
ctx.synchronize()
assert (aligned[:16] == 6).all()
assert isinstance(registered.base, cuda.RegisteredHostMemory)
registered.base.unregister()

managed = cuda.managed_empty(shape=10, dtype=np.float32, mem_flags=cuda.mem_attach_flags.GLOBAL)
managed[:] = np.linspace(0, 9, 10)
double(managed, block=(10, 1, 1))
cuda.Context.synchronize()
assert (managed == 2 * np.arange(10)).all()
managed.base.attach(cuda.mem_attach_flags.HOST)
like = cuda.managed_zeros_like(np.ones((2, 3), order="F"), cuda.mem_attach_flags.GLOBAL)
assert like.flags.f_contiguous and (like == 0).all()

locked = cuda.pagelocked_zeros_like(before)
stream = cuda.Stream()
gpu = cuda.mem_alloc(before.nbytes)
cuda.memcpy_htod_async(gpu, before, stream)
cuda.memcpy_dtoh_async(locked, gpu, stream)
stream.synchronize()
assert (locked == before).all()
print(type(locked.base).__name__, type(managed.base).__name__)
del mapped, registered, managed, like, locked, gpu, stream, double, aligned
ctx.pop()
pycuda.autoinit.context.push()
