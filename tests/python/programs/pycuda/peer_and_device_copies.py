# SPDX-License-Identifier: MIT
"""Copies inside the device, between contexts, and sets of every width."""

import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda

here = pycuda.autoinit.context
a = np.arange(64, dtype=np.uint8)
gpu = cuda.to_device(a)
other = cuda.mem_alloc(a.nbytes)
cuda.memcpy_dtod(other, gpu, a.nbytes)
cuda.memcpy_dtod(dest=int(other) + 32, src=int(gpu), size=16)
b = cuda.from_device(other, (64,), np.uint8)
assert (b == np.concatenate([a[:32], a[:16], a[48:]])).all()

there = cuda.Device(0).make_context()
far = cuda.mem_alloc(64)
cuda.memcpy_peer(far, gpu, 64, there, here)
assert (cuda.from_device(far, 64, np.uint8) == a).all()
stream = cuda.Stream()
cuda.memset_d8(far, 9, 64)
cuda.memcpy_peer_async(gpu, far, 32, here, there, stream)
stream.synchronize()
del far, stream
there.pop()
there.detach()
assert (cuda.from_device(gpu, 64, np.uint8) == np.concatenate([np.full(32, 9), a[32:]])).all()

cuda.memset_d8(gpu, 0xAB, 64)
cuda.memset_d16(int(gpu) + 16, 0x1234, 8)
cuda.memset_d32(int(gpu) + 32, 0xDEADBEEF, 4)
words = cuda.from_device(gpu, (16,), np.uint32)
assert (words[:4] == 0xABABABAB).all() and (words[4:8] == 0x12341234).all()
assert (words[8:12] == 0xDEADBEEF).all()
matrix = cuda.mem_alloc(8 * 16)
cuda.memset_d8(matrix, 0, 8 * 16)
cuda.memset_d2d16(matrix, 16, 0x0707, 3, 8)
assert cuda.from_device(matrix, (8, 16), np.uint8).sum() == 8 * 6 * 7
assert pycuda.autoinit.device.can_access_peer(pycuda.autoinit.device) in (False, True)

view = np.zeros(8, np.uint8)
cuda.memcpy_dtoh(view[2:6], gpu)
assert (view == [0, 0, 0xAB, 0xAB, 0xAB, 0xAB, 0, 0]).all()
cuda.memcpy_htod(gpu, b"bytes")
cuda.memcpy_htod(gpu, bytearray(b"more bytes"))
text = bytearray(10)
cuda.memcpy_dtoh(text, gpu)
assert text == b"more bytes"
print(hex(gpu), np.intp(gpu), gpu.as_buffer)
