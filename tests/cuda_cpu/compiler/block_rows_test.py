# SPDX-License-Identifier: MIT
"""Blocks that run together, row of threads by row of threads: each thread still knows its own."""

import numpy as np
import pytest

SOURCE = """
extern "C" __global__ void places(int* out, const int* in, int pitch) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  int at = (z * gridDim.y * blockDim.y + y) * pitch + x;
  out[at] = in[at] + blockIdx.x + 1000 * blockIdx.y + 100000 * threadIdx.x;
}
extern "C" __global__ void smooth(float* out, const float* in, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
    out[y * width + x] = in[y * width + x - 1] + in[y * width + x + 1] +
                         in[(y - 1) * width + x] + in[(y + 1) * width + x];
}
"""


@pytest.fixture(scope="module")
def kernel(opened_device):
    opened_device.make_current(opened_device.context)
    return opened_device.compile(SOURCE).kernel


SHAPES = [
    ((8, 4), (37, 5)),
    ((32, 8), (3, 2)),
    ((5, 3, 2), (50, 3, 2)),
    ((64,), (9, 1)),
    ((128, 2), (3, 3)),
    ((1, 1), (300, 4)),
]


@pytest.mark.parametrize(("block", "grid"), SHAPES, ids=str)
def test_each_thread_knows_its_block(device, kernel, block, grid):
    (bx, by, bz), (gx, gy, gz) = ((*shape, 1, 1)[:3] for shape in (block, grid))
    shape = (bz * gz, by * gy, bx * gx)
    before = np.random.default_rng(5).integers(0, 1 << 20, shape).astype("i4")
    _, y, x = np.indices(shape)
    out = np.zeros(shape, "i4")
    kernel("places")(out, before, np.int32(shape[2]), block=(bx, by, bz), grid=(gx, gy, gz))
    assert np.array_equal(out, before + x // bx + 1000 * (y // by) + 100000 * (x % bx))


@pytest.mark.parametrize("block", [(32, 8), (16, 16), (7, 3)], ids=str)
def test_a_picture_whose_edges_lie_within_blocks(device, kernel, block):
    width, height = 301, 67
    picture = np.random.default_rng(6).integers(0, 1000, (height, width)).astype("f4")
    out = np.zeros_like(picture)
    grid = (-(-width // block[0]), -(-height // block[1]))
    kernel("smooth")(out, picture, np.int32(width), np.int32(height), block=block, grid=grid)
    expected = np.zeros_like(picture)
    expected[1:-1, 1:-1] = (
        picture[1:-1, :-2] + picture[1:-1, 2:] + picture[:-2, 1:-1] + picture[2:, 1:-1]
    )
    assert np.array_equal(out, expected)
