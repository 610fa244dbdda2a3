# SPDX-License-Identifier: MIT
"""Kernels whose tiles tell how wide a block's rows will be: what a thread computes is the same, to
the last bit, in blocks of that width and of any other. All in one source, compiled once."""

import numpy as np
import pytest

TILES = """
#define HERE int x = threadIdx.x, y = threadIdx.y, w = blockDim.x, h = blockDim.y
extern "C" __global__ void product(float* out, const float* in, float factor) {
  HERE;
  __shared__ float tile[16][16];
  float sum = 0;
  for (int turn = 0; turn < 3; turn++) {
    tile[y][x] = in[(turn * h + y) * w + x];
    __syncthreads();
    for (int k = 0; k < 4; k++) sum += tile[y][k] * tile[k][x];
    sum += tile[0][x] * factor;
    sum -= factor * tile[1][x];
    sum = tile[2][x] * factor - sum;
    __syncthreads();
  }
  out[y * w + x] = sum;
}
extern "C" __global__ void turned(float* out, const float* in, float factor) {
  HERE;
  __shared__ float tile[16][17];
  tile[y][x] = in[y * w + x];
  __syncthreads();
  if (x < h && y < w) out[y * h + x] = tile[x][y] * factor;
}
extern "C" __global__ void smooth(float* out, const float* in, float factor) {
  HERE;
  __shared__ float tile[18][18];
  tile[y + 1][x + 1] = in[y * w + x];
  if (y == 0) tile[0][x + 1] = tile[h + 1][x + 1] = 0;
  if (x == 0) tile[y + 1][0] = tile[y + 1][w + 1] = 0;
  __syncthreads();
  out[y * w + x] = tile[y][x + 1] + tile[y + 2][x + 1] + tile[y + 1][x] + tile[y + 1][x + 2] +
                   factor;
}
"""
# More of a tile than the registers hold: rows of threads go two by two.
WIDE = """
extern "C" __global__ void NAME(TYPE* out, const TYPE* in, int turns) {
  int x = threadIdx.x, rows = blockDim.y * blockDim.z, y = threadIdx.y + blockDim.y * threadIdx.z;
  __shared__ TYPE a[32][PITCH], b[32][PITCH];
  TYPE sum = 0;
  for (int turn = 0; turn < turns; turn++) {
    a[y][x] = in[(turn * 64 + y) * 32 + x];
    for (int r = y; r < 32; r += rows) b[r][x] = in[(turn * 64 + 32 + r) * 32 + x];
    __syncthreads();
    for (int k = 0; k < 32; k++) sum += a[y][k] * b[k][x];
    sum += threadIdx.y == 0 ? turn : 0;
    __syncthreads();
  }
  out[y * 32 + x] = sum;
}
"""
FACTOR = np.float32(0.7)


@pytest.fixture(scope="module")
def kernel(opened_device):
    opened_device.make_current(opened_device.context)
    return opened_device.compile(TILES).kernel


def fused(a, b, c):
    """Rounded once: the product of two floats is a double, and with short ones so is the sum."""
    return (a.astype("f8") * b + c).astype("f4")


def product(rows):
    total = np.zeros_like(rows[0])
    for tile in rows:
        for k in range(4):
            total = fused(tile[:, k : k + 1], tile[k], total)
        total = fused(tile[0], FACTOR, total)
        total = fused(-tile[1], FACTOR, total)
        total = fused(tile[2], FACTOR, -total)
    return total


def smooth(rows):
    p = np.pad(rows[0], 1)
    return p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] + FACTOR


# The width that the tile tells, others, and planes behind each other.
BLOCKS = [(16, 16), (16, 5), (16, 4), (15, 16), (8, 8), (5, 4), (16, 4, 2), (4, 4, 3)]


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_threads_compute_the_same_in_rows_of_any_width(device, kernel, block):
    width, height = block[:2]
    # Twelve bits each: the references' sums of products are exact before they are rounded.
    rows = np.random.default_rng(3).integers(-2048, 2048, (3, height, width)).astype("f4") / 2048
    turned = np.zeros(rows[0].size, "f4")
    square = min(width, height)
    expected_turned = (rows[0].T * FACTOR)[:, :square][:square]
    for name, expected in [("product", product(rows)), ("smooth", smooth(rows))]:
        out = np.zeros(rows[0].size, "f4")
        kernel(name)(out, rows.ravel(), FACTOR, block=block)
        assert np.array_equal(out.reshape(height, width), expected), name
    kernel("turned")(turned, rows[0].ravel(), FACTOR, block=block)
    seen = np.lib.stride_tricks.as_strided(turned, (square, square), (4 * height, 4))
    assert np.array_equal(seen, expected_turned)


@pytest.fixture(scope="module")
def wide(opened_device):
    opened_device.make_current(opened_device.context)
    kinds = [("doubles", "double", "32"), ("floats", "float", "33")]
    texts = (
        WIDE.replace("NAME", name).replace("TYPE", kind).replace("PITCH", pitch)
        for name, kind, pitch in kinds
    )
    return opened_device.compile("".join(texts)).kernel


@pytest.mark.parametrize(
    "block", [(32, 32), (32, 8), (32, 7), (32, 1), (32, 4, 3), (32, 3, 3)], ids=str
)
@pytest.mark.parametrize(("name", "dtype"), [("doubles", "f8"), ("floats", "f4")])
def test_rows_go_two_by_two_where_they_can(device, wide, name, dtype, block):
    turns, rows = 3, block[1] * (block[2] if len(block) > 2 else 1)
    tiles = np.random.default_rng(8).integers(-64, 64, (turns, 2, 32, 32)).astype(dtype)
    out = np.full((32, 32), np.nan, dtype)
    wide(name)(out, tiles, np.int32(turns), block=block)
    expected = sum(a[:rows] @ b for a, b in tiles)  # of small integers: exact
    expected[:: block[1]] += 0 + 1 + 2
    assert np.array_equal(out[:rows], expected)
    assert np.isnan(out[rows:]).all()
