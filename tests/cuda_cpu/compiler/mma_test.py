# SPDX-License-Identifier: MIT
"""nvcuda::wmma on each machine there is: every shape, type and layout against NumPy's product. The
lanes a matrix lies in are nobody's business: a program sees what it loads and stores."""

import itertools

import numpy as np
import pytest

USUAL = [(16, 16, 16), (32, 8, 16), (8, 32, 16)]
# What A and B are made of, as C++ and in memory, what C and D are, the shapes.
TYPES = {
    "half to float": ("half", np.float16, "float", np.float32, USUAL),
    "half": ("half", np.float16, "half", np.float16, USUAL),
    "bfloat16": ("__nv_bfloat16", np.uint16, "float", np.float32, USUAL),
    "tf32": ("wmma::precision::tf32", np.float32, "float", np.float32, [(16, 16, 8)]),
    "signed char": ("signed char", np.int8, "int", np.int32, USUAL),
    "unsigned char": ("unsigned char", np.uint8, "int", np.int32, USUAL),
    "double": ("double", np.float64, "double", np.float64, [(8, 8, 4)]),
}
# Of A, B and C: each on either side; all combinations for one type and shape.
LAYOUTS = [("row", "col", "row"), ("col", "row", "col")]
CASES = [
    (name, shape, layouts) for name in TYPES for shape in TYPES[name][4] for layouts in LAYOUTS
]
CASES += [
    ("half to float", (16, 16, 16), layouts)
    for layouts in itertools.product(["row", "col"], repeat=3)
    if layouts not in LAYOUTS
]

# Each warp multiplies three tiles along k, so that fragments are loaded over again; the two warps
# of a block have different ones. Leading dimensions are longer than rows; tiles are aligned to 32
# bytes.
KERNEL = """
extern "C" __global__ void NAME(const STORED* a, const STORED* b, const SUM* c, SUM* d) {
  wmma::fragment<wmma::matrix_a, SHAPE, ELEMENT, wmma::LAYOUT_A_major> fa;
  wmma::fragment<wmma::matrix_b, SHAPE, ELEMENT, wmma::LAYOUT_B_major> fb;
  wmma::fragment<wmma::accumulator, SHAPE, SUM> fc, fd;
  const int warp = threadIdx.x / 32;
  a += warp * SIZE_A; b += warp * SIZE_B; c += warp * SIZE_C; d += warp * SIZE_C;
  wmma::load_matrix_sync(fc, c, STRIDE_C, wmma::mem_LAYOUT_C_major);
  for (int step = 0; step < 3; ++step) {
    wmma::load_matrix_sync(fa, a + step * STEP_A, STRIDE_A);
    wmma::load_matrix_sync(fb, b + step * STEP_B, STRIDE_B);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::fill_fragment(fd, static_cast<SUM>(0));
  for (int i = 0; i < fd.num_elements; ++i) fd.x[i] = fc.x[i] + fc.x[i];
  wmma::store_matrix_sync(d, fd, STRIDE_C, wmma::mem_LAYOUT_C_major);
}
"""


def stride(rows, columns, layout):
    """Of a matrix with as many elements more in each row, or column, as its alignment asks for."""
    return (columns if layout == "row" else rows) + 16


def spacing(name, k):
    """From one tile's first k to the next one's."""
    return max(k, 32 // np.dtype(TYPES[name][1]).itemsize)


def kernel(number, name, shape, layouts):
    element, stored, sum_type, _, _ = TYPES[name]
    m, n, k = shape
    step = spacing(name, k)
    row_a, row_b = layouts[0] == "row", layouts[1] == "row"
    strides = [
        stride(m, 3 * step, layouts[0]),
        stride(3 * step, n, layouts[1]),
        stride(m, n, layouts[2]),
    ]
    lengths = [m if row_a else 3 * step, 3 * step if row_b else n, m if layouts[2] == "row" else n]
    names = {
        "NAME": f"k{number}",
        "SHAPE": f"{m}, {n}, {k}",
        "STORED": "float" if name == "tf32" else element,
        "ELEMENT": element,
        "STEP_A": step if row_a else step * strides[0],
        "STEP_B": step * strides[1] if row_b else step,
        **{f"LAYOUT_{x}": layout for x, layout in zip("ABC", layouts, strict=True)},
        **{f"STRIDE_{x}": s for x, s in zip("ABC", strides, strict=True)},
        **{f"SIZE_{x}": s * n for x, s, n in zip("ABC", strides, lengths, strict=True)},
        "SUM": sum_type,
    }
    text = KERNEL
    for word, meaning in names.items():
        text = text.replace(word, str(meaning))
    return text


TAIL = """
extern "C" __global__ void saturate(const signed char* a, int* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> fc, fd;
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, a, 16);
  wmma::load_matrix_sync(fc, c, 16, wmma::mem_row_major);
  wmma::mma_sync(fd, fa, fb, fc, true);
  wmma::store_matrix_sync(c, fd, 16, wmma::mem_row_major);
  wmma::mma_sync(fd, fa, fb, fc);
  wmma::store_matrix_sync(c + 256, fd, 16, wmma::mem_row_major);
}
extern "C" __global__ void mixed(const half* a, half* h, float* f) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> narrow;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> wide;
  wmma::load_matrix_sync(fa, a, 16);
  wmma::fill_fragment(fb, __float2half(1.0f));
  wmma::fill_fragment(narrow, __float2half(0.5f));
  wmma::fill_fragment(wide, 0.25f);
  wmma::mma_sync(wide, fa, fb, narrow);
  wmma::store_matrix_sync(f, wide, 16, wmma::mem_col_major);
  wmma::mma_sync(narrow, fa, fb, wide);
  wmma::store_matrix_sync(h, narrow, 16, wmma::mem_row_major);
}
extern "C" __global__ void rounded(float* x) {
  x[threadIdx.x] = wmma::__float_to_tf32(x[threadIdx.x]);
}
// Tiles in shared memory that the same warp writes and reads, and a second product of its result.
extern "C" __global__ void shared_tiles(const half* a, float* d) {
  __shared__ __align__(32) half tile[4][256];
  __shared__ __align__(32) float sum[4][256];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = lane; i < 256; i += 32) tile[warp][i] = a[i] + __int2half_rn(warp);
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  __syncwarp();
  wmma::load_matrix_sync(fa, tile[warp], 16);
  wmma::load_matrix_sync(fb, tile[warp], 16);
  wmma::fill_fragment(fc, 0.0f);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(sum[warp], fc, 16, wmma::mem_row_major);
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) d[i] = sum[i / 256][i % 256];
}
"""
SOURCE = "#include <mma.h>\nusing namespace nvcuda;\n" + TAIL
ALL_SHAPES = "#include <mma.h>\nusing namespace nvcuda;\n" + "".join(
    kernel(i, *case) for i, case in enumerate(CASES)
)


def compiled(machine, name, source):
    return machine.module(name, source, "mma.h")


def as_numbers(stored, name):
    if name == "bfloat16":
        return (stored.astype(np.uint32) << 16).view(np.float32).astype(float)
    if name == "tf32":
        return (stored.view(np.uint32) & 0xFFFFE000).view(np.float32).astype(float)
    return stored.astype(float)


def random_matrix(random, name, rows, columns, layout, dtype):
    """The memory of two matrices, one after the other, and the matrices themselves."""
    lines, length = (rows, columns) if layout == "row" else (columns, rows)
    shape = (2, lines, length + 16)
    if np.issubdtype(dtype, np.integer) and name != "bfloat16":
        limits = np.iinfo(dtype)
        memory = random.integers(max(limits.min, -999), min(limits.max, 999), shape, dtype)
        numbers = memory.astype(float)
    elif dtype == np.uint16:
        memory = (random.normal(0, 1, shape).astype(np.float32).view(np.uint32) >> 16).astype(dtype)
        numbers = as_numbers(memory, name)
    else:
        memory = random.normal(0, 1, shape).astype(dtype)
        numbers = as_numbers(memory, name)
    numbers = numbers[:, :, :length]
    return memory, numbers if layout == "row" else numbers.transpose(0, 2, 1)


@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda i: " ".join(map(str, CASES[i])))
def test_products_are_those_of_numpy(machine, number):
    name, (m, n, k), layouts = CASES[number]
    random, step = np.random.default_rng(number), spacing(name, k)
    a, numbers_a = random_matrix(random, name, m, 3 * step, layouts[0], TYPES[name][1])
    b, numbers_b = random_matrix(random, name, 3 * step, n, layouts[1], TYPES[name][1])
    c, numbers_c = random_matrix(random, "sum", m, n, layouts[2], TYPES[name][3])
    d = np.zeros_like(c)
    compiled(machine, "wmma", ALL_SHAPES).kernel(f"k{number}")(a, b, c, d, block=(64,), grid=(1,))
    length = d.shape[2] - 16
    assert not d[:, :, length:].any()  # what lies between the rows is left alone
    found = d[:, :, :length] if layouts[2] == "row" else d[:, :, :length].transpose(0, 2, 1)
    used = np.arange(3 * step) % step < k
    expected = 2 * (numbers_c + numbers_a[:, :, used] @ numbers_b[:, used])
    tolerance = {"half": 0.1, "double": 1e-12}.get(name, 1e-4)
    if "char" in name:
        tolerance = 0
    assert abs(found.astype(float) - expected).max() <= tolerance


def test_sums_of_integers_saturate_if_asked(machine):
    a = np.full((16, 16), 127, np.int8)
    a[8:] = -128
    c = np.zeros((32, 16), np.int32)
    c[:8], c[8:16] = 2**31 - 5, -(2**31) + 5
    start = c[:16].astype(np.int64)
    compiled(machine, "wmma tail", SOURCE).kernel("saturate")(a, c, block=(32,), grid=(1,))
    exact = start + a.astype(np.int64) @ a.astype(np.int64)
    assert np.array_equal(c[:16], exact.clip(-(2**31), 2**31 - 1))
    assert np.array_equal(c[16:], exact.astype(np.uint64).astype(np.uint32).view(np.int32))


def test_sums_of_halves_and_floats_mix(machine):
    a = np.random.default_rng(1).integers(-4, 5, (16, 16)).astype(np.float16)
    narrow, wide = np.zeros((16, 16), np.float16), np.zeros((16, 16), np.float32)
    compiled(machine, "wmma tail", SOURCE).kernel("mixed")(a, narrow, wide, block=(32,), grid=(1,))
    sums = np.repeat(a.sum(1, dtype=float)[:, None], 16, 1)
    assert np.array_equal(wide.T, sums + 0.5)
    assert np.array_equal(narrow, 2 * sums + 0.5)


def test_tf32_is_the_nearest_number_of_ten_digits(machine):
    x = np.array(
        [1, 1 + 2**-11, 1 + 2**-11 - 2**-23, -1 - 2**-11, 3e38, 1e-30, 0, np.inf], np.float32
    )
    kept = x.copy()
    compiled(machine, "wmma tail", SOURCE).kernel("rounded")(x, block=(8,), grid=(1,))
    bits = kept.view(np.uint32)
    finite = np.isfinite(kept)
    expected = np.where(finite, (bits + 0x1000) & 0xFFFFE000, bits)
    assert np.array_equal(x.view(np.uint32), expected)
    assert x[1] == np.float32(1 + 2**-10)
    assert x[2] == 1


def test_warps_have_tiles_of_their_own(machine):
    a = np.random.default_rng(2).integers(-3, 4, (16, 16)).astype(np.float16)
    d = np.zeros((4, 16, 16), np.float32)
    kernel = compiled(machine, "wmma tail", SOURCE).kernel("shared_tiles")
    kernel(a, d, block=(128,), grid=(1,))
    for warp in range(4):
        tile = a.astype(float) + warp
        assert np.array_equal(d[warp], tile @ tile.T)


def test_other_shapes_are_refused_by_name(device, compile_error):
    source = """#include <mma.h>
    extern "C" __global__ void k() {
      nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 8, half> f; }"""
    with pytest.raises(compile_error, match="no such shape"):
        device.image(source)
