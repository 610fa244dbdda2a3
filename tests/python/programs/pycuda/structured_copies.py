# SPDX-License-Identifier: MIT
"""Pitched memory with Memcpy2D, boxes of volumes with Memcpy3D."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

rows, cols = 30, 17
a = np.random.rand(rows, cols).astype(np.float32)
pitched, pitch = cuda.mem_alloc_pitch(a.strides[0], rows, a.itemsize)
assert pitch >= a.strides[0] and pitch % a.itemsize == 0

copy = cuda.Memcpy2D()
copy.set_src_host(a)
copy.set_dst_device(pitched)
copy.width_in_bytes = copy.src_pitch = a.strides[0]
copy.dst_pitch = pitch
copy.height = rows
copy(aligned=True)

SourceModule("""
__global__ void negate(float *a, size_t pitch, int cols)
{
    float *row = (float *) ((char *) a + blockIdx.x * pitch);
    for (int i = threadIdx.x; i < cols; i += blockDim.x) row[i] = -row[i];
}
""").get_function("negate")(
    pitched, np.uintp(pitch), np.int32(cols), block=(8, 1, 1), grid=(rows, 1)
)

b = np.empty_like(a)
back = cuda.Memcpy2D()
back.set_src_device(pitched)
back.set_dst_host(b)
back.src_pitch, back.dst_pitch = pitch, b.strides[0]
back.width_in_bytes, back.height = b.strides[0], rows
back(aligned=False)
assert (b == -a).all()

stream = cuda.Stream()
window = cuda.pagelocked_empty((5, 4), np.float32)
part = cuda.Memcpy2D()
part.set_src_device(pitched)
part.set_dst_host(window)
part.src_pitch, part.dst_pitch = pitch, window.strides[0]
part.src_x_in_bytes, part.src_y = 3 * 4, 7
part.width_in_bytes, part.height = window.strides[0], 5
part(stream)
stream.synchronize()
assert (window == -a[7:12, 3:7]).all()

volume = np.arange(4 * 5 * 6, dtype=np.int32).reshape(4, 5, 6)
gpu = cuda.mem_alloc(volume.nbytes)
up = cuda.Memcpy3D()
up.set_src_host(volume)
up.set_dst_device(gpu)
up.width_in_bytes = up.src_pitch = up.dst_pitch = volume.strides[1]
up.src_height = up.dst_height = up.height = 5
up.depth = 4
up()
box = np.zeros((2, 3, 2), np.int32)
down = cuda.Memcpy3D()
down.set_src_device(gpu)
down.set_dst_host(box)
down.src_x_in_bytes, down.src_y, down.src_z = 2 * 4, 1, 2
down.src_pitch, down.src_height = volume.strides[1], 5
down.dst_pitch, down.dst_height = box.strides[1], 3
down.width_in_bytes, down.height, down.depth = 2 * 4, 3, 2
down()
assert (box == volume[2:4, 1:4, 2:4]).all()

cuda.memset_d2d8(pitched, pitch, 0, cols * 4, rows)
back(aligned=True)
assert (b == 0).all()
print("pitch", pitch)
